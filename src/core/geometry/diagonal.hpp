// Diagonal geometry: each weight has a variance, and moves in proportion to it.
//   w_i += step·Σ_i·x_i          1/Σ_i += gain·x_i²          ‖x‖² is measured by Σ: xᵀΣx
// Σ starts at 1, never grows, and belongs to one weight of one class; it does not fall below 1e-100, where
// a weight has long settled, so that 1/Σ stays finite. Used by AROW and Confidence-Weighted.
#pragma once

#include "additive.hpp"

namespace thresher {

class Diagonal : public Additive {
public:
    static constexpr bool second_order = true;

    using Additive::Additive;

    void grow(std::size_t features, Average& average) {
        Additive::grow(features, average);
        variance_.grow(features);
    }

    void shrink(std::size_t features, Average& average) {
        Additive::shrink(features, average);
        variance_.shrink(features);
    }

    /// xᵀΣx of one class.
    template <class Row>
    double sqnorm(const Row& x, std::size_t k) const {
        double sum = 0.0;
        const double* cells = variance_.feature(0) + k;
        const std::size_t stride = variance_.stride();
        x.each([&](std::size_t i, double v) { sum += cells[i * stride] * v * v; });
        return sum + variance_.bias()[k] * options_.bias * options_.bias;
    }

    template <class Row>
    double plan(const Row& x, std::size_t k, Move move) {
        move.sqnorm = -1.0;  // only xᵀΣx is known, which may be smaller
        return Additive::plan(x, k, move);
    }

    template <class Row, class Watch>
    void update(const Row& x, std::size_t k, double step, double gain, Watch& watch) {
        double* cells = w_.cells().data();
        double* variances = variance_.cells().data();
        const std::size_t stride = w_.stride();
        const auto move = [&](std::size_t cell, double v) {
            const double unsure = variances[cell], delta = step * unsure * v;
            cells[cell] += delta;
            watch.changed(cell, delta);
            variances[cell] = std::max(least, unsure / (1.0 + gain * unsure * v * v));
        };
        if (options_.bias != 0.0) move(k, options_.bias);
        x.each([&](std::size_t i, double v) { move((i + 1) * stride + k, v); });
    }

    /// Half of what 1/Σ has gained since it was 1.
    static bool settles() { return true; }
    void forget() {
        for (double& v : variance_.cells()) v = 2.0 * v / (1.0 + v);
    }

    /// Both known classes keep the variances of their common vector; a third starts at 1.
    void split(std::size_t positive, double factor, Average& average) {
        Additive::split(positive, factor, average);
        variance_.add_column();
        variance_.add_column();
        variance_.copy_column(0, 1, 1.0);
        variance_.set_column(2, 1.0);
    }
    void add_column(Average& average) {
        Additive::add_column(average);
        variance_.add_column();
    }
    void take_back_column(std::size_t columns, Average& average) {
        Additive::take_back_column(columns, average);
        variance_.take_back_column(columns);
    }

    template <class Archive>
    void describe(Archive& a) {
        Additive::describe(a);
        a.nested("variance", variance_);
        a.require(variance_.is_like(w_), "the weights and their variances");
        a.require(std::all_of(variance_.cells().begin(), variance_.cells().end(),
                              [](double v) { return v >= least && v <= 1.0; }),
                  "the variances");
    }

private:
    static constexpr double least = 1e-100;

    Matrix variance_{1.0};
};

}  // namespace thresher
