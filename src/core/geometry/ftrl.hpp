// FTRL-Proximal geometry (McMahan 2011; McMahan et al. 2013): follow the leader of all gradients so far,
// regularised towards earlier weights, with penalties that make weights small (l2) or exactly zero (l1).
//   w' = argmin_w  Σ_s g_s·w + ½·Σ_s σ_s·‖w − w_s‖² + l1·‖w‖₁ + ½·l2·‖w‖²,    σ_1 + … + σ_t = 1/η_t
// For each weight that is, with z = Σ_s (g_s − σ_s·w_s) and r = 1/η_t,
//   w = 0 where |z| ≤ l1, else −(z − sign(z)·l1)/(r + l2)
// and without penalties it is the gradient step w −= η_t·g, which needs no z: `AdaGrad`. The rate is AdaGrad's,
// η = α/(β + √Σg²) for each weight, or depends on the clock. A weight without a gradient does not change,
// whatever the clock, so a step costs O(nonzeros). The bias is not penalised.
//
// Four weights go into one register: of a feature of many classes, which lie next to each other, or of four
// features of one class. Each weight has the same sequence of operations as alone.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "../prefetch.hpp"
#include "../rules/logistic.hpp"
#include "additive.hpp"

namespace thresher {

namespace ftrl {

struct Penalties {
    static constexpr bool any = true;
    double l1 = 0.0, l2 = 0.0;
};
struct NoPenalties {
    static constexpr bool any = false;
};

// What is kept of the past of a weight, 1/η by it, and η·g. Each has the same operations for one weight as for
// four in a register.

/// AdaGrad: the past is Σg².
struct ByGradients {
    double alpha, beta;
    double inverse = exact_inverse(alpha);

    /// 1/α of a power of two, such as the default ½: a product has the bits of the quotient. Else 0.
    static double exact_inverse(double alpha) {
        const bool is_power = (std::bit_cast<std::uint64_t>(alpha) << 12) == 0;
        return is_power && std::isnormal(alpha) && std::isnormal(1.0 / alpha) ? 1.0 / alpha : 0.0;
    }

    double past(double before, double g) const { return before + g * g; }
    double descent(double past, double g) const { return alpha * g / (beta + std::sqrt(past)); }
    double stiffness(double past) const { return (beta + std::sqrt(past)) / alpha; }
#ifdef THRESHER_X86
    THRESHER_AVX2 THRESHER_INLINE __m256d past(__m256d before, __m256d g) const {
        return _mm256_add_pd(before, _mm256_mul_pd(g, g));
    }
    THRESHER_AVX2 THRESHER_INLINE __m256d descent(__m256d past, __m256d g) const {
        return _mm256_div_pd(_mm256_mul_pd(_mm256_set1_pd(alpha), g),
                             _mm256_add_pd(_mm256_set1_pd(beta), _mm256_sqrt_pd(past)));
    }
    THRESHER_AVX2 THRESHER_INLINE __m256d stiffness(__m256d past) const {
        const __m256d sum = _mm256_add_pd(_mm256_set1_pd(beta), _mm256_sqrt_pd(past));
        return inverse != 0.0 ? _mm256_mul_pd(sum, _mm256_set1_pd(inverse))
                              : _mm256_div_pd(sum, _mm256_set1_pd(alpha));
    }
#endif
};

/// By the clock: the past is 1/η when the weight last moved.
struct ByClock {
    double now;  // 1/η

