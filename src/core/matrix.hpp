// Weights: a row for each feature, a column for each class, the bias in the row before the first.
// Feature-major, so that one feature's weights for all classes share a cache line.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "huge_pages.hpp"

namespace thresher {

/// Room for at least n, and twice the old capacity if it has to be moved. Filling that room afterwards
/// cannot fail.
template <class T>
void make_room(std::vector<T>& v, std::size_t n) {
    if (n > v.capacity()) v.reserve(std::max(n, 2 * v.capacity()));
}

class Matrix {
public:
    explicit Matrix(double start = 0.0) : start_(start) { cells_.assign(1, start_); }

    std::size_t features() const { return rows_ - 1; }
    std::size_t columns() const { return columns_; }
    std::size_t stride() const { return stride_; }
    std::size_t size() const { return cells_.size(); }
    /// Whether a cell of one is the same feature's and class's in the other, now and after both have grown. As many
    /// cells are not enough: they may be in fewer and longer rows.
    bool is_like(const Matrix& other) const {
        return rows_ == other.rows_ && columns_ == other.columns_ && stride_ == other.stride_;
    }

    double* bias() { return cells_.data(); }
    const double* bias() const { return cells_.data(); }
    double* feature(std::size_t i) { return cells_.data() + (i + 1) * stride_; }
    const double* feature(std::size_t i) const { return cells_.data() + (i + 1) * stride_; }

    std::vector<double>& cells() { return cells_; }
    const std::vector<double>& cells() const { return cells_; }

    // If there is no memory for more, nothing changes.

    void grow(std::size_t features) {
        if (features + 1 <= rows_) return;
        const std::size_t wanted = (features + 1) * stride_;
        if (wanted > cells_.capacity()) {
            std::vector<double> wider;
            wider.reserve(std::max(wanted, 2 * cells_.capacity()));
            prefer_huge_pages(wider.data(), wider.capacity() * sizeof(double));
            wider.assign(cells_.begin(), cells_.end());
            cells_ = std::move(wider);
        }
        cells_.resize(wanted, start_);
        rows_ = features + 1;
    }
    /// Takes back the features added last, before anything was learned about them.
    void shrink(std::size_t features) {
        if (features + 1 >= rows_) return;
        rows_ = features + 1;
        cells_.resize(rows_ * stride_);
    }

    /// One more column; the padding beyond the last column holds the starting weight already.
    void add_column() {
        stride_before_ = stride_;
        if (columns_ == stride_) {
            const std::size_t columns = columns_ + 1;
            const std::size_t wanted = columns <= 32 ? columns : columns + columns / 4;
            const std::size_t wider = (wanted + 3) / 4 * 4;
            std::vector<double> cells(rows_ * wider, start_);
            for (std::size_t i = 0; i < rows_; ++i)
                for (std::size_t k = 0; k < columns_; ++k)
                    cells[i * wider + k] = cells_[i * stride_ + k];
            cells_ = std::move(cells);
            stride_ = wider;
        }
        ++columns_;
    }
    /// Back to `columns` columns, if there is one more: it was added last, and nothing written to it.
    void take_back_column(std::size_t columns) {
        if (columns_ <= columns) return;
        columns_ = columns;
        if (stride_before_ == stride_) return;
        for (std::size_t i = 0; i < rows_; ++i)  // towards the front: no cell is overwritten early
            std::copy_n(cells_.begin() + static_cast<std::ptrdiff_t>(i * stride_), stride_before_,
                        cells_.begin() + static_cast<std::ptrdiff_t>(i * stride_before_));
        stride_ = stride_before_;
        cells_.resize(rows_ * stride_);
    }

    /// The largest magnitude of a cell.
    double largest() const {
        double most = 0.0;
        for (const double c : cells_) most = std::max(most, std::abs(c));
        return most;
    }

    /// Column `to` becomes `factor` times column `from`.
    void copy_column(std::size_t from, std::size_t to, double factor) {
        for (std::size_t i = 0; i < rows_; ++i)
            cells_[i * stride_ + to] = factor * cells_[i * stride_ + from];
    }

    void set_column(std::size_t k, double value) {
        for (std::size_t i = 0; i < rows_; ++i) cells_[i * stride_ + k] = value;
    }

    template <class Archive>
    void describe(Archive& a) {
        a.count("rows", rows_);
        a.count("columns", columns_);
        a.count("stride", stride_);
        a.cells("cells", cells_, rows_, stride_);
        a.require(rows_ >= 1 && columns_ >= 1 && columns_ <= stride_, "the shape of the weights");
        if constexpr (Archive::loading)  // a column added later starts in the padding
            for (std::size_t k = columns_; k < stride_; ++k) set_column(k, start_);
    }

private:
    double start_;
    std::size_t rows_ = 1, columns_ = 1, stride_ = 1;
    std::size_t stride_before_ = 1;  // before the last column was added
    std::vector<double> cells_;
};

}  // namespace thresher
