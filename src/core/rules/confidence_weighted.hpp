// Confidence-Weighted (Crammer, Dredze & Pereira 2008, "Exact convex confidence-weighted learning": the
// form in the standard deviation), diagonal. Weights are normal, w ~ N(μ, Σ); the nearest distribution
// that is right with probability η = Φ(φ):
//   min KL(N(μ', Σ') ‖ N(μ, Σ))   s.t.   y·(μ'·x) ≥ φ·√(xᵀΣ'x)
// With M = y·(μ·x), V = xᵀΣx, ψ = 1 + φ²/2, ζ = 1 + φ² and a full Σ, the solution is
//   α = max(0, (−Mψ + √(M²φ⁴/4 + Vφ²ζ))/(Vζ))    √u = (−αVφ + √(α²V²φ² + 4V))/2, u = xᵀΣ'x
//   μ += α·y·Σx        Σ⁻¹ += (αφ/√u)·x·xᵀ, of which the diagonal is kept: 1/Σ_i += (αφ/√u)·x_i²
// There is no slack to weight: a sample weight below 1 scales the step.
#pragma once

#include <algorithm>
#include <cmath>

#include "../view.hpp"

namespace thresher::rules {

struct ConfidenceWeighted {
    static constexpr bool uses_sqnorm = true;
    static constexpr double split = 0.5;

    double phi = 1.0;

    template <class Archive>
    void describe(Archive& a) {
        a.real("phi", phi);
    }

    double step(const View& v) const { return v.y * std::min(1.0, v.weight) * alpha(v); }

    double gain(const View& v, double step) const {
        if (step == 0.0) return 0.0;
        const double a = std::abs(step), shift = a * v.sqnorm * phi;
        const double root_u = 2.0 * v.sqnorm / (shift + std::sqrt(shift * shift + 4.0 * v.sqnorm));
        return a * phi / root_u;
    }

private:
    // Here and above, no difference of two nearly equal numbers is taken.
    double alpha(const View& v) const {
        const double M = v.margin(), V = v.sqnorm, square = phi * phi;
        if (M >= phi * std::sqrt(V)) return 0.0;
        const double psi = 1.0 + square / 2.0, zeta = 1.0 + square;
        const double root = std::sqrt(M * M * square * square / 4.0 + V * square * zeta);
        if (M > 0.0) return (square * V - M * M) / (V * (M * psi + root));
        return (root - M * psi) / (V * zeta);
    }
};

}  // namespace thresher::rules
