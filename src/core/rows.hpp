// Examples as the engine reads them: a row is a view of the caller's memory, checked before use.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <variant>
#include <vector>

#include "fault.hpp"
#include "loops.hpp"

namespace thresher {

/// Which values a learner takes; [0, 1] is the unit interval.
enum class Domain { any, not_negative, unit };
inline constexpr std::initializer_list<const char*> domains = {"any", "not negative", "unit"};

/// Nonzero features: index[j] has value[j]; Values is `const V*`, or Ones for features without values.
template <class Values>
struct SparseRow {
    const std::int32_t* index;
    Values value;
    std::size_t n;

    double dot(const double* w) const { return loops::gather_dot(w, index, value, n); }
    void add_scores(double* out, std::size_t k, const double* w, std::size_t stride) const {
        loops::sparse_scores(out, k, w, stride, index, value, n);
    }

    double sqnorm() const {
        if constexpr (std::is_same_v<Values, loops::Ones>)
            return static_cast<double>(n);
        else
            return loops::sqnorm(value, n);
    }

    template <class F>
    void each(F f) const {
        for (std::size_t j = 0; j < n; ++j)
            f(static_cast<std::size_t>(index[j]), static_cast<double>(value[j]));
    }
};

template <class V>
struct DenseRow {
    const V* value;
    std::size_t n;

    double dot(const double* w) const { return loops::dense_dot(w, value, n); }
    void add_scores(double* out, std::size_t k, const double* w, std::size_t stride) const {
        loops::dense_scores(out, k, w, stride, value, n);
    }
    double sqnorm() const { return loops::sqnorm(value, n); }

    /// Zeros are skipped: they move no weight, and NaN is not zero.
    template <class F>
    void each(F f) const {
        loops::nonzeros(value, n, [&](std::size_t from, const std::int32_t* at, std::size_t m) {
            for (std::size_t c = 0; c < m; ++c) {
                const std::size_t j = from + static_cast<std::size_t>(at[c]);
                f(j, static_cast<double>(value[j]));
            }
        });
    }
};

/// Working memory for rows that are not sorted, or repeat a feature.
struct Scratch {
    std::vector<std::uint32_t> place;
    std::vector<std::pair<std::int32_t, double>> pairs;
    std::vector<std::int32_t> index;
    std::vector<double> value;
};

template <class V>
struct DenseRows {
    const V* values;
    std::size_t rows, cols;

    std::size_t size() const { return rows; }

    template <class F>
    THRESHER_INLINE void visit(std::size_t i, Scratch&, F f) const {
        f(DenseRow<V>{values + i * cols, cols});
    }
};

/// Compressed sparse rows. Indices may be unsorted and may repeat (repeats add up); none is trusted.
template <class Values>
struct SparseRows {
    const std::int64_t* start;  // rows + 1 of them
    const std::int32_t* index;
    Values value;
    std::size_t rows, cols, nonzeros;

    std::size_t size() const { return rows; }

    template <class F>
    THRESHER_INLINE void visit(std::size_t i, Scratch& scratch, F f) const {
        const std::int64_t a = start[i], b = start[i + 1];
        if (a < 0 || b < a || static_cast<std::size_t>(b) > nonzeros)
            throw Fault(Fault::Kind::bad_row_bounds, -1, static_cast<double>(b));
        const std::size_t n = static_cast<std::size_t>(b - a);
        const std::int32_t* at = index + a;
        prefetch_after(static_cast<std::size_t>(b), n);
        if (in_order(at, n) || distinct(at, n, scratch)) [[likely]] {
            if constexpr (std::is_same_v<Values, loops::Ones>)
                f(SparseRow<Values>{at, value, n});
            else
                f(SparseRow<Values>{at, value + a, n});
        } else {
            put_in_order(a, n, scratch);
            f(SparseRow<const double*>{scratch.index.data(), scratch.value.data(),
                                       scratch.index.size()});
        }
    }

private:
    /// Prefetch rows some way ahead: the processor's own prefetching stops at the end of each page.
    void prefetch_after(std::size_t end, std::size_t n) const {
        constexpr std::size_t ahead = 512, line = 16;
        if (end + ahead + n > nonzeros) return;
        for (std::size_t j = end + ahead; j < end + ahead + n; j += line) {
            __builtin_prefetch(index + j);
            if constexpr (!std::is_same_v<Values, loops::Ones>) __builtin_prefetch(value + j);
        }
    }

