// The bytes of a text at which a parser stops: a bit for each byte, found many bytes at a time. A parser
// that walks these marks need not scan one word to find where the next begins.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace thresher::parse {

/// Bytes are compared 16 at a time where the CPU can: each kind says how, also for a single byte.
struct NotDigit {
    static bool is(char c) { return static_cast<unsigned char>(c - '0') > 9; }
#if defined(__SSE2__)
    static __m128i are(__m128i c) {
        // '0'…'9' moved to the highest signed bytes: one comparison finds the others
        const __m128i moved = _mm_add_epi8(c, _mm_set1_epi8(127 - '9'));
        return _mm_cmplt_epi8(moved, _mm_set1_epi8(127 - 9));
    }
#endif
};

/// Spaces, and all control characters with them.
struct Blank {
    static bool is(char c) { return static_cast<unsigned char>(c) <= ' '; }
#if defined(__SSE2__)
    static __m128i are(__m128i c) { return _mm_cmpeq_epi8(_mm_min_epu8(c, _mm_set1_epi8(' ')), c); }
#endif
};

/// Blanks, colons and bars.
struct Separator {
    static bool is(char c) { return Blank::is(c) || c == ':' || c == '|'; }
#if defined(__SSE2__)
    static __m128i are(__m128i c) {
        return _mm_or_si128(Blank::are(c), _mm_or_si128(_mm_cmpeq_epi8(c, _mm_set1_epi8(':')),
                                                        _mm_cmpeq_epi8(c, _mm_set1_epi8('|'))));
    }
#endif
};

template <class Kind>
class Marks {
public:
    /// The text must be readable for 64 bytes beyond its end.
    void scan(const char* text, std::size_t size) {
        text_ = text;
        words_.resize(size / 64 + 2);
        for (std::size_t i = 0; i + 1 < words_.size(); ++i) words_[i] = bits_at(text + 64 * i);
        words_[size / 64] |= ~std::uint64_t{0} << (size % 64);  // whatever is beyond the end
        words_.back() = ~std::uint64_t{0};
    }

    /// A walk over the marks from p on.
    class Walk {
    public:
        Walk(const Marks& marks, const char* p) : text_(marks.text_) {
            const auto at = static_cast<std::size_t>(p - text_);
            word_ = marks.words_.data() + at / 64;
            base_ = text_ + at / 64 * 64;
            bits_ = *word_ & (~std::uint64_t{0} << (at % 64));
        }
        const char* next() {
            while (bits_ == 0) {
                bits_ = *++word_;
                base_ += 64;
            }
            const char* mark = base_ + std::countr_zero(bits_);
            bits_ &= bits_ - 1;
            return mark;
        }

    private:
        const char *text_, *base_;
        const std::uint64_t* word_;
        std::uint64_t bits_;
    };

private:
    static std::uint64_t bits_at(const char* p) {
        std::uint64_t bits = 0;
#if defined(__SSE2__)
        for (int k = 0; k < 4; ++k) {
            const __m128i c = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * k));
            const auto found = static_cast<std::uint32_t>(_mm_movemask_epi8(Kind::are(c)));
            bits |= static_cast<std::uint64_t>(found) << (16 * k);
        }
#else
        for (unsigned k = 0; k < 64; ++k) bits |= static_cast<std::uint64_t>(Kind::is(p[k])) << k;
#endif
        return bits;
    }

    const char* text_ = nullptr;
    std::vector<std::uint64_t> words_;
};

}  // namespace thresher::parse
