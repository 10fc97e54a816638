// FTRL-Proximal geometry (McMahan 2011; McMahan et al. 2013): follow the leader of all gradients so far,
// regularised towards earlier weights, with penalties that make weights small (l2) or exactly zero (l1).
//   w' = argmin_w  Σ_s g_s·w + ½·Σ_s σ_s·‖w − w_s‖² + l1·‖w‖₁ + ½·l2·‖w‖²,    σ_1 + … + σ_t = 1/η_t
// For each weight that is, with z = Σ_s (g_s − σ_s·w_s) and r = 1/η_t,
//   w = 0 where |z| ≤ l1, else −(z − sign(z)·l1)/(r + l2)
// and without penalties it is the gradient step w −= η_t·g. The rate is AdaGrad's, η = α/(β + √Σg²) for
// each weight, or depends on the clock. A weight without a gradient does not change, whatever the clock,
// so a step costs O(nonzeros). The bias is not penalised.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../rules/logistic.hpp"
#include "additive.hpp"

namespace thresher {

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

    /// How large z and w become depends on their whole past: the step is computed here, and only
    /// written when it is known that all of it can be kept.
    template <class Row>
    void begin_plan(const Row&) {
        planned_.clear();
    }
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
            next.w = leader(next.z, r_now, l1, l2);
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
        double far = 0.0;
        for (const Planned& next : planned_)
            far = std::max(far, std::abs(next.w - w_.cells()[next.cell]));
        return far;
    }

    /// The first call writes what was planned, for all classes.
    template <class Row, class Watch>
    void update(const Row&, std::size_t, double, double, Watch& watch) {
        for (const Planned& next : planned_) {
            watch.changed(next.cell, next.w - w_.cells()[next.cell]);
            w_.cells()[next.cell] = next.w;
            z_.cells()[next.cell] = next.z;
            past_.cells()[next.cell] = next.past;
        }
        planned_.clear();
    }

    /// Half of AdaGrad's Σg². z changes with 1/η, so that the weights stay as they are.
    bool settles() const { return ftrl_.schedule != rules::Schedule::constant; }
    void forget() {
        for (std::size_t cell = 0; is_adagrad() && cell < w_.size(); ++cell) {
            double& past = past_.cells()[cell];
            const double r = stiffness(past);
            past *= 0.5;
            z_.cells()[cell] -= (stiffness(past) - r) * w_.cells()[cell];
        }
    }

    /// Each prototype has ±factor·w, and the z that belongs to it; a third has no past.
    void split(std::size_t positive, double factor, Average& average) {
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
    static double leader(double z, double r, double l1, double l2) {
        return std::abs(z) <= l1 ? 0.0 : -(z - std::copysign(l1, z)) / (r + l2);
    }

    struct Planned {
        std::size_t cell;
        double w, z, past;
    };

    Options ftrl_;
    Matrix z_{0.0};
    Matrix past_{0.0};  // Σg² of each weight (AdaGrad), or 1/η when it last moved
    std::vector<Planned> planned_;
};

}  // namespace thresher