    double past(double, double) const { return now; }
    double stiffness(double past) const { return past; }
#ifdef THRESHER_X86
    THRESHER_AVX2 THRESHER_INLINE __m256d past(__m256d, __m256d) const {
        return _mm256_set1_pd(now);
    }
    THRESHER_AVX2 THRESHER_INLINE __m256d stiffness(__m256d past) const { return past; }
#endif
};

/// A weight, and how it moves by a gradient g.
struct Cell {
    double w, z, past;
};
template <class Rate>
Cell moved(const Cell& at, double g, const Rate& rate, const Penalties& penalties) {
    const double past = rate.past(at.past, g), r = rate.stiffness(past), l1 = penalties.l1;
    const double z = at.z + (g - (r - rate.stiffness(at.past)) * at.w);
    const double w = std::abs(z) <= l1 ? 0.0 : -(z - std::copysign(l1, z)) / (r + penalties.l2);
    return {w, z, past};
}

template <class Rate>
Cell moved(const Cell& at, double g, const Rate& rate, const NoPenalties&) {
    const double past = rate.past(at.past, g);
    return {at.w - rate.descent(past, g), 0.0, past};
}

/// Weights by their cells, and what became of those that moved: the largest |z| and the largest change, each
/// of every fourth weight.
template <class By>
struct Weights {
    double *w, *z, *past;  // without penalties there is no z
    double largest_z[4] = {}, farthest[4] = {};

