// Least mean squares (Widrow & Hoff 1960): stochastic gradient of ½(y − w·x)².
//   LMS    w += η·r·x            r = y − w·x; with a constant η the mean converges for
//                                0 < η < 2/λ_max of E[x xᵀ], the mean square for a smaller one
//   NLMS   w += η·r·x/‖x‖²       0 < η < 2; η = 1 hits the target exactly
//   auto   η = 1/(2λ_max + tr)   mean-square stable for Gaussian inputs (Feuer & Weinstein 1985), from
//                                running estimates, and never beyond the example's own 1/‖x‖²
#pragma once

#include <algorithm>
#include <functional>

#include "../view.hpp"

namespace thresher::rules {

struct LMS {
    static constexpr bool uses_sqnorm = true;
    static constexpr double split = 0.5;

    std::function<double(double)> rate;  // η(t)
    bool automatic = true;               // η from the curvature that the loop estimates, instead
    bool normalized = false;

    template <class Archive>
    void describe(Archive& a) {
        a.rate("learning_rate", rate);
        a.flag("estimate_curvature", automatic);
        a.flag("normalized", normalized);
    }

    double step(const View& v) const {
        const double residual = v.y - v.score;
        if (v.sqnorm == 0.0) return 0.0;
        if (automatic) return std::min(v.weight / v.curvature, 1.0 / v.sqnorm) * residual;
        const double eta = rate(v.t);
        if (normalized) return eta * std::min(1.0, v.weight) * residual / v.sqnorm;
        return eta * v.weight * residual;
    }
};

}  // namespace thresher::rules