    /// Strictly increasing and within the columns: then no index repeats, and the two ends bound all.
    bool in_order(const std::int32_t* at, std::size_t n) const {
        if (n == 0) return true;
        if (at[0] < 0 || static_cast<std::size_t>(at[n - 1]) >= cols || at[n - 1] < 0) return false;
        return loops::increasing(at, n);
    }

    /// Within the columns, and none twice: each writes its position, and finds it there again. Sorting
    /// costs more, but no memory for every column, which a few rows are not worth.
    bool distinct(const std::int32_t* at, std::size_t n, Scratch& scratch) const {
        if (scratch.place.size() < cols) {
            if (cols / 64 > nonzeros) return false;
            scratch.place.resize(cols);
        }
        std::uint32_t largest = 0;
        for (std::size_t j = 0; j < n; ++j)
            largest = std::max(largest, static_cast<std::uint32_t>(at[j]));
        if (largest >= cols) return false;
        std::uint32_t* place = scratch.place.data();
        for (std::size_t j = 0; j < n; ++j) place[at[j]] = static_cast<std::uint32_t>(j);
        std::uint32_t other = 0;
        for (std::size_t j = 0; j < n; ++j) other |= place[at[j]] ^ static_cast<std::uint32_t>(j);
        return other == 0;
    }

    void put_in_order(std::int64_t a, std::size_t n, Scratch& scratch) const {
        auto& pairs = scratch.pairs;
        pairs.clear();
        for (std::size_t j = 0; j < n; ++j) {
            const std::int32_t i = index[a + static_cast<std::int64_t>(j)];
            if (i < 0 || static_cast<std::size_t>(i) >= cols)
                throw Fault(Fault::Kind::bad_index, i, static_cast<double>(i));
            pairs.emplace_back(i, static_cast<double>(value[static_cast<std::size_t>(a) + j]));
        }
        std::stable_sort(pairs.begin(), pairs.end(),
                         [](const auto& p, const auto& q) { return p.first < q.first; });
        scratch.index.clear();
        scratch.value.clear();
        for (const auto& [i, v] : pairs) {
            if (!scratch.index.empty() && scratch.index.back() == i) {
                scratch.value.back() += v;
            } else {
                scratch.index.push_back(i);
                scratch.value.push_back(v);
            }
        }
    }
};

/// One example already collected feature by feature, its indices checked by the collector.
template <class Values>
struct OneRow {
    SparseRow<Values> row;

    std::size_t size() const { return 1; }

    template <class F>
    THRESHER_INLINE void visit(std::size_t, Scratch&, F f) const {
        f(row);
    }
};

/// Rows collected feature by feature: no index repeats in a row, and the collector has checked that the
/// learner has room for all.
template <class Values>
struct CollectedRows {
    const std::int64_t* start;
    const std::int32_t* index;
    Values value;
    std::size_t rows;

    std::size_t size() const { return rows; }

    template <class F>
    void visit(std::size_t i, Scratch&, F f) const {
        const auto a = static_cast<std::size_t>(start[i]);
        const auto n = static_cast<std::size_t>(start[i + 1]) - a;
        if constexpr (std::is_same_v<Values, loops::Ones>)
            f(SparseRow<Values>{index + a, value, n});
        else
            f(SparseRow<Values>{index + a, value + a, n});
    }
};

using Rows =
    std::variant<DenseRows<float>, DenseRows<double>, SparseRows<const float*>,
                 SparseRows<const double*>, SparseRows<loops::Ones>, OneRow<const double*>,
                 OneRow<loops::Ones>, CollectedRows<const double*>, CollectedRows<loops::Ones>>;

/// The feature with the value of largest magnitude.
struct Feature {
    std::int64_t index = -1;
    double value = 0.0;
};
template <class Row>
Feature largest_of(const Row& x) {
    Feature most;
    x.each([&](std::size_t i, double v) {
        if (std::abs(v) > std::abs(most.value)) most = {static_cast<std::int64_t>(i), v};
    });
    return most;
}

/// Throws the fault that says which value made a score NaN or infinite.
template <class Row>
[[noreturn]] void blame(const Row& x) {
    x.each([](std::size_t i, double v) {
        if (!std::isfinite(v))
            throw Fault(Fault::Kind::not_finite, static_cast<std::int64_t>(i), v);
    });
    throw Fault(Fault::Kind::overflow, -1, 0.0);
}

}  // namespace thresher
