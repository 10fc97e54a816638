// DDM (Gama, Medas, Castillo & Rodrigues 2004): the error rate p of n examples has the deviation s = √(p(1 − p)/n).
// While the target stays p falls; a change shows when it rises far above its best,
//   p + s ≥ p_min + drift·s_min,   p_min and s_min those of the least p + s so far
// after the first `least` examples. Where the best is an error rate of 0, with no deviation, p + s has to be
// larger than that: else every example would be a change. For values 0 and 1.
#pragma once

#include <limits>

#include "detector.hpp"

namespace thresher::drift {

class Ddm {
public:
    struct Options {
        double warning = 2.0, drift = 3.0;
        std::uint64_t least = 30;

        template <class Archive>
        void describe(Archive& a) {
            a.real("warning", warning);
            a.real("drift", drift);
            a.count("warm_start", least);
        }
    };

    explicit Ddm(Options o, Evidence found = {}) : o_(o), found_(found) {}

    /// After a change it starts over.
    bool update(double value) {
        if (drifted_) *this = Ddm(o_, found_);
        ++n_;
        errors_ += value;
        const double n = static_cast<double>(n_), p = errors_ / n, s = std::sqrt(p * (1.0 - p) / n);
        warns_ = false;
        if (n_ <= o_.least) return false;
        if (p + s < p_min_ + s_min_) {
            p_min_ = p;
            s_min_ = s;
            n_min_ = n_;
            errors_min_ = errors_;
        }
        const auto beyond = [&](double times) {
            return p + s >= p_min_ + times * s_min_ && p + s > p_min_ + s_min_;
        };
        warns_ = beyond(o_.warning);
        if (!beyond(o_.drift)) return false;
        drifted_ = true;
        warns_ = false;
        const std::uint64_t since = n_ - n_min_;
        found_ = {p_min_, since > 0 ? (errors_ - errors_min_) / static_cast<double>(since) : p,
                  n_min_, since,
                  p + s,  p_min_ + o_.drift * s_min_};
        return true;
    }
    void reset() { *this = Ddm(o_); }
    const Evidence& found() const { return found_; }
    bool warns() const { return warns_; }
    std::uint64_t width() const { return n_; }
    double mean() const { return n_ > 0 ? errors_ / static_cast<double>(n_) : 0.0; }

    template <class Archive>
    void describe(Archive& a) {
        a.count("n", n_);
        a.real("errors", errors_);
        a.count("n_min", n_min_);
        a.real("errors_min", errors_min_);
        a.real("p_min", p_min_);
        a.real("s_min", s_min_);
        a.count("drifted", drifted_);
        a.count("warns", warns_);
        a.nested("found", found_);
    }

private:
    Options o_;
    std::uint64_t n_ = 0, n_min_ = 0;
    double errors_ = 0.0, errors_min_ = 0.0;
    double p_min_ = 1.0, s_min_ = 1.0;  // more than p + s can be
    Evidence found_;
    bool warns_ = false, drifted_ = false;
};

}  // namespace thresher::drift
