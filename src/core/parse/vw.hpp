// Vowpal Wabbit's text:  [label [importance]] ['tag]|namespace[:scale] feature[:value] … |namespace …
//
// As Vowpal Wabbit reads it:
//  · The last word before the first bar is a tag if it touches the bar or begins with a quote; so
//    `1|f a` has the tag 1 and no label. A line without a label is one to predict, not to learn from.
//  · A bar with a blank, a bar or nothing after it opens the default namespace. Features of the
//    default namespace have their plain names, others are called namespace^name.
//  · Blanks are spaces and tabs, any number of them. A value is 1 if none is given; a value of 0 means
//    that the feature is absent; each number is multiplied by the scale of its namespace.
//  · Features without a name, `:3 :4`, are numbered from 0 in each namespace: the same as `0:3 1:4`.
//
// Unlike Vowpal Wabbit:
//  · What it would skip with a warning, or read as something other than it seems, is bad: a
//    line without a bar, a tab before the bar, a value like 1.5abc, 1:2, nan, inf or none after the
//    colon, more than three words before the tag, an importance below zero.
//  · A label may be any text without colon or comma (commas separate a set of them); an initial
//    prediction must be 0.
//  · A value that does not begin like a number is the feature's text (there as well): `city:paris` is
//    the feature city=paris of value 1, whatever the scale, with its name as in every other format.
//  · Names are kept as they are: 007 and 7 differ.
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "format_options.hpp"
#include "numbered.hpp"
#include "plain_words.hpp"

namespace thresher::parse {

class VowpalWabbit : public Numbered {
public:
    explicit VowpalWabbit(const FormatOptions& options)
        : ignore_(options.ignore), keeps_tag_(!options.keep.empty()) {}

    void prepare(std::string_view text) {
        text_ = text;
        has_digits_ = false;
        separators_.scan(text.data(), text.size());
    }

    void record(const char* p, const char* end, Builder& out) {
        const void* found = std::memchr(p, '|', static_cast<std::size_t>(end - p));
        if (!found)
            throw Problem{end,
                          "found no bar; expected [label] [importance] ['tag]|namespace feature …, "
                          "with a bar before the features"};
        const char* bar = static_cast<const char*>(found);
        before_bar(p, bar, out);
        if (keeps_tag_) out.kept(0, out.tag());
        while (bar < end) bar = name_space(bar + 1, end, out);
    }

    static bool is_blank(const char* p, const char* end) { return skip_spaces(p, end) == end; }

private:
    // -- label, importance, initial prediction and tag

    static void before_bar(const char* p, const char* bar, Builder& out) {
        if (const void* tab = std::memchr(p, '\t', static_cast<std::size_t>(bar - p)))
            throw Problem{static_cast<const char*>(tab),
                          "found a tab before the first bar; expected spaces there: Vowpal Wabbit "
                          "ignores all that stands before such a tab"};
        std::array<std::string_view, 5> words;  // one more than there can be
        std::size_t n = 0;
        for (; n < words.size() && (p = skip(p, bar, ' ')) < bar; ++n) {
            const char* begin = p;
            while (p < bar && *p != ' ') ++p;
            words[n] = {begin, p};
        }
        if (n > 0 && n < words.size()) {
            const std::string_view last = words[n - 1];
            const bool is_quoted = last.front() == '\'';
            if (is_quoted || last.data() + last.size() == bar) {
                out.tag(last.substr(is_quoted));
                --n;
            }
        }
        if (n > 3)
            throw Problem{words[3].data(),
                          "found " + quoted(words[3]) +
                              " before the bar; expected at most label, importance "
                              "and tag there"};
        if (n > 2) check_initial(words[2]);
        if (n > 1) out.weight(importance(words[1]));
        if (n > 0)
            label(words[0], out);
        else
            out.unlabelled();
    }

    static void label(std::string_view s, Builder& out) {
        if (s == "shared" || s.find(':') != s.npos)
            throw Problem{s.data(), "found " + quoted(s) +
                                        " as the label; expected one number or word: labels with "
                                        "costs or probabilities and examples of several lines are "
                                        "not supported"};
        checked_label(s, out);
    }

    static double importance(std::string_view s) {
        double w;
        if (!read_number(s, w) || w < 0)
            throw Problem{s.data(), "found " + quoted(s) +
                                        " as the importance; expected a finite number that is not "
                                        "negative (a tag begins with a quote or touches the bar)"};
        return w;
    }

    static void check_initial(std::string_view s) {
        double v;
        if (!read_number(s, v) || v != 0)
            throw Problem{s.data(), "found " + quoted(s) +
                                        " after the importance; expected the bar, a tag or 0: an "
                                        "initial prediction is not supported"};
    }

    /// A whole word that is a finite number.
    static bool read_number(std::string_view s, double& v) {
        const char* end = s.data() + s.size();
        return read_any_real(s.data(), end, v) == end && std::isfinite(v);
    }

    // -- namespaces and features

