// The quantities in the mistake bounds, kept while a machine learns, at O(1) per step besides ‖x‖².
//   any learner   the longest and the shortest x, Σℓ², steps up and down
//   additive      ‖w‖ and bounds on the margin from both sides, for two classes:
//     from above  w = Σ τ·y·x with all τ > 0, so a unit vector of margin γ has γ·Στ ≤ u·w ≤ ‖w‖
//     from below  the smallest y·(w·x)/‖w‖ of the examples that the current hypothesis has seen
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace thresher {

class Ledger {
public:
    bool on() const { return depth_ != off; }
    bool is_live() const { return depth_ == live; }
    /// Live: what is known of a run at any time.
    void start_live() { depth_ = live; }
    /// For a run that is replayed for an audit: everything. Losses are relative to the margin `target`.
    void start_replay(double target) {
        depth_ = replay;
        target_ = target;
    }

    // May overflow: the caller checks `is_finite`, and keeps only what is.

    /// One step of two classes: the score before it, and how far along x it went (0: not at all).
    void add(double y, double score, double sqnorm, double step, bool additive) {
        largest_sqnorm_ = std::max(largest_sqnorm_, sqnorm);
        add_loss(y * score);
        if (depth_ == replay) {
            least_sqnorm_ = std::min(least_sqnorm_, sqnorm);
            promotions_ += step != 0.0 && y > 0.0;
            demotions_ += step != 0.0 && y < 0.0;
        }
        if (!additive) return;
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
    /// Many classes: by how much the right one led.
    void add_loss(double margin) {
        const double loss = std::max(0.0, 1.0 - margin / target_);
        squared_loss_ += loss * loss;
    }

    /// Whether all sums are still finite.
    bool is_finite() const {
        double sum = 0.0;  // NaN if any is not
        for (const double v : {largest_sqnorm_, w_sqnorm_, steps_, squared_loss_}) sum += v - v;
        if (survived_ > 0) sum += least_margin_ - least_margin_;
        return sum == 0.0;
    }

    double R() const { return std::sqrt(largest_sqnorm_); }
    double norm() const { return std::sqrt(w_sqnorm_); }
    double steps() const { return steps_; }
    double squared_loss() const { return squared_loss_; }
    /// The smallest y·(w·x) of the examples since the last step, including the one that made it.
    double least_margin() const { return least_margin_; }
    std::uint64_t survived() const { return survived_; }
    double shortest() const { return std::sqrt(least_sqnorm_); }
    std::uint64_t promotions() const { return promotions_; }
    std::uint64_t demotions() const { return demotions_; }

    template <class Archive>
    void describe(Archive& a) {
        a.count("on", depth_);
        a.require(depth_ <= replay, "the ledger");
        if (!on()) return;
        a.real("largest_sqnorm", largest_sqnorm_);
        a.real("w_sqnorm", w_sqnorm_);
        a.real("steps", steps_);
        a.real("squared_loss", squared_loss_);
        a.count("survived", survived_);
        if (survived_ > 0) a.real("least_margin", least_margin_);
        if (depth_ == replay) {
            a.real("target", target_);
            a.count("promotions", promotions_);
            a.count("demotions", demotions_);
            a.real("least_sqnorm", least_sqnorm_);
            a.require(target_ > 0.0 && least_sqnorm_ >= 0.0, "the ledger");
        }
        a.require(largest_sqnorm_ >= 0.0 && w_sqnorm_ >= 0.0 && steps_ >= 0.0, "the ledger");
    }

private:
    enum Depth : std::size_t { off, live, replay };

    std::size_t depth_ = off;
    double target_ = 1.0;
    double largest_sqnorm_ = 0.0, w_sqnorm_ = 0.0, steps_ = 0.0, squared_loss_ = 0.0;
    double least_margin_ = std::numeric_limits<double>::infinity();
    double least_sqnorm_ = std::numeric_limits<double>::max();
    std::uint64_t survived_ = 0, promotions_ = 0, demotions_ = 0;
};

}  // namespace thresher
