// JSON Lines: one object per line, strict JSON (RFC 8259). Keys name features, those of nested objects joined
// by dots: {"user": {"age": 30}} is user.age, and so is {"user.age": 30}.
//     number           feature `key` of that value (must be finite)
//     true, false      1, 0
//     string           feature `key=string` of value 1; so is a number whose key is categorical
//     string of a key of text      its words (words.hpp): features `key=word`
//     null             missing: what the recipe makes of it
//     string of a key of dates     what dates.hpp makes of it
//     all of a key that is ignored is left out
//     array            its strings are a bag: features `key=item`, in which neighbours make n-grams (of a
//                      key of text: each is a separate text); all else is named by position: `key.0`,
//                      `key.1.name`
// The label is a string, a number (as it is written), true or false; null or "" is no label. Where
// labels are sets, it may be an array of these.
// A weight is a finite number ≥ 0; a record without one has the weight 1.
// A key given twice counts twice; two labels or weights are bad. Nesting goes 100 deep.
#pragma once

#include "format_options.hpp"
#include "lines.hpp"
#include "words.hpp"

namespace thresher::parse {

class JsonLines : public Lines {
public:
    static constexpr int deepest = 100;

    explicit JsonLines(const FormatOptions& options)
        : label_(options.label),
          weight_(options.weight),
          text_(options.text),
          categorical_(options.categorical),
          date_(options.date),
          ignore_(options.ignore),
          keep_(options.keep) {}

    static bool is_blank(const char* p, const char* end) {
        return skip_spaces_of_json(p, end) == end;
    }

    void record(const char* p, const char* end, Builder& out) {
        end_ = end;
        out_ = &out;
        depth_ = 0;
        numbers_ = 0;
        has_label_ = has_weight_ = false;
        path_.clear();
        p = skip(p);
        if (at(p) != '{') expected("a JSON object, {…}, on each line", p);
        p = skip(object(p));
        if (p != end_) expected("the end of the line behind the object", p);
        if (!has_label_ && out.wishes().need_labels)
            throw Problem{end_,
                          label_.empty()
                              ? "found no label; expected one, and no key was named for it"
                              : "found no label; expected it under the key " + quoted(label_)};
    }

private:
    // -- structure: each takes where something begins and returns where it ends

    const char* object(const char* p) {
        enter(p);
        const std::size_t outer = path_.size();
        p = skip(p + 1);
        if (at(p) == '}') return leave(p);
        for (;; p = skip(p + 1)) {
            if (at(p) != '"') expected("a key in double quotes", p);
            if (depth_ > 1) path_ += '.';
            p = skip(string(p, path_));
            if (at(p) != ':') expected("':' behind a key", p);
            p = skip(value(skip(p + 1)));
            path_.resize(outer);
            if (at(p) == '}') return leave(p);
            if (at(p) != ',') expected("',' or '}'", p);
        }
    }

    const char* array(const char* p) {
        enter(p);
        const std::size_t outer = path_.size();
        const bool of_text = is_among(text_, path_);
        p = skip(p + 1);
        if (at(p) == ']') return leave(p);
        for (std::size_t i = 0;; ++i, p = skip(p + 1)) {
            if (at(p) == '"') {
                item_.clear();
                p = string(p, item_);
                path_ += '=';
                if (of_text)
                    words_.add(path_, item_, *out_);
                else
                    out_->word(path_, item_);
                path_.resize(outer);
            } else {
                end_bag(outer);
                path_ += '.';
                path_ += std::to_string(i);
                p = value(p);
                path_.resize(outer);
            }
            p = skip(p);
            if (at(p) == ']') break;
            if (at(p) != ',') expected("',' or ']'", p);
        }
        end_bag(outer);
        return leave(p);
    }
    void end_bag(std::size_t outer) {
        path_ += '=';
        out_->end_words(path_);
        path_.resize(outer);
    }

    void enter(const char* p) {
        if (++depth_ > deepest)
            throw Problem{p, "found nesting more than 100 deep; expected a flatter record"};
    }
    const char* leave(const char* p) {
        --depth_;
        return p + 1;
    }