    Cell operator[](std::size_t i) const { return {w[i], By::any ? z[i] : 0.0, past[i]}; }
    /// Returns the change.
    double write(std::size_t i, const Cell& now, std::size_t lane) {
        const double delta = now.w - w[i];
        farthest[lane] = std::max(farthest[lane], std::abs(delta));
        w[i] = now.w;
        if constexpr (By::any) {
            largest_z[lane] = std::max(largest_z[lane], std::abs(now.z));
            z[i] = now.z;
        }
        past[i] = now.past;
        return delta;
    }
};

/// The weights of k classes from `cell` on, along a feature of value v; a class whose step is 0 does not move.
template <class Rate, class By>
void move_classes_plain(Weights<By>& at, std::size_t cell, const double* steps, std::size_t k,
                        double v, const Rate& rate, const By& penalties, double* delta,
                        std::size_t from = 0) {
    for (std::size_t c = from; c < k; ++c) {
        delta[c] = 0.0;
        if (steps[c] == 0.0) continue;
        const Cell now = moved(at[cell + c], -steps[c] * v, rate, penalties);
        delta[c] = at.write(cell + c, now, c % 4);
    }
}

/// The weights of features of a single class, which differ.
template <class Rate, class Values, class By, class Watch>
void move_features_plain(Weights<By>& at, const std::int32_t* index, Values value, std::size_t n,
                         double step, const Rate& rate, const By& penalties, Watch& watch,
                         std::size_t from = 0) {
    for (std::size_t j = from; j < n; ++j) {
        const std::size_t cell = static_cast<std::size_t>(index[j]) + 1;
        const double g = -step * static_cast<double>(value[j]);
        watch.changed(cell, at.write(cell, moved(at[cell], g, rate, penalties), 0));
    }
}

#ifdef THRESHER_X86
/// The same operations, four weights at a time.
struct Quad {
    __m256d w, z, past;
};
template <class Rate>
THRESHER_AVX2 THRESHER_INLINE Quad moved(const Quad& at, __m256d g, const Rate& rate,
                                         const Penalties& penalties) {
    const __m256d sign = _mm256_set1_pd(-0.0), l1 = _mm256_set1_pd(penalties.l1);
    const __m256d past = rate.past(at.past, g), r = rate.stiffness(past);
    const __m256d stiffer = _mm256_sub_pd(r, rate.stiffness(at.past));
    const __m256d z = _mm256_add_pd(at.z, _mm256_sub_pd(g, _mm256_mul_pd(stiffer, at.w)));
    const __m256d pull = _mm256_or_pd(l1, _mm256_and_pd(z, sign));
    const __m256d shrunk = _mm256_div_pd(_mm256_xor_pd(_mm256_sub_pd(z, pull), sign),
                                         _mm256_add_pd(r, _mm256_set1_pd(penalties.l2)));
    const __m256d held = _mm256_cmp_pd(_mm256_andnot_pd(sign, z), l1, _CMP_LE_OQ);
    return {_mm256_andnot_pd(held, shrunk), z, past};
}
template <class Rate>
THRESHER_AVX2 THRESHER_INLINE Quad moved(const Quad& at, __m256d g, const Rate& rate,
                                         const NoPenalties&) {
    const __m256d past = rate.past(at.past, g);
    return {_mm256_sub_pd(at.w, rate.descent(past, g)), _mm256_setzero_pd(), past};
}
/// z, which there is with penalties only.
template <class By>
THRESHER_AVX2 THRESHER_INLINE __m256d load_z(const double* z, std::size_t c) {
    return By::any ? _mm256_loadu_pd(z + c) : _mm256_setzero_pd();
}
THRESHER_AVX2 THRESHER_INLINE __m256d larger(__m256d largest, __m256d numbers) {
    return _mm256_max_pd(largest, _mm256_andnot_pd(_mm256_set1_pd(-0.0), numbers));
}

template <class Rate, class By>
THRESHER_AVX2 void move_classes_avx2(Weights<By>& at, std::size_t cell, const double* steps,
                                     std::size_t k, double v, const Rate& rate, const By& penalties,
                                     double* delta) {
    const __m256d sign = _mm256_set1_pd(-0.0), value = _mm256_set1_pd(v);
    double *w = at.w + cell, *z = By::any ? at.z + cell : nullptr, *past = at.past + cell;
    __m256d largest_z = _mm256_loadu_pd(at.largest_z), farthest = _mm256_loadu_pd(at.farthest);
    std::size_t c = 0;
    for (; c + 4 <= k; c += 4) {
        const __m256d step = _mm256_loadu_pd(steps + c);
        const __m256d moves = _mm256_cmp_pd(step, _mm256_setzero_pd(), _CMP_NEQ_UQ);
        const Quad was{_mm256_loadu_pd(w + c), load_z<By>(z, c), _mm256_loadu_pd(past + c)};
        const Quad now =
            moved(was, _mm256_mul_pd(_mm256_xor_pd(step, sign), value), rate, penalties);
        const __m256d w_now = _mm256_blendv_pd(was.w, now.w, moves);
        const __m256d change = _mm256_sub_pd(w_now, was.w);
        _mm256_storeu_pd(w + c, w_now);
        _mm256_storeu_pd(past + c, _mm256_blendv_pd(was.past, now.past, moves));
        _mm256_storeu_pd(delta + c, change);
        farthest = larger(farthest, change);
        if constexpr (By::any) {
            const __m256d z_now = _mm256_blendv_pd(was.z, now.z, moves);
            _mm256_storeu_pd(z + c, z_now);
            largest_z = larger(largest_z, z_now);
        }
    }
    _mm256_storeu_pd(at.largest_z, largest_z);
    _mm256_storeu_pd(at.farthest, farthest);
    move_classes_plain(at, cell, steps, k, v, rate, penalties, delta, c);
}

THRESHER_AVX2 THRESHER_INLINE void scatter4(double* w, const std::int32_t* index, __m256d now) {
    const __m128d low = _mm256_castpd256_pd128(now), high = _mm256_extractf128_pd(now, 1);
    w[index[0]] = low[0];
    w[index[1]] = low[1];
    w[index[2]] = high[0];
    w[index[3]] = high[1];
}
template <class Rate, class Values, class By, class Watch>
THRESHER_AVX2 void move_features_avx2(Weights<By>& at, const std::int32_t* index, Values value,
                                      std::size_t n, double step, const Rate& rate,
                                      const By& penalties, Watch& watch) {
    const __m256d steps = _mm256_set1_pd(-step);
    double *w = at.w + 1, *z = By::any ? at.z + 1 : nullptr, *past = at.past + 1;  // after the bias
    __m256d largest_z = _mm256_loadu_pd(at.largest_z), farthest = _mm256_loadu_pd(at.farthest);
    std::size_t j = 0;
    for (; j + 4 <= n; j += 4) {
        const std::int32_t* four = index + j;
        const Quad was{loops::gather4(w, four),
                       By::any ? loops::gather4(z, four) : _mm256_setzero_pd(),
                       loops::gather4(past, four)};
        const Quad now = moved(was, loops::scaled4(steps, value, j), rate, penalties);
        scatter4(w, four, now.w);
        scatter4(past, four, now.past);
        if constexpr (By::any) {
            scatter4(z, four, now.z);
            largest_z = larger(largest_z, now.z);
        }
        const __m256d change = _mm256_sub_pd(now.w, was.w);
        farthest = larger(farthest, change);
        double delta[4];
        _mm256_storeu_pd(delta, change);
        for (std::size_t l = 0; l < 4; ++l)
            watch.changed(static_cast<std::size_t>(four[l]) + 1, delta[l]);
    }
    _mm256_storeu_pd(at.largest_z, largest_z);
    _mm256_storeu_pd(at.farthest, farthest);
    move_features_plain(at, index, value, n, step, rate, penalties, watch, j);
}
#endif
template <class Rate, class By>
void move_classes(Weights<By>& at, std::size_t cell, const double* steps, std::size_t k, double v,
                  const Rate& rate, const By& penalties, double* delta) {
    THRESHER_DISPATCH(move_classes, at, cell, steps, k, v, rate, penalties, delta);
}
template <class Rate, class Values, class By, class Watch>
void move_features(Weights<By>& at, const std::int32_t* index, Values value, std::size_t n,
                   double step, const Rate& rate, const By& penalties, Watch& watch) {
    THRESHER_DISPATCH(move_features, at, index, value, n, step, rate, penalties, watch);
}

}  // namespace ftrl

template <class By>
class FollowTheLeader : public Additive {
public:
    struct Options {
        double bias = 1.0;
        rules::Schedule schedule = rules::Schedule::adagrad;
        double alpha = 0.1, beta = 1.0;  // AdaGrad's; by the clock, 1/η(t) comes with the step
        By penalties;

