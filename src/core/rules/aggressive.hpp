// Aggressive perceptron: the step that puts the example on the margin, so that the same mistake is
// not made twice.
//   update when y·s ≤ γ:   w += ((γ − y·s)/‖x‖²)·y·x        needs γ > 0: from w = 0, γ = 0 never moves
#pragma once

#include <algorithm>

#include "../view.hpp"

namespace thresher::rules {

struct Aggressive {
    static constexpr bool uses_sqnorm = true;
    static constexpr double split = 0.5;

    double margin = 1.0;

    template <class Archive>
    void describe(Archive& a) {
        a.real("margin", margin);
    }

    double rests_above() const { return margin; }
    double step(const View& v) const {
        if (v.margin() > margin || v.sqnorm == 0.0) return 0.0;
        return v.y * std::min(1.0, v.weight) * (margin - v.margin()) / v.sqnorm;
    }
};

}  // namespace thresher::rules
