// p-norm geometry (Grove, Littlestone & Schuurmans 1997; Gentile 2003): v += step·x, and the weights are
// w = ∇½‖v‖_p²,
//   w_i = sgn(v_i)·|v_i|^(p−1)/‖v‖_p^(p−2)
// p = 2 is the additive geometry. p = 2·ln n has Winnow's mistakes for a sparse target, with weights of
// either sign. By default n is the number of features met so far, rounded up to a power of two, so p
// grows when they have doubled: the same v is then read with another p, at O(n).
// All is measured by a power of two M near the largest |v_i|, so that no power overflows or vanishes:
//   z = v/M,   w_i = M·steep_i·(Σ|z|^p)^(−(p−2)/p),   steep_i = sgn(z_i)·|z_i|^(p−1)
// Only v and M are state. Σ|z|^p is a tree of partial sums: a running sum would keep the rounding of
// its largest values when those have shrunk. A step costs O(active features·log n).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../elementary.hpp"
#include "additive.hpp"

namespace thresher {

/// Numbers ≥ 0 and their sum, which depends on what they are alone, not on how they became so.
class SumTree {
public:
    /// Room for so many, which are 0.
    void grow(std::size_t n) {
        if (n <= leaves_) return;
        const std::size_t wider = std::bit_ceil(n);
        std::vector<double> cells(2 * wider, 0.0);
        std::copy_n(cells_.begin() + static_cast<std::ptrdiff_t>(leaves_), leaves_,
                    cells.begin() + static_cast<std::ptrdiff_t>(wider));
        cells_ = std::move(cells);
        leaves_ = wider;
        add_up();
    }
    double sum() const { return cells_[1]; }
    void set(std::size_t i, double value) {
        cells_[i += leaves_] = value;
        while (i > 1) {
            i /= 2;
            cells_[i] = cells_[2 * i] + cells_[2 * i + 1];
        }
    }
    /// Many at once: `put` each, then `add_up`.
    void put(std::size_t i, double value) { cells_[leaves_ + i] = value; }
    void add_up() {
        for (std::size_t i = leaves_ - 1; i > 0; --i) cells_[i] = cells_[2 * i] + cells_[2 * i + 1];
    }

private:
    std::size_t leaves_ = 1;
    std::vector<double> cells_ =
        std::vector<double>(2, 0.0);  // the root is 1, the leaves come last
};

class PNorm : public Additive {
public:
    struct Options {
        double bias = 1.0;
        double p = std::nan("");  // NaN: by the number of features

        template <class Archive>
        void describe(Archive& a) {
            a.real_or_none("p", p);
        }
    };

    explicit PNorm(Options o) : Additive(Additive::Options{o.bias}), pnorm_(o), p_(wanted_p()) {}

    void grow(std::size_t features, Average& average) {
        Additive::grow(features, average);
        steep_.grow(features);
        for (Column& column : columns_) column.powers.grow(features + 1);
        follow_p();
    }
    void shrink(std::size_t features, Average& average) {
        Additive::shrink(features, average);
        steep_.shrink(features);
        follow_p();
    }

    template <class Row>
    void scores(const Row& x, double* out) const {
        linear_scores(steep_, options_.bias, x, out);
        for (std::size_t k = 0; k < columns(); ++k) out[k] = measured(out[k], k);
    }

    template <class Row, class Watch>
    void update(const Row& x, std::size_t k, double step, Watch&) {
        double* v = w_.cells().data() + k;
        const std::size_t stride = w_.stride();
        double largest = 0.0;
        const auto move = [&](std::size_t row, double delta) {
            v[row * stride] += delta;
            largest = std::max(largest, std::abs(v[row * stride]));
        };
        if (options_.bias != 0.0) move(0, step * options_.bias);
        x.each([&](std::size_t i, double value) { move(i + 1, step * value); });
        Column& column = columns_[k];
        if (largest > 2.0 * column.scale) return rescale(k);
        const auto read = [&](std::size_t row) { column.powers.set(row, steepen(row, k)); };
        if (options_.bias != 0.0) read(0);
        x.each([&](std::size_t i, double) { read(i + 1); });
        if (column.powers.sum() < fixed::pow(2.0, -p_ - 64.0)) return rescale(k);
        column.factor = factor_of(column.powers.sum());
    }

