// Kernel values of rows against support vectors, and sums over them, in one order of summation.
//   dot(x, z) = ((x_1·z_1 + x_2·z_2) + x_3·z_3) + …   over the columns from left to right
// A column where either is 0 adds nothing, so sparse and dense rows give the same bits; so do any
// two ways to cut the rows into blocks, and K(x, z) = K(z, x). A BLAS guarantees none of this: its
// order depends on the shapes. The speed comes from processing sixteen rows at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "elementary.hpp"
#include "loops.hpp"

namespace thresher::gram {

/// Rows of a sparse matrix: values[starts[i] … starts[i + 1]) in the columns of the same places.
struct Sparse {
    const std::int64_t* starts;
    const std::int32_t* index;
    const double* values;
    std::size_t rows, cells, columns;

    /// Trust nothing: every place that will be read exists, and columns rise within a row.
    void check() const {
        if (starts[0] != 0 || starts[rows] != static_cast<std::int64_t>(cells))
            throw std::invalid_argument("row starts do not fit the cells");
        for (std::size_t i = 0; i < rows; ++i)
            if (starts[i] > starts[i + 1]) throw std::invalid_argument("row starts fall");
        for (std::size_t i = 0; i < rows; ++i)
            for (std::int64_t k = starts[i]; k < starts[i + 1]; ++k)
                if (index[k] < 0 || static_cast<std::size_t>(index[k]) >= columns ||
                    (k > starts[i] && index[k] <= index[k - 1]))
                    throw std::invalid_argument("column numbers do not rise within the columns");
    }
};

enum class Kind { linear, polynomial, rbf, sigmoid };

struct Kernel {
    Kind kind;
    double gamma, coef0;
    std::uint32_t degree;

    /// From x·z, ‖x‖² and ‖z‖² to K(x, z).
    double operator()(double dot, double x, double z) const {
        switch (kind) {
            case Kind::linear: return dot;
            case Kind::polynomial: {
                const double base = gamma * dot + coef0;
                double power = base;
                for (std::uint32_t k = 1; k < degree; ++k) power *= base;
                return power;
            }
            case Kind::rbf:  // rounding may leave slightly less than 0
                return fixed::exp(-gamma * std::max(0.0, (x + z) - 2.0 * dot));
            case Kind::sigmoid: return fixed::tanh(gamma * dot + coef0);
        }
        return 0.0;
    }
};

inline std::vector<double> squares(const Sparse& a) {
    std::vector<double> out(a.rows, 0.0);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::int64_t k = a.starts[i]; k < a.starts[i + 1]; ++k)
            out[i] += a.values[k] * a.values[k];
    return out;
}

/// Which of the columns occur in some rows, numbered from 0: a million names, but few in a block.
class Places {
public:
    Places(const Sparse& a) : of_(a.columns, -1) {
        for (std::size_t k = 0; k < a.cells; ++k)
            if (of_[a.index[k]] < 0) of_[a.index[k]] = static_cast<std::int32_t>(size_++);
    }
    std::int32_t operator[](std::size_t column) const {
        return column < of_.size() ? of_[column] : -1;
    }
    std::size_t size() const { return size_; }

private:
    std::vector<std::int32_t> of_;
    std::size_t size_ = 0;
};

/// out[0 … lanes) = the dot products of one support vector with the rows of a panel.
template <std::size_t lanes>
THRESHER_INLINE void dots_plain(double* __restrict out, const double* __restrict panel,
                                const std::int32_t* place, const double* value, std::size_t n) {
    double sum[lanes] = {};
    for (std::size_t k = 0; k < n; ++k) {
        const double* __restrict column = panel + static_cast<std::size_t>(place[k]) * lanes;
        for (std::size_t j = 0; j < lanes; ++j) sum[j] += value[k] * column[j];
    }
    for (std::size_t j = 0; j < lanes; ++j) out[j] = sum[j];
}

#ifdef THRESHER_X86
template <std::size_t lanes>
THRESHER_AVX2 inline void dots_avx2(double* out, const double* panel, const std::int32_t* place,
                                    const double* value, std::size_t n) {
    __m256d sum[lanes / 4];
    for (auto& s : sum) s = _mm256_setzero_pd();
    for (std::size_t k = 0; k < n; ++k) {
        const double* column = panel + static_cast<std::size_t>(place[k]) * lanes;
        const __m256d v = _mm256_set1_pd(value[k]);
        for (std::size_t j = 0; j < lanes / 4; ++j)
            sum[j] = _mm256_add_pd(sum[j], _mm256_mul_pd(v, _mm256_loadu_pd(column + 4 * j)));
    }
    for (std::size_t j = 0; j < lanes / 4; ++j) _mm256_storeu_pd(out + 4 * j, sum[j]);
}
#endif

template <std::size_t lanes>
void dots(double* out, const double* panel, const std::int32_t* place, const double* value,
          std::size_t n) {
#ifdef THRESHER_X86
    if constexpr (lanes >= 4)
        if (loops::has_avx2) return dots_avx2<lanes>(out, panel, place, value, n);
#endif
    dots_plain<lanes>(out, panel, place, value, n);
}

namespace detail {

template <std::size_t lanes>
void values(const Kernel& kernel, const Sparse& a, const Sparse& b, double* out) {
    const Places places(a);
    const std::size_t panels = (a.rows + lanes - 1) / lanes, width = places.size() * lanes;
    std::vector<double> panel(panels * width, 0.0);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::int64_t k = a.starts[i]; k < a.starts[i + 1]; ++k)
            panel[i / lanes * width + places[a.index[k]] * lanes + i % lanes] = a.values[k];
    const bool norms = kernel.kind == Kind::rbf;
    const std::vector<double> x = norms ? squares(a) : std::vector<double>(a.rows),
                              z = norms ? squares(b) : std::vector<double>(b.rows);

    std::vector<std::int32_t> place;  // of one support vector, in the columns that the rows have
    std::vector<double> value;
    double dot[lanes];
    for (std::size_t j = 0; j < b.rows; ++j) {
        place.clear();
        value.clear();
        for (std::int64_t k = b.starts[j]; k < b.starts[j + 1]; ++k)
            if (const auto p = places[b.index[k]]; p >= 0) {
                place.push_back(p);
                value.push_back(b.values[k]);
            }
        for (std::size_t p = 0; p < panels; ++p) {
            dots<lanes>(dot, panel.data() + p * width, place.data(), value.data(), place.size());
            for (std::size_t i = p * lanes; i < std::min(a.rows, (p + 1) * lanes); ++i)
                out[i * b.rows + j] = kernel(dot[i % lanes], x[i], z[j]);
        }
    }
}

}  // namespace detail

/// out[i, j] = K(row i of a, row j of b).
inline void values(const Kernel& kernel, const Sparse& a, const Sparse& b, double* out) {
    if (a.rows == 1)
        detail::values<1>(kernel, a, b, out);
    else
        detail::values<16>(kernel, a, b, out);
}

/// out[i, r] = Σ_j K[i, column[j]]·coefficient[j, r], from the first support vector to the last.
inline void combine(const double* K, std::size_t rows, std::size_t width,
                    const std::int64_t* column, const double* coefficient, std::size_t supports,
                    std::size_t classes, double* out) {
    std::fill(out, out + rows * classes, 0.0);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < supports; ++j)
            loops::axpy_plain(out + i * classes, coefficient + j * classes, classes,
                              K[i * width + static_cast<std::size_t>(column[j])]);
}

}  // namespace thresher::gram
