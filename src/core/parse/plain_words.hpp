// Words as most texts have them: short, no numbers, a space after each. They are read in one go, so that many
// can be looked up at once.
#pragma once

#include "builder.hpp"
#include "marks.hpp"

namespace thresher::parse {

/// From p, with the marks from there on, up to the end of the record or where something else begins, which
/// is returned. The end, too, is marked.
template <class Walk>
const char* plain_words(const char* p, const char* end, Walk walk, Builder& out) {
    out.names_in_text([&](const char*& word, std::size_t& size) {
        if (p == end) return false;
        const char* stop = walk.next();
        const bool last = stop == end;
        word = p;
        size = static_cast<std::size_t>(stop - p);
        if (size - 1 >= NameKey::longest || (*stop != ' ' && !last) || (*p >= '0' && *p <= '9'))
            return false;
        p = last ? end : stop + 1;
        return true;
    });
    return p;
}

}  // namespace thresher::parse
