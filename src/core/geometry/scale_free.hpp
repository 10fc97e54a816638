// Scale-free geometry: normalised adaptive gradients (NAG; Ross, Mineiro & Langford 2013). Multiplying a column
// by any number from the start changes no prediction, so columns need no scaling.
//   s_i   the largest |x_i| so far          N   Σ_t Σ_i (x_i/s_i)², over the t examples so far
//   w_i  −= η·√(t/N)·g_i/(s_i·√Σg_i²)       g_i the gradient, this example's included in the sum
// When s_i grows, w_i shrinks by the same factor, before the prediction. Kept is v_i = s_i·w_i, which does not
// change then: the score is Σ v_i·x_i/s_i, where a value beyond ±s_i counts as ±s_i. η comes with the step as
// its gain. For a squared loss no step overshoots: it is shortened to end at the target at most.
// The constant feature is not scaled.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "additive.hpp"

namespace thresher {

class ScaleFree : public Additive {
public:
    struct Options {
        double bias = 1.0;
        bool lands = false;  // a step ends at the target at most; the rule's step is the residual

        template <class Archive>
        void describe(Archive& a) {
            a.flag("lands", lands);
        }
    };
    static constexpr bool second_order = true;
    static constexpr bool can_overshoot = false;

    explicit ScaleFree(Options o) : Additive(Additive::Options{o.bias}), lands_(o.lands) {}

    void grow(std::size_t features, Average& average) {
        Additive::grow(features, average);
        past_.grow(features);
        scale_.grow(features);
    }
    void shrink(std::size_t features, Average& average) {
        Additive::shrink(features, average);
        past_.shrink(features);
        scale_.shrink(features);
    }

    /// A value beyond the scale counts as the scale, but infinity is not a value.
    template <class Row>
    void check(const Row& x) const {
        x.each([](std::size_t i, double v) {
            if (!std::isfinite(v))
                throw Fault(Fault::Kind::not_finite, static_cast<std::int64_t>(i), v);
        });
    }

    /// This example's part of N: its own values may be the largest so far.
    template <class Row>
    double sqnorm(const Row& x, std::size_t) const {
        double sum = 0.0;
        x.each([&](std::size_t i, double v) {
            const double r = v / grown(i, v);
            sum += r * r;
        });
        return sum + options_.bias * options_.bias;
    }

    template <class Row>
    void scores(const Row& x, double* out) const {
        scores_of(w_, x, out);
    }
    template <class Row>
    void average_scores(const Row& x, const Average& average, double* out, double* room) const {
        if (average.clock() == 0.0) return;
        scores_of(average.past(), x, room);
        for (std::size_t k = 0; k < columns(); ++k) out[k] -= room[k] / average.clock();
    }

    /// Scales, N and t are of every example, also of one that moves nothing.
    template <class Row>
    void begin_plan(const Row& x) {
        planned_.clear();
        grown_.clear();
        ratios_.clear();
        double sum = 0.0;  // as in `sqnorm`
        x.each([&](std::size_t i, double v) {
            const double s = grown(i, v), r = v / s;
            if (s > *scale_.feature(i)) grown_.push_back({i, s});
            ratios_.push_back(r);
            sum += r * r;
        });
        norms_next_ = norms_ + (sum + options_.bias * options_.bias);
    }
    void seen() {
        for (const auto& [i, s] : grown_) *scale_.feature(i) = s;
        norms_ = norms_next_;
        t_ += 1.0;
    }

    template <class Row>
    double plan(const Row& x, std::size_t k, const Move& m) {
        const std::size_t first = planned_.size(), stride = w_.stride();
        const double rate = m.gain * std::sqrt((t_ + 1.0) / norms_next_);
        double reached = 0.0;  // the change of the score
        planned_.resize(first + ratios_.size() + (options_.bias != 0.0));
        Planned* next = planned_.data() + first;
        const double *before = past_.cells().data(), *ratio = ratios_.data();
        const auto move = [&](std::size_t cell, double v, double r) {
            const double g = m.step * v, past = before[cell] + g * g;
            const double delta = past > 0.0 ? rate * (g / std::sqrt(past)) : 0.0;
            reached += delta * r;
            *next++ = {cell, delta, past};
        };
        x.each([&](std::size_t i, double v) { move((i + 1) * stride + k, v, *ratio++); });
        if (options_.bias != 0.0) move(k, options_.bias, options_.bias);
        const double left = std::abs(m.step) / m.weight;
        const double part = lands_ && std::abs(reached) > left ? left / std::abs(reached) : 1.0;
        double far = 0.0;
        for (std::size_t j = first; j < planned_.size(); ++j) {
            Planned& one = planned_[j];
            one.delta *= part;
            far = std::max(far, std::abs(one.delta));
            if (!(one.past <= largest_kept &&
                  std::abs(w_.cells()[one.cell] + one.delta) <= largest_v)) {
                const Feature most = largest_of(x);
                throw Fault(most.index, most.value, m.weight, "a sum of gradients");
            }
        }
        return far;
    }
    template <class Row>
    double farthest(const Row&, const Move&) const {
        double far = 0.0;
        for (const Planned& next : planned_) far = std::max(far, std::abs(next.delta));
        return far;
    }