    const char* value(const char* p) {
        if (!keep_.empty()) keep(p);
        if (is_among(ignore_, path_)) return passed_over(p);
        if (path_ == label_ && !label_.empty()) return label(p);
        if (path_ == weight_ && !weight_.empty()) return weight(p);
        switch (at(p)) {
            case '{': return object(p);
            case '[': return array(p);
            case '"': return text(p);
            default: break;
        }
        double v;
        const char* stop = number(p, v);
        if (stop && is_among(categorical_, path_)) {
            path_ += '=';
            path_.append(p, stop);
            out_->name(path_, 1.0);
        } else if (stop) {
            out_->name(path_, v, guess());
        } else {
            const std::string_view word = literal(p);
            if (word == "null")
                out_->missing(path_);
            else
                out_->name(path_, word == "true" ? 1.0 : 0.0, guess());
            stop = p + word.size();
        }
        return stop;
    }

    /// A string as it is, all else as it is written.
    void keep(const char* p) {
        const auto at_key = std::find(keep_.begin(), keep_.end(), path_);
        if (at_key == keep_.end()) return;
        std::string kept;
        if (at(p) == '"') {
            string(p, kept);
        } else {
            const char* stop = passed_over(p);
            if (const std::string_view s(p, stop); s != "null") kept = s;
        }
        out_->kept(static_cast<std::size_t>(at_key - keep_.begin()), kept);
    }

    /// A value of which nothing is read but where it ends.
    const char* passed_over(const char* p) {
        if (at(p) == '"') {
            item_.clear();
            return string(p, item_);
        }
        const bool object = at(p) == '{';
        if (!object && at(p) != '[') {
            double v;
            const char* stop = number(p, v);
            return stop ? stop : p + literal(p).size();
        }
        enter(p);
        const char close = object ? '}' : ']';
        p = skip(p + 1);
        if (at(p) == close) return leave(p);
        for (;; p = skip(p + 1)) {
            if (object) {
                if (at(p) != '"') expected("a key in double quotes", p);
                item_.clear();
                p = skip(string(p, item_));
                if (at(p) != ':') expected("':' behind a key", p);
                p = skip(p + 1);
            }
            p = skip(passed_over(p));
            if (at(p) == close) return leave(p);
            if (at(p) != ',') expected(object ? "',' or '}'" : "',' or ']'", p);
        }
    }

    const char* text(const char* p) {
        if (is_among(date_, path_)) {
            item_.clear();
            const char* stop = string(p, item_);
            out_->date(path_, item_, p);
            return stop;
        }
        const bool of_text = is_among(text_, path_);
        path_ += '=';
        if (of_text) {
            item_.clear();
            p = string(p, item_);
            words_.add(path_, item_, *out_);
        } else {
            p = string(p, path_);
            out_->name(path_, 1.0);
        }
        return p;
    }

    /// Records often have the same keys in the same order.
    std::int32_t& guess() {
        constexpr std::size_t most = 10000;
        if (numbers_ >= guesses_.size() && numbers_ < most) guesses_.push_back(0);
        return guesses_[std::min(numbers_++, most - 1)];
    }

    // -- label and weight

    const char* label(const char* p) {
        const bool is_set = at(p) == '[' && out_->wishes().sets;
        item_.clear();
        const char* stop = is_set ? labels(p) : one_label(p, item_);
        if (item_.empty() && !is_set) {
            if (out_->wishes().need_labels)
                throw Problem{p,
                              "found " + std::string(p, stop) + " as the label; expected a label"};
            return stop;
        }
        if (has_label_) throw Problem{p, "found a second label; expected one"};
        has_label_ = true;
        try {
            out_->label(item_);
        } catch (Problem& problem) {
            problem.at = p;  // item_ is a copy
            throw;
        }
        return stop;
    }

