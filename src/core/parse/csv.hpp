// CSV (RFC 4180), or fields with another delimiter. The header is not part of the text: the caller reads it,
// passes the names of the columns, and removes a byte order mark.
//
// Fields. Blanks around a field are ignored. A field in double quotes may hold anything, "" for a quote
// and newlines included, and its blanks count. A quote inside an unquoted field is a plain character.
// A quoted field has at most 1 MiB and is followed by a delimiter or the end of the line: a quote that
// does not close this way spoils only its own line, and the next line is a new record.
// In TSV, quotes are mostly literal: there a quoted field ends on its line, and a quote that does not close
// this way is a plain character.
//
// Meaning. A field, quoted or not, that is empty or one of
//     NA  N/A  NaN  nan  null  NULL  None  ?
// is missing: bad as a label or weight where those are needed, else what the recipe makes of it. Otherwise
//     a finite number        feature `column` of that value; with a decimal comma, if the file has them
//     true, True, TRUE       1, and false 0: so JSON and dicts have it (older models: text)
//     other text             feature `column=text` of value 1; so are the numbers of a categorical column
//     in a column of text    its words (words.hpp): features `column=word`
//     in one of dates        what dates.hpp makes of it; in one that is ignored nothing
//     in the label's column  the label, without blanks around it; for sets, an empty field is the empty set
//     in the weight's        a finite number ≥ 0
// A number that no double holds (1e999, inf) is bad, except in categorical columns, texts and labels.
#pragma once

#include "format_options.hpp"
#include "lines.hpp"
#include "words.hpp"

namespace thresher::parse {

class Csv : public Lines {
public:
    static constexpr bool several_lines = true;
    static constexpr std::ptrdiff_t longest_quoted = 1 << 20;

    explicit Csv(const FormatOptions& options)
        : delimiter_(options.delimiter), decimal_comma_(options.decimal_comma) {
        if (static_cast<unsigned char>(delimiter_) >= 0x80 || delimiter_ == '\0' ||
            std::strchr("\"\r\n'+-._", delimiter_) || (delimiter_ >= '0' && delimiter_ <= '9') ||
            ((delimiter_ | 0x20) >= 'a' && (delimiter_ | 0x20) <= 'z'))
            throw std::invalid_argument("found " + quoted({&delimiter_, 1}) +
                                        " as the delimiter; expected a sign such as , ; | or a "
                                        "tab, which cannot be part of a number or a word");
        for (const std::string& name : options.columns)
            columns_.push_back({name, name + "=", Role::value});
        if (columns_.empty()) throw std::invalid_argument("found no columns; expected their names");
        for (const std::string& name : options.categorical) give_role(name, Role::categorical);
        for (const std::string& name : options.text) give_role(name, Role::text);
        for (const std::string& name : options.date) give_role(name, Role::date);
        for (const std::string& name : options.ignore) give_role(name, Role::ignored);
        if (!options.label.empty()) give_role(options.label, Role::label);
        if (!options.weight.empty()) give_role(options.weight, Role::weight);
        for (std::size_t i = 0; i < options.keep.size(); ++i)
            for (Column& column : columns_)
                if (column.name == options.keep[i]) column.keep = static_cast<int>(i);
    }

    bool is_blank(const char* p, const char* end) const { return skip_blanks(p, end) == end; }

    /// Fields by their columns. Numbers, which are most of most files, are read without a search for
    /// their end.
    void record(const char* p, const char* end, Builder& out) {
        const char* const begin = p;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            Column& column = columns_[i];
            p = skip_blanks(p, end);
            double v;
            const char* stop = column.role == Role::value ? plain_number(p, end, v) : nullptr;
            if (stop) {
                out.name(column.name, v, column.guess);
                if (column.keep >= 0) keep(column, field_at(p, end), out);
            } else {
                const Field field = field_at(p, end);
                if (column.keep >= 0) keep(column, field, out);
                use(column, field, p, out);
                stop = field.end;
            }
            if (stop == end) {
                if (i + 1 < columns_.size()) wrong_count(i + 1, end);
                return;
            }
            p = stop + 1;
        }
        wrong_count(count_fields(begin, end), p);
    }

