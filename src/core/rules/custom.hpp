// A rule written by the user: any function of the same scalars, returning the step along y.
#pragma once

#include <functional>

#include "rule.hpp"

namespace thresher::rules {

struct Custom {
    static constexpr bool uses_sqnorm = true;
    static constexpr double split = 0.5;

    std::function<double(const View&)> along_y;

    template <class Archive>
    void describe(Archive& a) {
        a.step("step", along_y);
    }

    double step(const View& v) const { return v.y * along_y(v); }
};

/// The scalars in the order of the C function that a just-in-time compiler hands over.
using CompiledRule = double (*)(double margin, double sqnorm, double y, double score, double t,
                                double weight);

inline Custom compiled_rule(CompiledRule f) {
    return Custom{
        [f](const View& v) { return f(v.margin(), v.sqnorm, v.y, v.score, v.t, v.weight); }};
}

}  // namespace thresher::rules
