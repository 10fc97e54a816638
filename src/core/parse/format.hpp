// The formats by name, and what each needs to know. One place decides which parser reads a chunk.
#pragma once

#include <variant>

#include "bag.hpp"
#include "csv.hpp"
#include "format_options.hpp"
#include "jsonl.hpp"
#include "svmlight.hpp"
#include "text.hpp"
#include "vw.hpp"

namespace thresher::parse {

using Format = std::variant<Svmlight, VowpalWabbit, Bag, Csv, JsonLines, Text>;

inline Format format_of(const FormatOptions& options) {
    if (options.format == "svmlight") return Svmlight();
    if (options.format == "vw") return VowpalWabbit(options);
    if (options.format == "bag") return Bag();
    if (options.format == "csv") return Csv(options);
    if (options.format == "tsv") {
        FormatOptions with_tab = options;
        with_tab.delimiter = '\t';
        return Csv(with_tab);
    }
    if (options.format == "jsonl") return JsonLines(options);
    if (options.format == "text") return Text(options);
    throw std::invalid_argument("unknown format");
}

/// How much of a text consists of whole records; the rest must wait for more text.
inline std::size_t whole_records(const Format& format, std::string_view text) {
    return std::visit([&](const auto& f) { return f.whole_records(text); }, format);
}

/// `text` holds whole records (the last may lack its newline) and is followed by `slack` readable bytes.
inline void parse(std::string_view text, Format& format, Builder& out, Batch& batch) {
    std::visit([&](auto& f) { parse_records(text, f, out, batch); }, format);
}

}  // namespace thresher::parse
