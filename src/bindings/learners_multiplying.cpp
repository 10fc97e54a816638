#include "core/geometry/balanced.hpp"
#include "core/geometry/multiplicative.hpp"
#include "core/geometry/negations.hpp"
#include "learners.hpp"

namespace thresher::bindings {

std::unique_ptr<Learner> multiplying_learner(const std::string& geometry, const Options& o,
                                             const MachineOptions& m) {
    const bool regressor = o.flag("regressor");
    if (geometry == "balanced")
        return std::make_unique<LearnerOf<Balanced>>(
            Balanced::Options{o.real("alpha"), o.real("theta"), m.bias != 0.0}, m, regressor);
    if (geometry != "multiplicative" && geometry != "negations") return nullptr;
    const WinnowOptions w{o.real("alpha"), o.real("theta"), o.flag("eliminate"), o.real("floor")};
    if (geometry == "negations") return std::make_unique<LearnerOf<Negations>>(w, m, regressor);
    return std::make_unique<LearnerOf<Multiplicative>>(w, m, regressor);
}

}  // namespace thresher::bindings
