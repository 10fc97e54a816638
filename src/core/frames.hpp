/// Frames of a server's log, many at once. What they mean, and what is said of one that cannot be read, is in
/// `serve/log.py`; here is the same layout, without an object for each frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace thresher::frames {

constexpr std::size_t head_size = 36, crc_size = 4, longest = std::size_t{1} << 28;
constexpr unsigned char magic[2] = {0xf5, 'T'};
constexpr unsigned char learn = 3, last_kind = 9;  // of log.Kind

/// CRC-32 as in zlib, eight bytes at a time.
class Crc32 {
public:
    constexpr Crc32() {
        for (std::uint32_t i = 0; i < 256; ++i) {
            std::uint32_t c = i;
            for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ (c & 1 ? 0xedb88320u : 0u);
            table_[0][i] = c;
        }
        for (std::size_t k = 1; k < 8; ++k)
            for (std::size_t i = 0; i < 256; ++i)
                table_[k][i] = (table_[k - 1][i] >> 8) ^ table_[0][table_[k - 1][i] & 255];
    }
    std::uint32_t operator()(const char* text, std::size_t size) const {
        const auto* p = reinterpret_cast<const unsigned char*>(text);
        std::uint32_t c = ~std::uint32_t{0};
        for (; size >= 8; p += 8, size -= 8) {
            const std::uint32_t low =
                c ^ (p[0] | p[1] << 8 | p[2] << 16 | static_cast<std::uint32_t>(p[3]) << 24);
            c = table_[7][low & 255] ^ table_[6][low >> 8 & 255] ^ table_[5][low >> 16 & 255] ^
                table_[4][low >> 24] ^ table_[3][p[4]] ^ table_[2][p[5]] ^ table_[1][p[6]] ^
                table_[0][p[7]];
        }
        for (; size > 0; ++p, --size) c = (c >> 8) ^ table_[0][(c ^ *p) & 255];
        return ~c;
    }

private:
    std::array<std::array<std::uint32_t, 256>, 8> table_{};
};
inline constexpr Crc32 crc32;

template <class T>
T number_at(const char* p) {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        value = static_cast<T>(value | static_cast<T>(static_cast<unsigned char>(p[i])) << (8 * i));
    return value;
}

template <class T>
void put_number(char* p, T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) p[i] = static_cast<char>(value >> (8 * i) & 255);
}

struct Frame {
    unsigned char kind;
    std::uint32_t model;
    std::uint64_t seq, micros;
    std::string_view meta, raw;
    std::size_t end;  // where the next one begins
};

/// Whether a whole frame with this seq begins there.
inline bool read(std::string_view data, std::size_t place, std::uint64_t seq, Frame& f) {
    if (place > data.size() || data.size() - place < head_size + crc_size) return false;
    const char* p = data.data() + place;
    const std::size_t length = number_at<std::uint32_t>(p + 4);
    if (std::memcmp(p, magic, 2) != 0 || length > longest) return false;
    if (data.size() - place - head_size - crc_size < length) return false;
    const std::size_t size = head_size + length;
    f.kind = static_cast<unsigned char>(p[2]);
    f.model = number_at<std::uint32_t>(p + 8);
    f.seq = number_at<std::uint64_t>(p + 12);
    f.micros = number_at<std::uint64_t>(p + 28);
    if (f.seq != seq || f.kind == 0 || f.kind > last_kind) return false;
    if (number_at<std::uint32_t>(p + size) != crc32(p, size)) return false;
    const std::string_view payload(p + head_size, length);
    const std::size_t bar = payload.find('\n');
    f.meta = payload.substr(0, bar);
    f.raw = bar == payload.npos ? std::string_view{} : payload.substr(bar + 1);
    f.end = place + size + crc_size;
    return true;
}

inline std::string packed(unsigned char kind, std::uint32_t model, std::string_view meta,
                          std::string_view raw, std::uint64_t seq, std::uint64_t durable,
                          std::uint64_t micros) {
    const std::size_t length = meta.size() + 1 + raw.size(), size = head_size + length;
    std::string out(size + crc_size, '\0');
    char* p = out.data();
    std::memcpy(p, magic, 2);
    p[2] = static_cast<char>(kind);
    put_number(p + 4, static_cast<std::uint32_t>(length));
    put_number(p + 8, model);
    put_number(p + 12, seq);
    put_number(p + 20, durable);
    put_number(p + 28, micros);
    if (!meta.empty()) std::memcpy(p + head_size, meta.data(), meta.size());
    p[head_size + meta.size()] = '\n';
    if (!raw.empty()) std::memcpy(p + head_size + meta.size() + 1, raw.data(), raw.size());
    put_number(p + size, crc32(p, size));
    return out;
}

/// Frames in a row by which one model learned an event each, about which nothing else is said (`meta`).
struct Run {
    std::size_t end;
    std::uint64_t count = 0, micros = 0;  // the latest time
    std::uint32_t model = 0;
    std::string lines;
};

inline Run joined(std::string_view data, std::size_t place, std::uint64_t seq, std::uint64_t upto,
                  std::string_view meta, std::size_t most) {
    Run run;
    run.end = place;
    Frame f;
    while (seq + run.count <= upto && run.lines.size() < most &&
           read(data, run.end, seq + run.count, f)) {
        if (f.kind != learn || f.meta != meta || f.raw.find('\n') != f.raw.npos) break;
        if (run.count > 0 && f.model != run.model) break;
        if (run.count > 0) run.lines += '\n';
        run.lines += f.raw;
        run.model = f.model;
        run.micros = run.micros > f.micros ? run.micros : f.micros;
        run.end = f.end;
        ++run.count;
    }
    return run;
}

}  // namespace thresher::frames
