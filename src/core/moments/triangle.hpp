// Second moments of rows, as a triangle: LᵀL = Σ x·xᵀ with L lower triangular, a row of it for each column
// of x. A row x is added by one Givens rotation for each of its columns, from the last to the first, which
// rotates x_i into the diagonal of row i (Golub & Van Loan, Matrix Computations, 6.5). Products of columns
// are never formed, so nothing is squared: the accuracy is that of QR, whatever the units of the columns.
// A step costs O(columns²), and no sum in it depends on the processor.
//
// A column that is determined by those after it is free: its diagonal is 0, or residue of rounding. Before
// solving, `settle` empties the rows of such columns; their unknowns are then 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "../fault.hpp"
#include "../loops.hpp"
#include "../matrix.hpp"

namespace thresher {

/// √(a² + b²) where the squares may overflow.
inline double length_of(double a, double b) {
    const double x = std::abs(a), y = std::abs(b), large = std::max(x, y), small = std::min(x, y);
    if (large == 0.0) return 0.0;
    const double ratio = small / large;
    return large * std::sqrt(1.0 + ratio * ratio);
}

class Triangle {
public:
    static constexpr std::size_t most = 10'000;  // features, which is 400 MB
    /// Cells of values whose squares are finite stay far below, however many there were; and from here
    /// sums cannot overflow.
    static constexpr double largest = 1e200;

    std::size_t columns() const { return sizes_.size(); }
    const std::vector<double>& cells() const { return cells_; }
    const double* row(std::size_t i) const { return cells_.data() + begin_of(i); }
    double diagonal(std::size_t i) const { return row(i)[i]; }
    /// The norm of a column of all rows so far.
    double size(std::size_t i) const { return sizes_[i]; }

    /// More columns, as if a row with only this value in each had been added before.
    void grow(std::size_t columns, double prior) {
        make_room(sizes_, columns);
        make_room(cells_, begin_of(columns));
        for (std::size_t i = sizes_.size(); i < columns; ++i) {
            cells_.resize(begin_of(i + 1), 0.0);
            cells_.back() = prior;
            sizes_.push_back(prior);
        }
    }
    void shrink(std::size_t columns) {
        if (columns >= sizes_.size()) return;
        sizes_.resize(columns);
        cells_.resize(begin_of(columns));
    }

    /// Adds a row, which is consumed: it ends as zeros.
    void add(double* x) {
        for (std::size_t i = 0; i < columns(); ++i)
            if (x[i] != 0.0) sizes_[i] = length_of(sizes_[i], x[i]);
        rotate_in(x, columns());
    }

    /// Multiplies all rows so far. What is below the range of full precision becomes 0.
    void scale(double factor) {
        constexpr double least = std::numeric_limits<double>::min();
        for (double& c : cells_) c = std::abs(c * factor) < least ? 0.0 : c * factor;
        for (double& s : sizes_) s = std::abs(s * factor) < least ? 0.0 : s * factor;
    }

    /// The Frobenius norm: √ of the trace of LᵀL.
    double norm() const {
        double sum = 0.0;
        for (const double c : cells_)
            if (c != 0.0) sum = length_of(sum, c);
        return sum;
    }

    /// Whether no diagonal from column `first` on is a residue of rounding. `noise` is the uncertainty
    /// of the values of a column.
    bool settled(const double* noise, std::size_t first) const {
        for (std::size_t i = first; i < columns(); ++i)
            if (is_dust(i, noise) && !is_empty(i)) return false;
        return true;
    }
    /// Rotates what is left in the rows of free columns into the rows before them.
    void settle(const double* noise, std::size_t first) {
        std::vector<double> x;
        for (std::size_t i = columns(); i-- > first;) {
            if (!is_dust(i, noise) || is_empty(i)) continue;
            double* row = cells_.data() + begin_of(i);
            x.assign(row, row + i);
            std::fill(row, row + i + 1, 0.0);
            rotate_in(x.data(), i);
        }
    }

    /// L·w = w in place, from unknown `first` on; those before it are given.
    void solve(double* w, std::size_t first) const {
        for (std::size_t i = first; i < columns(); ++i)
            w[i] = quotient(w[i] - loops::dense_dot(row(i), w, i), i);
    }
    /// Lᵀ·u = u in place.
    void solve_transposed(double* u) const {
        for (std::size_t i = columns(); i-- > 0;) {
            u[i] = quotient(u[i], i);
            loops::axpy(u, row(i), i, -u[i]);
        }
    }

    template <class Archive>
    void describe(Archive& a) {
        std::size_t n = columns();
        a.count("columns", n);
        a.require(n <= most + 1, "the columns");
        a.cells("cells", cells_, begin_of(n), 1);
        a.cells("sizes", sizes_, n, 1);
        for (std::size_t i = 0; i < n; ++i)
            a.require(sizes_[i] >= 0.0 && sizes_[i] <= largest && diagonal(i) >= 0.0,
                      "the diagonal");
        a.require(std::all_of(cells_.begin(), cells_.end(),
                              [](double c) { return std::abs(c) <= largest; }),
                  "the moments");
    }

private:
    static constexpr double epsilon = std::numeric_limits<double>::epsilon();

    static std::size_t begin_of(std::size_t i) { return i * (i + 1) / 2; }

    /// x[0 … n) into the first n rows.
    void rotate_in(double* x, std::size_t n) {
        for (std::size_t i = n; i-- > 0;) {
            if (std::abs(x[i]) <= 64.0 * epsilon * sizes_[i]) continue;  // rounding of other rows
            double* row = cells_.data() + begin_of(i);
            const double r = length_of(row[i], x[i]), t = x[i] / (r + row[i]);
            loops::rotate(row, x, i, x[i] / r, t);
            row[i] += t * x[i];  // r, rounded as the rest of the row is
        }
    }

    bool is_dust(std::size_t i, const double* noise) const {
        return diagonal(i) <= 1e-12 * sizes_[i] + noise[i];
    }
    bool is_empty(std::size_t i) const {
        const double* r = row(i);
        return std::all_of(r, r + i + 1, [](double c) { return c == 0.0; });
    }
    /// 0 for a free column, and for what overflows.
    double quotient(double a, std::size_t i) const {
        const double q = diagonal(i) > 0.0 ? a / diagonal(i) : 0.0;
        return std::isfinite(q) ? q : 0.0;
    }

    std::vector<double> cells_;  // row after row, row i with i + 1 cells
    std::vector<double> sizes_;  // the norms of the columns of all rows so far
};

/// The total uncertainty of the values of a column whose mean was subtracted.
inline double noise_of(double mass, double mean) {
    return 16.0 * std::numeric_limits<double>::epsilon() * std::sqrt(mass) * std::abs(mean);
}

}  // namespace thresher
