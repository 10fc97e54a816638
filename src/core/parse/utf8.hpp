// Whether bytes are text: UTF-8 (Unicode 15, table 3-7) without NUL.
#pragma once

#include <bit>

#include "number.hpp"

namespace thresher::parse {

/// How many bytes the non-ASCII character at p takes: 2, 3 or 4; or 0 if it is invalid: cut short,
/// overlong, a surrogate, beyond U+10FFFF.
inline std::size_t character_size(const char* p, const char* end) {
    const auto follows = [&](int i, unsigned low = 0x80, unsigned high = 0xbf) {
        const unsigned byte = p + i < end ? static_cast<unsigned char>(p[i]) : 0;
        return byte >= low && byte <= high;
    };
    const auto first = static_cast<unsigned char>(*p);
    if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
    if (first >= 0xe0 && first <= 0xef)
        return follows(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf) && follows(2)
                   ? 3
                   : 0;
    if (first >= 0xf0 && first <= 0xf4)
        return follows(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf) && follows(2) &&
                       follows(3)
                   ? 4
                   : 0;
    return 0;
}

/// The first byte from p on that is NUL or begins no character; `end` if there is none.
/// The text must be readable for `slack` bytes beyond its end.
inline const char* first_no_text(const char* p, const char* end) {
    while (p < end) {
        // Eight bytes at a time: is one of them beyond ASCII, or 0 and so borrows?
        const std::uint64_t bytes = detail::eight_bytes(p);
        const std::uint64_t odd = ((bytes - 0x0101010101010101ull) | bytes) & 0x8080808080808080ull;
        if (odd == 0) {
            p += 8;
            continue;
        }
        p += std::countr_zero(odd) >> 3;
        while (p < end && static_cast<unsigned char>(*p) >= 0x80) {
            const std::size_t size = character_size(p, end);
            if (size == 0) return p;
            p += size;
        }
        if (p < end && *p == '\0') return p;
    }
    return end;
}

}  // namespace thresher::parse