    /// Reads from after one bar to the next, or to the end.
    const char* name_space(const char* p, const char* end, Builder& out) {
        Marks<Separator>::Walk walk(separators_, p);
        const char* stop = name_end(walk, end);
        group_.assign(p, stop);
        double scale = 1.0;
        if (stop < end && *stop == ':') {
            if (group_.empty())
                throw Problem{stop,
                              "found ':' after a bar; expected a namespace, or a space before the "
                              "features"};
            p = stop + 1;
            stop = read_real(p, end, scale);
            if (stop == p || !ends_word(stop, end) || !std::isfinite(scale))
                throw Problem{p, "found " + quoted({p, feature_end(p, end)}) +
                                     " as the scale of a namespace; expected a finite number"};
        }
        if (std::find(ignore_.begin(), ignore_.end(), group_) != ignore_.end()) {
            const void* bar = std::memchr(stop, '|', static_cast<std::size_t>(end - stop));
            return bar ? static_cast<const char*>(bar) : end;
        }
        if (!group_.empty()) group_ += '^';
        p = features(stop, end, scale, out);
        out.end_words(group_);
        return p;
    }

    /// Reads to the next bar, or to the end.
    const char* features(const char* p, const char* end, double scale, Builder& out) {
        const bool as_they_are = group_.empty() && scale == 1.0 && !out.reads_words();
        std::uint64_t unnamed = 0;
        Marks<Separator>::Walk walk(separators_, p);
        for (;;) {
            if (as_they_are && p < end && *p >= '0' && *p <= '9') {
                p = usual_numbers(p, end, out);
                walk = {separators_, p};
            } else if (as_they_are) {
                const char* after = plain_words(p, end, walk, out);
                if (after > p) walk = {separators_, p = after};
            }
            const char* stop = name_end(walk, end);
            std::string_view name(p, stop);
            double v = scale;
            const bool valued = stop < end && *stop == ':';
            if (valued) {
                if (name.empty()) name = number_ = std::to_string(unnamed++);
                p = stop + 1;
                stop = read_real(p, end, v);
                if (stop == p || !ends_word(stop, end) || !std::isfinite(v)) {
                    stop = feature_end(p, end);
                    name = with_text(name, {p, stop}, end);
                    v = 1.0;
                } else {
                    v *= scale;
                    if (!std::isfinite(v)) too_large(p);
                }
                if (walk.next() != stop) walk = {separators_, stop + 1};
            }
            if (!name.empty() && (valued || scale != 1.0))
                out.word(group_, name, v);
            else if (!name.empty())
                out.word(group_, name);
            if (stop == end || *stop == '|') return stop;
            if (*stop == '\r') stray_return(stop);
            p = stop + 1;  // after a blank
        }
    }

    /// Digits are looked for only where there are any.
    const char* usual_numbers(const char* p, const char* end, Builder& out) {
        if (!std::exchange(has_digits_, true)) Numbered::prepare(text_);
        return usual_features<true>(p, end, out);
    }

    /// `city:paris` → city=paris, unless the value begins like a number, which it then must be.
    std::string_view with_text(std::string_view name, std::string_view value, const char* end) {
        const char* stop = value.data() + value.size();
        double v;
        if (value.empty() || std::string_view("0123456789+-.:").find(value[0]) != value.npos ||
            read_any_real(value.data(), stop, v) == stop)
            throw Problem{value.data(),
                          "found " + quoted(value) + " as a value; expected a finite number"};
        if (stop < end && *stop == '|')
            throw Problem{stop, "found a bar that touches a value in letters; expected a space"};
        if (const std::size_t at = value.find('\r'); at != value.npos)
            stray_return(value.data() + at);
        joined_.assign(name);
        joined_ += '=';
        joined_ += value;
        return joined_;
    }

    [[noreturn]] static void too_large(const char* at) {
        throw Problem{at, "found a value that is too large once scaled; expected a finite number"};
    }
    [[noreturn]] static void stray_return(const char* at) {
        throw Problem{at, "found a carriage return within a line; expected it only at the end"};
    }

    static const char* skip(const char* p, const char* end, char c) {
        while (p < end && *p == c) ++p;
        return p;
    }
    static bool ends_word(const char* p, const char* end) {
        return p == end || *p == ' ' || *p == '\t' || *p == '|';
    }
    static const char* feature_end(const char* p, const char* end) {
        while (!ends_word(p, end)) ++p;
        return p;
    }
    /// The next byte that cannot be part of a name, or the end.
    static const char* name_end(Marks<Separator>::Walk& walk, const char* end) {
        const char* p = walk.next();
        while (!ends_word(p, end) && *p != ':' && *p != '\r') p = walk.next();
        return p;
    }

    std::vector<std::string> ignore_;
    bool keeps_tag_;
    Marks<Separator> separators_;
    std::string group_;            // of the namespace being read: "ns^", or nothing
    std::string number_, joined_;  // names that are not in the line as they are
    std::string_view text_;
    bool has_digits_ = false;  // they were looked for in this text
};

}  // namespace thresher::parse