        template <class Archive>
        void describe(Archive& a) {
            a.word("step", schedule, {"adagrad", "constant", "1/sqrt(t)", "1/t"});
            a.real("learning_rate", alpha);
            a.real("beta", beta);
            if constexpr (By::any) {
                a.real("l1", penalties.l1);
                a.real("l2", penalties.l2);
            }
        }
    };
    static constexpr bool second_order = true;
    static constexpr bool moves_classes_at_once = true;

    explicit FollowTheLeader(Options o) : Additive(Additive::Options{o.bias}), ftrl_(o) {}

    void grow(std::size_t features, Average& average) {
        Additive::grow(features, average);
        if (By::any) z_.grow(features);
        past_.grow(features);
    }

    void shrink(std::size_t features, Average& average) {
        Additive::shrink(features, average);
        if (By::any) z_.shrink(features);
        past_.shrink(features);
    }

    // How large z and w become depends on their whole past. If bounds show that all of it can be kept
    // (`is_safe`), a step is computed where it is written; else it is computed here, and only written
    // when it is known to fit.

    template <class Row>
    void begin_plan(const Row&) {
        planned_.clear();
        is_safe_ = false;
    }
    /// One class.
    template <class Row>
    double plan(const Row& x, std::size_t k, const Move& m) {
        return is_bounded(std::abs(m.step), m.gain, m.sqnorm) ? 2.0 * most_ : plan_class(x, k, m);
    }
    template <class Row>
    double farthest(const Row& x, const Move& m) {
        return std::exchange(is_safe_, false) ? plan_class(x, 0, m) : farthest_planned();
    }
    /// Returns how far a weight has moved at most; what was planned is written for all classes.
    template <class Row, class Watch>
    double update(const Row& x, std::size_t, double step, double gain, Watch& watch) {
        if (!std::exchange(is_safe_, false)) return write_planned(watch);
        return with_rate(gain, [&](const auto& rate) { return move_class(x, step, rate, watch); });
    }

