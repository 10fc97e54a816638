// Banditron (Kakade, Shalev-Shwartz & Tewari 2008): many classes, and the answer is only whether the class
// that was played is right. Of k classes the best scored, ŷ, is played with probability 1 − γ, else one of
// all k at random, ỹ; P(r) is the probability that r is played.
//   w_r += x·(1[r = ỹ = y]/P(r) − 1[r = ŷ])
// which is in the mean the step of the perceptron that is told y: towards x for y, away from it for ŷ.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../chance.hpp"

namespace thresher::rules {

/// What was played for an example, by the places of the classes.
struct Play {
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    std::size_t best = none;    // ŷ; none where no class is known yet
    std::size_t played = none;  // ỹ
    double probability = 1.0;   // P(ỹ)
};

struct Banditron {
    double gamma = 0.0;  // 0: the learner is told every label
    std::uint64_t seed = 0;

    bool on() const { return gamma > 0.0; }

    /// For the t-th example, of k classes.
    Play play(std::size_t best, std::size_t k, double t) const {
        if (k == 0) return {};
        const double coin = chance(seed, static_cast<std::uint64_t>(t)), n = static_cast<double>(k);
        std::size_t played = best;
        if (coin < gamma) played = std::min(static_cast<std::size_t>(coin / gamma * n), k - 1);
        return {best, played, (played == best ? 1.0 - gamma : 0.0) + gamma / n};
    }
};

}  // namespace thresher::rules
