// Winnow over 2n literals, x_i and ¬x_i = 1 − x_i, at O(active features) per step.
// Most negated literals are on in most examples, and an update multiplies all of those by the same
// factor. So a negated literal's weight is kept as v_i = scale·u_i: an update moves `scale` once, and
// corrects u_i only where x_i is active. The sum Σu_i is also kept, so that
//   Σ v_i(1 − x_i) = scale·(Σu − Σ_active u_i x_i).
// Averages use the same trick: with past_i = Σ (change of u_i)·S and S = Σ weight·scale over time,
// Σ_t v_i(t) = u_i·S − past_i.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "multiplicative.hpp"

namespace thresher {

/// A compensated sum, which can be updated any number of times without drifting (Neumaier 1974).
struct CompensatedSum {
    double sum = 0.0, rest = 0.0;

    void add(double v) {
        const double next = sum + v;
        rest += std::abs(sum) >= std::abs(v) ? (sum - next) + v : (v - next) + sum;
        sum = next;
    }
    double value() const { return sum + rest; }
    bool is_at_most(double most) const { return std::abs(sum) <= most && std::abs(rest) <= most; }

    template <class Archive>
    void describe(Archive& a) {
        a.real("sum", sum);
        a.real("rest", rest);
    }
};

class Negations {
public:
    using Options = WinnowOptions;
    static constexpr bool zero_score_is_mistake = false;
    static constexpr bool second_order = false;
    static constexpr bool can_overshoot = true;

    explicit Negations(Options o) : options_(o), shared_(1) {}

    std::size_t features() const { return w_.features(); }
    std::size_t columns() const { return w_.columns(); }

    /// A new feature has been absent so far: its negation was on in every example.
    void grow(std::size_t features, Average& average) {
        const std::size_t before = w_.features();
        if (features <= before) return;
        w_.grow(features);
        u_.grow(features);
        past_.grow(features);
        average.grow(features);
        for (std::size_t k = 0; k < columns(); ++k) {
            Shared& s = shared_[k];
            for (std::size_t i = before; i < features; ++i) {
                u_.feature(i)[k] = s.unmet;
                past_.feature(i)[k] = s.unmet_past;
            }
            s.before_growth = {s.total, s.total_past};
            s.total.add(s.unmet * static_cast<double>(features - before));
            s.total_past.add(s.unmet_past * static_cast<double>(features - before));
        }
        summed_ = features;
    }
    /// Back to the size before the last growth.
    void shrink(std::size_t features, Average& average) {
        for (Matrix* m : {&w_, &u_, &past_}) m->shrink(features);
        average.shrink(features);
        if (features >= summed_) return;
        for (Shared& s : shared_) std::tie(s.total, s.total_past) = s.before_growth;
        summed_ = features;
    }

    template <class Row>
    void check(const Row& x) const {
        check_unit(x);
    }

    /// Of the 2n literals: Σ x² + Σ (1 − x)².
    template <class Row>
    double sqnorm(const Row& x, std::size_t) const {
        double sum = static_cast<double>(features());
        x.each([&](std::size_t, double v) { sum += v * v + (1.0 - v) * (1.0 - v) - 1.0; });
        return sum;
    }

    template <class Row>
    void scores(const Row& x, double* out) const {
        std::vector<double> active(columns());
        linear_scores(w_, 0.0, x, out);
        linear_scores(u_, 0.0, x, active.data());
        for (std::size_t k = 0; k < columns(); ++k)
            out[k] += shared_[k].scale * shared_[k].inactive(active[k]);
        if (columns() == 1) out[0] -= theta();
    }

    /// An unknown feature adds 1·x + v·(1 − x), v the weight its negation would have by now.
    double unseen(double sum, std::size_t count, std::size_t k) const {
        return unseen_literals(sum, count, shared_[k].scale * shared_[k].unmet);
    }
    double averaged_unseen(double sum, std::size_t count, std::size_t k,
                           const Average& average) const {
        if (average.clock() == 0.0) return unseen(sum, count, k);
        const Shared& s = shared_[k];
        return unseen_literals(sum, count, (s.unmet * s.history - s.unmet_past) / average.clock());
    }

