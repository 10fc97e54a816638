#include "core/geometry/additive.hpp"
#include "core/geometry/diagonal.hpp"
#include "core/geometry/ftrl.hpp"
#include "core/geometry/pnorm.hpp"
#include "core/geometry/scale_free.hpp"
#include "core/geometry/shifting.hpp"
#include "core/geometry/truncated.hpp"
#include "learners.hpp"

namespace thresher::bindings {

std::unique_ptr<Learner> adding_learner(const std::string& geometry, OptionReader& o,
                                        const MachineOptions& m, bool regressor) {
    if (geometry == "adagrad") return learner_in<AdaGrad>(o, m, regressor);
    if (geometry == "additive") return learner_in<Additive>(o, m, regressor);
    if (geometry == "diagonal") return learner_in<Diagonal>(o, m, regressor);
    if (geometry == "ftrl") return learner_in<Ftrl>(o, m, regressor);
    if (geometry == "p-norm") return learner_in<PNorm>(o, m, regressor);
    if (geometry == "scale-free") return learner_in<ScaleFree>(o, m, regressor);
    if (geometry == "shifting") return learner_in<Shifting>(o, m, regressor);
    if (geometry == "truncated") return learner_in<Truncated>(o, m, regressor);
    return nullptr;
}

}  // namespace thresher::bindings
