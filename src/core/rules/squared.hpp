// The squared loss ½(y − s)² of a number, for a geometry that makes its own steps from gradients.
//   step = −∂ℓ/∂s = y − s
// The gain is η in units of the largest |y| so far: predictions then scale with the targets.
#pragma once

#include "../view.hpp"

namespace thresher::rules {

struct Squared {
    static constexpr bool uses_sqnorm = true;
    static constexpr double split = 0.5;

    double eta = 0.5;

    template <class Archive>
    void describe(Archive& a) {
        a.real("learning_rate", eta);
    }

    double step(const View& v) const { return v.sqnorm == 0.0 ? 0.0 : v.weight * (v.y - v.score); }
    double gain(const View& v, double) const { return eta * v.scale; }
};

}  // namespace thresher::rules