    /// The newline that ends the record at p, or `end`.
    const char* record_end(const char* p, const char* end) const { return find_end(p, end, false); }

    std::size_t whole_records(std::string_view text) const {
        const char *p = text.data(), *const end = p + text.size();
        if (find(p, end, '"') == end) return Lines::whole_records(text);
        for (const char* stop; (stop = find_end(p, end, true)) != end;) p = stop + 1;
        return static_cast<std::size_t>(p - text.data());
    }

private:
    enum class Role { value, categorical, text, date, ignored, label, weight };
    struct Column {
        std::string name, group;  // color, color=
        Role role;
        std::int32_t guess = 0;  // its feature's number, if that is the one of the last record
        int keep = -1;           // its number among those whose text is kept
    };
    struct Field {
        std::string_view text;
        const char* end;  // the delimiter, or the end of the record
    };

    void give_role(const std::string& name, Role role) {
        std::size_t found = 0;
        for (Column& column : columns_) {
            if (column.name != name) continue;
            if (column.role != Role::value)
                throw std::invalid_argument(
                    "found two uses of the column " + quoted(name) +
                    "; expected it once among label, weight, text, categorical, date and ignore");
            column.role = role;
            ++found;
        }
        if (found == 0)
            throw std::invalid_argument("found no column " + quoted(name) + "; expected it among " +
                                        list_of_columns());
        if (found > 1 && (role == Role::label || role == Role::weight))
            throw std::invalid_argument("found " + std::to_string(found) + " columns " +
                                        quoted(name) + "; expected one: rename the others");
    }
    std::string list_of_columns() const {
        constexpr std::size_t most = 20;
        std::string list;
        for (std::size_t i = 0; i < columns_.size() && i < most; ++i)
            list += (i > 0 ? ", " : "") + quoted(columns_[i].name);
        return list + (columns_.size() > most ? ", …" : "");
    }

    // -- where things end

    static const char* find(const char* p, const char* end, char c) {
        for (const char* near = end - p > 16 ? p + 16 : end; p < near; ++p)
            if (*p == c) return p;
        const void* at = std::memchr(p, c, static_cast<std::size_t>(end - p));
        return at ? static_cast<const char*>(at) : end;
    }
    const char* skip_blanks(const char* p, const char* end) const {
        while (p < end && is_space(*p) && *p != delimiter_) ++p;
        return p;
    }
    bool is_field_end(const char* p, const char* end) const {
        return p == end || *p == delimiter_ || *p == '\n';
    }

    /// The quote that closes the one at p; null if there is none near enough.
    static const char* closing_quote(const char* p, const char* end) {
        const char* limit = end - p > longest_quoted ? p + 1 + longest_quoted : end;
        for (++p; p < limit; p += 2) {
            p = find(p, limit, '"');
            if (p == limit) break;
            if (p + 1 == end || p[1] != '"') return p;
        }
        return nullptr;
    }

    /// As `record_end`. If `more` text follows, a quote that may still close has no end yet.
    const char* find_end(const char* p, const char* end, bool more) const {
        const char* newline = find(p, end, '\n');
        if (delimiter_ == '\t') return newline;
        for (const char* quote; (quote = find(p, newline, '"')) != newline; ++p) {
            const char* rest = quote + 1;  // of the field
            if (opens(p, quote)) {
                const char* close = closing_quote(quote, end);
                if (!close && more && end - quote <= longest_quoted) return end;
                if (!close || !is_field_end(skip_blanks(close + 1, end), end)) return newline;
                rest = close + 1;
                if (newline < rest) newline = find(rest, end, '\n');
            }
            p = find(rest, newline, delimiter_);
            if (p == newline) break;
        }
        return newline;
    }
    /// Whether the quote is at the beginning of a field; p is where some field begins.
    bool opens(const char* p, const char* quote) const {
        while (quote > p && is_space(quote[-1]) && quote[-1] != delimiter_) --quote;
        return quote == p || quote[-1] == delimiter_;
    }