    /// Appends the label at p: nothing if it is null.
    const char* one_label(const char* p, std::string& to) const {
        if (at(p) == '{' || at(p) == '[')
            throw Problem{p, std::string("found an ") + (*p == '[' ? "array" : "object") +
                                 " as the label; expected one string, number, true or false: sets "
                                 "of labels are learned by Snow with multi_label=true"};
        if (at(p) == '"') return string(p, to);
        double v;
        const char* stop = number(p, v);
        if (!stop) stop = p + literal(p).size();
        if (std::string_view(p, stop) != "null") to.append(p, stop);
        return stop;
    }

    /// The labels of an array, separated by commas, as in every other format.
    const char* labels(const char* p) {
        p = skip(p + 1);
        if (at(p) == ']') return p + 1;
        for (;; p = skip(p + 1)) {
            const char* begin = p;
            const std::size_t before = item_.size();
            p = skip(one_label(p, item_));
            const auto label = std::string_view(item_).substr(before);
            if (label.empty() || label.find(',') != label.npos)
                throw Problem{begin, "found " + quoted(label) +
                                         " in a set of labels; expected labels that are not empty "
                                         "and have no comma"};
            if (at(p) == ']') return p + 1;
            if (at(p) != ',') expected("',' or ']'", p);
            item_ += ',';
        }
    }

    const char* weight(const char* p) {
        double w;
        const char* stop = number(p, w);
        if (!stop && token(p) == "null" && !out_->wishes().need_labels) return p + 4;
        if (!stop || w < 0.0) expected("a number as the weight, 0 or larger", p);
        if (has_weight_) throw Problem{p, "found a second weight; expected one"};
        has_weight_ = true;
        out_->weight(w);
        return stop;
    }

    // -- the smallest parts

