// Running estimates of the trace and the largest eigenvalue of E[x xᵀ], at O(nonzeros) per example.
// λ_max by candid covariance-free component analysis (Weng, Zhang & Hwang 2003) without its shrinking
// factor: z += (x·z/‖z‖)·x, and ‖z‖/t tends to λ_max.
#pragma once

#include <cmath>

#include "fault.hpp"
#include "matrix.hpp"

namespace thresher {

class Spectrum {
public:
    explicit Spectrum(bool on = false) : on_(on) {}
    bool on() const { return on_; }
    void grow(std::size_t features) { z_.grow(features); }
    void shrink(std::size_t features) { z_.shrink(features); }

    /// The estimates after one more example; kept only if the example is.
    struct Outlook {
        double t = 0.0, trace = 0.0, sqnorm_z = 0.0;
        double step = 0.0;  // of z along x

        double largest() const { return std::sqrt(sqnorm_z) / t; }
        /// No cell of z is larger than ‖z‖.
        bool can_be_kept() const { return trace <= largest_kept && sqnorm_z <= largest_kept; }
    };

    template <class Row>
    Outlook with(const Row& x, double sqnorm, double bias) const {
        Outlook next{t_ + 1.0, trace_, sqnorm_z_};
        next.trace += (sqnorm - trace_) / next.t;
        if (sqnorm_z_ == 0.0) {
            next.step = std::sqrt(sqnorm);
            next.sqnorm_z = sqnorm * sqnorm;
        } else {
            const double inner = x.dot(z_.feature(0)) + bias * z_.bias()[0];
            next.step = inner / std::sqrt(sqnorm_z_);
            next.sqnorm_z += 2.0 * next.step * inner + next.step * next.step * sqnorm;
        }
        return next;
    }

    template <class Row>
    void keep(const Outlook& next, const Row& x, double bias) {
        t_ = next.t;
        trace_ = next.trace;
        sqnorm_z_ = next.sqnorm_z;
        z_.bias()[0] += next.step * bias;
        x.each([&](std::size_t i, double v) { z_.feature(i)[0] += next.step * v; });
    }

    bool fits(const Matrix& w) const {
        return !on_ || (z_.features() == w.features() && z_.stride() == 1);
    }

    template <class Archive>
    void describe(Archive& a) {
        if (!on_) return;
        a.real("t", t_);
        a.real("trace", trace_);
        a.real("sqnorm_z", sqnorm_z_);
        a.nested("z", z_);
        a.require(t_ >= 0.0 && trace_ >= 0.0 && sqnorm_z_ >= 0.0, "the estimated curvature");
    }

private:
    bool on_;
    double t_ = 0.0, trace_ = 0.0, sqnorm_z_ = 0.0;
    Matrix z_{0.0};
};

}  // namespace thresher
