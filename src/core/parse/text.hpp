// A document a line:  LABEL<TAB>document, or a document alone where labels are not needed.
// The label is everything before the first tab; the words of all else (words.hpp) are features `column=word`,
// as if the document stood in that column of a table.
#pragma once

#include "format_options.hpp"
#include "lines.hpp"
#include "words.hpp"

namespace thresher::parse {

class Text : public Lines {
public:
    explicit Text(const FormatOptions& options)
        : group_((options.text.empty() ? "text" : options.text[0]) + "="),
          blank_lines_(options.blank_lines) {}

    void record(const char* p, const char* end, Builder& out) {
        const void* found = std::memchr(p, '\t', static_cast<std::size_t>(end - p));
        if (found) {
            const char* tab = static_cast<const char*>(found);
            if (tab > p || out.wishes().sets)
                out.label({p, tab});
            else if (out.wishes().need_labels)
                throw Problem{p, "found no label before the tab; expected LABEL<TAB>document"};
            p = tab + 1;
        } else if (out.wishes().need_labels) {
            throw Problem{end, "found no tab; expected LABEL<TAB>document"};
        }
        words_.add(group_, {p, end}, out);
    }

    bool is_blank(const char* p, const char* end) const {
        return !blank_lines_ && skip_spaces(p, end) == end;
    }

private:
    std::string group_;
    bool blank_lines_;
    Words words_;
};

}  // namespace thresher::parse
