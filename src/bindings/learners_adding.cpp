#include "core/geometry/additive.hpp"
#include "core/geometry/diagonal.hpp"
#include "core/geometry/ftrl.hpp"
#include "core/geometry/truncated.hpp"
#include "learners.hpp"

namespace thresher::bindings {

std::unique_ptr<Learner> adding_learner(const std::string& geometry, const Options& o,
                                        const MachineOptions& m) {
    const bool regressor = o.flag("regressor");
    if (geometry == "additive")
        return std::make_unique<LearnerOf<Additive>>(Additive::Options{m.bias}, m, regressor);
    if (geometry == "diagonal")
        return std::make_unique<LearnerOf<Diagonal>>(Diagonal::Options{m.bias}, m, regressor);
    if (geometry == "ftrl")
        return std::make_unique<LearnerOf<Ftrl>>(
            Ftrl::Options{m.bias, o.word("schedule") == "adagrad", o.real("learning_rate"),
                          o.real("beta"), o.real("l1"), o.real("l2")},
            m, regressor);
    if (geometry == "truncated")
        return std::make_unique<LearnerOf<Truncated>>(
            Truncated::Options{m.bias, o.get<std::size_t>("keep"), o.real("l2")}, m, regressor);
    return nullptr;
}

}  // namespace thresher::bindings