    /// Where the field at p ends if it is a finite number, in quotes or not; else null.
    const char* plain_number(const char* p, const char* end, double& v) const {
        const bool in_quotes = p < end && *p == '"';
        const char* from = p + in_quotes;
        if (!may_be_number(*from)) return nullptr;
        const char* stop = read_real(from, end, v);
        if (stop == from || !std::isfinite(v)) return nullptr;
        if (in_quotes && (stop == end || *stop++ != '"')) return nullptr;
        return is_field_end(stop, end) ? stop : nullptr;
    }

    /// The field at p, which is not a blank.
    Field field_at(const char* p, const char* end) {
        const char* close = p < end && *p == '"' ? closing_quote(p, end) : nullptr;
        const bool closed = close && is_field_end(skip_blanks(close + 1, end), end);
        if (p == end || *p != '"' || (delimiter_ == '\t' && !closed)) {
            const char* stop = find(p, end, delimiter_);
            return {stripped({p, stop}), stop};
        }
        if (!close)
            throw Problem{p, "found a quote that does not close; expected another before " +
                                 quoted({&delimiter_, 1}) +
                                 " or the end of a line, and \"\" for a quote inside of quotes"};
        const char* stop = skip_blanks(close + 1, end);
        if (!is_field_end(stop, end))
            throw Problem{stop, "found " + quoted({stop, 1}) +
                                    " behind a closing quote; expected " +
                                    quoted({&delimiter_, 1}) +
                                    " or the end of the line, and \"\" for a quote inside of "
                                    "quotes"};
        return {unescaped({p + 1, close}), stop};
    }

    /// "" → "
    std::string_view unescaped(std::string_view s) {
        std::size_t quote = s.find('"');
        if (quote == s.npos) return s;
        unescaped_.clear();
        for (; quote != s.npos; quote = s.find('"')) {
            unescaped_.append(s.substr(0, quote + 1));
            s.remove_prefix(quote + 2);
        }
        unescaped_.append(s);
        return unescaped_;
    }

    static std::string_view stripped(std::string_view s) {
        constexpr std::string_view blanks = " \t\r\f\v\n";
        const std::size_t first = s.find_first_not_of(blanks);
        if (first == s.npos) return s.substr(0, 0);
        return s.substr(first, s.find_last_not_of(blanks) + 1 - first);
    }

    std::size_t count_fields(const char* p, const char* end) const {
        for (std::size_t count = 1;; ++count, ++p) {
            p = skip_blanks(p, end);
            if (p < end && *p == '"')
                if (const char* close = closing_quote(p, end))
                    if (delimiter_ != '\t' || is_field_end(skip_blanks(close + 1, end), end))
                        p = close + 1;
            p = find(p, end, delimiter_);
            if (p == end) return count;
        }
    }
    [[noreturn]] void wrong_count(std::size_t found, const char* at) const {
        throw Problem{at, "found " + std::to_string(found) + (found == 1 ? " field" : " fields") +
                              "; expected " + std::to_string(columns_.size()) +
                              ", one for each column"};
    }

    // -- what they mean

    /// Digits, signs, the point, inf and nan; and some more.
    static bool may_be_number(char c) { return c <= '9' || (c | 0x20) == 'i' || (c | 0x20) == 'n'; }

    /// 1, 0, or −1 for a text that is neither true nor false.
    static int truth_of(std::string_view s) {
        if (s == "true" || s == "True" || s == "TRUE") return 1;
        return s == "false" || s == "False" || s == "FALSE" ? 0 : -1;
    }

