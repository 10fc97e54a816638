// FTRL-Proximal geometry (McMahan 2011; McMahan et al. 2013): follow the leader of all gradients so far,
// regularised towards earlier weights, with penalties that make weights small (l2) or exactly zero (l1).
//   w' = argmin_w  Σ_s g_s·w + ½·Σ_s σ_s·‖w − w_s‖² + l1·‖w‖₁ + ½·l2·‖w‖²,    σ_1 + … + σ_t = 1/η_t
// For each weight that is, with z = Σ_s (g_s − σ_s·w_s) and r = 1/η_t,
//   w = 0 where |z| ≤ l1, else −(z − sign(z)·l1)/(r + l2)
// and without penalties it is the gradient step w −= η_t·g. The rate is AdaGrad's, η = α/(β + √Σg²) for
// each weight, or depends on the clock. A weight without a gradient does not change, whatever the clock,
// so a step costs O(nonzeros). The bias is not penalised.
//
// Many classes move at once, feature by feature: the weights of a feature lie next to each other, so four
// classes go into one register. Each weight has the same sequence of operations as alone.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../rules/logistic.hpp"
#include "additive.hpp"

namespace thresher {

namespace ftrl {

struct Rates {
    double alpha, beta, l1, l2;
    double inverse;  // 1/α if that is exact, so that a product has the bits of a quotient; else 0
};

/// Of a power of two, such as the default ½.
inline double exact_inverse(double alpha) {
    const bool is_power = (std::bit_cast<std::uint64_t>(alpha) << 12) == 0;
    return is_power && std::isnormal(alpha) && std::isnormal(1.0 / alpha) ? 1.0 / alpha : 0.0;
}

inline double leader(double z, double r, double l1, double l2) {
    return std::abs(z) <= l1 ? 0.0 : -(z - std::copysign(l1, z)) / (r + l2);
}

/// The state of one feature for all classes, the change of its weights, and the largest |z| and the largest
/// change of the features so far: those of every fourth class together, four in all.
struct Cells {
    double *w, *z, *past;
    double *delta, *largest_z, *farthest;
};

/// AdaGrad's step for k classes along a feature of value v; a class whose step is 0 does not move.
inline void adagrad_plain(const Cells& at, const double* steps, std::size_t k, double v,
                          const Rates& rates, std::size_t from = 0) {
    for (std::size_t c = from; c < k; ++c) {
        at.delta[c] = 0.0;
        if (steps[c] == 0.0) continue;
        const double g = -steps[c] * v, before = at.w[c];
        const double r = (rates.beta + std::sqrt(at.past[c])) / rates.alpha;
        at.past[c] += g * g;
        const double r_now = (rates.beta + std::sqrt(at.past[c])) / rates.alpha;
        at.z[c] += g - (r_now - r) * before;
        at.w[c] = leader(at.z[c], r_now, rates.l1, rates.l2);
        at.delta[c] = at.w[c] - before;
        at.largest_z[c % 4] = std::max(at.largest_z[c % 4], std::abs(at.z[c]));
        at.farthest[c % 4] = std::max(at.farthest[c % 4], std::abs(at.delta[c]));
    }
}
#ifdef THRESHER_X86
/// The same operations, four classes at a time.
THRESHER_AVX2 inline void adagrad_avx2(const Cells& at, const double* steps, std::size_t k,
                                       double v, const Rates& rates) {
    const __m256d sign = _mm256_set1_pd(-0.0), value = _mm256_set1_pd(v);
    const __m256d alpha = _mm256_set1_pd(rates.alpha), beta = _mm256_set1_pd(rates.beta);
    const __m256d l1 = _mm256_set1_pd(rates.l1), l2 = _mm256_set1_pd(rates.l2);
    const bool is_exact = rates.inverse != 0.0;
    const __m256d inverse = _mm256_set1_pd(rates.inverse);
    const auto stiffness = [&](__m256d past) THRESHER_AVX2 {
        const __m256d sum = _mm256_add_pd(beta, _mm256_sqrt_pd(past));
        return is_exact ? _mm256_mul_pd(sum, inverse) : _mm256_div_pd(sum, alpha);
    };
    __m256d largest_z = _mm256_loadu_pd(at.largest_z), farthest = _mm256_loadu_pd(at.farthest);
    std::size_t c = 0;
    for (; c + 4 <= k; c += 4) {
        const __m256d step = _mm256_loadu_pd(steps + c), before = _mm256_loadu_pd(at.w + c);
        const __m256d z = _mm256_loadu_pd(at.z + c), past = _mm256_loadu_pd(at.past + c);
        const __m256d moves = _mm256_cmp_pd(step, _mm256_setzero_pd(), _CMP_NEQ_UQ);
        const __m256d g = _mm256_mul_pd(_mm256_xor_pd(step, sign), value);
        const __m256d past_now = _mm256_add_pd(past, _mm256_mul_pd(g, g));
        const __m256d r = stiffness(past), r_now = stiffness(past_now);
        const __m256d z_now =
            _mm256_add_pd(z, _mm256_sub_pd(g, _mm256_mul_pd(_mm256_sub_pd(r_now, r), before)));
        const __m256d pull = _mm256_or_pd(l1, _mm256_and_pd(z_now, sign));
        const __m256d shrunk = _mm256_div_pd(_mm256_xor_pd(_mm256_sub_pd(z_now, pull), sign),
                                             _mm256_add_pd(r_now, l2));
        const __m256d held = _mm256_cmp_pd(_mm256_andnot_pd(sign, z_now), l1, _CMP_LE_OQ);
        const __m256d w_now = _mm256_blendv_pd(before, _mm256_andnot_pd(held, shrunk), moves);
        const __m256d z_kept = _mm256_blendv_pd(z, z_now, moves);
        const __m256d delta = _mm256_sub_pd(w_now, before);
        _mm256_storeu_pd(at.w + c, w_now);
        _mm256_storeu_pd(at.z + c, z_kept);
        _mm256_storeu_pd(at.past + c, _mm256_blendv_pd(past, past_now, moves));
        _mm256_storeu_pd(at.delta + c, delta);
        largest_z = _mm256_max_pd(largest_z, _mm256_andnot_pd(sign, z_kept));
        farthest = _mm256_max_pd(farthest, _mm256_andnot_pd(sign, delta));
    }
    _mm256_storeu_pd(at.largest_z, largest_z);
    _mm256_storeu_pd(at.farthest, farthest);
    adagrad_plain(at, steps, k, v, rates, c);
}
#endif
inline void adagrad(const Cells& at, const double* steps, std::size_t k, double v,
                    const Rates& rates) {
    THRESHER_DISPATCH(adagrad, at, steps, k, v, rates);
}

}  // namespace ftrl

class Ftrl : public Additive {
public:
    struct Options {
        double bias = 1.0;
        rules::Schedule schedule = rules::Schedule::adagrad;
        double alpha = 0.1, beta = 1.0;  // AdaGrad's; by the clock, 1/η(t) comes with the step
        double l1 = 0.0, l2 = 0.0;

