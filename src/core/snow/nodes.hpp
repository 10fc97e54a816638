// The nodes of a sparse network: one linear threshold unit per target, each with its own rule. A score ≥ 0
// is in favour of the target, whatever the rule, so that nodes of different rules can compete.
//   winnow              w *= α^x or β^x when the margin is < γ (or on a mistake);   s = w·x + b − θ
//   perceptron          w += ±η·x when the margin is ≤ γ;                           s = w·x + b
//   passive-aggressive  w += ±τ·x, τ = min(C, loss/‖x‖²) over the linked features;  s = w·x + b
//   naive Bayes         only counts:  s = log-odds of the target given the active features
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../elementary.hpp"
#include "../geometry/multiplicative.hpp"
#include "links.hpp"

namespace thresher::snow {

enum class Kind : std::uint8_t { winnow, perceptron, naive_bayes, passive_aggressive };
constexpr std::size_t kinds = 4;

struct Options {
    Kind kind = Kind::winnow;  // of a target without its own rule
    bool uses_bayes = false;   // some target may be naive Bayes
    bool uses_norm = false;    // some target may be passive-aggressive
    bool unit = false;         // values must lie in [0, 1]
    double alpha = 1.1, beta = 1.0 / 1.1;
    double theta = std::nan("");  // NaN: half the mean of Σ x so far
    double initial_weight = 1.0;
    double margin = 0.0;
    double eta = 1.0, C = 1.0, smoothing = 1.0;
    double bias = 1.0;  // 0: none
    std::uint32_t eligibility = 1;
    double prune = 0.0;
    std::size_t max_links = 0;  // 0: no limit
    bool one_vs_rest = false, multi_label = false, sigmoid = false;
    Averaging average;
    bool calibrate = false;

    bool theta_is_given() const { return !std::isnan(theta); }

    template <class Archive>
    void describe(Archive& a) {
        bool fit_intercept = true;
        Domain domain = Domain::any;
        a.word("rule", kind, {"winnow", "perceptron", "naive-bayes", "passive-aggressive"});
        a.flag("uses_bayes", uses_bayes);
        a.flag("uses_norm", uses_norm);
        a.word("domain", domain, domains);
        a.real("alpha", alpha);
        a.real("beta", beta);
        a.real_or_none("theta", theta);
        a.real("initial_weight", initial_weight);
        a.real("margin", margin);
        a.real("learning_rate", eta);
        a.real("C", C);
        a.real("smoothing", smoothing);
        a.flag("fit_intercept", fit_intercept);
        a.count("eligibility", eligibility);
        a.real("prune", prune);
        a.count_or_none("max_links", max_links);
        a.word("multiclass", one_vs_rest, {"ultraconservative", "one-vs-rest"});
        a.flag("multi_label", multi_label);
        a.word("confidence", sigmoid, {"softmax", "sigmoid"});
        a.averaging("average", average);
        a.real("burn_in", average.burn_in);
        a.flag("calibrate", calibrate);
        unit = domain == Domain::unit;
        bias = fit_intercept ? 1.0 : 0.0;
    }
};

/// What a target has besides its links.
struct Node {
    Kind kind;
    double bias = 0.0, bias_past = 0.0;
    double mass = 0.0;  // of its examples, by weight (naive Bayes)

    bool additive() const { return kind == Kind::perceptron || kind == Kind::passive_aggressive; }
};

/// Naive Bayes of one target against the rest, smoothed by s:
///   log (n_t + s)/(N − n_t + s) + Σ x_i·log [(c_it + s)/(n_t + 2s)] / [(c_i − c_it + s)/(N − n_t + 2s)]
/// A feature without a link has c_it = 0. Split so that such features need no walk over the targets.
struct Bayes {
    double s;

    double prior(double n, double all) const { return fixed::log((n + s) / (all - n + s)); }
    /// For each unit of x, linked or not.
    double spread(double n, double all) const {
        return fixed::log((all - n + 2.0 * s) / (n + 2.0 * s));
    }
    /// What a feature without a link adds.
    double unlinked(double seen) const { return fixed::log(s / (seen + s)); }
    /// What a link adds to that. Rounding may leave c a little above the sum that it is part of.
    double linked(double c, double seen) const {
        return fixed::log((c + s) / (std::max(seen - c, 0.0) + s)) - unlinked(seen);
    }
};

/// How far a node moves: along ±x, or as the exponent of α and β. `sqnorm` is called only if needed.
template <class SqNorm>
double step_of(const Options& o, Kind kind, double sign, double margin, bool mistake, double weight,
               SqNorm sqnorm) {
    switch (kind) {
        case Kind::winnow: return mistake || margin < o.margin ? sign * weight : 0.0;
        case Kind::perceptron: return margin <= o.margin ? sign * o.eta * weight : 0.0;
        case Kind::passive_aggressive: {
            const double loss = 1.0 - margin;
            if (loss <= 0.0) return 0.0;
            const double size = sqnorm();
            return size > 0.0 ? sign * std::min(o.C * weight, loss / size) : 0.0;
        }
        case Kind::naive_bayes: break;
    }
    return 0.0;  // it has already counted the example
}

}  // namespace thresher::snow