    template <class Row>
    void average_scores(const Row& x, const Average& average, double* out, double* room) const {
        if (average.clock() == 0.0) return;
        std::vector<double> active(columns()), active_past(columns());
        linear_scores(w_, 0.0, x, out);
        linear_scores(average.past(), 0.0, x, room);
        linear_scores(u_, 0.0, x, active.data());
        linear_scores(past_, 0.0, x, active_past.data());
        for (std::size_t k = 0; k < columns(); ++k) {
            const Shared& s = shared_[k];
            const double negated =
                (s.total.value() - active[k]) * s.history - (s.total_past.value() - active_past[k]);
            out[k] += (negated - room[k]) / average.clock();
        }
        if (columns() == 1) out[0] -= theta();
    }

    template <class Row>
    void begin_plan(const Row&) {}
    void seen() {}
    /// Makes room for an update, and checks that what it adds to the past can be kept. A literal's u
    /// is at most `largest` before and at most `widest` times that after it; its past changes by no
    /// more than S times either, at most three times: to 0 and back, or once and when S is folded in.
    template <class Row>
    double plan(const Row& x, std::size_t k, const Move& move) {
        Shared& s = shared_[k];
        const double factor = power(options_.alpha, std::abs(move.step));
        if (move.step < 0.0 && options_.eliminate) {
            if (!s.eliminated) s.alive.reserve(features());
            make_room(room_.kept, x.n);
        } else if (is_moved_one_by_one(s, move.step, factor)) {
            make_room(room_.literal, features());
        }
        const double far = 3.0 * s.history * s.largest * s.widest();
        const double n = static_cast<double>(std::max<std::size_t>(1, features()));
        if (!(n * (largest_past_ + far) <= largest_kept)) {
            largest_past_ = past_.largest();
            for (const Shared& other : shared_)
                largest_past_ = std::max(largest_past_, std::abs(other.unmet_past));
            if (!(n * (largest_past_ + far) <= largest_kept))
                throw Fault(-1, 0.0, move.weight, "the averaged weights");
        }
        largest_past_ += far;
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
        Shared& s = shared_[k];
        const std::size_t stride = w_.stride();
        x.each([&](std::size_t i, double v) {
            const std::size_t cell = (i + 1) * stride + k;
            double& w = w_.cells()[cell];
            const double before = w;
            w = winnowed(before, v, step, options_, clamp_);
            watch.changed(cell, w - before);
        });
        if (step < 0.0 && options_.eliminate) {
            eliminate(x, k);
            return;
        }
        const double factor = power(options_.alpha, std::abs(step));
        if (is_moved_one_by_one(s, step, factor)) {
            move_each(x, k, step);
            return;
        }
        s.scale = step > 0.0 ? s.scale * factor : s.scale / factor;
        x.each([&](std::size_t i, double v) {
            const double back = power(options_.alpha, std::abs(step) * v);
            set_u(i, k, step > 0.0 ? u_.feature(i)[k] / back : u_.feature(i)[k] * back);
        });
        if (s.scale > s.widest() || s.scale * s.widest() < 1.0) fold_scale(k);
    }

    /// Called before an example is learned, which may move the scale.
    void check_tick(double weight) const {
        for (const Shared& s : shared_)
            checked_sum(s.history, weight * std::max(1.0, s.scale) * s.widest());
    }
    void tick(double weight) {
        for (Shared& s : shared_) s.history += weight * s.scale;
    }
    static bool settles() { return false; }
    void forget() {}
    void rescale_past(double factor) {
        for (double& past : past_.cells()) past *= factor;
        for (Shared& s : shared_) {
            s.history *= factor;
            s.unmet_past *= factor;
            s.total_past.sum *= factor;
            s.total_past.rest *= factor;
        }
    }

    void split(std::size_t positive, double, Average& average) {
        for (int i = 0; i < 2; ++i) add_column(average);
        if (positive == 0) return;
        for (Matrix* m : {&w_, &u_, &past_}) m->copy_column(0, 1, 1.0);
        average.each([](Matrix& m) {
            m.copy_column(0, 1, 1.0);
            m.set_column(0, 0.0);
        });
        shared_[1] = shared_[0];
        w_.set_column(0, 1.0);
        u_.set_column(0, 1.0);
        past_.set_column(0, 0.0);
        shared_[0] = fresh(average);
    }
    void add_column(Average& average) {
        for (Matrix* m : {&w_, &u_, &past_}) m->add_column();
        average.add_column();
        shared_.push_back(fresh(average));
    }
    void take_back_column(std::size_t columns, Average& average) {
        for (Matrix* m : {&w_, &u_, &past_}) m->take_back_column(columns);
        average.take_back_column(columns);
        if (shared_.size() > columns) shared_.pop_back();
    }

