// What is wrong with a record, and where.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "utf8.hpp"

namespace thresher::parse {

/// Thrown by a parser: the position in the line, and what was found and expected there.
struct Problem {
    const char* at;
    std::string what;
};

/// Text as it can be shown in a message: short, UTF-8, and safe for a terminal.
inline std::string quoted(std::string_view s) {
    constexpr std::ptrdiff_t most = 40;
    std::string out = "'";
    const char *p = s.data(), *const end = p + s.size();
    while (p < end) {
        const auto byte = static_cast<unsigned char>(*p);
        std::size_t size = byte < 0x80 ? byte >= 0x20 && byte != 0x7f : character_size(p, end);
        if (size == 2 && byte == 0xc2 && static_cast<unsigned char>(p[1]) < 0xa0) size = 0;
        const std::size_t taken = std::max<std::size_t>(size, 1);
        if (p + taken - s.data() > most) break;
        if (size == 0) {
            constexpr char hex[] = "0123456789abcdef";
            out += {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
        }
        out.append(p, size);
        p += taken;
    }
    return out + (p < end ? "…'" : "'");
}

}  // namespace thresher::parse
