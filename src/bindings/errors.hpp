// Python errors built from facts: where, what was found, what was expected, what to do.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "core/fault.hpp"
#include "core/vocabulary.hpp"

namespace nb = nanobind;

namespace thresher::bindings {

/// Raise one of the errors of thresher.errors; or InvalidInput for a feature of an example.
[[noreturn]] void raise(const char* type, const std::string& message);
[[noreturn]] void raise_about(nb::handle feature, const std::string& found,
                              const std::string& expected);

/// The error for a fault, as thresher.faults makes it. `counted` says what `fault.row` counts, "row" or
/// "example"; a single example has no number. `feature` is the name of the one at fault, or None.
[[noreturn]] void raise_fault(const Fault& fault, const char* counted, nb::object feature);
[[noreturn]] void raise_fault(const Fault& fault, const char* counted, const Vocabulary& names);
inline constexpr const char* single = nullptr;

/// f(); a fault in it becomes the error about one of these names.
template <class F>
auto telling(const char* counted, const Vocabulary& names, F f) {
    try {
        return f();
    } catch (const Fault& fault) {
        raise_fault(fault, counted, names);
    }
}

std::string shown(nb::handle h);
std::string type_name_of(nb::handle h);

}  // namespace thresher::bindings
