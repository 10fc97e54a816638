// The test of Page (1954) and Hinkley (1971) for a mean that rises: with x̄_t the mean of the first t values,
//   m_T = Σ_{t ≤ T} (x_t − x̄_t − δ),   a change where m_T − min_{t ≤ T} m_t > λ
// after the first `least` values. δ is the rise that is tolerated; the minimum is where the change began.
#pragma once

#include "detector.hpp"

namespace thresher::drift {

class PageHinkley {
public:
    struct Options {
        double delta = 0.005, threshold = 50.0;
        std::uint64_t least = 30;

        template <class Archive>
        void describe(Archive& a) {
            a.real("delta", delta);
            a.real("threshold", threshold);
            a.count("warm_start", least);
        }
    };

    explicit PageHinkley(Options o, Evidence found = {}) : o_(o), found_(found) {}

    /// After a change it starts over.
    bool update(double value) {
        if (drifted_) *this = PageHinkley(o_, found_);
        ++n_;
        total_ += value;
        sum_ += value - mean() - o_.delta;
        if (sum_ < lowest_ || n_ == 1) {
            lowest_ = sum_;
            n_low_ = n_;
            total_low_ = total_;
        }
        drifted_ = n_ >= o_.least && sum_ - lowest_ > o_.threshold;
        if (drifted_)
            found_ = {total_low_ / static_cast<double>(n_low_),
                      (total_ - total_low_) / static_cast<double>(n_ - n_low_),
                      n_low_,
                      n_ - n_low_,
                      sum_ - lowest_,
                      o_.threshold};
        return drifted_;
    }
    void reset() { *this = PageHinkley(o_); }
    const Evidence& found() const { return found_; }
    bool warns() const { return false; }
    std::uint64_t width() const { return n_; }
    double mean() const { return n_ > 0 ? total_ / static_cast<double>(n_) : 0.0; }

    template <class Archive>
    void describe(Archive& a) {
        a.count("n", n_);
        a.real("total", total_);
        a.real("sum", sum_);
        a.count("n_low", n_low_);
        a.real("total_low", total_low_);
        a.real("lowest", lowest_);
        a.count("drifted", drifted_);
        a.nested("found", found_);
    }

private:
    Options o_;
    std::uint64_t n_ = 0, n_low_ = 0;
    double total_ = 0.0, sum_ = 0.0, total_low_ = 0.0, lowest_ = 0.0;
    Evidence found_;
    bool drifted_ = false;
};

}  // namespace thresher::drift