        template <class Archive>
        void describe(Archive& a) {
            a.word("step", schedule, {"adagrad", "constant", "1/sqrt(t)", "1/t"});
            a.real("learning_rate", alpha);
            a.real("beta", beta);
            a.real("l1", l1);
            a.real("l2", l2);
        }
    };
    static constexpr bool second_order = true;
    static constexpr bool moves_classes_at_once = true;

    explicit Ftrl(Options o) : Additive(Additive::Options{o.bias}), ftrl_(o) {}

    void grow(std::size_t features, Average& average) {
        Additive::grow(features, average);
        z_.grow(features);
        past_.grow(features);
    }

    void shrink(std::size_t features, Average& average) {
        Additive::shrink(features, average);
        z_.shrink(features);
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
        const double *w = w_.cells().data(), *z = z_.cells().data(), *past = past_.cells().data();
        const std::size_t stride = w_.stride();
        double far = 0.0;
        const auto move = [&](std::int64_t feature, double v, double l1, double l2) {
            const std::size_t cell = static_cast<std::size_t>(feature + 1) * stride + k;
            const double g = -m.step * v, before = w[cell], r = stiffness(past[cell]);
            Planned next{cell, 0.0, 0.0, is_adagrad() ? past[cell] + g * g : m.gain};
            const double r_now = stiffness(next.past);
            next.z = z[cell] + (g - (r_now - r) * before);
            next.w = ftrl::leader(next.z, r_now, l1, l2);
            if (!(next.past <= largest_kept && std::abs(next.z) <= largest_kept &&
                  std::abs(next.w) <= largest_kept))
                throw Fault(feature, v, m.weight, "a sum of gradients");
            far = std::max(far, std::abs(next.w - before));
            planned_.push_back(next);
        };
        if (ftrl_.bias != 0.0) move(-1, ftrl_.bias, 0.0, 0.0);
        x.each([&](std::size_t i, double v) {
            move(static_cast<std::int64_t>(i), v, ftrl_.l1, ftrl_.l2);
        });
        return far;
    }
    template <class Row>
    double farthest(const Row&, const Move&) const {
        return farthest_planned();
    }