    static bool is_space_of_json(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
    static const char* skip_spaces_of_json(const char* p, const char* end) {
        while (p < end && is_space_of_json(*p)) ++p;
        return p;
    }
    const char* skip(const char* p) const { return skip_spaces_of_json(p, end_); }
    /// The byte at p; 0 at the end, and nowhere else.
    char at(const char* p) const { return p < end_ ? *p : '\0'; }

    static bool ends_token(char c) {
        switch (c) {
            case ',':
            case ':':
            case '"':
            case '{':
            case '}':
            case '[':
            case ']': return true;
            default: return is_space_of_json(c);
        }
    }
    /// The text at p up to a structural character.
    std::string_view token(const char* p) const {
        const char* stop = p;
        while (stop < end_ && !ends_token(*stop)) ++stop;
        return {p, stop};
    }

    /// The finite number at p into v; null if there is none.
    const char* number(const char* p, double& v) const {
        const char* q = read_decimal(p, end_, v);
        if (q > p && (*p != '0' || p[1] == '.' || q == p + 1) && (q == end_ || ends_token(*q)))
            return q;
        q = p;
        const auto digits = [&] {
            const char* from = q;
            while (at(q) >= '0' && at(q) <= '9') ++q;
            return q > from;
        };
        if (at(q) == '-') ++q;
        if (at(q) == '0')
            ++q;
        else if (!digits())
            return nullptr;
        if (at(q) == '.' && (++q, !digits())) return nullptr;
        if ((at(q) | 0x20) == 'e') {
            ++q;
            if (at(q) == '+' || at(q) == '-') ++q;
            if (!digits()) return nullptr;
        }
        if (q < end_ && !ends_token(*q)) return nullptr;
        read_any_real(p, q, v);
        if (!std::isfinite(v))
            throw Problem{p, "found " + quoted({p, q}) + "; expected a finite number"};
        return q;
    }

    std::string_view literal(const char* p) const {
        const std::string_view word = token(p);
        if (word != "true" && word != "false" && word != "null")
            expected("a JSON value: a string, a number, true, false, null, {…} or […]", p);
        return word;
    }

    /// Appends the string whose opening quote is at p.
    const char* string(const char* p, std::string& to) const {
        const char* const open = p++;
        for (;;) {
            const char* plain = p;
            p = first_unusual(p);
            to.append(plain, static_cast<std::size_t>(p - plain));
            if (at(p) == '"') return p + 1;
            if (p == end_ || (*p == '\\' && p + 1 == end_))
                throw Problem{open, "found a string that does not end; expected a closing quote"};
            if (*p != '\\')
                throw Problem{p,
                              "found a control character in a string; expected \\t, \\n or "
                              "\\u00XX in its place"};
            p = escape(p, to);
        }
    }

    /// The first quote, backslash or control character from p on; at most the end.
    const char* first_unusual(const char* p) const {
        constexpr std::uint64_t each = 0x0101010101010101ull;
        for (; p < end_; p += 8) {
            const std::uint64_t c = detail::eight_bytes(p);
            const std::uint64_t quote = c ^ (each * '"'), slash = c ^ (each * '\\');
            // The highest bit of a byte is set where it is 0 in `quote` or `slash`, or c is below 0x20;
            // it may be wrong after the first such byte.
            const std::uint64_t found =
                (((quote - each) & ~quote) | ((slash - each) & ~slash) | ((c - each * 0x20) & ~c)) &
                (each * 0x80);
            if (found != 0) return std::min(p + (std::countr_zero(found) >> 3), end_);
        }
        return end_;
    }

    const char* escape(const char* p, std::string& to) const {
        constexpr std::string_view from = "\"\\/bfnrt", meaning = "\"\\/\b\f\n\r\t";
        if (const std::size_t i = from.find(p[1]); i != from.npos) {
            to += meaning[i];
            return p + 2;
        }
        std::uint32_t c = code_unit(p);
        if (c > 0xffff)
            throw Problem{p, "found " + quoted({p, std::min(p + 6, end_)}) +
                                 "; expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u and "
                                 "four hexadecimal digits"};
        const char* stop = p + 6;
        if (c >= 0xd800 && c <= 0xdfff) {  // half of a character
            const std::uint32_t low = code_unit(stop);
            if (c > 0xdbff || low < 0xdc00 || low > 0xdfff)
                throw Problem{p, "found " + quoted({p, 6}) +
                                     ", half of a surrogate pair; expected both halves"};
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            stop += 6;
        }
        append_utf8(c, to);
        return stop;
    }
    /// XXXX of \uXXXX at p; more than 0xffff if there is none.
    std::uint32_t code_unit(const char* p) const {
        constexpr std::uint32_t none = 0xffffffff;
        if (end_ - p < 6 || p[0] != '\\' || p[1] != 'u') return none;
        std::uint32_t c = 0;
        const auto [stop, error] = std::from_chars(p + 2, p + 6, c, 16);
        return error == std::errc() && stop == p + 6 ? c : none;
    }
    static void append_utf8(std::uint32_t c, std::string& to) {
        const auto tail = [&](int shift) { to += static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
        if (c < 0x80) {
            to += static_cast<char>(c);
        } else if (c < 0x800) {
            to += static_cast<char>(0xc0 | (c >> 6));
            tail(0);
        } else if (c < 0x10000) {
            to += static_cast<char>(0xe0 | (c >> 12));
            tail(6);
            tail(0);
        } else {
            to += static_cast<char>(0xf0 | (c >> 18));
            tail(12);
            tail(6);
            tail(0);
        }
    }

    [[noreturn]] void expected(const char* what, const char* p) const {
        std::string found = "the end of the line";
        if (p < end_) {
            const std::string_view word = token(p);
            found = quoted(word.empty() ? std::string_view(p, 1) : word);
        }
        throw Problem{p, "found " + found + "; expected " + what};
    }

    static bool is_among(const std::vector<std::string>& keys, std::string_view path) {
        return !keys.empty() && std::find(keys.begin(), keys.end(), path) != keys.end();
    }

    std::string label_, weight_;
    std::vector<std::string> text_, categorical_, date_, ignore_, keep_;
    Words words_;
    std::vector<std::int32_t> guesses_;  // the feature that was the n-th number of the last record

    // The record being read.
    const char* end_ = nullptr;
    Builder* out_ = nullptr;
    int depth_ = 0;
    std::size_t numbers_ = 0;  // so far
    bool has_label_ = false, has_weight_ = false;
    std::string path_, item_;  // the key with those that enclose it; the string just read
};

}  // namespace thresher::parse
