// Passive-Aggressive (Crammer, Dekel, Keshet, Shalev-Shwartz & Singer 2006): the smallest change of w
// that suffers no hinge loss on the example, hard or with slack.
//   min ½‖w' − w‖²           s.t. ℓ(w'; x, y) = 0      PA      τ = ℓ/‖x‖²
//   min ½‖w' − w‖² + C·ξ     s.t. ℓ(w'; x, y) ≤ ξ      PA-I    τ = min(C, ℓ/‖x‖²)
//   min ½‖w' − w‖² + C·ξ²    s.t. ℓ(w'; x, y) ≤ ξ      PA-II   τ = ℓ/(‖x‖² + 1/(2C))
// A sample weight multiplies C; under the hard constraint it can only shorten the step.
#pragma once

#include <algorithm>
#include <cmath>

#include "../view.hpp"

namespace thresher::rules {

enum class Slack { none, linear, squared };

/// τ for a loss ℓ ≥ 0.
inline double passive_aggressive_tau(Slack slack, double C, double loss, const View& v) {
    if (loss <= 0.0 || v.sqnorm == 0.0) return 0.0;
    switch (slack) {
        case Slack::none: return std::min(1.0, v.weight) * loss / v.sqnorm;
        case Slack::linear: return std::min(C * v.weight, loss / v.sqnorm);
        case Slack::squared: return loss / (v.sqnorm + 1.0 / (2.0 * C * v.weight));
    }
    return 0.0;
}

/// Hinge loss ℓ = max(0, m − y·s); m = 1 for Passive-Aggressive, settable for MIRA.
struct PassiveAggressive {
    static constexpr bool uses_sqnorm = true;
    static constexpr double split = 0.5;

    Slack slack = Slack::linear;
    double C = 1.0;
    double margin = 1.0;

    template <class Archive>
    void describe(Archive& a) {
        a.word("variant", slack, {"PA", "PA-I", "PA-II"});
        a.real("C", C);
        a.real("margin", margin);
    }

    double rests_above() const { return margin; }
    double step(const View& v) const {
        return v.y * passive_aggressive_tau(slack, C, margin - v.margin(), v);
    }
};

/// ε-insensitive loss ℓ = max(0, |y − s| − ε), the step towards the target.
struct PassiveAggressiveRegression {
    static constexpr bool uses_sqnorm = true;
    static constexpr double split = 0.5;

    Slack slack = Slack::linear;
    double C = 1.0;
    double epsilon = 0.1;

    template <class Archive>
    void describe(Archive& a) {
        a.word("variant", slack, {"PA", "PA-I", "PA-II"});
        a.real("C", C);
        a.real("epsilon", epsilon);
    }

    double step(const View& v) const {
        const double residual = v.y - v.score;
        return std::copysign(passive_aggressive_tau(slack, C, std::abs(residual) - epsilon, v),
                             residual);
    }
};

}  // namespace thresher::rules
