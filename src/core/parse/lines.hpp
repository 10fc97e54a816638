// A chunk of whole records → a batch, whatever the format: find each record, pass it to the format's parser,
// set it aside if it is bad. A record is a line, or what the format says it is (record_end).
#pragma once

#include <cstring>

#include "builder.hpp"

namespace thresher::parse {

inline bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}
inline const char* skip_spaces(const char* p, const char* end) {
    while (p < end && is_space(*p)) ++p;
    return p;
}
inline const char* word_end(const char* p, const char* end) {
    while (p < end && !is_space(*p)) ++p;
    return p;
}

/// What most formats share: a record is a line.
struct Lines {
    /// The newline that ends the record at p, or `end`.
    static const char* record_end(const char* p, const char* end) {
        const void* newline = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
        return newline ? static_cast<const char*>(newline) : end;
    }
    static constexpr bool several_lines = false;  // may be one record
    static constexpr bool any_bytes = false;      // may stand in it; else it is UTF-8
    /// How much of a text that begins with a record consists of whole ones.
    static std::size_t whole_records(std::string_view text) { return text.rfind('\n') + 1; }
    void prepare(std::string_view) {}
};

/// The last line may lack its newline.
inline std::uint32_t lines_in(const char* p, const char* end) {
    return static_cast<std::uint32_t>(std::count(p, end, '\n')) + (end > p && end[-1] != '\n');
}

inline Problem no_text(const char* p) {
    if (*p == '\0') return {p, "found a NUL byte; expected text"};
    constexpr char hex[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(*p);
    return {p, std::string("found bytes that are no UTF-8 (0x") + hex[byte >> 4] + hex[byte & 15] +
                   "); expected UTF-8 text"};
}

/// `text` must be followed by `slack` readable bytes.
template <class Format>
void parse_records(std::string_view text, Format& format, Builder& out, Batch& batch) {
    out.begin(batch, text.data());
    format.prepare(text);
    const char *p = text.data(), *const end = p + text.size();
    const char* fault = Format::any_bytes ? end : first_no_text(p, end);  // the next one
    std::uint32_t number = 0;
    while (p < end) {
        const char* stop = format.record_end(p, end);
        const char* next = stop < end ? stop + 1 : end;
        if (stop > p && stop[-1] == '\r') --stop;
        const std::uint32_t next_number = number + (Format::several_lines ? lines_in(p, next) : 1);
        if (!format.is_blank(p, stop)) {
            try {
                if (fault < stop) throw no_text(fault);
                format.record(p, stop, out);
                out.end_row(number, stop, next);
                if (Format::several_lines) batch.next_line.push_back(next_number);
            } catch (const Problem& problem) {
                out.bad_record(number, p, stop, problem);
            }
        }
        number = next_number;
        p = next;
        if (fault < p) fault = first_no_text(p, end);
    }
    batch.bytes = text.size();
    batch.lines = number;
}

}  // namespace thresher::parse