    /// As a linear function of x: Σ (w_i − v_i)·x_i + Σ v_i − θ.
    double weight(std::size_t i, std::size_t k) const {
        return w_.feature(i)[k] - shared_[k].scale * u_.feature(i)[k];
    }
    double averaged_weight(std::size_t i, std::size_t k, const Average& average) const {
        const double T = average.clock();
        if (T == 0.0) return weight(i, k);
        const double v = u_.feature(i)[k] * shared_[k].history - past_.feature(i)[k];
        return w_.feature(i)[k] - average.past().feature(i)[k] / T - v / T;
    }
    double constant(std::size_t k) const {
        return shared_[k].scale * shared_[k].total.value() - (columns() == 1 ? theta() : 0.0);
    }
    double averaged_constant(std::size_t k, const Average& average) const {
        const Shared& s = shared_[k];
        if (average.clock() == 0.0) return constant(k);
        return (s.total.value() * s.history - s.total_past.value()) / average.clock() -
               (columns() == 1 ? theta() : 0.0);
    }

    std::size_t clamped() const { return clamp_.count; }
    const Matrix& raw() const { return w_; }

    template <class Archive>
    void describe(Archive& a) {
        a.nested("w", w_);
        a.nested("u", u_);
        a.nested("past", past_);
        a.require(u_.is_like(w_) && past_.is_like(w_), "weights of the literals");
        a.require(Clamp::holds(w_), "the weights and their range");
        a.count("clamped", clamp_.count);
        shared_.resize(w_.columns());
        for (std::size_t k = 0; k < shared_.size(); ++k)
            a.nested("shared" + std::to_string(k), shared_[k]);
        if constexpr (Archive::loading) {
            for (std::size_t k = 0; k < columns(); ++k)
                if (shared_[k].eliminated) list_alive(k);
            for (std::size_t i = 0; i < features(); ++i)
                for (std::size_t k = 0; k < columns(); ++k)
                    a.require(shared_[k].is_within(u_.feature(i)[k]), "the negated literals");
            const double most = largest_kept * static_cast<double>(features() + 1);
            for (const Shared& s : shared_)
                a.require(s.total.is_at_most(most) && s.total_past.is_at_most(most),
                          "the sums of the negated literals");
            largest_past_ = largest_kept;  // until it is measured
            summed_ = features();
        }
    }

private:
    /// What all negated literals of a class have in common.
    struct Shared {
        double scale = 1.0;
        double history = 0.0;       // S: Σ weight·scale
        CompensatedSum total;       // Σ u_i
        CompensatedSum total_past;  // Σ past_i
        double unmet = 1.0;         // u of a feature not met yet, and its past: its negation
        double unmet_past = 0.0;    // has been on in every example
        double smallest = 1.0;      // bounds of all u that are not 0, seldom tight
        double largest = 1.0;
        std::uint64_t eliminated = 0;    // 1 after the first elimination: few literals are left
        std::vector<std::size_t> alive;  // those, then
        std::pair<CompensatedSum, CompensatedSum> before_growth;  // of the sums

        /// How far the scale may move. An average is a difference of sums of u·scale: it loses the
        /// digits that they gain.
        double widest() const { return history > 0.0 ? 1e6 : 1e100; }

        /// Σ u_i(1 − x_i). A difference of nearly equal sums is rounding, not a literal.
        double inactive(double active) const {
            const double sum = total.value(), left = sum - active;
            return left > 1e-14 * sum ? left : 0.0;
        }
        /// Whether a u may have this value.
        bool is_within(double u) const { return u == 0.0 || (u >= smallest && u <= largest); }
        /// u changes to `value` now; its old value keeps its part in the average.
        void change(double& u, double& past, double value) {
            past += history * (value - u);
            u = value;
            if (value == 0.0) return;
            smallest = std::min(smallest, value);
            largest = std::max(largest, value);
        }

        template <class Archive>
        void describe(Archive& a) {
            a.real("scale", scale);
            a.real("history", history);
            a.nested("total", total);
            a.nested("total_past", total_past);
            a.real("unmet", unmet);
            a.real("unmet_past", unmet_past);
            a.real("smallest", smallest);
            a.real("largest", largest);
            a.count("eliminated", eliminated);
            // A scale beyond its limit is folded into u at once, and u·scale is a weight.
            a.require(scale >= 1e-100 && scale <= 1e100 && history >= 0.0 && smallest > 0.0 &&
                          largest > 0.0 && is_within(unmet) && history <= largest_kept &&
                          std::abs(unmet_past) <= largest_kept,
                      "what the negated literals share");
        }
    };

