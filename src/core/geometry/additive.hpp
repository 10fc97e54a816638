// Additive geometry: w += step·x, of the Perceptron, Passive-Aggressive and LMS families.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../average.hpp"
#include "../matrix.hpp"
#include "../rows.hpp"

namespace thresher {

/// Scores of every column of `weights`, with a constant feature of value `bias`: feature-major for many classes, one gather for a single one.
template <class Row>
THRESHER_INLINE void linear_scores(const Matrix& weights, double bias, const Row& x, double* out) {
    if (weights.columns() == 1 && weights.stride() == 1) {
        out[0] = x.dot(weights.feature(0)) + bias * weights.bias()[0];
        return;
    }
    const std::size_t k = weights.columns();
    std::fill(out, out + k, 0.0);
    x.add_scores(out, k, weights.feature(0), weights.stride());
    if (bias != 0.0)
        for (std::size_t c = 0; c < k; ++c) out[c] += bias * weights.bias()[c];
}

/// A planned step along x.
struct Move {
    double step;
    double gain = 0.0;     // in a geometry of second order
    double weight = 1.0;   // of the example
    double sqnorm = -1.0;  // ‖x‖² or more, the bias included, if it is known already
};

class Additive {
public:
    struct Options {
        double bias = 1.0;  // the value of the constant feature; 0: there is none

        template <class Archive>
        void describe(Archive&) {}
    };
    static constexpr bool zero_score_is_mistake = true;
    static constexpr bool second_order = false;
    static constexpr bool can_overshoot = true;

    explicit Additive(Options o) : options_(o) {}

    std::size_t features() const { return w_.features(); }
    std::size_t columns() const { return w_.columns(); }
    void grow(std::size_t features, Average& average) {
        w_.grow(features);
        average.grow(features);
    }
    void shrink(std::size_t features, Average& average) {
        w_.shrink(features);
        average.shrink(features);
    }

    template <class Row>
    void check(const Row&) const {}

    template <class Row>
    double sqnorm(const Row& x, std::size_t) const {
        return x.sqnorm() + options_.bias * options_.bias;
    }

    template <class Row>
    THRESHER_INLINE void scores(const Row& x, double* out) const {
        linear_scores(w_, options_.bias, x, out);
    }

    /// What unknown features add to a score, and to the averaged score: nothing.
    double unseen(double, std::size_t, std::size_t) const { return 0.0; }
    double averaged_unseen(double, std::size_t, std::size_t, const Average&) const { return 0.0; }

    /// The scores of a row, in `out`, become those of the average.
    template <class Row>
    void average_scores(const Row& x, const Average& average, double* out, double* room) const {
        if (average.clock() == 0.0) return;
        linear_scores(average.past(), options_.bias, x, room);
        for (std::size_t k = 0; k < columns(); ++k) out[k] -= room[k] / average.clock();
    }

    // Before a step is written it is planned: `plan` does everything that may fail, so that `update`
    // cannot, and bounds how far a weight moves; `farthest` gives a tight bound, where that is too large.

    template <class Row>
    void begin_plan(const Row&) {}
    void seen() {}
    template <class Row>
    THRESHER_INLINE double plan(const Row& x, std::size_t, const Move& move) {
        constexpr double vanishing = 1e-153;        // the square of what is smaller may be 0
        if (move.sqnorm < 0.0 && x.most() < 1e100)  // small numbers, whatever they are
            return std::abs(move.step) * std::max(options_.bias, x.most());
        const double square = move.sqnorm >= 0.0 ? move.sqnorm : Additive::sqnorm(x, 0);
        return std::abs(move.step) * (std::sqrt(square) + vanishing);
    }
    template <class Row>
    double farthest(const Row& x, const Move& move) const {
        return std::abs(move.step) * std::max(options_.bias, largest_change(x));
    }
    /// The sum of all changes of one weight in one step, where the largest weight is this.
    static double changes(double /*largest*/, double far) { return far; }
    double largest() const { return w_.largest(); }

    template <class Row, class Watch>
    void update(const Row& x, std::size_t k, double step, Watch& watch) {
        double* cells = w_.cells().data();
        const std::size_t stride = w_.stride();
        const auto move = [&](std::size_t cell, double delta) {
            cells[cell] += delta;
            watch.changed(cell, delta);
        };
        if (options_.bias != 0.0) move(k, step * options_.bias);
        if (stride == 1)
            add_row(x, step, watch);
        else
            x.each([&](std::size_t i, double v) { move((i + 1) * stride + k, step * v); });
    }

