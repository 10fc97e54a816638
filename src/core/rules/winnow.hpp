// Winnow (Littlestone 1988): promote on a false negative, demote on a false positive; with a margin,
// also when the example is on the right side but closer than γ to the threshold.
// The step is the exponent: the multiplicative geometry does w_i *= α^(step·x_i).
#pragma once

#include <algorithm>

#include "../view.hpp"

namespace thresher::rules {

struct Winnow {
    static constexpr bool uses_sqnorm = false;
    static constexpr double split = 0.5;

    double margin = 0.0;

    template <class Archive>
    void describe(Archive& a) {
        a.real("margin", margin);
    }

    double rests_above() const { return std::max(margin, 0.0); }
    double step(const View& v) const {
        return v.mistake || v.margin() < margin ? v.y * v.weight : 0.0;
    }
};

}  // namespace thresher::rules