    Shared fresh(const Average& average) const {
        Shared s;
        s.history = average.clock();
        s.total.add(static_cast<double>(features()));
        return s;
    }

    double unseen_literals(double sum, std::size_t count, double v) const {
        const double n = static_cast<double>(count);
        const bool raises = columns() == 1 && std::isnan(options_.theta);
        return sum + v * (n - sum) - (raises ? 2.0 * n : 0.0);
    }

    double theta() const {
        return std::isnan(options_.theta) ? 2.0 * static_cast<double>(features()) : options_.theta;
    }

    void set_u(std::size_t i, std::size_t k, double value) {
        Shared& s = shared_[k];
        double &u = u_.feature(i)[k], &past = past_.feature(i)[k];
        s.total.add(-u);
        s.total_past.add(-past);
        s.change(u, past, value);
        s.total.add(u);
        s.total_past.add(past);
    }

    void list_alive(std::size_t k) {
        Shared& s = shared_[k];
        s.alive.clear();
        for (std::size_t i = 0; i < features(); ++i)
            if (u_.feature(i)[k] != 0.0) s.alive.push_back(i);
    }

    /// ¬x_i survives only where it is off, at x_i = 1. O(n) the first time, O(active) from then on.
    template <class Row>
    void eliminate(const Row& x, std::size_t k) {
        Shared& s = shared_[k];
        if (!s.eliminated) list_alive(k);
        s.eliminated = 1;
        auto& kept = room_.kept;
        kept.clear();
        x.each([&](std::size_t i, double v) {
            if (v == 1.0 && u_.feature(i)[k] != 0.0) kept.emplace_back(i, u_.feature(i)[k]);
        });
        for (const std::size_t i : s.alive) set_u(i, k, 0.0);
        s.total = CompensatedSum{};  // exactly 0, not what rounding leaves
        s.change(s.unmet, s.unmet_past, 0.0);
        s.alive.clear();
        for (const auto& [i, u] : kept) {
            set_u(i, k, u);
            s.alive.push_back(i);
        }
    }

    static bool may_leave_range(const Shared& s, double step, double factor) {
        return factor > std::sqrt(s.widest()) ||
               (step > 0.0 ? s.scale * s.largest * factor > Clamp::highest
                           : s.scale * s.smallest / factor < Clamp::lowest);
    }

    bool is_moved_one_by_one(const Shared& s, double step, double factor) const {
        return (step < 0.0 && options_.floor > 0.0) || may_leave_range(s, step, factor);
    }
    /// Literal by literal, O(n): with a floor (Winnow-R), and near the ends of the range of weights.
    template <class Row>
    void move_each(const Row& x, std::size_t k, double step) {
        fold_scale(k);
        Shared& s = shared_[k];
        s.smallest = Clamp::highest;
        s.largest = Clamp::lowest;
        auto& literal = room_.literal;
        literal.assign(features(), 1.0);
        x.each([&](std::size_t i, double v) { literal[i] = 1.0 - v; });
        for (std::size_t i = 0; i < features(); ++i)
            set_u(i, k, winnowed(u_.feature(i)[k], literal[i], step, options_, clamp_));
        Clamp nobody_counts;
        s.change(s.unmet, s.unmet_past, winnowed(s.unmet, 1.0, step, options_, nobody_counts));
    }

    /// Folds the scale into u and S into the past, so that the scale is 1: O(n), once in many updates.
    void fold_scale(std::size_t k) {
        Shared& s = shared_[k];
        if (s.scale == 1.0) return;
        const auto fold = [&](double& u, double& past) {
            past -= u * s.history;
            u *= s.scale;
        };
        s.total = s.total_past = CompensatedSum{};
        for (std::size_t i = 0; i < features(); ++i) {
            fold(u_.feature(i)[k], past_.feature(i)[k]);
            s.total.add(u_.feature(i)[k]);
            s.total_past.add(past_.feature(i)[k]);
        }
        fold(s.unmet, s.unmet_past);
        s.smallest *= s.scale;
        s.largest *= s.scale;
        s.history = 0.0;
        s.scale = 1.0;
    }

    struct Room {
        std::vector<std::pair<std::size_t, double>> kept;
        std::vector<double> literal;
    };

    Options options_;
    Matrix w_{1.0}, u_{1.0}, past_{0.0};
    std::vector<Shared> shared_;
    Clamp clamp_;
    std::size_t summed_ = 0;     // features that the sums include
    double largest_past_ = 0.0;  // a bound on the magnitude of all past
    Room room_;
};

}  // namespace thresher
