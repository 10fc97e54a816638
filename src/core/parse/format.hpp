// The formats by name, and what each needs to know. One place decides which parser reads a chunk.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "bag.hpp"
#include "svmlight.hpp"
#include "vw.hpp"

namespace thresher::parse {

/// What a reader may say about its input, besides what stands in it.
struct FormatOptions {
    std::string format = "svmlight";
    char delimiter = ',';                  // csv
    std::vector<std::string> columns;      // csv: their names, from the header or made up
    std::string label;                     // csv, jsonl: the column or key of the label
    std::string weight;                    // … of the importance, if any
    std::vector<std::string> text;         // … those whose words are features
    std::vector<std::string> categorical;  // csv: those whose numbers are names
};

using Format = std::variant<Svmlight, VowpalWabbit, Bag>;

inline Format format_of(const FormatOptions& options) {
    if (options.format == "svmlight") return Svmlight();
    if (options.format == "vw") return VowpalWabbit();
    if (options.format == "bag") return Bag();
    throw std::invalid_argument("unknown format");
}

/// How much of a text consists of whole records: the rest waits for what follows.
inline std::size_t whole_records(const Format& format, std::string_view text) {
    return std::visit([&](const auto& f) { return f.whole_records(text); }, format);
}

/// `text` holds whole records (the last may lack its newline) and is followed by `slack` readable bytes.
inline void parse(std::string_view text, Format& format, Builder& out, Batch& batch) {
    std::visit([&](auto& f) { parse_records(text, f, out, batch); }, format);
}

}  // namespace thresher::parse
