// Parses standard input and prints what came of it, a JSON object a line: the tests compare this with
// plain parsers in Python.
//
//   dump format=csv columns=a,b,y label=y text=a ngrams=2 cross=a,b targets=1 chunk=100 < data
//
// chunk=N: in chunks of about N bytes of whole records, as a reader of files would cut it.
// Lines and columns are counted from 0, columns in bytes; numbers are printed as hexadecimal floats.
// Where a name, label or tag is no UTF-8, all bytes of that line are printed as if they were Latin-1,
// and it says "latin1": true.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <sstream>

#include "core/parse/format.hpp"

using namespace thresher::parse;

namespace {

bool is_utf8(std::string_view s) {
    for (std::size_t i = 0; i < s.size();) {
        const auto byte = [&](std::size_t k) {
            return i + k < s.size() ? static_cast<unsigned char>(s[i + k]) : 0u;
        };
        const unsigned lead = byte(0), second = byte(1);
        if (lead >= 0x80 && (lead < 0xc2 || lead > 0xf4)) return false;
        const std::size_t more = (lead >= 0xc2) + (lead >= 0xe0) + (lead >= 0xf0);
        for (std::size_t k = 1; k <= more; ++k)
            if ((byte(k) & 0xc0) != 0x80) return false;
        if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
            (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f))
            return false;
        i += 1 + more;
    }
    return true;
}

/// One line of output.
class Json {
public:
    explicit Json(bool latin1) : latin1_(latin1) {}

    Json& raw(std::string_view s) {
        text_ += s;
        return *this;
    }
    Json& key(std::string_view name) {
        text_ += text_.empty() ? "{\"" : ", \"";
        return raw(name).raw("\": ");
    }
    Json& number(double v) {
        char hex[40];
        std::snprintf(hex, sizeof hex, "\"%a\"", v);
        return raw(hex);
    }
    Json& string(std::string_view s) {
        strange_ |= !is_utf8(s);
        text_ += '"';
        for (const char c : s) {
            const auto u = static_cast<unsigned char>(c);
            if (u < 0x20 || u == 0x7f || c == '"' || c == '\\' || (u >= 0x80 && latin1_)) {
                char escape[8];
                std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(u));
                text_ += escape;
            } else {
                text_ += c;
            }
        }
        text_ += '"';
        return *this;
    }

    /// Prints what `fill` writes, as Latin-1 if it must be.
    template <class Fill>
    static void print(Fill fill) {
        Json json(false);
        fill(json);
        if (json.strange_) {
            json = Json(true);
            fill(json);
            json.key("latin1").raw("true");
        }
        std::cout << json.text_ << "}\n";
    }

private:
    bool latin1_, strange_ = false;
    std::string text_;
};

void write_row(Json& out, const Batch& b, std::size_t row, std::uint64_t lines_before) {
    out.key("label");
    if (!b.target.empty() && !std::isnan(b.target[row]))
        out.number(b.target[row]);
    else if (b.target.empty() && b.label[row] >= 0)
        out.string(b.labels.spelled(static_cast<std::size_t>(b.label[row])));
    else
        out.raw("null");
    out.key("weight").number(b.weight.empty() ? 1.0 : b.weight[row]);
    out.key("tag").string(b.tag.empty() ? "" : b.tag[row]);
    if (!b.query.empty()) out.key("query").raw(std::to_string(b.query[row]));
    out.key("features").raw("[");
    const auto begin = static_cast<std::size_t>(b.start[row]);
    const auto end = static_cast<std::size_t>(b.start[row + 1]);
    for (std::size_t j = begin; j < end; ++j) {
        out.raw(j > begin ? ", [" : "[");
        out.string(b.spelled(j));
        out.raw(", ").number(b.value_of(j)).raw("]");
    }
    out.raw("]").key("line").raw(std::to_string(lines_before + b.line[row]));
}

