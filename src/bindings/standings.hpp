#pragma once

#include <nanobind/nanobind.h>

#include "core/experts/history.hpp"

namespace nb = nanobind;

namespace thresher::bindings {

/// How a predictor has done.
inline nb::dict errors_of(const History& history, std::size_t p) {
    const auto mean = [&](Stretch stretch) {
        return history.examples() == 0 ? nb::object(nb::none())
                                       : nb::float_(history.error(p, stretch));
    };
    nb::dict out;
    out["error"] = mean(Stretch::whole);
    out["recent"] = mean(Stretch::recent);
    out["standard_error"] = history.standard_error(p);
    return out;
}

}  // namespace thresher::bindings