    /// All classes; `sqnorm` bounds ‖x‖², the bias included.
    template <class Row>
    double plan_classes(const Row& x, const double* steps, const double* gains, double weight,
                        double sqnorm) {
        double step = 0.0;
        bool alike = true;
        for (std::size_t c = 0; c < columns(); ++c) {
            step = std::max(step, std::abs(steps[c]));
            alike &= gains[c] == gains[0];
        }
        if (!alike || !is_bounded(step, gains[0], sqnorm))
            return plan_exactly(x, steps, gains, weight);
        room_.resize(2 * padded_columns());
        return 2.0 * most_;
    }
    template <class Row>
    double farthest_of_classes(const Row& x, const double* steps, const double* gains,
                               double weight) {
        return std::exchange(is_safe_, false) ? plan_exactly(x, steps, gains, weight)
                                              : farthest_planned();
    }
    template <class Row, class Watch>
    double update_classes(const Row& x, const double* steps, const double* gains, Watch& watch) {
        if (!std::exchange(is_safe_, false)) return write_planned(watch);
        return with_rate(gains[0],
                         [&](const auto& rate) { return move_classes(x, steps, rate, watch); });
    }

    /// Half of AdaGrad's Σg². z changes with 1/η, so that the weights stay as they are.
    bool settles() const { return ftrl_.schedule != rules::Schedule::constant; }
    void forget() {
        are_measured_ = false;
        for (std::size_t cell = 0; is_adagrad() && cell < w_.size(); ++cell) {
            double& past = past_.cells()[cell];
            const double r = stiffness(past);
            past *= 0.5;
            if (By::any) z_.cells()[cell] -= (stiffness(past) - r) * w_.cells()[cell];
        }
    }

    /// Each prototype has ±factor·w, and the z that belongs to it; a third has no past.
    void split(std::size_t positive, double factor, Average& average) {
        are_measured_ = false;
        const Matrix z = z_;
        Additive::split(positive, factor, average);
        for (auto* m : kept()) {
            m->add_column();
            m->add_column();
            m->set_column(2, 0.0);
        }
        past_.copy_column(0, 1, 1.0);
        if constexpr (By::any)
            for (std::size_t i = 0; i <= features(); ++i)
                for (std::size_t c = 0; c < 2; ++c) {
                    const std::size_t cell = i * z_.stride() + c;
                    const double share = c == positive ? factor : -factor;
                    z_.cells()[cell] =
                        w_.cells()[cell] == 0.0 ? share * z.cells()[i] : leader(i, cell);
                }
    }
    void add_column(Average& average) {
        Additive::add_column(average);
        for (auto* m : kept()) m->add_column();
    }
    void take_back_column(std::size_t columns, Average& average) {
        Additive::take_back_column(columns, average);
        for (auto* m : kept()) m->take_back_column(columns);
    }

    template <class Archive>
    void describe(Archive& a) {
        are_measured_ = false;
        Additive::describe(a);
        nested_past(a);
        if constexpr (By::any) nested_z(a);
        for (const Matrix* m : kept()) a.require(m->is_like(w_), "the weights and their gradients");
        a.require(std::all_of(past_.cells().begin(), past_.cells().end(),
                              [](double p) { return p >= 0.0; }),
                  "the squares of gradients");
    }

private:
    /// By the clock and without penalties it would be gradient descent, which needs none of this.
    bool is_adagrad() const { return !By::any || ftrl_.schedule == rules::Schedule::adagrad; }
    /// f of how 1/η follows from the past: by the clock it is the gain.
    template <class F>
    double with_rate(double gain, F f) const {
        if constexpr (By::any)
            if (!is_adagrad()) return f(ftrl::ByClock{gain});
        return f(ftrl::ByGradients{ftrl_.alpha, ftrl_.beta});
    }
    /// 1/η of a weight.
    double stiffness(double past) const {
        return is_adagrad() ? ftrl::ByGradients{ftrl_.alpha, ftrl_.beta}.stiffness(past) : past;
    }
    const By& penalties() const { return ftrl_.penalties; }
    ftrl::Weights<By> weights() {
        return {w_.cells().data(), z_.cells().data(), past_.cells().data()};
    }
    /// What is kept for each weight.
    std::array<Matrix*, By::any ? 2 : 1> kept() {
        if constexpr (By::any)
            return {&past_, &z_};
        else
            return {&past_};
    }
    /// The z of a weight that is not 0, of feature i − 1.
    double leader(std::size_t i, std::size_t cell) const {
        const By by = i == 0 ? By{} : penalties();
        const double w = w_.cells()[cell], r = stiffness(past_.cells()[cell]);
        return -w * (r + by.l2) - std::copysign(by.l1, w);
    }
    template <class Archive>
    void nested_past(Archive& a) {
        if (is_adagrad() || a.has("past.rows")) return a.nested("past", past_);
        // Learned without penalties, by the clock: as if no weight had moved yet, from where it is.
        past_ = w_;
        std::fill(past_.cells().begin(), past_.cells().end(), 0.0);
    }
    template <class Archive>
    void nested_z(Archive& a) {
        if (a.has("z.rows")) return a.nested("z", z_);
        // Learned without penalties.
        z_ = w_;
        for (std::size_t cell = 0; cell < w_.size() && w_.size() == past_.size(); ++cell)
            if (w_.cells()[cell] != 0.0) z_.cells()[cell] = leader(cell / w_.stride(), cell);
        a.require(std::isfinite(z_.largest()), "the weights and their gradients");
    }

