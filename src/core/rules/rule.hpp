// A rule decides how much: View in, signed step out; the engine then moves the weights by step along x.
// A rule is a small struct with `step`; RuleOf gives the loop one type to hold any of them by.
#pragma once

#include <memory>

#include "../view.hpp"

namespace thresher {

class Rule {
public:
    Rule(bool uses_norm, double split_factor) : uses_sqnorm(uses_norm), split(split_factor) {}
    virtual ~Rule() = default;
    virtual double step(const View& v) const = 0;

    const bool uses_sqnorm;  // spares the loop a pass over the values when nobody asks
    const double split;      // what of w each prototype takes when a third class appears
};

template <class R>
class RuleOf final : public Rule {
public:
    explicit RuleOf(R rule) : Rule(R::uses_sqnorm, R::split), rule_(std::move(rule)) {}
    double step(const View& v) const override { return rule_.step(v); }

private:
    R rule_;
};

template <class R>
std::unique_ptr<Rule> make_rule(R rule) {
    return std::make_unique<RuleOf<R>>(std::move(rule));
}

}  // namespace thresher
