// Running estimates of the trace and the largest eigenvalue of E[x xᵀ], at O(nonzeros) an example.
// λ_max by candid covariance-free component analysis (Weng, Zhang & Hwang 2003) without its shrinking
// factor: z += (x·z/‖z‖)·x, and ‖z‖/t tends to λ_max.
#pragma once

#include <cmath>

#include "matrix.hpp"

namespace thresher {

class Spectrum {
public:
    explicit Spectrum(bool on = false) : on_(on) {}
    bool on() const { return on_; }
    void grow(std::size_t features) { z_.grow(features); }

    double trace() const { return trace_; }
    double largest() const { return t_ > 0.0 ? std::sqrt(sqnorm_z_) / t_ : 0.0; }

    template <class Row>
    void observe(const Row& x, double sqnorm, double bias) {
        t_ += 1.0;
        trace_ += (sqnorm - trace_) / t_;
        const double inner = x.dot(z_.feature(0)) + bias * z_.bias()[0];
        double step;
        if (sqnorm_z_ == 0.0) {
            step = std::sqrt(sqnorm);
            sqnorm_z_ = sqnorm * sqnorm;
        } else {
            step = inner / std::sqrt(sqnorm_z_);
            sqnorm_z_ += 2.0 * step * inner + step * step * sqnorm;
        }
        z_.bias()[0] += step * bias;
        x.each([&](std::size_t i, double v) { z_.feature(i)[0] += step * v; });
    }

    template <class Archive>
    void describe(Archive& a) {
        if (!on_) return;
        a.real("t", t_);
        a.real("trace", trace_);
        a.real("sqnorm_z", sqnorm_z_);
        a.nested("z", z_);
    }

private:
    bool on_;
    double t_ = 0.0, trace_ = 0.0, sqnorm_z_ = 0.0;
    Matrix z_{0.0};
};

}  // namespace thresher