    static bool is_missing(std::string_view s) {
        if (s.size() > 4) return false;
        for (const std::string_view word :
             {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?"})
            if (s == word) return true;
        return false;
    }

    static void keep(const Column& column, const Field& field, Builder& out) {
        out.kept(static_cast<std::size_t>(column.keep), field.text);
    }

    /// `at` is where the field begins.
    void use(Column& column, const Field& field, const char* at, Builder& out) {
        if (column.role == Role::ignored) return;
        const std::string_view s = column.role == Role::label || column.role == Role::weight
                                       ? stripped(field.text)
                                       : field.text;
        const bool is_set = column.role == Role::label && out.wishes().sets;
        if (is_missing(s) && !(is_set && s.empty())) return missing(column, s, at, out);
        switch (column.role) {
            case Role::value: return value(column, with_point(s), at, out);
            case Role::categorical: return name(column, s, out);
            case Role::text: return words_.add(column.group, s, out);
            case Role::date: return out.date(column.name, s, at);
            case Role::ignored: return;
            case Role::label: return label(is_set ? s : with_point(s), at, out);
            case Role::weight: return weight(with_point(s), at, out);
        }
    }

    /// 1,5 → 1.5, if the file has decimal commas and this is such a number.
    std::string_view with_point(std::string_view s) {
        const std::size_t comma = decimal_comma_ ? s.find(',') : s.npos;
        if (comma == s.npos) return s;
        with_point_.assign(s);
        with_point_[comma] = '.';
        double v;
        const char *begin = with_point_.data(), *end = begin + with_point_.size();
        return may_be_number(*begin) && read_any_real(begin, end, v) == end ? with_point_ : s;
    }

    static void missing(const Column& column, std::string_view s, const char* at, Builder& out) {
        if (column.role == Role::value || column.role == Role::categorical ||
            column.role == Role::date)
            return out.missing(column.name);
        const bool is_label = column.role == Role::label;
        if ((is_label || column.role == Role::weight) && out.wishes().need_labels)
            throw Problem{at, "found " +
                                  (s.empty() ? "nothing" : quoted(s) + ", which says missing,") +
                                  " as the " + (is_label ? "label" : "weight") +
                                  "; expected one: complete the record or leave it out"};
    }

    void value(Column& column, std::string_view s, const char* at, Builder& out) {
        double v;
        const char *begin = s.data(), *end = begin + s.size();
        if (const int truth = out.ascii_only() ? -1 : truth_of(s); truth >= 0)
            return out.name(column.name, truth, column.guess);
        if (!may_be_number(*begin) || read_any_real(begin, end, v) != end)
            return name(column, s, out);
        if (!std::isfinite(v))
            throw Problem{at, "found " + quoted(s) + " in the column " + quoted(column.name) +
                                  "; expected a finite number (a categorical column may hold any "
                                  "name)"};
        out.name(column.name, v, column.guess);
    }
    void name(Column& column, std::string_view s, Builder& out) {
        name_.assign(column.group);
        name_.append(s);
        out.name(name_, 1.0, column.guess);
    }
    static void label(std::string_view s, const char* at, Builder& out) {
        try {
            out.label(s);
        } catch (Problem& problem) {
            problem.at = at;  // s may be a copy
            throw;
        }
    }
    static void weight(std::string_view s, const char* at, Builder& out) {
        double w;
        const char *begin = s.data(), *end = begin + s.size();
        if (read_any_real(begin, end, w) != end || !std::isfinite(w) || w < 0.0)
            throw Problem{
                at, "found " + quoted(s) + " as the weight; expected a finite number, 0 or larger"};
        out.weight(w);
    }

    char delimiter_;
    bool decimal_comma_;
    std::vector<Column> columns_;
    Words words_;
    std::string unescaped_, with_point_, name_;
};

}  // namespace thresher::parse