    /// Bounds every |z|, |w| and past after a step, at no cost; whether they are far from all limits.
    bool is_bounded(double step, double gain, double sqnorm) {
        const double softest = is_adagrad() ? ftrl_.beta / ftrl_.alpha : gain;  // 1/η is never less
        if (sqnorm < 0.0 || !(softest > 1e-30)) return false;
        if (!are_measured_) measure();
        const double g = step * (std::sqrt(sqnorm) + 1e-153);  // the square of less may be 0
        next_past_ = is_adagrad() ? largest_past_ + g * g : std::max(largest_past_, gain);
        const double z = By::any ? largest_z_ + g + stiffness(next_past_) * largest_w_ : 0.0;
        const double far = By::any ? z / softest : largest_w_ + g / softest;
        most_ = std::max({next_past_, z, far, largest_w_, g * std::max(1.0, ftrl_.alpha)});
        // NaN is not far from a limit.
        return is_safe_ = most_ <= far_from_all_limits && z <= far_from_all_limits;
    }
    void measure() {
        largest_w_ = w_.largest();
        if (By::any) largest_z_ = z_.largest();
        largest_past_ = past_.largest();
        are_measured_ = true;
    }

    template <class Row>
    double plan_class(const Row& x, std::size_t k, const Move& m) {
        const ftrl::Weights<By> all = weights();
        return with_rate(m.gain, [&](const auto& rate) {
            double far = 0.0;
            const auto move = [&](std::int64_t feature, double v, const By& by) {
                const std::size_t cell = static_cast<std::size_t>(feature + 1) * w_.stride() + k;
                const ftrl::Cell now = moved(all[cell], -m.step * v, rate, by);
                if (!(now.past <= largest_kept && std::abs(now.z) <= largest_kept &&
                      std::abs(now.w) <= largest_kept))
                    throw Fault(feature, v, m.weight, "a sum of gradients");
                far = std::max(far, std::abs(now.w - all.w[cell]));
                planned_.push_back({cell, now});
            };
            if (ftrl_.bias != 0.0) move(-1, ftrl_.bias, By{});
            x.each([&](std::size_t i, double v) {
                move(static_cast<std::int64_t>(i), v, penalties());
            });
            return far;
        });
    }
    template <class Row>
    double plan_exactly(const Row& x, const double* steps, const double* gains, double weight) {
        double far = 0.0;
        for (std::size_t c = 0; c < columns(); ++c)
            if (steps[c] != 0.0)
                far = std::max(far, plan_class(x, c, {steps[c], gains[c], weight}));
        return far;
    }
    double farthest_planned() const {
        double far = 0.0;
        for (const Planned& next : planned_)
            far = std::max(far, std::abs(next.now.w - w_.cells()[next.cell]));
        return far;
    }
    template <class Watch>
    double write_planned(Watch& watch) {
        ftrl::Weights<By> all = weights();
        for (const Planned& next : planned_) {
            largest_past_ = std::max(largest_past_, next.now.past);
            watch.changed(next.cell, all.write(next.cell, next.now, 0));
        }
        planned_.clear();
        return include(all);
    }
    /// Returns how far a weight has moved.
    double include(const ftrl::Weights<By>& moved) {
        const double far = *std::max_element(moved.farthest, moved.farthest + 4);
        largest_z_ = std::max(largest_z_, *std::max_element(moved.largest_z, moved.largest_z + 4));
        largest_w_ += far;
        return far;
    }

