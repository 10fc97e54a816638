// Learners by the name of their geometry, each kind in its own file, as these are slow to compile. Null if
// the name is of another kind.
#pragma once

#include <memory>
#include <string>

#include "options.hpp"

namespace thresher::bindings {

template <class Geometry>
std::unique_ptr<Learner> learner_in(OptionReader& o, const MachineOptions& m, bool regressor) {
    auto geometry = o.read<typename Geometry::Options>();
    geometry.bias = m.bias;
    return std::make_unique<LearnerOf<Geometry>>(geometry, m, regressor);
}

/// w += step·x and similar.
std::unique_ptr<Learner> adding_learner(const std::string& geometry, OptionReader& o,
                                        const MachineOptions& m, bool regressor);
/// w_i *= α^(±x_i) and similar.
std::unique_ptr<Learner> multiplying_learner(const std::string& geometry, OptionReader& o,
                                             const MachineOptions& m, bool regressor);
/// Counts, second moments, networks: those with their own loop.
std::unique_ptr<Learner> counting_learner(const std::string& geometry, OptionReader& o);

}  // namespace thresher::bindings
