// Multiplicative geometry: w_i *= α^(step·x_i), weights positive, starting at 1 (Winnow).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "../elementary.hpp"
#include "additive.hpp"

namespace thresher {

/// α^e, exact in the most common case: a feature of value 1.
inline double power(double alpha, double e) { return e == 1.0 ? alpha : fixed::pow(alpha, e); }

/// Clamps a positive weight to a usable range, and counts how often it had to.
struct Clamp {
    static constexpr double lowest = 1e-150, highest = 1e150;
    std::uint64_t count = 0;

    double operator()(double w) {
        if (w > highest) return ++count, highest;
        if (w < lowest) return ++count, lowest;
        return w;
    }

    /// Whether all weights are in that range; eliminated ones are 0.
    static bool holds(const Matrix& weights) {
        return std::all_of(weights.cells().begin(), weights.cells().end(),
                           [](double w) { return w >= 0.0 && w <= highest; });
    }
};

struct WinnowOptions {
    double alpha = 2.0;
    double theta = std::nan("");  // NaN: the number of literals
    bool eliminate = false;       // a demotion sets w_i = 0
    double floor = 0.0;           // no demotion goes below it (Winnow-R)
    double bias = 0.0;            // there is no constant feature

    template <class Archive>
    void describe(Archive& a) {
        a.real("alpha", alpha);
        a.real_or_none("theta", theta);
        a.word("demotion", eliminate, {"divide", "eliminate"});
        a.real_or_none("floor", floor);
    }
};

/// Winnow's values lie in [0, 1]; features without values need no check.
template <class Row>
void check_unit(const Row& x) {
    x.each([](std::size_t i, double v) {
        if (!(v >= 0.0 && v <= 1.0))
            throw Fault(std::isfinite(v) ? Fault::Kind::outside_unit : Fault::Kind::not_finite,
                        static_cast<std::int64_t>(i), v);
    });
}
inline void check_unit(const SparseRow<loops::Ones>&) {}

/// One weight, one promotion (step > 0) or demotion (step < 0) of size |step·x|.
inline double winnowed(double w, double x, double step, const WinnowOptions& o, Clamp& clamp) {
    if (w == 0.0 || x == 0.0) return w;  // what was eliminated stays out
    const double factor = power(o.alpha, std::abs(step) * x);
    if (step > 0.0) return clamp(w * factor);
    if (o.eliminate) return 0.0;
    return std::min(std::max(clamp(w / factor), o.floor), Clamp::highest);
}

class Multiplicative {
public:
    using Options = WinnowOptions;
    static constexpr bool zero_score_is_mistake = false;
    static constexpr bool second_order = false;
    static constexpr bool can_overshoot = true;

    explicit Multiplicative(Options o) : options_(o) {}

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
    void check(const Row& x) const {
        check_unit(x);
    }

    template <class Row>
    double sqnorm(const Row& x, std::size_t) const {
        return x.sqnorm();
    }

    template <class Row>
    void scores(const Row& x, double* out) const {
        linear_scores(w_, 0.0, x, out);
        if (columns() == 1) out[0] -= theta();
    }

    /// Unknown features count with their starting weight 1, and raise a default θ by one each.
    double unseen(double sum, std::size_t count, std::size_t) const {
        const bool raises = columns() == 1 && std::isnan(options_.theta);
        return sum - (raises ? static_cast<double>(count) : 0.0);
    }
    double averaged_unseen(double sum, std::size_t count, std::size_t k, const Average&) const {
        return unseen(sum, count, k);
    }

    template <class Row>
    void average_scores(const Row& x, const Average& average, double* out, double* room) const {
        if (average.clock() == 0.0) return;
        linear_scores(average.past(), 0.0, x, room);
        for (std::size_t k = 0; k < columns(); ++k) out[k] -= room[k] / average.clock();
    }

    /// Whatever the step, weights are clamped to their range.
    template <class Row>
    void begin_plan(const Row&) {}
    void seen() {}
    template <class Row>
    double plan(const Row&, std::size_t, const Move&) {
        return Clamp::highest;
    }
    template <class Row>
    double farthest(const Row&, const Move&) const {
        return Clamp::highest;
    }
    static double changes(double, double far) { return far; }
    double largest() const { return w_.largest(); }

    template <class Row, class Watch>
    void update(const Row& x, std::size_t k, double step, Watch& watch) {
        double* cells = w_.cells().data();
        const std::size_t stride = w_.stride();
        x.each([&](std::size_t i, double v) {
            const std::size_t cell = (i + 1) * stride + k;
            const double before = cells[cell];
            cells[cell] = winnowed(before, v, step, options_, clamp_);
            watch.changed(cell, cells[cell] - before);
        });
    }

    void check_tick(double) const {}
    void tick(double) {}
    void rescale_past(double) {}
    static bool settles() { return false; }
    void forget() {}

    /// The positive class keeps w; the other two start at 1.
    void split(std::size_t positive, double, Average& average) {
        split_matrix(w_, positive, 1.0);
        average.each([&](Matrix& m) { split_matrix(m, positive, 0.0); });
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
        return w_.feature(i)[k] - Additive::mean_correction(average.past().feature(i)[k], average);
    }
    double constant(std::size_t) const { return columns() == 1 ? -theta() : 0.0; }
    double averaged_constant(std::size_t k, const Average&) const { return constant(k); }

    std::size_t clamped() const { return clamp_.count; }
    const Matrix& raw() const { return w_; }

    template <class Archive>
    void describe(Archive& a) {
        a.nested("w", w_);
        a.require(Clamp::holds(w_), "the weights and their range");
        a.count("clamped", clamp_.count);
    }

private:
    double theta() const {
        return std::isnan(options_.theta) ? static_cast<double>(features()) : options_.theta;
    }

    static void split_matrix(Matrix& m, std::size_t positive, double fresh) {
        m.add_column();
        m.add_column();
        if (positive != 0) {
            m.copy_column(0, positive, 1.0);
            m.set_column(0, fresh);
        } else {
            m.set_column(1, fresh);
        }
        m.set_column(2, fresh);
    }

    Options options_;
    Matrix w_{1.0};
    Clamp clamp_;
};

}  // namespace thresher
