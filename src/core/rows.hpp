// Examples as the engine reads them: a row is a view of the caller's memory, checked before use.
#pragma once

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <variant>
#include <vector>

#include "fault.hpp"
#include "loops.hpp"
#include "prefetch.hpp"

namespace thresher {

/// Which values a learner takes; [0, 1] is the unit interval.
enum class Domain { any, not_negative, unit };
inline constexpr std::initializer_list<const char*> domains = {"any", "not negative", "unit"};

/// No finite value of this type is larger.
template <class V>
constexpr double most_of(const V*) {
    return std::is_same_v<V, float> ? FLT_MAX : DBL_MAX;
}
constexpr double most_of(loops::Ones) { return 1.0; }

/// Nonzero features: index[j] has value[j]; Values is `const V*`, or Ones for features without values.
template <class Values>
struct SparseRow {
    const std::int32_t* index;
    Values value;
    std::size_t n;

    THRESHER_INLINE double dot(const double* w) const {
        return loops::gather_dot(w, index, value, n);
    }
    void add_scores(double* out, std::size_t k, const double* w, std::size_t stride) const {
        loops::sparse_scores(out, k, w, stride, index, value, n);
    }

    double sqnorm() const {
        if constexpr (std::is_same_v<Values, loops::Ones>)
            return static_cast<double>(n);
        else
            return loops::sqnorm(value, n);
    }
    /// No finite value can be larger, whatever the row.
    double most() const { return most_of(value); }

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
    double most() const { return most_of(value); }

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
    std::vector<std::uint32_t> place;  // by column: where it came last in the row looked at
    std::vector<std::int32_t> narrow;  // the indices of a row that came in 64 bits
    std::vector<std::pair<std::int32_t, double>> pairs;
    std::vector<std::int32_t> index;
    std::vector<double> value;
};

/// Features in any order, each within the columns, which may repeat: what belongs to the same feature adds
/// up. Sums over a row, and w += step·x, need no more; only its norm is that of the sums, so only there it
/// is found out whether any repeats.
template <class Rows>
struct UnsortedRow {
    const Rows* rows;
    Scratch* scratch;
    const std::int32_t* index;
    typename Rows::Given value;
    std::size_t n;

    double dot(const double* w) const { return loops::gather_dot(w, index, value, n); }
    void add_scores(double* out, std::size_t k, const double* w, std::size_t stride) const {
        loops::sparse_scores(out, k, w, stride, index, value, n);
    }
    double sqnorm() const {
        return settle([](const auto& x) { return x.sqnorm(); });
    }
    double most() const { return static_cast<double>(n) * most_of(value); }

    /// One after the other, repeats too.
    template <class F>
    void each(F f) const {
        as_given().each(f);
    }

    /// f of the same row, in which no feature repeats.
    template <class F>
    auto settle(F f) const {
        return rows->settle(as_given(), *scratch, f);
    }

private:
    SparseRow<typename Rows::Given> as_given() const { return {index, value, n}; }
};

template <class V>
struct DenseRows {
    const V* values;
    std::size_t rows, cols;

    std::size_t size() const { return rows; }

    /// f of a row. `sums`: f only adds up what is in it, so that it may be an `UnsortedRow`.
    template <bool sums = false, class F>
    THRESHER_INLINE void visit(std::size_t i, Scratch&, F f) const {
        f(DenseRow<V>{values + i * cols, cols});
    }
};

/// Compressed sparse rows. Indices may be unsorted and may repeat (repeats add up); none is trusted.
template <class Values>
struct SparseRows {
    using Given = Values;

    const std::int64_t* start;  // rows + 1 of them
    const std::int32_t* index;
    Values value;
    std::size_t rows, cols, nonzeros;
    const std::int64_t* wide = nullptr;  // the indices, in place of `index`, if they have 64 bits

    std::size_t size() const { return rows; }