    /// The first call writes what was planned, for all classes.
    template <class Row, class Watch>
    void update(const Row&, std::size_t, double, double, Watch& watch) {
        for (const Planned& next : planned_) {
            watch.changed(next.cell, next.delta);
            w_.cells()[next.cell] += next.delta;
            past_.cells()[next.cell] = next.past;
        }
        planned_.clear();
    }

    /// Each prototype has ±factor·v and the gradients of their common vector; a third has no past.
    void split(std::size_t positive, double factor, Average& average) {
        Additive::split(positive, factor, average);
        past_.add_column();
        past_.add_column();
        past_.copy_column(0, 1, 1.0);
        past_.set_column(2, 0.0);
    }
    void add_column(Average& average) {
        Additive::add_column(average);
        past_.add_column();
    }
    void take_back_column(std::size_t columns, Average& average) {
        Additive::take_back_column(columns, average);
        past_.take_back_column(columns);
    }

    double weight(std::size_t i, std::size_t k) const { return shown(i, Additive::weight(i, k)); }
    double averaged_weight(std::size_t i, std::size_t k, const Average& average) const {
        return shown(i, Additive::averaged_weight(i, k, average));
    }

    template <class Archive>
    void describe(Archive& a) {
        Additive::describe(a);
        a.nested("past", past_);
        a.nested("scale", scale_);
        a.real("norms", norms_);
        a.real("t", t_);
        a.require(past_.is_like(w_), "the weights and their gradients");
        a.require(
            scale_.columns() == 1 && scale_.stride() == 1 && scale_.features() == w_.features(),
            "the weights and their scales");
        a.require(std::all_of(past_.cells().begin(), past_.cells().end(),
                              [](double v) { return v >= 0.0; }) &&
                      std::all_of(scale_.cells().begin(), scale_.cells().end(),
                                  [](double s) { return s == 0.0 || s >= least_scale; }),
                  "the squares of gradients and the scales");
        a.require(w_.largest() <= largest_v, "the weights and their limit");
        a.require(norms_ >= 0.0 && t_ >= 0.0 && t_ <= 0x1p53, "the counts");
    }

private:
    // The smallest scale and the largest v, so that w_i = v_i/s_i can be shown.
    static constexpr double least_scale = 1e-150, largest_v = 1e150;

    /// s_i with one more value.
    double grown(std::size_t i, double v) const {
        return std::max({*scale_.feature(i), std::abs(v), least_scale});
    }
    template <class Row>
    void scores_of(const Matrix& m, const Row& x, double* out) const {
        const std::size_t k = m.columns();
        std::fill(out, out + k, 0.0);
        x.each([&](std::size_t i, double v) {
            const double r = v / grown(i, v), *row = m.feature(i);
            for (std::size_t c = 0; c < k; ++c) out[c] += row[c] * r;
        });
        for (std::size_t c = 0; c < k && options_.bias != 0.0; ++c)
            out[c] += options_.bias * m.bias()[c];
    }

    double shown(std::size_t i, double v) const {
        const double s = *scale_.feature(i);
        return s > 0.0 ? v / s : 0.0;
    }

    struct Planned {
        std::size_t cell;
        double delta, past;
    };
    struct Grown {
        std::size_t feature;
        double scale;
    };

    bool lands_;
    Matrix past_{0.0};   // Σg² of each weight
    Matrix scale_{0.0};  // s_i
    double norms_ = 0.0, norms_next_ = 0.0, t_ = 0.0;
    std::vector<Planned> planned_;
    std::vector<Grown> grown_;
    std::vector<double> ratios_;  // x_i/s_i of the row that is planned
};

}  // namespace thresher
