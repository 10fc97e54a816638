#include "core/geometry/balanced.hpp"
#include "core/geometry/multiplicative.hpp"
#include "core/geometry/negations.hpp"
#include "learners.hpp"

namespace thresher::bindings {

std::unique_ptr<Learner> multiplying_learner(const std::string& geometry, OptionReader& o,
                                             const MachineOptions& m, bool regressor) {
    if (geometry == "balanced") return learner_in<Balanced>(o, m, regressor);
    if (geometry == "multiplicative") return learner_in<Multiplicative>(o, m, regressor);
    if (geometry == "negations") return learner_in<Negations>(o, m, regressor);
    return nullptr;
}

}  // namespace thresher::bindings