/// Rows and bad lines, in their order.
void print_batch(const Batch& b, std::uint64_t lines_before) {
    std::size_t row = 0;
    const auto print_rows_before = [&](std::size_t end) {
        for (; row < end; ++row)
            Json::print([&](Json& out) { write_row(out, b, row, lines_before); });
    };
    for (const BadLine& bad : b.bad) {
        print_rows_before(bad.before);
        Json::print([&](Json& out) {
            out.key("bad").raw(std::to_string(lines_before + bad.line));
            out.key("column").raw(std::to_string(bad.column));
            out.key("problem").string(bad.problem);
        });
    }
    print_rows_before(b.rows());
}

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> parts;
    std::istringstream in(list);
    for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
    return parts;
}

struct Settings {
    FormatOptions format;
    Recipe recipe;
    Wishes wishes;
    std::size_t chunk = 0;

    void set(const std::string& key, const std::string& value) {
        if (key == "format") {
            format.format = value;
        } else if (key == "delimiter") {
            format.delimiter = value.at(0);
        } else if (key == "decimal_comma") {
            format.decimal_comma = value == "1";
        } else if (key == "columns") {
            format.columns = split(value);
        } else if (key == "label") {
            format.label = value;
        } else if (key == "weight") {
            format.weight = value;
        } else if (key == "text") {
            format.text = split(value);
        } else if (key == "categorical") {
            format.categorical = split(value);
        } else if (key == "ngrams") {
            recipe.ngrams = std::stoul(value);
        } else if (key == "char_ngrams") {
            if (value.empty()) return;
            recipe.least_characters = std::stoul(value);
            recipe.most_characters = std::stoul(value.substr(value.find('-') + 1));
        } else if (key == "weighting") {
            if (value == "binary") recipe.weighting = Recipe::Weighting::binary;
            if (value == "log") recipe.weighting = Recipe::Weighting::log;
        } else if (key == "cross") {
            const auto groups = split(value);
            recipe.cross.push_back(groups);
        } else if (key == "targets") {
            wishes.targets = value == "1";
        } else if (key == "need_labels") {
            wishes.need_labels = value == "1";
        } else if (key == "sets") {
            wishes.sets = value == "1";
        } else if (key == "keep_zeros") {
            wishes.keep_zeros = value == "1";
        } else if (key == "unit") {
            wishes.unit = value == "1";
        } else if (key == "clip") {
            wishes.clip = value == "1";
        } else if (key == "chunk") {
            chunk = std::stoul(value);
        } else {
            throw std::invalid_argument("dump knows no " + key);
        }
    }
};

/// The text in turn, in chunks of whole records.
void dump(std::string_view text, const Settings& settings) {
    Format format = format_of(settings.format);
    Builder builder(settings.recipe, settings.wishes);
    Batch batch;
    std::uint64_t lines = 0;
    std::size_t wanted = settings.chunk > 0 ? settings.chunk : text.size();
    while (!text.empty()) {
        std::size_t size = text.size();
        if (wanted < size && (size = whole_records(format, text.substr(0, wanted))) == 0) {
            wanted *= 2;  // no record ends so early
            continue;
        }
        // What lies behind a chunk may be anything; digits are the worst.
        std::string copy(text.substr(0, size));
        copy.append(slack, '7');
        batch.clear();
        parse({copy.data(), size}, format, builder, batch);
        print_batch(batch, lines);
        lines += batch.lines;
        text.remove_prefix(size);
        if (settings.chunk > 0) wanted = settings.chunk;
    }
}

}  // namespace

int main(int count, char** arguments) {
    Settings settings;
    for (int i = 1; i < count; ++i) {
        const std::string argument = arguments[i];
        const std::size_t equals = argument.find('=');
        settings.set(argument.substr(0, equals), argument.substr(equals + 1));
    }
    std::ios::sync_with_stdio(false);
    const std::string text(std::istreambuf_iterator<char>(std::cin), {});
    dump(text, settings);
}
