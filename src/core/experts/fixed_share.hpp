// Weights of experts that lose by their mistakes, of which a share is spread over all after each example, so that
// one that was bad for long may lead again: fixed share (Herbster & Warmuth 1998),
//   w_i ← w_i·e^(−η·loss_i), Σ w = 1, then w_i ← (1 − α)·w_i + α/N.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "../elementary.hpp"

namespace thresher {

struct FixedShareOptions {
    double eta = 0.5;      // how fast a loss takes effect
    double share = 0.001;  // α

    template <class Archive>
    void describe(Archive& a) {
        a.real("eta", eta);
        a.real("share", share);
    }
};

class FixedShare {
public:
    FixedShare() = default;
    FixedShare(FixedShareOptions options, std::size_t experts)
        : options_(options),
          weights_(experts, 1.0 / static_cast<double>(experts)),
          left_(experts) {}

    std::size_t size() const { return weights_.size(); }
    double weight(std::size_t i) const { return weights_[i]; }
    /// Experts that were not dropped.
    std::size_t left() const { return left_; }

    /// All weigh the same again.
    void restart() {
        for (double& w : weights_)
            if (w > 0.0) w = 1.0 / static_cast<double>(left_);
    }

    /// It votes no longer; the others keep their proportions.
    void drop(std::size_t i) {
        weights_[i] = 0.0;
        --left_;
        double total = 0.0;
        for (const double w : weights_) total += w;
        for (double& w : weights_) w /= total;
    }

    /// `loss(i)` times the importance of the example. The least one is subtracted from all: that changes
    /// no proportion, and some weight stays as it is, however important the example. What is returned is
    /// −1/η·ln Σ w_i·e^(−η·loss_i): the loss that the weights account for.
    template <class Loss>
    double update(double eta, Loss loss) {
        double least = std::numeric_limits<double>::infinity(), total = 0.0;
        for (std::size_t i = 0; i < weights_.size(); ++i)
            if (weights_[i] > 0.0) least = std::min(least, loss(i));
        for (std::size_t i = 0; i < weights_.size(); ++i) {
            if (weights_[i] == 0.0) continue;
            const double more = loss(i) - least;
            if (more > 0.0)  // never 0, which means dropped
                weights_[i] = std::max(weights_[i] * fixed::exp(-eta * more),
                                       std::numeric_limits<double>::min());
            total += weights_[i];
        }
        const double each = options_.share / static_cast<double>(left_);
        for (double& w : weights_)
            if (w > 0.0) w = (1.0 - options_.share) * (w / total) + each;
        return least - fixed::log(total) / eta;
    }

    const FixedShareOptions& options() const { return options_; }

    template <class Archive>
    void describe(Archive& a) {
        a.cells("weights", weights_, weights_.size(), 1);
        std::size_t left = 0;
        for (const double w : weights_) {
            a.require(w >= 0.0 && w <= 1.0 + 1e-9, "the weights of the experts");
            left += w > 0.0;
        }
        a.require(left > 0, "the weights of the experts");
        left_ = left;
    }

private:
    FixedShareOptions options_;
    std::vector<double> weights_;  // 0: dropped
    std::size_t left_ = 0;
};

}  // namespace thresher
