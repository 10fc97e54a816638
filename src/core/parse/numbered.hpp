// What svmlight and Vowpal Wabbit text have in common: a label first, and features that are mostly numbers,
// `12:0.345 12:1 …`.
#pragma once

#include "builder.hpp"
#include "lines.hpp"
#include "marks.hpp"

namespace thresher::parse {

class Numbered : public Lines {
public:
    static constexpr bool any_bytes = true;
    void prepare(std::string_view text) { marks_.scan(text.data(), text.size()); }

protected:
    /// With commas it is a set, where sets are wanted.
    static void checked_label(std::string_view label, Builder& out) {
        const std::size_t comma = label.find(',');
        if (comma != label.npos && !out.wishes().sets)
            throw Problem{label.data() + comma,
                          "found several labels " + quoted(label) +
                              "; expected one: sets of labels are learned by Snow with "
                              "multi_label=true, and converted with --label-sets"};
        if (const std::size_t nul = label.find('\0'); nul != label.npos)
            throw no_text(label.data() + nul);  // in a file that was cut off, or is not text
        out.label(label);
    }

    /// Features written in the usual way, `12:0.345 ` and `12:1 `, without checking each byte.
    /// Returns where something unusual begins, or the end. `names`: ids are names, so that 012 is not
    /// the same as 12, and 12 alone means 12:1.
    template <bool names>
    const char* usual_features(const char* p, const char* end, Builder& out) const {
        out.expect(static_cast<std::size_t>(end - p) / 2 + 1);  // the shortest is "1 "
        Marks<NotDigit>::Walk walk(marks_, p);
        for (;;) {
            const char* colon = walk.next();
            if (colon == p || colon - p > 8) return p;
            if constexpr (names) {
                if (*p == '0' && colon - p > 1) return p;
                if (*colon == ' ' && colon < end) {
                    out.number(digits_between(p, colon), 1.0);
                    p = colon + 1;
                    continue;
                }
            }
            const char* stop = walk.next();
            if (*colon != ':' || stop - colon == 1) return p;
            std::uint64_t digits = digits_between(colon + 1, stop);
            std::size_t decimals = 0;
            if (stop - colon > 9) return p;
            if (*stop == '.') {
                const char* point = stop;
                stop = walk.next();
                decimals = static_cast<std::size_t>(stop - point - 1);
                if (decimals - 1 >= 8) return p;
                digits =
                    digits * detail::whole_power_of_ten[decimals] + digits_between(point + 1, stop);
                if (digits >> 53) return p;
            }
            if (stop > end || (*stop != ' ' && *stop != '\n')) return p;
            out.number(digits_between(p, colon),
                       static_cast<double>(static_cast<std::int64_t>(digits)) /
                           detail::power_of_ten[decimals]);
            if (stop == end) return end;
            p = stop + 1;
        }
    }

private:
    /// 1 to 8 digits.
    static std::uint64_t digits_between(const char* p, const char* end) {
        return detail::value_of(detail::eight_bytes(p) ^ 0x3030303030303030ull,
                                static_cast<unsigned>(end - p));
    }

    Marks<NotDigit> marks_;
};

}  // namespace thresher::parse
