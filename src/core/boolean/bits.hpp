// Long rows of bits, 64 to a word: bit i is bit i % 64 of word i / 64.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "core/inlined.hpp"

namespace thresher::boolean {

using Word = std::uint64_t;
constexpr Word ones = ~Word{0};

inline std::size_t words_for(std::uint64_t bits) {
    return static_cast<std::size_t>(bits / 64 + (bits % 64 != 0));
}

/// The lowest `count` bits, of 64 at most.
inline Word low(std::uint64_t count) { return count >= 64 ? ones : (Word{1} << count) - 1; }

inline bool bit(const Word* words, std::uint64_t i) { return words[i / 64] >> (i % 64) & 1; }

/// Bits at … at + count of `to` |= what `source(i, n)` gives for its bits i … i + n, n ≤ 64.
template <class Source>
void put(Word* to, std::uint64_t at, std::uint64_t count, Source&& source) {
    for (std::uint64_t done = 0; done < count;) {
        const std::uint64_t shift = at % 64, n = std::min(64 - shift, count - done);
        to[at / 64] |= source(done, n) << shift;
        at += n;
        done += n;
    }
}

inline void put_ones(Word* to, std::uint64_t at, std::uint64_t count) {
    put(to, at, count, [](std::uint64_t, std::uint64_t n) { return low(n); });
}

/// The slice begin … begin + count of `from`, which may be an earlier part of `to`.
inline void put_slice(Word* to, std::uint64_t at, const Word* from, std::uint64_t begin,
                      std::uint64_t count) {
    put(to, at, count, [=](std::uint64_t i, std::uint64_t n) {
        const std::uint64_t first = begin + i, shift = first % 64;
        Word slice = from[first / 64] >> shift;
        if (shift + n > 64) slice |= from[first / 64 + 1] << (64 - shift);
        return slice & low(n);
    });
}

// The instruction that counts bits is not part of baseline x86-64; it is used where the CPU has it.
// The loops are written once, and compiled once with the instruction and once without.
#if defined(__x86_64__) && defined(__GNUC__)
#define THRESHER_COUNTS_BITS __attribute__((target("popcnt")))
inline const bool has_popcnt = (__builtin_cpu_init(), __builtin_cpu_supports("popcnt"));
#else
#define THRESHER_COUNTS_BITS
inline const bool has_popcnt = false;
#endif

namespace loops {

THRESHER_INLINE std::uint64_t count(const Word* a, const Word* b, std::size_t words) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < words; ++i)
        sum += static_cast<std::uint64_t>(std::popcount(a[i] & b[i]));
    return sum;
}

THRESHER_COUNTS_BITS inline std::uint64_t count_fast(const Word* a, const Word* b,
                                                     std::size_t words) {
    return count(a, b, words);
}

}  // namespace loops

/// How many bits are set in both.
inline std::uint64_t count_common(const Word* a, const Word* b, std::size_t words) {
    return has_popcnt ? loops::count_fast(a, b, words) : loops::count(a, b, words);
}

/// The place of the set bit that has `rank` others before it.
inline std::uint64_t select(const Word* words, std::size_t size, std::uint64_t rank) {
    for (std::size_t i = 0; i < size; ++i) {
        const auto here = static_cast<std::uint64_t>(std::popcount(words[i]));
        if (rank < here) {
            Word w = words[i];
            while (rank-- > 0) w &= w - 1;
            return std::uint64_t{i} * 64 + static_cast<std::uint64_t>(std::countr_zero(w));
        }
        rank -= here;
    }
    throw std::out_of_range("fewer concepts are left");
}

}  // namespace thresher::boolean
