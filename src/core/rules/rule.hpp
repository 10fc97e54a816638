// A rule decides how much: View in, signed step out; the engine then moves the weights by step along x.
// A rule is a small struct with `step`; RuleOf gives the loop one type for all of them.
#pragma once

#include <limits>
#include <memory>

#include "../view.hpp"

namespace thresher {

class Rule {
public:
    Rule(bool uses_norm, double split_factor, double rests)
        : uses_sqnorm(uses_norm), split(split_factor), rests_above(rests) {}
    virtual ~Rule() = default;
    virtual double step(const View& v) const = 0;
    /// The increment of the inverse variances by this step, in a geometry that has them.
    virtual double gain(const View&, double /*step*/) const { return 0.0; }
    /// η(t), where a step is that times a slope.
    virtual double rate(double /*t*/) const { return 1.0; }
    /// Whether steps become smaller with t, however the weights are.
    virtual bool settles() const { return false; }

    const bool uses_sqnorm;    // false saves the loop a pass over the values
    const double split;        // the share of w that each prototype gets when a third class appears
    const double rests_above;  // for y = ±1, a larger margin moves nothing, whatever the norm
};

template <class R>
class RuleOf final : public Rule {
public:
    explicit RuleOf(R rule)
        : Rule(R::uses_sqnorm, R::split, rest_of(rule)), rule_(std::move(rule)) {}
    double step(const View& v) const override { return rule_.step(v); }
    double gain(const View& v, double step) const override {
        if constexpr (requires { rule_.gain(v, step); })
            return rule_.gain(v, step);
        else
            return Rule::gain(v, step);
    }
    double rate(double t) const override {
        if constexpr (requires { rule_.rate(t); })
            return rule_.rate(t);
        else
            return Rule::rate(t);
    }
    bool settles() const override {
        if constexpr (requires { rule_.settles(); })
            return rule_.settles();
        else
            return Rule::settles();
    }

private:
    /// A rule that does not define it may always move.
    static double rest_of(const R& rule) {
        if constexpr (requires { rule.rests_above(); })
            return rule.rests_above();
        else
            return std::numeric_limits<double>::infinity();
    }

    R rule_;
};

template <class R>
std::unique_ptr<Rule> make_rule(R rule) {
    return std::make_unique<RuleOf<R>>(std::move(rule));
}

}  // namespace thresher
