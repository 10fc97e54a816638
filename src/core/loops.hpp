// The few loops that touch every nonzero. Each has one fixed order of summation, sixteen interleaved
// partial sums, written in plain C++ and with AVX2 gathers: both give the same bits, so a model does not
// depend on the CPU it was trained on. Measured and slower: AVX-512 gathers; four loads in place of a
// gather (on Zen 4 faster for the dot products alone, 20 % slower in a whole pass).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/inlined.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define THRESHER_X86 1
#include <immintrin.h>
#endif

namespace thresher::loops {

/// Sum of term(0) … term(n−1): lane j takes every sixteenth term from j on, then the lanes are added.
template <class Term>
THRESHER_INLINE double interleaved_sum(std::size_t n, Term term) {
    double lane[16] = {};
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (std::size_t j = 0; j < 16; ++j) lane[j] += term(i + j);
    for (std::size_t j = 0; i + j < n; ++j) lane[j] += term(i + j);
    double quad[4];
    for (std::size_t j = 0; j < 4; ++j)
        quad[j] = (lane[j] + lane[4 + j]) + (lane[8 + j] + lane[12 + j]);
    return (quad[0] + quad[1]) + (quad[2] + quad[3]);
}

/// The value of a feature that is given without one.
struct Ones {
    THRESHER_INLINE double operator[](std::size_t) const { return 1.0; }
};

template <class Values>
THRESHER_INLINE double gather_dot_plain(const double* w, const std::int32_t* index, Values value,
                                        std::size_t n) {
    return interleaved_sum(
        n, [=](std::size_t i) { return w[index[i]] * static_cast<double>(value[i]); });
}

template <class V>
THRESHER_INLINE double dense_dot_plain(const double* w, const V* x, std::size_t n) {
    return interleaved_sum(n, [=](std::size_t i) { return w[i] * static_cast<double>(x[i]); });
}

template <class V>
THRESHER_INLINE double sqnorm_plain(const V* x, std::size_t n) {
    return interleaved_sum(n, [=](std::size_t i) {
        const double v = static_cast<double>(x[i]);
        return v * v;
    });
}

/// out[0 … k) += a·row[0 … k)
THRESHER_INLINE void axpy_plain(double* __restrict out, const double* __restrict row, std::size_t k,
                                double a) {
    for (std::size_t j = 0; j < k; ++j) out[j] += a * row[j];
}

/// A rotation of two rows in their common plane: (a, b) becomes (c·a + s·b, c·b − s·a), by s and
/// t = s/(1 + c) alone. In a million small rotations of a row the rounding errors of c would add up; so
/// the row is changed by increments (Rutishauser).
THRESHER_INLINE void rotate_plain(double* __restrict a, double* __restrict b, std::size_t n,
                                  double s, double t) {
    for (std::size_t j = 0; j < n; ++j) {
        const double was = a[j];
        a[j] = was + s * (b[j] - t * was);
        b[j] = b[j] - s * (was + t * b[j]);
    }
}

/// out += Σ x_j·(row j of a matrix of k columns), feature by feature: the scores of many classes.
template <class Values>
THRESHER_INLINE void sparse_scores_plain(double* __restrict out, std::size_t k,
                                         const double* __restrict w, std::size_t stride,
                                         const std::int32_t* index, Values value, std::size_t n) {
    for (std::size_t j = 0; j < n; ++j)
        axpy_plain(out, w + static_cast<std::size_t>(index[j]) * stride, k,
                   static_cast<double>(value[j]));
}

/// w += step·x, and past += clock·(the change of w) for the average.
template <class V>
THRESHER_INLINE void add_dense_plain(double* __restrict w, const V* __restrict x, std::size_t n,
                                     double step) {
    for (std::size_t j = 0; j < n; ++j) w[j] += step * static_cast<double>(x[j]);
}
template <class V>
THRESHER_INLINE void add_dense_averaged_plain(double* __restrict w, double* __restrict past,
                                              const V* __restrict x, std::size_t n, double step,
                                              double clock) {
    for (std::size_t j = 0; j < n; ++j) {
        const double delta = step * static_cast<double>(x[j]);
        w[j] += delta;
        past[j] += clock * delta;
    }
}

/// The same along the nonzeros, one after the other.
template <class Values>
THRESHER_INLINE void add_sparse_plain(double* __restrict w, const std::int32_t* index, Values value,
                                      std::size_t n, double step, std::size_t from = 0) {
    for (std::size_t j = from; j < n; ++j) w[index[j]] += step * static_cast<double>(value[j]);
}
template <class Values>
THRESHER_INLINE void add_sparse_averaged_plain(double* __restrict w, double* __restrict past,
                                               const std::int32_t* index, Values value,
                                               std::size_t n, double step, double clock,
                                               std::size_t from = 0) {
    for (std::size_t j = from; j < n; ++j) {
        const double delta = step * static_cast<double>(value[j]);
        w[index[j]] += delta;
        past[index[j]] += clock * delta;
    }
}

/// Whether each index is larger than the one before it.
THRESHER_INLINE bool increasing_plain(const std::int32_t* index, std::size_t n) {
    std::int32_t falls = 0;
    for (std::size_t j = 1; j < n; ++j) falls |= index[j - 1] >= index[j] ? -1 : 0;
    return falls == 0;
}

/// The largest index; a negative one counts as larger than all others.
THRESHER_INLINE std::uint32_t largest_plain(const std::int32_t* index, std::size_t n) {
    std::uint32_t most = 0;
    for (std::size_t j = 0; j < n; ++j) {
        const auto i = static_cast<std::uint32_t>(index[j]);
        most = i > most ? i : most;
    }
    return most;
}

/// Indices of 64 bits in 32; false if one does not fit, or is negative.
THRESHER_INLINE bool narrow_plain(std::int32_t* __restrict to, const std::int64_t* __restrict from,
                                  std::size_t n) {
    std::uint64_t bits = 0;
    for (std::size_t j = 0; j < n; ++j) {
        to[j] = static_cast<std::int32_t>(from[j]);
        bits |= static_cast<std::uint64_t>(from[j]);
    }
    return bits >> 31 == 0;
}

#ifdef THRESHER_X86

#define THRESHER_AVX2 __attribute__((target("avx2")))

inline const bool has_avx2 = (__builtin_cpu_init(), __builtin_cpu_supports("avx2"));

THRESHER_AVX2 THRESHER_INLINE __m256d load4(const double* v) { return _mm256_loadu_pd(v); }
THRESHER_AVX2 THRESHER_INLINE __m256d load4(const float* v) {
    return _mm256_cvtps_pd(_mm_loadu_ps(v));
}

THRESHER_AVX2 THRESHER_INLINE __m256d gather4(const double* w, const std::int32_t* index) {
    const __m128i at = _mm_loadu_si128(reinterpret_cast<const __m128i*>(index));
    // The masked form leaves no register undefined, which avoids a warning and costs nothing.
    return _mm256_mask_i32gather_pd(_mm256_setzero_pd(), w, at,
                                    _mm256_castsi256_pd(_mm256_set1_epi64x(-1)), 8);
}

template <class Values>
THRESHER_AVX2 THRESHER_INLINE __m256d product4(const double* w, const std::int32_t* index,
                                               Values value, std::size_t i) {
    if constexpr (std::is_same_v<Values, Ones>)
        return gather4(w, index + i);
    else
        return _mm256_mul_pd(gather4(w, index + i), load4(value + i));
}

// The last few features of a row, with a mask: their number is unpredictable, and a mispredicted branch
// costs more than lanes that add 0.
THRESHER_AVX2 THRESHER_INLINE __m128i before_end(std::size_t i, std::size_t n) {
    const int left = static_cast<int>(static_cast<std::int64_t>(n) - static_cast<std::int64_t>(i));
    return _mm_cmpgt_epi32(_mm_set1_epi32(left), _mm_setr_epi32(0, 1, 2, 3));
}
THRESHER_AVX2 THRESHER_INLINE __m256d masked4(const double* v, __m128i mask) {
    return _mm256_maskload_pd(v, _mm256_cvtepi32_epi64(mask));
}
THRESHER_AVX2 THRESHER_INLINE __m256d masked4(const float* v, __m128i mask) {
    return _mm256_cvtps_pd(_mm_maskload_ps(v, mask));
}
template <class Values>
THRESHER_AVX2 THRESHER_INLINE __m256d last_product4(const double* w, const std::int32_t* index,
                                                    Values value, std::size_t i, std::size_t n) {
    const __m128i mask = before_end(i, n), at = _mm_maskload_epi32(index + i, mask);
    const __m256d wide = _mm256_castsi256_pd(_mm256_cvtepi32_epi64(mask));
    const __m256d weights = _mm256_mask_i32gather_pd(_mm256_setzero_pd(), w, at, wide, 8);
    if constexpr (std::is_same_v<Values, Ones>)
        return weights;
    else
        return _mm256_mul_pd(weights, masked4(value + i, mask));
}

THRESHER_AVX2 inline double sum_lanes(__m256d a, __m256d b, __m256d c, __m256d d) {
    const __m256d quad = _mm256_add_pd(_mm256_add_pd(a, b), _mm256_add_pd(c, d));
    const __m128d low = _mm256_castpd256_pd128(quad), high = _mm256_extractf128_pd(quad, 1);
    return (low[0] + low[1]) + (high[0] + high[1]);
}

template <class Values>
THRESHER_AVX2 inline double gather_dot_avx2(const double* w, const std::int32_t* index,
                                            Values value, std::size_t n) {
    __m256d a = _mm256_setzero_pd(), b = a, c = a, d = a;
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        a = _mm256_add_pd(a, product4(w, index, value, i));
        b = _mm256_add_pd(b, product4(w, index, value, i + 4));
        c = _mm256_add_pd(c, product4(w, index, value, i + 8));
        d = _mm256_add_pd(d, product4(w, index, value, i + 12));
    }
    if (i < n) {
        a = _mm256_add_pd(a, last_product4(w, index, value, i, n));
        b = _mm256_add_pd(b, last_product4(w, index, value, i + 4, n));
        c = _mm256_add_pd(c, last_product4(w, index, value, i + 8, n));
        d = _mm256_add_pd(d, last_product4(w, index, value, i + 12, n));
    }
    return sum_lanes(a, b, c, d);
}

