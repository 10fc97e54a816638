// Probabilities from scores, learned online from the score given before each update:
//   two classes   P(+|x) = 1/(1 + exp(−(a·s/σ + b)))        many   P(k|x) = softmax(a·s_k/σ)
// Online Newton steps on the log-loss, with σ the running root mean square of the scores so that a
// learner whose weights grow stays calibrated, and slow forgetting.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "elementary.hpp"

namespace thresher {

class Calibration {
public:
    explicit Calibration(bool on = false) : on_(on) {}
    bool on() const { return on_; }

    void restart() { *this = Calibration(on_); }

    double probability(double score) const {
        return 1.0 / (1.0 + fixed::exp(-(a_ * score / spread() + b_)));
    }

    /// scores → probabilities, in place.
    void probabilities(double* scores, std::size_t k) const {
        const double scale = a_ / spread(), top = *std::max_element(scores, scores + k);
        double sum = 0.0;
        for (std::size_t i = 0; i < k; ++i)
            sum += scores[i] = fixed::exp(scale * (scores[i] - top));
        for (std::size_t i = 0; i < k; ++i) scores[i] /= sum;
    }

    /// The same for examples of k scores each: one score is of the positive class.
    void probabilities(double* scores, std::size_t examples, std::size_t k) const {
        for (std::size_t i = 0; i < examples; ++i) {
            if (k == 1)
                scores[i] = probability(scores[i]);
            else
                probabilities(scores + i * k, k);
        }
    }

    /// May overflow: the caller checks `is_finite`, and keeps only what is.
    void observe(double score, double y, double weight) {
        note_spread(score * score);
        const double z = score / spread(), p = probability(score);
        const double g = p - (y > 0.0 ? 1.0 : 0.0), h = weight * p * (1.0 - p);
        haa_ = keep * haa_ + (1.0 - keep) + h * z * z;
        hab_ = keep * hab_ + h * z;
        hbb_ = keep * hbb_ + (1.0 - keep) + h;
        const double det = haa_ * hbb_ - hab_ * hab_;
        const double ga = weight * g * z, gb = weight * g;
        const double da = (hbb_ * ga - hab_ * gb) / det, db = (haa_ * gb - hab_ * ga) / det;
        move_slope(da);
        b_ -= db;
    }

    void observe(const double* scores, std::size_t k, std::size_t y, double weight) {
        double sum = 0.0;
        for (std::size_t i = 0; i < k; ++i) sum += scores[i] * scores[i];
        note_spread(sum / static_cast<double>(k));
        std::vector<double> p(scores, scores + k);
        probabilities(p.data(), k);
        double mean = 0.0, square = 0.0;
        for (std::size_t i = 0; i < k; ++i) {
            const double z = scores[i] / spread();
            mean += p[i] * z;
            square += p[i] * z * z;
        }
        const double g = weight * (mean - scores[y] / spread());
        haa_ = keep * haa_ + (1.0 - keep) + weight * (square - mean * mean);
        move_slope(g / haa_);
    }

    bool is_finite() const {
        double sum = 0.0;  // NaN if any is not
        for (const double v : {t_, mean_square_, a_, b_, haa_, hab_, hbb_}) sum += v - v;
        return sum == 0.0;
    }

    template <class Archive>
    void describe(Archive& a) {
        if (!on_) return;
        a.real("t", t_);
        a.real("mean_square", mean_square_);
        a.real("a", a_);
        a.real("b", b_);
        a.real("haa", haa_);
        a.real("hab", hab_);
        a.real("hbb", hbb_);
    }

private:
    static constexpr double keep = 0.9995;

    double spread() const { return mean_square_ > 0.0 ? std::sqrt(mean_square_) : 1.0; }
    /// The slope does not fall below 0; a NaN stays a NaN, for `is_finite` to find.
    void move_slope(double down) {
        const double a = a_ - down;
        a_ = std::isfinite(a) ? std::max(0.0, a) : a;
    }
    void note_spread(double square) {
        t_ += 1.0;
        mean_square_ += (square - mean_square_) / std::min(t_, 1000.0);
    }

    bool on_;
    double t_ = 0.0, mean_square_ = 0.0, a_ = 1.0, b_ = 0.0;
    double haa_ = 1.0, hab_ = 0.0, hbb_ = 1.0;
};

}  // namespace thresher
