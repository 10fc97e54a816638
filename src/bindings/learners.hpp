// Learners by the name of their geometry, each kind in a file of its own: these are what takes time to
// compile. Null where the name is of another kind.
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

/// w += step·x and its kin.
std::unique_ptr<Learner> adding_learner(const std::string& geometry, OptionReader& o,
                                        const MachineOptions& m, bool regressor);
/// w_i *= α^(±x_i) and its kin.
std::unique_ptr<Learner> multiplying_learner(const std::string& geometry, OptionReader& o,
                                             const MachineOptions& m, bool regressor);
/// Counts, second moments, networks: those with a loop of their own.
std::unique_ptr<Learner> counting_learner(const std::string& geometry, OptionReader& o);

}  // namespace thresher::bindings