    /// Both known classes have the same norm; a third is 0.
    void split(std::size_t positive, double factor, Average& average) {
        const double scale = columns_[0].scale;
        Additive::split(positive, factor, average);
        for (int more = 0; more < 2; ++more) add_to_columns();
        columns_[0].scale = columns_[1].scale = scale;
        for (std::size_t k = 0; k < 3; ++k) read_again(k);
    }
    void add_column(Average& average) {
        Additive::add_column(average);
        add_to_columns();
    }
    void take_back_column(std::size_t columns, Average& average) {
        Additive::take_back_column(columns, average);
        steep_.take_back_column(columns);
        if (columns_.size() > columns) columns_.pop_back();
    }

    double weight(std::size_t i, std::size_t k) const { return measured(steep_.feature(i)[k], k); }
    double constant(std::size_t k) const { return options_.bias * measured(steep_.bias()[k], k); }

    template <class Archive>
    void describe(Archive& a) {
        Additive::describe(a);
        std::vector<double> scales;
        for (const Column& column : columns_) scales.push_back(column.scale);
        a.cells("scales", scales, columns(), 1);
        if constexpr (Archive::loading) {
            p_ = wanted_p();
            steep_ = w_;  // of the same shape
            columns_.assign(columns(), Column());
            for (std::size_t k = 0; k < columns(); ++k) {
                columns_[k].powers.grow(features() + 1);
                columns_[k].scale = scales[k];
                a.require(fits(k), "the weights and their scale");
                read_again(k);
            }
        }
    }

private:
    /// A class: by what its v is measured, and its norm.
    struct Column {
        double scale = 0.0;   // M; 0 as long as v is
        double factor = 1.0;  // (Σ|z|^p)^(−(p−2)/p)
        SumTree powers;       // |z|^p
    };

    double wanted_p() const {
        if (!std::isnan(pnorm_.p)) return pnorm_.p;
        const auto n = std::bit_ceil(std::max<std::size_t>(features(), 1));
        return std::max(2.0, 2.0 * fixed::log(static_cast<double>(n)));
    }
    void follow_p() {
        if (p_ == wanted_p()) return;
        p_ = wanted_p();
        for (std::size_t k = 0; k < columns(); ++k) read_again(k);
    }

    double factor_of(double sum) const {
        return sum > 0.0 ? fixed::pow(sum, -(p_ - 2.0) / p_) : 1.0;
    }
    double measured(double steep, std::size_t k) const {
        return steep * columns_[k].factor * columns_[k].scale;
    }

    /// The weight of a row that has changed, up to its measure; returns |z|^p.
    double steepen(std::size_t row, std::size_t k) {
        const std::size_t cell = row * w_.stride() + k;
        const double v = w_.cells()[cell];
        const double z = v == 0.0 ? 0.0 : std::abs(v / columns_[k].scale);
        const double power = fixed::pow(z, p_ - 1.0);
        steep_.cells()[cell] = std::copysign(power, v);
        return power * z;
    }
    /// All of column k, from v and its scale.
    void read_again(std::size_t k) {
        Column& column = columns_[k];
        for (std::size_t row = 0; row <= features(); ++row) column.powers.put(row, steepen(row, k));
        column.powers.add_up();
        column.factor = factor_of(column.powers.sum());
    }
    /// Measured by the largest |v_i|, which has grown or shrunk too far.
    void rescale(std::size_t k) {
        double largest = 0.0;
        for (std::size_t row = 0; row <= features(); ++row)
            largest = std::max(largest, std::abs(w_.cells()[row * w_.stride() + k]));
        int exponent = 0;
        std::frexp(largest, &exponent);
        columns_[k].scale = largest > 0.0 ? std::ldexp(1.0, exponent - 1) : 0.0;
        read_again(k);
    }
    /// Whether a scale from a file is one that v could have.
    bool fits(std::size_t k) const {
        const double scale = columns_[k].scale;
        int exponent = 0;
        if (scale != 0.0 && !(scale > 0.0 && std::frexp(scale, &exponent) == 0.5)) return false;
        for (std::size_t row = 0; row <= features(); ++row)
            if (std::abs(w_.cells()[row * w_.stride() + k]) > 2.0 * scale) return false;
        return true;
    }

    void add_to_columns() {
        steep_.add_column();
        columns_.emplace_back();
        columns_.back().powers.grow(features() + 1);
    }

    Options pnorm_;
    double p_;
    Matrix steep_{0.0};
    std::vector<Column> columns_ = std::vector<Column>(1);
};

}  // namespace thresher
