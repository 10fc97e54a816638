// Balanced geometry: two positive weights a feature, the difference counts (Littlestone 1988;
// Balanced Winnow). Any real x: w⁺_i *= α^(step·x_i/m), w⁻_i /= α^(step·x_i/m).
// m is max(1, max|x_i|) if steps are scaled, else 1. Scaled, no step of 1 multiplies a weight by more
// than α, however large a count is; with θ = 0 that is Balanced Winnow on x/m, for the sign of a score
// does not depend on m.
#pragma once

#include "multiplicative.hpp"

namespace thresher {

class Balanced {
public:
    struct Options {
        double alpha = 1.5;
        double theta = 0.0;
        bool scaled = true;
        double bias = 1.0;  // 0: none

        template <class Archive>
        void describe(Archive& a) {
            a.real("alpha", alpha);
            a.real("theta", theta);
            a.flag("scaled", scaled);
        }
    };
    static constexpr bool zero_score_is_mistake = true;
    static constexpr bool second_order = false;
    static constexpr bool can_overshoot = true;

    explicit Balanced(Options o) : options_(o) {}

    std::size_t features() const { return plus_.features(); }
    std::size_t columns() const { return plus_.columns(); }
    void grow(std::size_t features, Average& average) {
        plus_.grow(features);
        minus_.grow(features);
        average.grow(features);
    }

    void shrink(std::size_t features, Average& average) {
        plus_.shrink(features);
        minus_.shrink(features);
        average.shrink(features);
    }

    template <class Row>
    void check(const Row&) const {}

    template <class Row>
    double sqnorm(const Row& x, std::size_t) const {
        return x.sqnorm() + (options_.bias ? 1.0 : 0.0);
    }

    template <class Row>
    void scores(const Row& x, double* out) const {
        const std::size_t columns_now = columns();
        if (columns_now == 1) {
            double minus;
            linear_scores(plus_, options_.bias ? 1.0 : 0.0, x, out);
            linear_scores(minus_, options_.bias ? 1.0 : 0.0, x, &minus);
            out[0] = out[0] - minus - options_.theta;
            return;
        }
        std::fill(out, out + columns_now, 0.0);
        x.each([&](std::size_t i, double v) {
            loops::axpy(out, plus_.feature(i), columns_now, v);
            loops::axpy(out, minus_.feature(i), columns_now, -v);
        });
        if (options_.bias)
            for (std::size_t k = 0; k < columns_now; ++k)
                out[k] += plus_.bias()[k] - minus_.bias()[k];
    }

    double unseen(double, std::size_t, std::size_t) const { return 0.0; }
    double averaged_unseen(double, std::size_t, std::size_t, const Average&) const { return 0.0; }

    template <class Row>
    void average_scores(const Row& x, const Average& average, double* out, double* room) const {
        if (average.clock() == 0.0) return;
        linear_scores(average.past(), options_.bias ? 1.0 : 0.0, x, room);
        for (std::size_t k = 0; k < columns(); ++k) out[k] -= room[k] / average.clock();
    }

    /// Whatever the step, both halves are clamped to their range.
    template <class Row>
    void begin_plan(const Row&) {}
    void seen() {}
    template <class Row>
    double plan(const Row&, std::size_t, const Move&) {
        return 2.0 * Clamp::highest;
    }
    template <class Row>
    double farthest(const Row&, const Move&) const {
        return 2.0 * Clamp::highest;
    }
    static double changes(double, double far) { return far; }
    double largest() const { return Clamp::highest; }

    template <class Row, class Watch>
    void update(const Row& x, std::size_t k, double step, Watch& watch) {
        const std::size_t stride = plus_.stride();
        const double largest = options_.scaled ? std::abs(largest_of(x).value) : 0.0;
        const double scale = std::max(1.0, largest);
        const auto move = [&](std::size_t cell, double v) {
            double& p = plus_.cells()[cell];
            double& m = minus_.cells()[cell];
            const double before = p - m;
            const double factor = power(options_.alpha, std::abs(step) * (v / scale));
            const double p_next = step > 0.0 ? p * factor : p / factor;
            m = clamp_(step > 0.0 ? m / factor : m * factor);
            p = clamp_(p_next);
            watch.changed(cell, (p - m) - before);
        };
        if (options_.bias) move(k, 1.0);
        x.each([&](std::size_t i, double v) { move((i + 1) * stride + k, v); });
    }

    void check_tick(double) const {}
    void tick(double) {}
    void rescale_past(double) {}
    static bool settles() { return false; }
    void forget() {}

    /// The negative class is the mirror image of the positive one; a third starts at (1, 1).
    void split(std::size_t positive, double, Average& average) {
        const Matrix plus = plus_, minus = minus_;
        for (auto* m : {&plus_, &minus_}) {
            m->add_column();
            m->add_column();
        }
        for (std::size_t i = 0; i <= features(); ++i) {
            double* p = plus_.cells().data() + i * plus_.stride();
            double* m = minus_.cells().data() + i * minus_.stride();
            p[positive] = m[1 - positive] = plus.cells()[i];
            m[positive] = p[1 - positive] = minus.cells()[i];
        }
        average.each([&](Matrix& m) { Additive::split_matrix(m, positive, 1.0); });
    }
    void add_column(Average& average) {
        plus_.add_column();
        minus_.add_column();
        average.add_column();
    }
    void take_back_column(std::size_t columns, Average& average) {
        plus_.take_back_column(columns);
        minus_.take_back_column(columns);
        average.take_back_column(columns);
    }

    double weight(std::size_t i, std::size_t k) const {
        return plus_.feature(i)[k] - minus_.feature(i)[k];
    }
    double averaged_weight(std::size_t i, std::size_t k, const Average& average) const {
        return weight(i, k) - Additive::mean_correction(average.past().feature(i)[k], average);
    }
    double constant(std::size_t k) const {
        const double bias = options_.bias ? plus_.bias()[k] - minus_.bias()[k] : 0.0;
        return bias - (columns() == 1 ? options_.theta : 0.0);
    }
    double averaged_constant(std::size_t k, const Average& average) const {
        return constant(k) -
               (options_.bias ? Additive::mean_correction(average.past().bias()[k], average) : 0.0);
    }

    std::size_t clamped() const { return clamp_.count; }
    const Matrix& raw() const { return plus_; }

    template <class Archive>
    void describe(Archive& a) {
        a.nested("plus", plus_);
        a.nested("minus", minus_);
        a.require(plus_.is_like(minus_), "both halves of the weights");
        a.require(Clamp::holds(plus_) && Clamp::holds(minus_), "the weights and their range");
        a.count("clamped", clamp_.count);
    }

private:
    Options options_;
    Matrix plus_{1.0}, minus_{1.0};
    Clamp clamp_;
};

}  // namespace thresher
