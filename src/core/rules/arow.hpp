// AROW, adaptive regularization of weights (Crammer, Kulesza & Dredze 2009), diagonal. Weights are
// normal, w ~ N(μ, Σ); on a hinge loss, a nearby distribution with a smaller loss:
//   min KL(N(μ', Σ') ‖ N(μ, Σ)) + (1/2r)·ℓ(μ'; x, y)² + (1/2r)·xᵀΣ'x
// whose solution is μ += y·(ℓ/(xᵀΣx + r))·Σx and 1/Σ_i += x_i²/r. A sample weight divides r.
#pragma once

#include <algorithm>

#include "../view.hpp"

namespace thresher::rules {

struct AROW {
    static constexpr bool uses_sqnorm = true;
    static constexpr double split = 0.5;

    double r = 1.0;

    template <class Archive>
    void describe(Archive& a) {
        a.real("r", r);
    }

    double rests_above() const { return 1.0; }
    double step(const View& v) const {
        return v.y * std::max(0.0, 1.0 - v.margin()) / (v.sqnorm + r / v.weight);
    }
    /// The increment of the inverse variances, for each x_i², when a step is made.
    double gain(const View& v, double) const { return v.weight / r; }
};

}  // namespace thresher::rules
