// Linear discriminant analysis (Fisher 1936), streaming: classes with means μ_k and one covariance Σ,
//   P(k|x) ∝ π_k·exp(−½(x − μ_k)ᵀΣ⁻¹(x − μ_k)),   so   s_k = x·Σ⁻¹μ_k − ½·μ_k·Σ⁻¹μ_k + log π_k
// with Σ = S/N, S = LᵀL the scatter within the classes: an example of a class with weight W so far adds the
// row √(W/(W+1))·(x − μ_k) to the triangle L (Welford 1962). Shrinkage a in [0, 1] replaces Σ by
// (1 − a)·Σ + a·t·I, t the mean of its diagonal: a separate triangle, computed when weights are requested.
#pragma once

#include "../calibration.hpp"
#include "../elementary.hpp"
#include "moment_learner.hpp"

namespace thresher {

struct LDAOptions {
    double shrinkage = 0.0;
    bool fit_prior = true;  // false: all classes are equally likely before x is seen
    std::size_t max_columns = Triangle::most;

    template <class Archive>
    void describe(Archive& a) {
        a.real("shrinkage", shrinkage);
        a.flag("fit_prior", fit_prior);
        a.count("max_columns", max_columns);
    }
};

class LDA final : public MomentLearner<LDA> {
public:
    explicit LDA(LDAOptions o) : options_(o) {}
    const LDAOptions& options() const { return options_; }

    void grow(std::size_t features) override {
        if (features <= this->features()) return;
        check_width(features);
        for (auto& mean : means_) make_room(mean, features);
        triangle_.grow(features, 0.0);
        for (auto& mean : means_) mean.resize(features, 0.0);
        solved_ = false;
    }
    void take_back(std::size_t features) override {
        if (features >= this->features()) return;
        triangle_.shrink(features);
        for (auto& mean : means_) mean.resize(features);
        solved_ = false;
    }

    template <class Row>
    void learn_example(const Row& x, const Lesson& lesson, std::size_t row, double weight) {
        const auto code = static_cast<std::size_t>(lesson.codes[row]);
        const bool known = classes_.knows(code);
        const double before = known ? masses_[classes_.place(code)] : 0.0;
        checked_sum(total(), weight);
        row_.assign(features(), 0.0);
        const std::size_t k = known ? classes_.place(code) : meet(code);
        const double mass = before + weight, share = weight / mass;
        const double root = std::sqrt(before / mass * weight);
        std::vector<double>& mean = means_[k];
        x.each([&](std::size_t i, double v) { row_[i] = v; });
        for (std::size_t j = 0; j < row_.size(); ++j) {
            row_[j] -= mean[j];
            mean[j] += share * row_[j];
            row_[j] *= root;
        }
        masses_[k] = mass;
        triangle_.add(row_.data());
    }

    /// The log-odds of two classes; for more, log P(k|x) up to a term common to all.
    template <class Row>
    void score(const Row& x, double* out) {
        solve();
        for (std::size_t c = 0; c < columns(); ++c) {
            out[c] = x.dot(weights_[c].data()) + constants_[c];
            if (!std::isfinite(out[c])) blame(x);
        }
    }

    /// The scores are logarithms of probabilities already.
    void calibrate(double* scores, std::size_t rows) const override {
        Calibration().probabilities(scores, rows, columns());
    }
    double weight(std::size_t i, std::size_t column) const override {
        solve();
        return weights_[column][i];
    }
    double constant(std::size_t column) const override {
        solve();
        return constants_[column];
    }
    std::size_t features() const override { return triangle_.columns(); }

