// A bag of names:  LABEL<TAB>name name …
// The label is everything before the tab, spaces included; names are separated by runs of spaces; the value
// of each is how often it appears. Where labels are not needed, a line may be only names. Where they are
// sets, nothing before the tab is the empty set.
#pragma once

#include "builder.hpp"
#include "lines.hpp"
#include "plain_words.hpp"

namespace thresher::parse {

class Bag : public Lines {
public:
    static constexpr bool any_bytes = false;

    void prepare(std::string_view text) { marks_.scan(text.data(), text.size()); }

    void record(const char* p, const char* end, Builder& out) const {
        const char* tab = find_tab(p, end);
        if (tab != end) {
            if (const char* second = find_tab(tab + 1, end); second != end)
                throw Problem{second,
                              "found a second tab; expected LABEL<TAB>name name …: this looks like "
                              "another format with more columns"};
            if (tab > p || out.wishes().sets)
                out.label({p, tab});
            else if (out.wishes().need_labels)
                throw Problem{p, "found no label before the tab; expected LABEL<TAB>name name …"};
            p = tab + 1;
        } else if (out.wishes().need_labels) {
            throw Problem{end, "found no tab; expected LABEL<TAB>name name …"};
        }
        const bool as_they_are = !out.reads_words();
        Marks<Blank>::Walk walk(marks_, p);
        while (p < end) {
            if (const char* after = as_they_are ? plain_words(p, end, walk, out) : p; after > p) {
                walk = {marks_, p = after};
                continue;
            }
            const char* stop = walk.next();
            while (stop < end && *stop != ' ') stop = walk.next();
            if (stop > p) out.word("", {p, stop});
            p = stop + 1;
        }
        out.end_words("");
    }

    static bool is_blank(const char* p, const char* end) { return skip_spaces(p, end) == end; }

private:
    static const char* find_tab(const char* p, const char* end) {
        const void* tab = std::memchr(p, '\t', static_cast<std::size_t>(end - p));
        return tab ? static_cast<const char*>(tab) : end;
    }

    Marks<Blank> marks_;
};

}  // namespace thresher::parse
