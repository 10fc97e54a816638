// A chunk of whole records → a batch, whatever the format: find each record, hand it to the format's
// parser, set it aside if it is bad. A record is a line, or what the format says it is (records_end).
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
    /// How much of a text that begins with a record consists of whole ones.
    static constexpr bool several_lines = false;
    static std::size_t whole_records(std::string_view text) { return text.rfind('\n') + 1; }
    void prepare(std::string_view) {}
};

/// `text` must be followed by `slack` readable bytes.
template <class Format>
void parse_records(std::string_view text, Format& format, Builder& out, Batch& batch) {
    out.begin(batch, text.data());
    format.prepare(text);
    const char *p = text.data(), *const end = p + text.size();
    std::uint32_t number = 0;
    while (p < end) {
        const char* stop = Format::record_end(p, end);
        const char* next = stop < end ? stop + 1 : end;
        if (stop > p && stop[-1] == '\r') --stop;
        if (!Format::is_blank(p, stop)) {
            try {
                format.record(p, stop, out);
                out.end_row(number, stop, next);
            } catch (const Problem& problem) {
                out.bad_record(number, p, stop, problem);
            }
        }
        number += Format::several_lines ? static_cast<std::uint32_t>(std::count(p, next, '\n')) : 1;
        p = next;
    }
    batch.bytes = text.size();
    batch.lines = number;
}

}  // namespace thresher::parse