    template <class Archive>
    void describe(Archive& a) {
        classes_.describe(a);
        classes_.describe_positive(a);
        a.nested("triangle", triangle_);
        a.require(features() <= Triangle::most, "the columns");
        a.cells("masses", masses_, classes_.size(), 1);
        means_.resize(classes_.size());
        for (std::size_t k = 0; k < means_.size(); ++k) {
            a.cells("means" + std::to_string(k), means_[k], features(), 1);
            a.require(masses_[k] > 0.0, "the classes");
            for (const double mean : means_[k])
                a.require(can_be_mean(mean, masses_[k]), "the means");
        }
        a.count("examples", examples_);
        a.require(total() <= largest_kept, "the classes");
    }

private:
    std::size_t meet(std::size_t code) {
        std::vector<double> mean(features(), 0.0);
        make_room(means_, means_.size() + 1);
        make_room(masses_, masses_.size() + 1);
        const std::size_t place = classes_.meet(code);
        means_.push_back(std::move(mean));
        masses_.push_back(0.0);
        return place;
    }

    double total() const {
        double sum = 0.0;
        for (const double mass : masses_) sum += mass;
        return sum;
    }
    double log_prior(std::size_t k) const {
        return options_.fit_prior ? fixed::log(masses_[k]) - fixed::log(total())
                                  : -fixed::log(static_cast<double>(masses_.size()));
    }

    /// Weights of all columns from the moments, if these have changed.
    void solve() const {
        if (solved_) return;
        const std::size_t k = classes_.size(), p = features();
        weights_.assign(columns(), std::vector<double>(p, 0.0));
        constants_.assign(columns(), 0.0);
        solved_ = true;
        if (k < 2) return;
        Triangle own;
        const Triangle& triangle = usable(own);
        if (k == 2) {
            // The difference of the means first: their common part may be much larger.
            const std::size_t positive = classes_.positive();
            const auto &plus = means_[positive], &minus = means_[1 - positive];
            std::vector<double> middle(p);
            for (std::size_t j = 0; j < p; ++j) {
                weights_[0][j] = plus[j] - minus[j];
                middle[j] = 0.5 * plus[j] + 0.5 * minus[j];
            }
            const double odds = log_prior(positive) - log_prior(1 - positive);
            constants_[0] = odds - apply(triangle, weights_[0], middle);
            return;
        }
        for (std::size_t c = 0; c < k; ++c) {
            weights_[c] = means_[c];
            constants_[c] = log_prior(c) - 0.5 * apply(triangle, weights_[c], means_[c]);
        }
    }

    /// w becomes Σ⁻¹w; returns its product with x.
    double apply(const Triangle& triangle, std::vector<double>& w,
                 const std::vector<double>& x) const {
        triangle.solve_transposed(w.data());
        triangle.solve(w.data(), 0);
        for (double& v : w) v = std::isfinite(v * total()) ? v * total() : 0.0;
        const double product = loops::dense_dot(w.data(), x.data(), w.size());
        return std::isfinite(product) ? product : 0.0;
    }

    /// The triangle to solve with: the existing one, or `own`, shrunk or settled.
    const Triangle& usable(Triangle& own) const {
        const std::size_t p = features();
        const double a = options_.shrinkage;
        std::vector<double> noise(p, 0.0);
        if (a > 0.0) {
            own = triangle_;
            const double spread = std::sqrt(a / static_cast<double>(p)) * triangle_.norm();
            own.scale(std::sqrt(1.0 - a));
            std::vector<double> row(p);
            for (std::size_t i = 0; i < p; ++i) {
                std::fill(row.begin(), row.end(), 0.0);
                row[i] = spread;
                own.add(row.data());
            }
        } else {
            for (const auto& mean : means_)
                for (std::size_t j = 0; j < p; ++j)
                    noise[j] = std::max(noise[j], noise_of(total(), mean[j]));
            if (triangle_.settled(noise.data(), 0)) return triangle_;
            own = triangle_;
        }
        own.settle(noise.data(), 0);
        return own;
    }

    LDAOptions options_;
    std::vector<std::vector<double>> means_;  // of each class seen
    std::vector<double> masses_;              // its weight
    mutable std::vector<std::vector<double>> weights_;
    mutable std::vector<double> constants_;
    std::vector<double> row_;
};

}  // namespace thresher
