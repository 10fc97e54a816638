// svmlight / LIBSVM:  label [qid:n] id:value id:value … [# comment]
// Where labels are sets, they are written 1,3,7; a line without any has the empty set.
#pragma once

#include "numbered.hpp"

namespace thresher::parse {

class Svmlight : public Numbered {
public:
    void record(const char* p, const char* end, Builder& out) const {
        p = skip_spaces(p, end);
        const char* label_end = p;
        bool pairs = false;  // the first word is already a feature
        for (; label_end < end && !is_space(*label_end) && *label_end != '#'; ++label_end)
            pairs |= *label_end == ':';
        if (pairs && out.wishes().sets) {
            out.label({p, 0});
        } else if (pairs) {
            if (out.wishes().need_labels)
                throw Problem{p, "found " + quoted({p, word_end(p, end)}) +
                                     "; expected a label before the features"};
        } else {
            checked_label({p, label_end}, out);
            p = label_end;
        }
        do {
            if (p < end && *p == ' ') ++p;
            p = usual_features<false>(p, end, out);
        } while ((p = feature(p, end, out)));
    }

    /// A line without content.
    static bool is_blank(const char* p, const char* end) {
        p = skip_spaces(p, end);
        return p == end || *p == '#';
    }

private:
    /// One feature in any form: tabs, comments, qid, signs, exponents, faults.
    /// Returns where it ends, or null at the end of the line.
    static const char* feature(const char* p, const char* end, Builder& out) {
        p = skip_spaces(p, end);
        if (p == end || *p == '#') return nullptr;
        std::uint64_t id = 0;
        const char* q = read_whole(p, end, id);
        if (q == p || q >= end || *q != ':') return query(p, end, out);
        if (id >> 63) bad_id(p, end);
        double v;
        const char* value = q + 1;
        p = read_any_real(value, end, v);
        if (p == value || (p < end && !is_space(*p) && *p != '#') || !std::isfinite(v))
            bad_value(value, end);
        out.number(id, v);
        return p;
    }

    /// What is not a feature may still be qid:7.
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
};

}  // namespace thresher::parse