THRESHER_AVX2 THRESHER_INLINE __m256d add_square(__m256d sum, __m256d v) {
    return _mm256_add_pd(sum, _mm256_mul_pd(v, v));
}
template <class V>
THRESHER_AVX2 inline double sqnorm_avx2(const V* x, std::size_t n) {
    __m256d a = _mm256_setzero_pd(), b = a, c = a, d = a;
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        a = add_square(a, load4(x + i));
        b = add_square(b, load4(x + i + 4));
        c = add_square(c, load4(x + i + 8));
        d = add_square(d, load4(x + i + 12));
    }
    if (i < n) {
        a = add_square(a, masked4(x + i, before_end(i, n)));
        b = add_square(b, masked4(x + i + 4, before_end(i + 4, n)));
        c = add_square(c, masked4(x + i + 8, before_end(i + 8, n)));
        d = add_square(d, masked4(x + i + 12, before_end(i + 12, n)));
    }
    return sum_lanes(a, b, c, d);
}

/// Which of index[1 … 9) are larger than the one before it.
THRESHER_AVX2 inline __m256i rises8(const std::int32_t* index) {
    return _mm256_cmpgt_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(index + 1)),
                              _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index)));
}
THRESHER_AVX2 inline bool increasing_avx2(const std::int32_t* index, std::size_t n) {
    constexpr std::size_t block = 16;
    if (n <= block) return increasing_plain(index, n);
    // The last block overlaps the previous one: cheaper than a separate loop for the rest.
    const std::size_t last = n - 1 - block;
    __m256i rises = _mm256_and_si256(rises8(index + last), rises8(index + last + 8));
    if (_mm256_movemask_epi8(rises) != -1) return false;  // as in most rows that are not sorted
    for (std::size_t j = 0; j < last; j += block)
        rises = _mm256_and_si256(rises, _mm256_and_si256(rises8(index + j), rises8(index + j + 8)));
    return _mm256_movemask_epi8(rises) == -1;
}