    /// All classes; `sqnorm` bounds ‖x‖², the bias included.
    template <class Row>
    double plan_classes(const Row& x, const double* steps, const double* gains, double weight,
                        double sqnorm) {
        const double most = bound_after(steps, sqnorm);
        if (most <= far_from_all_limits) {
            room_.resize(2 * padded_columns());
            is_safe_ = true;
            return 2.0 * most;
        }
        return plan_exactly(x, steps, gains, weight);
    }
    template <class Row>
    double farthest_of_classes(const Row& x, const double* steps, const double* gains,
                               double weight) {
        return is_safe_ ? plan_exactly(x, steps, gains, weight) : farthest_planned();
    }
    /// Returns how far a weight has moved at most.
    template <class Row, class Watch>
    double update_classes(const Row& x, const double* steps, Watch& watch) {
        if (is_safe_) return move_classes(x, steps, watch);
        const double far = farthest_planned();
        write_planned(watch);
        return far;
    }

    /// The first call writes what was planned, for all classes.
    template <class Row, class Watch>
    void update(const Row&, std::size_t, double, double, Watch& watch) {
        write_planned(watch);
    }

    /// Half of AdaGrad's Σg². z changes with 1/η, so that the weights stay as they are.
    bool settles() const { return ftrl_.schedule != rules::Schedule::constant; }
    void forget() {
        are_measured_ = false;
        for (std::size_t cell = 0; is_adagrad() && cell < w_.size(); ++cell) {
            double& past = past_.cells()[cell];
            const double r = stiffness(past);
            past *= 0.5;
            z_.cells()[cell] -= (stiffness(past) - r) * w_.cells()[cell];
        }
    }

    /// Each prototype has ±factor·w, and the z that belongs to it; a third has no past.
    void split(std::size_t positive, double factor, Average& average) {
        are_measured_ = false;
        const Matrix w = w_, z = z_;
        Additive::split(positive, factor, average);
        for (auto* m : {&z_, &past_}) {
            m->add_column();
            m->add_column();
            m->set_column(2, 0.0);
        }
        past_.copy_column(0, 1, 1.0);
        for (std::size_t i = 0; i <= features(); ++i) {
            const double l1 = i == 0 ? 0.0 : ftrl_.l1, l2 = i == 0 ? 0.0 : ftrl_.l2;
            const double half = factor * w.cells()[i];
            const double r = stiffness(past_.cells()[i * past_.stride()]);
            const double found =
                half == 0.0 ? factor * z.cells()[i] : -half * (r + l2) - std::copysign(l1, half);
            z_.cells()[i * z_.stride() + positive] = found;
            z_.cells()[i * z_.stride() + 1 - positive] = -found;
        }
    }
    void add_column(Average& average) {
        Additive::add_column(average);
        z_.add_column();
        past_.add_column();
    }
    void take_back_column(std::size_t columns, Average& average) {
        Additive::take_back_column(columns, average);
        z_.take_back_column(columns);
        past_.take_back_column(columns);
    }

    template <class Archive>
    void describe(Archive& a) {
        are_measured_ = false;
        Additive::describe(a);
        a.nested("z", z_);
        a.nested("past", past_);
        for (const Matrix* m : {&z_, &past_})
            a.require(m->size() == w_.size() && m->columns() == w_.columns(),
                      "the weights and their gradients");
        a.require(std::all_of(past_.cells().begin(), past_.cells().end(),
                              [](double p) { return p >= 0.0; }),
                  "the squares of gradients");
    }

private:
    bool is_adagrad() const { return ftrl_.schedule == rules::Schedule::adagrad; }
    /// 1/η of a weight.
    double stiffness(double past) const {
        return is_adagrad() ? (ftrl_.beta + std::sqrt(past)) / ftrl_.alpha : past;
    }

