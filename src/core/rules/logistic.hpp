// Logistic regression: P(y|x) = 1/(1 + exp(−y·s)), the log loss ℓ = log(1 + exp(−y·s)) and its derivative.
//   step = −∂ℓ/∂s = y/(1 + exp(y·s))        of many classes −∂ℓ/∂s_k = [k = y] − softmax(s)_k
// A geometry turns it into the gradient −step·x and computes the learning rate from it; where the rate
// depends on the clock, the gain passes it 1/η(t). A sample weight multiplies the loss.
// Without penalties a rate by the clock is plain gradient descent, w −= η(t)·g: `Descent`, in the additive geometry.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "../elementary.hpp"
#include "../view.hpp"

namespace thresher::rules {

/// The learning rate: one for each weight, or η by the clock.
enum class Schedule { adagrad, constant, inverse_root, inverse, scale_free };

struct Logistic {
    static constexpr bool uses_sqnorm = true;  // for the check below
    // softmax(s/2, −s/2) is the same probability as of one vector with score s.
    static constexpr double split = 0.5;

    Schedule schedule = Schedule::adagrad;
    double eta = 0.1;

    template <class Archive>
    void describe(Archive& a) {
        a.word("step", schedule, {"adagrad", "constant", "1/sqrt(t)", "1/t", "scale-free"});
        a.real("learning_rate", eta);
    }

    double step(const View& v) const {
        // If the square of the gradient overflows there is no step.
        if (!std::isfinite(v.weight * v.weight * v.sqnorm))
            return std::numeric_limits<double>::infinity();
        return v.y * v.weight / (1.0 + fixed::exp(v.margin()));
    }
    /// 1/η(t); η itself where a geometry makes its own steps from gradients.
    double gain(const View& v, double) const {
        switch (schedule) {
            case Schedule::adagrad: return 0.0;
            case Schedule::scale_free: return eta;
            default: return 1.0 / rate(v.t);
        }
    }
    /// η(t), by the clock.
    double rate(double t) const {
        switch (schedule) {
            case Schedule::inverse_root: return eta / std::sqrt(t);
            case Schedule::inverse: return eta / t;
            default: return eta;
        }
    }
};

struct Descent : Logistic {
    static constexpr bool uses_sqnorm = false;

    double step(const View& v) const { return rate(v.t) * Logistic::step(v); }
    bool settles() const { return schedule != Schedule::constant; }
};

/// Many classes at once, by the slope times `factor`; returns whether any of them moves.
inline bool softmax_steps(const double* s, std::size_t k, std::size_t y, double factor,
                          std::vector<double>& steps) {
    const double top = *std::max_element(s, s + k);
    double sum = 0.0;
    steps.resize(k);
    for (std::size_t r = 0; r < k; ++r) sum += steps[r] = fixed::exp(s[r] - top);
    bool moves = false;
    for (std::size_t r = 0; r < k; ++r) {
        steps[r] = factor * ((r == y ? 1.0 : 0.0) - steps[r] / sum);
        moves |= steps[r] != 0.0;
    }
    return moves;
}

}  // namespace thresher::rules
