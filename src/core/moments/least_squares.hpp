// Recursive least squares, in the square-root information form:
//   min over w, b    ½·Σ_t λ^(n−t)·(y_t − w·x_t − b)² + ½·λ^n·l2·‖w‖²
// which is the batch solution after every example. The intercept is eliminated first: the mean moves towards
// the next example, which leaves the row √(W/(W+1))·(x − mean) of the other columns (Welford). These go into
// a triangle whose column 0 is y, so that its rows are the equations L·w = z, solved from the first feature
// on when weights are requested. The penalty is a row for each feature with only √l2, before all others; or,
// if it is for standardised columns, with √l2·σ_i, in a separate triangle when weights are requested.
#pragma once

#include <limits>

#include "../target_range.hpp"
#include "moment_learner.hpp"

namespace thresher {

struct LeastSquaresOptions {
    double l2 = 0.0;
    double forgetting = 1.0;  // λ
    bool fit_intercept = true;
    bool standardized = false;  // l2 is for the weights of standardised columns
    bool clip_predictions = false;
    std::size_t max_columns = Triangle::most;

    template <class Archive>
    void describe(Archive& a) {
        a.real("l2", l2);
        a.real("forgetting", forgetting);
        a.flag("fit_intercept", fit_intercept);
        a.flag("standardized", standardized);
        a.flag("clip_predictions", clip_predictions);
        a.count("max_columns", max_columns);
    }
};

class LeastSquares final : public MomentLearner<LeastSquares> {
public:
    explicit LeastSquares(LeastSquaresOptions o)
        : options_(o),
          prior_(o.standardized ? 0.0 : std::sqrt(o.l2)),
          means_(1, 0.0),
          targets_(o.clip_predictions) {
        triangle_.grow(1, 0.0);
    }
    const LeastSquaresOptions& options() const { return options_; }

    void grow(std::size_t features) override {
        if (features <= this->features()) return;
        check_width(features);
        make_room(means_, features + 1);
        triangle_.grow(features + 1, prior_);
        means_.resize(features + 1, 0.0);
        solved_ = false;
    }
    void take_back(std::size_t features) override {
        if (features >= this->features()) return;
        triangle_.shrink(features + 1);
        means_.resize(features + 1);
        solved_ = false;
    }

    template <class Row>
    void learn_example(const Row& x, const Lesson& lesson, std::size_t row, double weight) {
        const double y = lesson.targets[row];
        if (!std::isfinite(y)) throw Fault(Fault::Kind::bad_target, -1, y);
        if (!can_square(y, weight)) throw Fault(Fault::Kind::overflow, -1, y);
        const double mass = checked_sum(options_.forgetting * mass_, weight);
        row_.assign(triangle_.columns(), 0.0);
        if (options_.forgetting < 1.0) forget();
        row_[0] = y;
        x.each([&](std::size_t i, double v) { row_[i + 1] = v; });
        double root = std::sqrt(weight);
        if (options_.fit_intercept) {
            const double share = weight / mass;
            root = std::sqrt(mass_ / mass * weight);
            for (std::size_t j = 0; j < row_.size(); ++j) {
                row_[j] -= means_[j];
                means_[j] += share * row_[j];
                // Forgotten so far that it can shrink no further: what is left is noise.
                if (std::abs(means_[j]) < std::numeric_limits<double>::min()) means_[j] = 0.0;
            }
        }
        mass_ = mass;
        for (double& v : row_) v *= root;
        triangle_.add(row_.data());
        targets_.include(y);
    }

    template <class Row>
    void score(const Row& x, double* out) {
        solve();
        out[0] = x.dot(weights_.data() + 1) + intercept_;
        if (!std::isfinite(out[0])) blame(x);
        out[0] = targets_.clipped(out[0]);
    }

    void calibrate(double*, std::size_t) const override {
        throw std::logic_error("a regressor has no probabilities");
    }
    double weight(std::size_t i, std::size_t) const override {
        solve();
        return weights_[i + 1];
    }
    double constant(std::size_t) const override {
        solve();
        return intercept_;
    }
    std::size_t features() const override { return triangle_.columns() - 1; }

    template <class Archive>
    void describe(Archive& a) {
        double l2 = options_.l2;
        std::size_t intercept = options_.fit_intercept;
        std::size_t standardized = 0;  // in a file from before there was this option
        a.real("l2", l2);
        a.count("intercept", intercept);
        if (a.has("standardized")) {
            standardized = options_.standardized;
            a.count("standardized", standardized);
        }
        classes_.describe(a);
        a.require(classes_.empty(), "a regressor and its classes");
        a.require(l2 == options_.l2 && intercept == options_.fit_intercept &&
                      standardized == options_.standardized,
                  "the options");
        a.nested("triangle", triangle_);
        a.cells("means", means_, triangle_.columns(), 1);
        a.real("mass", mass_);
        a.real("prior", prior_);
        a.count("examples", examples_);
        a.nested("targets", targets_);
        a.require(triangle_.columns() >= 1 && mass_ >= 0.0 && std::isfinite(mass_), "the moments");
        for (const double mean : means_) a.require(can_be_mean(mean, mass_), "the means");
        a.require(prior_ >= 0.0 && prior_ * prior_ <= 2.0 * l2, "the penalty");
    }

private:
    void forget() {
        const double root = std::sqrt(options_.forgetting);
        triangle_.scale(root);
        mass_ *= options_.forgetting;
        prior_ *= root;
    }

    /// l2·σ_i²·w_i², where σ_i² is the variance of column i (without an intercept, its mean square).
    void penalise(Triangle& to) const {
        const double root = std::sqrt(options_.l2 / mass_);
        std::vector<double> row(to.columns(), 0.0);
        for (std::size_t i = 1; i < row.size(); ++i) {
            row[i] = root * triangle_.size(i);
            to.add(row.data());
            std::fill(row.begin(), row.end(), 0.0);
        }
    }

    /// Solves L·w = z, with the target as an unknown fixed at −1.
    void solve() const {
        if (solved_) return;
        noise_.resize(means_.size());
        for (std::size_t j = 0; j < means_.size(); ++j) noise_[j] = noise_of(mass_, means_[j]);
        noise_[0] = 0.0;
        weights_.assign(means_.size(), 0.0);
        weights_[0] = -1.0;
        const bool penalised = options_.standardized && options_.l2 > 0.0 && mass_ > 0.0;
        if (!penalised && triangle_.settled(noise_.data(), 1)) {
            triangle_.solve(weights_.data(), 1);
        } else {
            Triangle settled = triangle_;
            if (penalised) penalise(settled);
            settled.settle(noise_.data(), 1);
            settled.solve(weights_.data(), 1);
        }
        intercept_ =
            means_[0] - loops::dense_dot(weights_.data() + 1, means_.data() + 1, means_.size() - 1);
        if (!std::isfinite(intercept_)) intercept_ = 0.0;
        solved_ = true;
    }

    LeastSquaresOptions options_;
    double mass_ = 0.0;          // Σ of the weights, discounted by λ
    double prior_;               // √l2, forgotten like an example
    std::vector<double> means_;  // of the target, then of the features; 0 without an intercept
    TargetRange targets_;
    mutable std::vector<double> weights_, noise_;
    mutable double intercept_ = 0.0;
    std::vector<double> row_;
};

}  // namespace thresher