    /// A bound on every |z|, |w| and Σg² after a step, at no cost; infinite where none is known.
    double bound_after(const double* steps, double sqnorm) {
        const double softest = ftrl_.beta / ftrl_.alpha;  // 1/η is never less
        if (!is_adagrad() || sqnorm < 0.0 || !(softest > 1e-30)) return HUGE_VAL;
        if (!are_measured_) measure();
        double step = 0.0;
        for (std::size_t c = 0; c < columns(); ++c) step = std::max(step, std::abs(steps[c]));
        const double g = step * (std::sqrt(sqnorm) + 1e-153);  // the square of less may be 0
        const double past = largest_past_ + g * g;
        const double stiffest = (ftrl_.beta + std::sqrt(past)) / ftrl_.alpha;
        const double z = largest_z_ + g + stiffest * largest_w_;
        next_past_ = past;
        return std::max({past, z, std::max(z / softest, largest_w_)});
    }
    void measure() {
        largest_w_ = w_.largest();
        largest_z_ = z_.largest();
        largest_past_ = past_.largest();
        are_measured_ = true;
    }

    template <class Row>
    double plan_exactly(const Row& x, const double* steps, const double* gains, double weight) {
        is_safe_ = false;
        double far = 0.0;
        for (std::size_t c = 0; c < columns(); ++c)
            if (steps[c] != 0.0) far = std::max(far, plan(x, c, {steps[c], gains[c], weight}));
        return far;
    }
    double farthest_planned() const {
        double far = 0.0;
        for (const Planned& next : planned_)
            far = std::max(far, std::abs(next.w - w_.cells()[next.cell]));
        return far;
    }
    template <class Watch>
    void write_planned(Watch& watch) {
        for (const Planned& next : planned_) {
            watch.changed(next.cell, next.w - w_.cells()[next.cell]);
            w_.cells()[next.cell] = next.w;
            z_.cells()[next.cell] = next.z;
            past_.cells()[next.cell] = next.past;
        }
        if (are_measured_) include_planned();
        planned_.clear();
    }
    void include_planned() {
        for (const Planned& next : planned_) {
            largest_w_ = std::max(largest_w_, std::abs(next.w));
            largest_z_ = std::max(largest_z_, std::abs(next.z));
            largest_past_ = std::max(largest_past_, next.past);
        }
    }

    /// With those beyond the last that fill up four, which never move.
    std::size_t padded_columns() const { return std::min(w_.stride(), (columns() + 3) / 4 * 4); }
    /// Feature by feature, in place.
    template <class Row, class Watch>
    double move_classes(const Row& x, const double* steps, Watch& watch) {
        const std::size_t k = padded_columns(), stride = w_.stride();
        double *w = w_.cells().data(), *z = z_.cells().data(), *past = past_.cells().data();
        x.each([&](std::size_t i, double) {  // the scores have just read w
            for (std::size_t c = 0; c < k + 8; c += 8) {
                const std::size_t cell = (i + 1) * stride + std::min(c, k - 1);
                __builtin_prefetch(z + cell, 1);
                __builtin_prefetch(past + cell, 1);
            }
        });
        double *delta = room_.data(), *padded = delta + k;
        double largest[4] = {}, farthest[4] = {};
        std::fill(padded, padded + k, 0.0);
        std::copy_n(steps, columns(), padded);
        const auto move = [&](std::size_t cell, double v, const ftrl::Rates& rates) {
            ftrl::adagrad({w + cell, z + cell, past + cell, delta, largest, farthest}, padded, k, v,
                          rates);
            watch.changed_row(cell, delta, k);
        };
        const double inverse = ftrl::exact_inverse(ftrl_.alpha);
        if (ftrl_.bias != 0.0) move(0, ftrl_.bias, {ftrl_.alpha, ftrl_.beta, 0.0, 0.0, inverse});
        const ftrl::Rates rates{ftrl_.alpha, ftrl_.beta, ftrl_.l1, ftrl_.l2, inverse};
        x.each([&](std::size_t i, double v) { move((i + 1) * stride, v, rates); });
        const double far = *std::max_element(farthest, farthest + 4);
        largest_past_ = next_past_;
        largest_z_ = std::max(largest_z_, *std::max_element(largest, largest + 4));
        largest_w_ += far;
        is_safe_ = false;
        return far;
    }

    struct Planned {
        std::size_t cell;
        double w, z, past;
    };

    Options ftrl_;
    Matrix z_{0.0};
    Matrix past_{0.0};  // Σg² of each weight (AdaGrad), or 1/η when it last moved
    std::vector<Planned> planned_;

    // Bounds on the cells, once they are measured, and whether they show that the step at hand fits.
    static constexpr double far_from_all_limits = 1e200;
    bool are_measured_ = false, is_safe_ = false;
    double largest_w_ = 0.0, largest_z_ = 0.0, largest_past_ = 0.0, next_past_ = 0.0;
    std::vector<double> room_;  // of the classes of one step
};

}  // namespace thresher
