// Running text → words. A word is a run of ASCII letters, digits, underscores and bytes beyond ASCII
// (so letters of all scripts, but also signs such as – and “). An apostrophe with such a character on
// either side belongs to the word: don't, o'clock. ASCII letters become lower case. All else separates.
//     "Don't PANIC: it's 42 o'clock" → don't panic it's 42 o'clock
#pragma once

#include <array>
#include <string>

#include "builder.hpp"

namespace thresher::parse {

class Words {
public:
    /// Adds the words of a text as features `group` + word.
    void add(std::string_view group, std::string_view text, Builder& out) {
        word_.resize(std::max(word_.size(), text.size()));
        for (const char *p = text.data(), *const end = p + text.size(); p < end; ++p) {
            std::size_t size = 0;
            for (; p < end; ++p) {
                char c = small(*p);
                if (!c && *p == '\'' && size > 0 && p + 1 < end && small(p[1])) c = '\'';
                if (!c) break;
                word_[size++] = c;
            }
            if (size > 0) out.word(group, {word_.data(), size});
        }
        out.end_words(group);
    }

private:
    /// A character of a word in lower case; 0 for all others.
    static char small(char c) {
        static constexpr auto table = [] {
            std::array<char, 256> t{};
            for (int b = 0x80; b < 256; ++b) t[static_cast<unsigned>(b)] = static_cast<char>(b);
            for (char d = '0'; d <= '9'; ++d) t[static_cast<unsigned char>(d)] = d;
            for (char l = 'a'; l <= 'z'; ++l) {
                t[static_cast<unsigned char>(l)] = l;
                t[static_cast<unsigned char>(l - 'a' + 'A')] = l;
            }
            t['_'] = '_';
            return t;
        }();
        return table[static_cast<unsigned char>(c)];
    }

    std::string word_;
};

}  // namespace thresher::parse