    template <bool sums = false, class F>
    THRESHER_INLINE void visit(std::size_t i, Scratch& scratch, F f) const {
        const std::int64_t a = start[i], b = start[i + 1];
        if (a < 0 || b < a || static_cast<std::size_t>(b) > nonzeros)
            throw Fault(Fault::Kind::bad_row_bounds, -1, static_cast<double>(b));
        const auto from = static_cast<std::size_t>(a), n = static_cast<std::size_t>(b - a);
        prefetch_after(from + n, n);
        const std::int32_t* at = wide ? narrowed(wide + from, n, scratch) : index + from;
        const SparseRow<Values> row{at, values_from(from), n};
        if (in_order(at, n)) [[likely]]
            return f(row);
        require_columns(at, n);
        if constexpr (sums)
            f(UnsortedRow<SparseRows>{this, &scratch, at, row.value, n});
        else
            settle(row, scratch, f);
    }

    /// f of a row of this batch, in which no feature repeats.
    template <class F>
    auto settle(const SparseRow<Values>& row, Scratch& scratch, F f) const {
        if (distinct(row.index, row.n, scratch)) return f(row);
        put_in_order(row, scratch);
        return static_cast<decltype(f(SparseRow<Values>{}))>(f(SparseRow<const double*>{
            scratch.index.data(), scratch.value.data(), scratch.index.size()}));
    }

private:
    /// Prefetch rows some way ahead: the processor's own prefetching stops at the end of each page.
    void prefetch_after(std::size_t end, std::size_t n) const {
        constexpr std::size_t ahead = 512, line = 16;
        if (end + ahead + n > nonzeros) return;
        for (std::size_t j = end + ahead; j < end + ahead + n; j += line) {
            if (wide) {
                prefetch(wide + j);
                prefetch(wide + j + line / 2);
            } else {
                prefetch(index + j);
            }
            if constexpr (!std::is_same_v<Values, loops::Ones>) prefetch(value + j);
        }
    }

    /// Strictly increasing and within the columns: then no index repeats, and the two ends bound all.
    THRESHER_INLINE bool in_order(const std::int32_t* at, std::size_t n) const {
        if (n == 0) return true;
        if (at[0] < 0 || static_cast<std::size_t>(at[n - 1]) >= cols || at[n - 1] < 0) return false;
        return loops::increasing(at, n);
    }

    void require_columns(const std::int32_t* at, std::size_t n) const {
        if (loops::largest(at, n) < cols) return;
        for (std::size_t j = 0; j < n; ++j) require_column(at[j]);
    }
    void require_column(std::int64_t at) const {
        if (at < 0 || static_cast<std::size_t>(at) >= cols)
            throw Fault(Fault::Kind::bad_index, at, static_cast<double>(at));
    }

    /// There are fewer columns than 2³¹, so that an index which does not fit is none of them.
    const std::int32_t* narrowed(const std::int64_t* at, std::size_t n, Scratch& scratch) const {
        if (scratch.narrow.size() < n) scratch.narrow.resize(n);
        if (!loops::narrow(scratch.narrow.data(), at, n))
            for (std::size_t j = 0; j < n; ++j) require_column(at[j]);
        return scratch.narrow.data();
    }

    /// Whether none comes twice: each column is told where in the row it comes, and asked where it came.
    /// Sorting costs more, but no memory for every column, which a few rows are not worth.
    bool distinct(const std::int32_t* at, std::size_t n, Scratch& scratch) const {
        if (scratch.place.size() < cols) {
            if (cols / 64 > nonzeros) return false;
            scratch.place.resize(cols);
        }
        std::uint32_t *place = scratch.place.data(), differ = 0;
        for (std::size_t j = 0; j < n; ++j) place[at[j]] = static_cast<std::uint32_t>(j);
        for (std::size_t j = 0; j < n; ++j) differ |= place[at[j]] ^ static_cast<std::uint32_t>(j);
        return differ == 0;
    }

    Values values_from(std::size_t from) const {
        if constexpr (std::is_same_v<Values, loops::Ones>)
            return value;
        else
            return value + from;
    }

    static void put_in_order(const SparseRow<Values>& row, Scratch& scratch) {
        auto& pairs = scratch.pairs;
        pairs.clear();
        for (std::size_t j = 0; j < row.n; ++j)
            pairs.emplace_back(row.index[j], static_cast<double>(row.value[j]));
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

    template <bool sums = false, class F>
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

    template <bool sums = false, class F>
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