    /// Room for `update_classes`, which then cannot fail.
    void prepare_classes() { delta_.resize(columns()); }
    /// All classes, feature by feature, in place of one class after the other: the same changes.
    template <class Row, class Watch>
    void update_classes(const Row& x, const double* steps, Watch& watch) {
        const std::size_t k = columns(), stride = w_.stride();
        const auto move = [&](double* cells, double v) {
            for (std::size_t c = 0; c < k; ++c) delta_[c] = steps[c] * v;
            loops::axpy(cells, delta_.data(), k, 1.0);
            watch.changed_row(static_cast<std::size_t>(cells - w_.cells().data()), delta_.data(),
                              k);
        };
        if (options_.bias != 0.0) move(w_.bias(), options_.bias);
        x.each([&](std::size_t i, double v) { move(w_.feature(0) + i * stride, v); });
    }

    void check_tick(double) const {}
    void tick(double) {}
    /// All sums of the past are multiplied.
    void rescale_past(double) {}
    /// Whether steps become smaller with what was seen, and then: half of that is forgotten.
    static bool settles() { return false; }
    void forget() {}

    void split(std::size_t positive, double factor, Average& average) {
        split_matrix(w_, positive, factor);
        average.each([&](Matrix& m) { split_matrix(m, positive, factor); });
    }
    void add_column(Average& average) {
        w_.add_column();
        average.add_column();
    }
    void take_back_column(std::size_t columns, Average& average) {
        w_.take_back_column(columns);
        average.take_back_column(columns);
    }

    double weight(std::size_t i, std::size_t k) const { return w_.feature(i)[k]; }
    double averaged_weight(std::size_t i, std::size_t k, const Average& average) const {
        return w_.feature(i)[k] - mean_correction(average.past().feature(i)[k], average);
    }
    double constant(std::size_t k) const { return options_.bias * w_.bias()[k]; }
    double averaged_constant(std::size_t k, const Average& average) const {
        return options_.bias * (w_.bias()[k] - mean_correction(average.past().bias()[k], average));
    }

    std::size_t clamped() const { return 0; }
    const Matrix& raw() const { return w_; }
    Matrix& raw() { return w_; }

    template <class Archive>
    void describe(Archive& a) {
        a.nested("w", w_);
    }

    static double mean_correction(double past, const Average& average) {
        return average.clock() == 0.0 ? 0.0 : past / average.clock();
    }

    /// One vector becomes prototypes of the two known classes, ± that vector times the factor, and of a third, 0.
    static void split_matrix(Matrix& m, std::size_t positive, double factor) {
        m.add_column();
        m.add_column();
        m.copy_column(0, 2, 1.0);
        m.copy_column(2, positive, factor);
        m.copy_column(2, 1 - positive, -factor);
        m.set_column(2, 0.0);
    }

protected:
    Options options_;
    Matrix w_{0.0};

private:
    std::vector<double> delta_;  // of the classes along one feature

    template <class Row>
    static double largest_change(const Row& x) {
        return std::abs(largest_of(x).value);
    }
    template <class Rows>
    static double largest_change(const UnsortedRow<Rows>& x) {
        return x.settle([](const auto& row) { return std::abs(largest_of(row).value); });
    }

    /// A single vector, row by row: the loops in which long examples spend their time.
    template <class V>
    void add_row(const DenseRow<V>& x, double step, Unwatched&) {
        loops::add_dense(w_.feature(0), x.value, x.n, step);
    }
    template <class V>
    void add_row(const DenseRow<V>& x, double step, Average& average) {
        if (average.has_tail()) return add_each(x, step, average);
        loops::add_dense_averaged(w_.feature(0), average.past_of_features(), x.value, x.n, step,
                                  average.clock());
    }
    template <class Values>
    void add_row(const SparseRow<Values>& x, double step, Unwatched&) {
        loops::add_sparse(w_.feature(0), x.index, x.value, x.n, step);
    }
    template <class Values>
    void add_row(const SparseRow<Values>& x, double step, Average& average) {
        if (average.has_tail()) return add_each(x, step, average);
        loops::add_sparse_averaged(w_.feature(0), average.past_of_features(), x.index, x.value, x.n,
                                   step, average.clock());
    }
    template <class Rows>
    void add_row(const UnsortedRow<Rows>& x, double step, Unwatched&) {
        loops::add_sparse_plain(w_.feature(0), x.index, x.value, x.n, step);
    }
    template <class Rows>
    void add_row(const UnsortedRow<Rows>& x, double step, Average& average) {
        if (average.has_tail()) return add_each(x, step, average);
        loops::add_sparse_averaged_plain(w_.feature(0), average.past_of_features(), x.index,
                                         x.value, x.n, step, average.clock());
    }
    template <class Row>
    void add_each(const Row& x, double step, Average& average) {
        x.each([&](std::size_t i, double v) {
            w_.feature(0)[i] += step * v;
            average.changed(i + 1, step * v);
        });
    }
};

}  // namespace thresher
