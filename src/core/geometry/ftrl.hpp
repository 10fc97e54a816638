// FTRL-Proximal geometry (McMahan 2011; McMahan et al. 2013): follow the leader of all gradients so far,
// held back by what it was, with penalties that make weights small (l2) or exactly zero (l1).
//   w' = argmin_w  Σ_s g_s·w + ½·Σ_s σ_s·‖w − w_s‖² + l1·‖w‖₁ + ½·l2·‖w‖²,    σ_1 + … + σ_t = 1/η_t
// For each weight that is, with z = Σ_s (g_s − σ_s·w_s) and r = 1/η_t,
//   w = 0 where |z| ≤ l1, else −(z − sign(z)·l1)/(r + l2)
// and without penalties it is the gradient step w −= η_t·g. The rate is AdaGrad's, η = α/(β + √Σg²) of
// this very weight, or goes by the clock. A weight without a gradient stays what it is, whatever the
// clock does, so a step costs O(nonzeros). Penalties leave the bias alone.
#pragma once

#include <algorithm>
#include <cmath>

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

    template <class Row, class Watch>
    void update(const Row& x, std::size_t k, double step, double inverse_rate, Watch& watch) {
        double *w = w_.cells().data(), *z = z_.cells().data(), *past = past_.cells().data();
        const std::size_t stride = w_.stride();
        const auto move = [&](std::size_t cell, double v, double l1, double l2) {
            const double g = -step * v, before = w[cell], r = stiffness(past[cell]);
            past[cell] = (ftrl_.schedule == rules::Schedule::adagrad) ? past[cell] + g * g : inverse_rate;
            const double r_now = stiffness(past[cell]);
            z[cell] += g - (r_now - r) * before;
            w[cell] = leader(z[cell], r_now, l1, l2);
            watch.changed(cell, w[cell] - before);
        };
        if (ftrl_.bias != 0.0) move(k, ftrl_.bias, 0.0, 0.0);
        x.each([&](std::size_t i, double v) { move((i + 1) * stride + k, v, ftrl_.l1, ftrl_.l2); });
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
    /// 1/η of a weight.
    double stiffness(double past) const {
        return (ftrl_.schedule == rules::Schedule::adagrad) ? (ftrl_.beta + std::sqrt(past)) / ftrl_.alpha : past;
    }
    static double leader(double z, double r, double l1, double l2) {
        return std::abs(z) <= l1 ? 0.0 : -(z - std::copysign(l1, z)) / (r + l2);
    }

    Options ftrl_;
    Matrix z_{0.0};
    Matrix past_{0.0};  // Σg² of each weight (AdaGrad), or 1/η when it last moved
};

}  // namespace thresher