/// w[index[0 … 4)] += delta. All four are read before one is written: they differ.
THRESHER_AVX2 inline void add4(double* w, const std::int32_t* index, __m256d delta) {
    const __m128d low = _mm256_castpd256_pd128(delta), high = _mm256_extractf128_pd(delta, 1);
    const double w0 = w[index[0]] + low[0], w1 = w[index[1]] + low[1];
    const double w2 = w[index[2]] + high[0], w3 = w[index[3]] + high[1];
    w[index[0]] = w0;
    w[index[1]] = w1;
    w[index[2]] = w2;
    w[index[3]] = w3;
}
template <class V>
THRESHER_AVX2 THRESHER_INLINE __m256d scaled4(__m256d step, const V* value, std::size_t j) {
    return _mm256_mul_pd(step, load4(value + j));
}
THRESHER_AVX2 THRESHER_INLINE __m256d scaled4(__m256d step, Ones, std::size_t) { return step; }

template <class Values>
THRESHER_AVX2 inline void add_sparse_avx2(double* w, const std::int32_t* index, Values value,
                                          std::size_t n, double step) {
    const __m256d steps = _mm256_set1_pd(step);
    std::size_t j = 0;
    for (; j + 4 <= n; j += 4) add4(w, index + j, scaled4(steps, value, j));
    add_sparse_plain(w, index, value, n, step, j);
}
template <class Values>
THRESHER_AVX2 inline void add_sparse_averaged_avx2(double* w, double* past,
                                                   const std::int32_t* index, Values value,
                                                   std::size_t n, double step, double clock) {
    const __m256d steps = _mm256_set1_pd(step), clocks = _mm256_set1_pd(clock);
    std::size_t j = 0;
    for (; j + 4 <= n; j += 4) {
        const __m256d delta = scaled4(steps, value, j);
        add4(w, index + j, delta);
        add4(past, index + j, _mm256_mul_pd(clocks, delta));
    }
    add_sparse_averaged_plain(w, past, index, value, n, step, clock, j);
}