    /// A single class, in place.
    template <class Row, class Rate, class Watch>
    double move_class(const Row& x, double step, const Rate& rate, Watch& watch) {
        ftrl::Weights<By> all = weights();
        if (ftrl_.bias != 0.0)
            watch.changed(0, all.write(0, moved(all[0], -step * ftrl_.bias, rate, By{}), 0));
        move_features(all, x, step, rate, watch);
        largest_past_ = next_past_;
        return include(all);
    }
    template <class Values, class Rate, class Watch>
    void move_features(ftrl::Weights<By>& all, const SparseRow<Values>& x, double step,
                       const Rate& rate, Watch& watch) const {
        ftrl::move_features(all, x.index, x.value, x.n, step, rate, penalties(), watch);
    }
    template <class Row, class Rate, class Watch>
    void move_features(ftrl::Weights<By>& all, const Row& x, double step, const Rate& rate,
                       Watch& watch) const {
        x.each([&](std::size_t i, double v) {
            const ftrl::Cell now = moved(all[i + 1], -step * v, rate, penalties());
            watch.changed(i + 1, all.write(i + 1, now, 0));
        });
    }

    /// With those beyond the last that fill up four, which never move.
    std::size_t padded_columns() const { return std::min(w_.stride(), (columns() + 3) / 4 * 4); }
    /// All classes, feature by feature, in place.
    template <class Row, class Rate, class Watch>
    double move_classes(const Row& x, const double* steps, const Rate& rate, Watch& watch) {
        const std::size_t k = padded_columns(), stride = w_.stride();
        ftrl::Weights<By> all = weights();
        x.each([&](std::size_t i, double) {  // the scores have just read w
            for (std::size_t c = 0; c < k + 8; c += 8) {
                const std::size_t cell = (i + 1) * stride + std::min(c, k - 1);
                if constexpr (By::any) prefetch(all.z + cell);
                prefetch(all.past + cell);
            }
        });
        double *delta = room_.data(), *padded = delta + k;
        std::fill(padded, padded + k, 0.0);
        std::copy_n(steps, columns(), padded);
        const auto move = [&](std::size_t cell, double v, const By& by) {
            ftrl::move_classes(all, cell, padded, k, v, rate, by, delta);
            watch.changed_row(cell, delta, k);
        };
        if (ftrl_.bias != 0.0) move(0, ftrl_.bias, By{});
        x.each([&](std::size_t i, double v) { move((i + 1) * stride, v, penalties()); });
        largest_past_ = next_past_;
        return include(all);
    }

    struct Planned {
        std::size_t cell;
        ftrl::Cell now;
    };

    Options ftrl_;
    Matrix z_{0.0};     // with penalties
    Matrix past_{0.0};  // Σg² of each weight (AdaGrad), or 1/η when it last moved
    std::vector<Planned> planned_;

    // Bounds on the cells, once they are measured, and whether they show that the step at hand fits.
    static constexpr double far_from_all_limits = 1e200;
    bool are_measured_ = false, is_safe_ = false;
    double largest_w_ = 0.0, largest_z_ = 0.0, largest_past_ = 0.0;
    double next_past_ = 0.0, most_ = 0.0;  // after the step at hand
    std::vector<double> room_;             // of the classes of one step
};

using Ftrl = FollowTheLeader<ftrl::Penalties>;
using AdaGrad = FollowTheLeader<ftrl::NoPenalties>;

}  // namespace thresher
