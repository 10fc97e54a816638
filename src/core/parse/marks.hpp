// Where in a text there is something other than a digit: a bit for each byte, found many bytes at a
// time. A parser that walks these marks need not look at one number to find where the next begins.
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

class Marks {
public:
    /// The text must be readable for 64 bytes beyond its end.
    void scan(const char* text, std::size_t size) {
        text_ = text;
        words_.resize(size / 64 + 2);
        for (std::size_t i = 0; i + 1 < words_.size(); ++i) words_[i] = not_digits(text + 64 * i);
        words_[size / 64] |= ~std::uint64_t{0} << (size % 64);  // whatever lies beyond the end
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
    static std::uint64_t not_digits(const char* p) {
#if defined(__SSE2__)
        std::uint64_t bits = 0;
        for (int k = 0; k < 4; ++k) {
            const __m128i c = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * k));
            // '0'…'9' moved to the lowest signed bytes: one comparison finds them
            const __m128i moved = _mm_add_epi8(c, _mm_set1_epi8(static_cast<char>(0x80 - '0')));
            const __m128i digit =
                _mm_cmplt_epi8(moved, _mm_set1_epi8(static_cast<char>(-128 + 10)));
            bits |= static_cast<std::uint64_t>(~_mm_movemask_epi8(digit) & 0xffff) << (16 * k);
        }
        return bits;
#else
        std::uint64_t bits = 0;
        for (unsigned k = 0; k < 64; ++k)
            bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(p[k] - '0') > 9) << k;
        return bits;
#endif
    }

    const char* text_ = nullptr;
    std::vector<std::uint64_t> words_;
};

}  // namespace thresher::parse