/// 4·quads columns: their sums stay in registers, where an addition waits for no memory.
template <int quads, class Values>
THRESHER_AVX2 inline void score_columns(double* out, const double* w, std::size_t stride,
                                        const std::int32_t* index, Values value, std::size_t n) {
    __m256d sum[quads];
    for (int q = 0; q < quads; ++q) sum[q] = _mm256_loadu_pd(out + 4 * q);
    for (std::size_t j = 0; j < n; ++j) {
        const double* row = w + static_cast<std::size_t>(index[j]) * stride;
        const __m256d x = _mm256_set1_pd(static_cast<double>(value[j]));
        for (int q = 0; q < quads; ++q)
            sum[q] = _mm256_add_pd(sum[q], _mm256_mul_pd(x, _mm256_loadu_pd(row + 4 * q)));
    }
    for (int q = 0; q < quads; ++q) _mm256_storeu_pd(out + 4 * q, sum[q]);
}
template <class Values>
THRESHER_AVX2 inline void sparse_scores_avx2(double* out, std::size_t k, const double* w,
                                             std::size_t stride, const std::int32_t* index,
                                             Values value, std::size_t n) {
    constexpr std::size_t block = 32;
    for (std::size_t c = 0; c < k; c += block) {
        const std::size_t columns = k - c < block ? k - c : block, quads = (columns + 3) / 4;
        if (c + 4 * quads > stride)  // rows without room for the last four
            return sparse_scores_plain(out + c, k - c, w + c, stride, index, value, n);
        double sums[block] = {};
        for (std::size_t i = 0; i < columns; ++i) sums[i] = out[c + i];
        switch (quads) {
            case 1: score_columns<1>(sums, w + c, stride, index, value, n); break;
            case 2: score_columns<2>(sums, w + c, stride, index, value, n); break;
            case 3: score_columns<3>(sums, w + c, stride, index, value, n); break;
            case 4: score_columns<4>(sums, w + c, stride, index, value, n); break;
            case 5: score_columns<5>(sums, w + c, stride, index, value, n); break;
            case 6: score_columns<6>(sums, w + c, stride, index, value, n); break;
            case 7: score_columns<7>(sums, w + c, stride, index, value, n); break;
            default: score_columns<8>(sums, w + c, stride, index, value, n);
        }
        for (std::size_t i = 0; i < columns; ++i) out[c + i] = sums[i];
    }
}

// Plain loops, compiled a second time for AVX2: the compiler vectorises them.
template <class V>
THRESHER_AVX2 inline double dense_dot_avx2(const double* w, const V* x, std::size_t n) {
    return dense_dot_plain(w, x, n);
}
template <class V>
THRESHER_AVX2 inline void add_dense_avx2(double* __restrict w, const V* __restrict x, std::size_t n,
                                         double step) {
    add_dense_plain(w, x, n, step);
}
template <class V>
THRESHER_AVX2 inline void add_dense_averaged_avx2(double* __restrict w, double* __restrict past,
                                                  const V* __restrict x, std::size_t n, double step,
                                                  double clock) {
    add_dense_averaged_plain(w, past, x, n, step, clock);
}
THRESHER_AVX2 inline void axpy_avx2(double* __restrict out, const double* __restrict row,
                                    std::size_t k, double a) {
    axpy_plain(out, row, k, a);
}
THRESHER_AVX2 inline void rotate_avx2(double* __restrict a, double* __restrict b, std::size_t n,
                                      double s, double t) {
    rotate_plain(a, b, n, s, t);
}
THRESHER_AVX2 inline std::uint32_t largest_avx2(const std::int32_t* index, std::size_t n) {
    return largest_plain(index, n);
}
THRESHER_AVX2 inline bool narrow_avx2(std::int32_t* __restrict to,
                                      const std::int64_t* __restrict from, std::size_t n) {
    return narrow_plain(to, from, n);
}
#define THRESHER_DISPATCH(kernel, ...) \
    return ::thresher::loops::has_avx2 ? kernel##_avx2(__VA_ARGS__) : kernel##_plain(__VA_ARGS__)
