// svmlight / LIBSVM:  label [qid:n] id:value id:value … [# comment]
#pragma once

#include "builder.hpp"
#include "lines.hpp"
#include "marks.hpp"

namespace thresher::parse {

class Svmlight : public Lines {
public:
    static constexpr bool any_bytes = true;  // in labels and comments

    void prepare(std::string_view text) { marks_.scan(text.data(), text.size()); }

    void record(const char* p, const char* end, Builder& out) const {
        p = skip_spaces(p, end);
        const char* label_end = p;
        bool pairs = false;  // the first word is a feature already
        for (; label_end < end && !is_space(*label_end) && *label_end != '#'; ++label_end)
            pairs |= *label_end == ':';
        if (pairs) {
            if (out.wishes().need_labels)
                throw Problem{p, "found " + quoted({p, word_end(p, end)}) +
                                     "; expected a label before the features"};
        } else {
            read_label({p, label_end}, out);
            p = label_end;
        }
        out.expect(static_cast<std::size_t>(end - p) / 3 + 1);  // the shortest is "1:1 "
        features(p, end, out);
    }

    /// A line that says nothing.
    static bool is_blank(const char* p, const char* end) {
        p = skip_spaces(p, end);
        return p == end || *p == '#';
    }

private:
    static void read_label(std::string_view label, Builder& out) {
        if (const std::size_t comma = label.find(','); comma != label.npos)
            throw Problem{label.data() + comma,
                          "found several labels " + quoted(label) +
                              "; expected one: learning several labels a row is not supported, so "
                              "write one file for each label"};
        out.label(label);
    }

    /// Features written in the usual way, `12:0.345 ` and `12:1 `, without a look at each byte;
    /// whatever is unusual goes to `feature`.
    void features(const char* p, const char* end, Builder& out) const {
        for (;;) {
            if (p < end && *p == ' ') ++p;
            Marks::Walk walk(marks_, p);
            for (;;) {
                const char* colon = walk.next();
                const char* stop = walk.next();
                if (*colon != ':' || colon == p || colon - p > 8 || stop - colon == 1) break;
                std::uint64_t digits = digits_between(colon + 1, stop);
                std::size_t decimals = 0;
                if (stop - colon > 9) break;
                if (*stop == '.') {
                    const char* point = stop;
                    stop = walk.next();
                    decimals = static_cast<std::size_t>(stop - point - 1);
                    if (decimals - 1 >= 8) break;
                    digits = digits * detail::whole_power_of_ten[decimals] +
                             digits_between(point + 1, stop);
                    if (digits >> 53) break;
                }
                if (*stop != ' ' && *stop != '\n') break;
                out.number(digits_between(p, colon),
                           static_cast<double>(static_cast<std::int64_t>(digits)) /
                               detail::power_of_ten[decimals]);
                p = stop;
                if (p >= end) return;
                ++p;
            }
            if (!(p = feature(p, end, out))) return;
        }
    }

    /// 1 to 8 digits.
    static std::uint64_t digits_between(const char* p, const char* end) {
        return detail::value_of(detail::eight_bytes(p) ^ 0x3030303030303030ull,
                                static_cast<unsigned>(end - p));
    }

    /// One feature, with all that may come: tabs, comments, qid, signs, exponents, faults.
    /// Returns where it ends, or null at the end of the line.
    static const char* feature(const char* p, const char* end, Builder& out) {
        p = skip_spaces(p, end);
        if (p == end || *p == '#') return nullptr;
        std::uint64_t id;
        const char* q = read_whole(p, id);
        if (q == p || *q != ':') return query(p, end, out);
        if (id >> 63) bad_id(p, end);
        double v;
        const char* value = q + 1;
        p = read_any_real(value, end, v);
        if (p == value || (p < end && !is_space(*p) && *p != '#') || !std::isfinite(v))
            bad_value(value, end);
        out.number(id, v);
        return p;
    }

    /// What is no feature may still be qid:7.
    static const char* query(const char* p, const char* end, Builder& out) {
        const char* stop = word_end(p, end);
        if (std::string_view(p, stop).starts_with("qid:")) {
            std::int64_t id;
            const auto [q, error] = std::from_chars(p + 4, stop, id);
            if (error == std::errc() && q == stop) {
                out.query(id);
                return stop;
            }
        }
        bad_id(p, end);
    }

    [[noreturn]] static void bad_id(const char* p, const char* end) {
        throw Problem{p, "found " + quoted({p, word_end(p, end)}) +
                             "; expected id:value with a whole number from 0 to 2^63 − 1 as id"};
    }
    [[noreturn]] static void bad_value(const char* p, const char* end) {
        throw Problem{
            p, "found " + quoted({p, word_end(p, end)}) + " as a value; expected a finite number"};
    }

    Marks marks_;
};

}  // namespace thresher::parse
