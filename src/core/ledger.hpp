// What the theorems on mistakes speak of, kept while a two-class machine learns, at O(1) a step
// besides ‖x‖²: R, ‖w‖, Σℓ², and two sides of the margin.
//   from above   w = Σ τ·y·x with all τ > 0, so a unit vector of margin γ has γ·Στ ≤ u·w ≤ ‖w‖
//   from below   the least y·(w·x)/‖w‖ of the examples that the hypothesis of the moment has met
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace thresher {

class Ledger {
public:
    bool on() const { return on_; }
    void start() { on_ = true; }

    /// One step: the score before it, and how far along x it went (0: not at all). May overflow: the
    /// caller asks `is_finite`, and keeps only what is.
    void add(double y, double score, double sqnorm, double step) {
        largest_sqnorm_ = std::max(largest_sqnorm_, sqnorm);
        const double loss = std::max(0.0, 1.0 - y * score);
        squared_loss_ += loss * loss;
        if (step != 0.0) {
            const double next = w_sqnorm_ + 2.0 * step * score + step * step * sqnorm;
            w_sqnorm_ = next < 0.0 ? 0.0 : next;  // rounding may; a NaN stays one
            steps_ += std::abs(step);
            survived_ = 0;
            least_margin_ = std::numeric_limits<double>::infinity();
        }
        ++survived_;
        least_margin_ = std::min(least_margin_, y * (score + step * sqnorm));
    }

    /// Whether all that was added up is still a number.
    bool is_finite() const {
        double sum = 0.0;  // NaN if any is not
        for (const double v : {largest_sqnorm_, w_sqnorm_, steps_, squared_loss_, least_margin_})
            sum += v - v;
        return sum == 0.0;
    }

    double R() const { return std::sqrt(largest_sqnorm_); }
    double norm() const { return std::sqrt(w_sqnorm_); }
    double steps() const { return steps_; }
    double squared_loss() const { return squared_loss_; }
    /// The least y·(w·x) of the examples since the last step, the one that made it included.
    double least_margin() const { return least_margin_; }
    std::uint64_t survived() const { return survived_; }

    template <class Archive>
    void describe(Archive& a) {
        a.count("on", on_);
        if (!on_) return;
        a.real("largest_sqnorm", largest_sqnorm_);
        a.real("w_sqnorm", w_sqnorm_);
        a.real("steps", steps_);
        a.real("squared_loss", squared_loss_);
        a.count("survived", survived_);
        if (survived_ > 0) a.real("least_margin", least_margin_);
        a.require(largest_sqnorm_ >= 0.0 && w_sqnorm_ >= 0.0 && steps_ >= 0.0, "the ledger");
    }

private:
    bool on_ = false;
    double largest_sqnorm_ = 0.0, w_sqnorm_ = 0.0, steps_ = 0.0, squared_loss_ = 0.0;
    double least_margin_ = std::numeric_limits<double>::infinity();
    std::uint64_t survived_ = 0;
};

}  // namespace thresher
