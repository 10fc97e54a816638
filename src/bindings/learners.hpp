// Learners by the name of their geometry, each kind in a file of its own: these are what takes time to
// compile. Null where the name is of another kind.
#pragma once

#include <memory>
#include <string>

#include "options.hpp"

namespace thresher::bindings {

/// w += step·x and its kin.
std::unique_ptr<Learner> adding_learner(const std::string& geometry, const Options& o,
                                        const MachineOptions& m);
/// w_i *= α^(±x_i) and its kin.
std::unique_ptr<Learner> multiplying_learner(const std::string& geometry, const Options& o,
                                             const MachineOptions& m);
/// Counts, second moments, networks: those with a loop of their own.
std::unique_ptr<Learner> counting_learner(const std::string& geometry, const Options& o);

}  // namespace thresher::bindings
