// A libFuzzer target for all parsers. The first byte of an input picks the format, the second the
// options, the third where the text is cut in two; the rest is the text. FUZZ_ONLY=vw in the
// environment leaves all other formats alone.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

#include "core/parse/format.hpp"

using namespace thresher::parse;

namespace {

void check(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

FormatOptions options_of(unsigned picked) {
    const char* const formats[] = {"svmlight", "vw", "bag", "csv", "jsonl"};
    FormatOptions options;
    options.format = formats[picked % 5];
    if (options.format == "csv") {
        options.columns = {"a", "b", "t", "w", "y"};
        options.delimiter = picked >= 128 ? '\t' : ',';
    }
    options.label = "y";
    options.weight = picked % 2 == 0 ? "w" : "";
    options.text = {"t"};
    options.categorical = {"b"};
    return options;
}

/// `format` may be larger than needed to pick one; the rest says what is made of words.
Recipe recipe_of(unsigned bits, unsigned format) {
    Recipe recipe;
    recipe.ngrams = 1 + bits % 4;
    recipe.weighting = static_cast<Recipe::Weighting>(format / 5 % 3);
    if (format / 15 % 3 == 1) {
        recipe.least_characters = 1;
        recipe.most_characters = 3;
    }
    if (bits & 4) recipe.cross = {{"a", "b"}, {"a", "a"}};
    return recipe;
}

Wishes wishes_of(unsigned bits) {
    Wishes wishes;
    wishes.need_labels = bits & 8;
    wishes.targets = bits & 16;
    wishes.keep_zeros = bits & 32;
    wishes.unit = bits & 64;
    wishes.clip = wishes.unit && bits & 128;
    wishes.keep_bad = bits & 128;
    wishes.sets = wishes.keep_bad && !wishes.targets;
    return wishes;
}

/// A text in memory of its own, with just the slack that a parser may look at; `filler` lies there.
class Chunk {
public:
    Chunk(std::string_view text, char filler)
        : size_(text.size()), bytes_(new char[text.size() + slack]) {
        if (size_ > 0) std::memcpy(bytes_.get(), text.data(), size_);
        std::memset(bytes_.get() + size_, filler, slack);
    }
    std::string_view text() const { return {bytes_.get(), size_}; }

private:
    std::size_t size_;
    std::unique_ptr<char[]> bytes_;
};

void check_batch(const Batch& b, std::size_t bytes, const Wishes& wishes) {
    const std::size_t rows = b.rows();
    check(b.bytes == bytes, "all bytes are counted");
    check(b.start.front() == 0 && static_cast<std::size_t>(b.start.back()) == b.index.size() &&
              b.value.size() == (b.plain ? 0 : b.index.size()),
          "rows cover the features");
    const auto one_each = [&](std::size_t size, bool optional) {
        check(size == rows || (optional && size == 0), "one of each for each row");
    };
    one_each(b.label.size(), wishes.targets);
    one_each(b.target.size(), !wishes.targets);
    one_each(b.end.size(), false);
    one_each(b.line.size(), false);
    one_each(b.weight.size(), true);
    one_each(b.query.size(), true);
    one_each(b.tag.size(), true);
    for (std::size_t row = 0; row < rows; ++row) {
        check(b.start[row] <= b.start[row + 1], "rows follow each other");
        check(b.line[row] < b.lines && (row == 0 || b.line[row - 1] < b.line[row]), "so do lines");
        check(b.end[row] <= bytes && (row == 0 || b.end[row - 1] < b.end[row]), "so do records");
        if (!wishes.targets)
            check(b.label[row] >= -1 && b.label[row] < static_cast<std::int64_t>(b.labels.size()),
                  "labels are known");
        if (!b.weight.empty()) check(b.weight[row] >= 0 && std::isfinite(b.weight[row]), "weights");
        std::set<std::int32_t> seen;
        for (auto j = static_cast<std::size_t>(b.start[row]);
             j < static_cast<std::size_t>(b.start[row + 1]); ++j) {
            check(b.index[j] >= 0 &&
                      (b.numbered || static_cast<std::size_t>(b.index[j]) < b.names.size()),
                  "features have names");
            check(seen.insert(b.index[j]).second, "no feature twice in a row");
            const double v = b.value_of(j);
            check(std::isfinite(v), "values are finite");
            check(!wishes.unit || (v >= 0 && v <= 1), "values are in [0, 1]");
        }
    }
    for (const Names* names : {&b.names, &b.labels}) {
        std::set<std::string> spelled;
        for (std::size_t i = 0; i < names->size(); ++i)
            check(spelled.insert(names->spelled(i)).second, "no name twice");
    }
    std::size_t before = 0;
    for (const BadLine& bad : b.bad) {
        check(bad.before >= before && bad.before <= rows && bad.line < b.lines, "bad lines follow");
        check(bad.begin + bad.column <= bytes && bad.excerpt_column <= bad.excerpt.size(),
              "faults are in their lines");
        check(!bad.problem.empty(), "a problem is named");
        before = bad.before;
    }
}

/// What was found, in words that do not depend on how the text was cut.
void tell(const Batch& b, std::uint64_t lines, std::uint64_t bytes, std::vector<std::string>& out) {
    char text[64];
    const auto hex = [&text](double v) {
        std::snprintf(text, sizeof text, " %a", v);
        return std::string(text);
    };
    for (std::size_t row = 0; row < b.rows(); ++row) {
        std::string s = "row " + std::to_string(lines + b.line[row]);
        s += " to " + std::to_string(bytes + b.end[row]);
        if (!b.target.empty())
            s += hex(b.target[row]);
        else if (b.label[row] >= 0)
            s += " " + b.labels.spelled(static_cast<std::size_t>(b.label[row]));
        s += hex(b.weight.empty() ? 1.0 : b.weight[row]);
        s += " " + (b.tag.empty() ? "" : b.tag[row]) + " ";
        s += std::to_string(b.query.empty() ? 0 : b.query[row]);
        for (auto j = static_cast<std::size_t>(b.start[row]);
             j < static_cast<std::size_t>(b.start[row + 1]); ++j)
            s += "\n " + b.spelled(j) + hex(b.value_of(j));
        out.push_back(std::move(s));
    }
    for (const BadLine& bad : b.bad)
        out.push_back("bad " + std::to_string(lines + bad.line) + " " + std::to_string(bad.column) +
                      bad.problem + bad.whole);
}

/// What is found by a parser that knows some of the names, all those that end with an even byte: while they
/// are ids, and once they are spelled out.
std::vector<std::string> told_with_known_names(const std::vector<std::string>& expected,
                                               std::string_view text, Format& format,
                                               Builder& builder, Batch& batch,
                                               const Wishes& wishes) {
    batch.clear();
    parse(text, format, builder, batch);
    thresher::Vocabulary names;
    batch.spell_out();
    for (std::size_t i = 0; i < batch.names.size(); ++i)
        if (const std::string name = batch.names.spelled(i); !name.empty() && name.back() % 2 == 0)
            names.find_or_add(name);
    const auto known = names.snapshot();
    names.find_or_add("a name that comes later");
    batch.clear();
    batch.known = known;
    parse(text, format, builder, batch);
    std::vector<std::string> told, spelled_out;
    tell(batch, 0, 0, told);
    check(told == expected, "known names change nothing");
    for (std::size_t row = 0; known && !batch.numbered && row < batch.rows(); ++row)
        for (auto j = static_cast<std::size_t>(batch.start[row]);
             j < static_cast<std::size_t>(batch.start[row + 1]); ++j)
            check(!batch.is_known(batch.index[j]) ||
                      static_cast<std::uint32_t>(batch.index[j]) < batch.known_after[row],
                  "the largest known id is noted");
    batch.spell_out();
    check_batch(batch, text.size(), wishes);
    tell(batch, 0, 0, spelled_out);
    return spelled_out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 3) return 0;
    const FormatOptions options = options_of(data[0]);
    static const char* const only = std::getenv("FUZZ_ONLY");
    if (only && options.format != only) return 0;
    const Wishes wishes = wishes_of(data[1]);
    const std::string_view text(reinterpret_cast<const char*>(data) + 3, size - 3);
    constexpr char fillers[] = {'\n', '7', ' ', '"', '.', 'e', ':', '\xff'};
    const char filler = fillers[data[2] % 8];

    Format format = format_of(options);
    Builder builder(recipe_of(data[1], data[0]), wishes);
    Batch batch;
    std::vector<std::string> at_once, in_two;
    const Chunk whole(text, filler);
    parse(whole.text(), format, builder, batch);
    check_batch(batch, text.size(), wishes);
    tell(batch, 0, 0, at_once);

    // The same builder goes on with another batch, as it does when a file is read.
    std::uint64_t lines = 0, bytes = 0;
    const std::size_t cut = text.size() * data[2] / 256;
    const std::size_t first = whole_records(format, Chunk(text.substr(0, cut), filler).text());
    check(first <= cut, "whole records are part of the text");
    for (const std::string_view part : {text.substr(0, first), text.substr(first)}) {
        const Chunk chunk(part, filler);
        batch.clear();
        parse(chunk.text(), format, builder, batch);
        check_batch(batch, part.size(), wishes);
        tell(batch, lines, bytes, in_two);
        lines += batch.lines;
        bytes += batch.bytes;
    }
    check(told_with_known_names(at_once, whole.text(), format, builder, batch, wishes) == at_once,
          "knowing names changes nothing");
    std::sort(at_once.begin(), at_once.end());
    std::sort(in_two.begin(), in_two.end());
    check(at_once == in_two, "cutting the text changes nothing");
    return 0;
}