#else
#define THRESHER_DISPATCH(kernel, ...) return kernel##_plain(__VA_ARGS__)
#endif

template <class Values>
THRESHER_INLINE double gather_dot(const double* w, const std::int32_t* index, Values value,
                                  std::size_t n) {
    THRESHER_DISPATCH(gather_dot, w, index, value, n);
}
template <class V>
THRESHER_INLINE double dense_dot(const double* w, const V* x, std::size_t n) {
    THRESHER_DISPATCH(dense_dot, w, x, n);
}
template <class V>
THRESHER_INLINE double sqnorm(const V* x, std::size_t n) {
    THRESHER_DISPATCH(sqnorm, x, n);
}
template <class Values>
THRESHER_INLINE void sparse_scores(double* out, std::size_t k, const double* w, std::size_t stride,
                                   const std::int32_t* index, Values value, std::size_t n) {
    THRESHER_DISPATCH(sparse_scores, out, k, w, stride, index, value, n);
}
/// f(from, index, count) for each stretch of a dense row: from + index[0 … count) are not zero. They are
/// found without a branch, as the positions of zeros are unpredictable.
template <class V, class F>
THRESHER_INLINE void nonzeros(const V* x, std::size_t n, F f) {
    constexpr std::size_t stretch = 256;
    std::int32_t index[stretch];
    for (std::size_t from = 0; from < n; from += stretch) {
        const std::size_t end = n - from < stretch ? n - from : stretch;
        std::size_t count = 0;
        for (std::size_t j = 0; j < end; ++j) {
            index[count] = static_cast<std::int32_t>(j);
            count += x[from + j] != 0;
        }
        f(from, static_cast<const std::int32_t*>(index), count);
    }
}

/// Values of a dense row, by the positions of its nonzeros.
template <class V>
struct Picked {
    const V* x;
    const std::int32_t* index;
    THRESHER_INLINE V operator[](std::size_t j) const { return x[index[j]]; }
};

template <class V>
void dense_scores(double* out, std::size_t k, const double* w, std::size_t stride, const V* x,
                  std::size_t n) {
    nonzeros(x, n, [&](std::size_t from, const std::int32_t* index, std::size_t count) {
        sparse_scores(out, k, w + from * stride, stride, index, Picked<V>{x + from, index}, count);
    });
}
template <class V>
THRESHER_INLINE void add_dense(double* w, const V* x, std::size_t n, double step) {
    THRESHER_DISPATCH(add_dense, w, x, n, step);
}
template <class V>
THRESHER_INLINE void add_dense_averaged(double* w, double* past, const V* x, std::size_t n,
                                        double step, double clock) {
    THRESHER_DISPATCH(add_dense_averaged, w, past, x, n, step, clock);
}
template <class Values>
THRESHER_INLINE void add_sparse(double* w, const std::int32_t* index, Values value, std::size_t n,
                                double step) {
    THRESHER_DISPATCH(add_sparse, w, index, value, n, step);
}
template <class Values>
THRESHER_INLINE void add_sparse_averaged(double* w, double* past, const std::int32_t* index,
                                         Values value, std::size_t n, double step, double clock) {
    THRESHER_DISPATCH(add_sparse_averaged, w, past, index, value, n, step, clock);
}
THRESHER_INLINE bool increasing(const std::int32_t* index, std::size_t n) {
    THRESHER_DISPATCH(increasing, index, n);
}
THRESHER_INLINE std::uint32_t largest(const std::int32_t* index, std::size_t n) {
    THRESHER_DISPATCH(largest, index, n);
}
THRESHER_INLINE bool narrow(std::int32_t* to, const std::int64_t* from, std::size_t n) {
    THRESHER_DISPATCH(narrow, to, from, n);
}
THRESHER_INLINE void axpy(double* out, const double* row, std::size_t k, double a) {
    THRESHER_DISPATCH(axpy, out, row, k, a);
}
THRESHER_INLINE void rotate(double* a, double* b, std::size_t n, double s, double t) {
    THRESHER_DISPATCH(rotate, a, b, n, s, t);
}

}  // namespace thresher::loops
