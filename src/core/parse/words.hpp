// Running text → words. A word is a run of ASCII letters, digits, underscores and bytes beyond ASCII
// (so letters of all scripts, but also signs such as – and “). An apostrophe with such a character on
// either side belongs to the word: don't, o'clock. ASCII letters become small. All else separates.
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
        small_.resize(text.size());
        for (std::size_t i = 0; i < text.size(); ++i) small_[i] = small(text[i]);
        for (std::size_t i = 0; i < small_.size();) {
            if (!small_[i]) {
                ++i;
                continue;
            }
            const std::size_t begin = i;
            while (i < small_.size() && (small_[i] || is_apostrophe_inside(text, i))) {
                if (!small_[i]) small_[i] = '\'';
                ++i;
            }
            out.word(group, {small_.data() + begin, i - begin});
        }
        out.end_words(group);
    }

private:
    /// A character of a word in its small form; 0 for all others.
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
    /// At i, behind a character of a word.
    bool is_apostrophe_inside(std::string_view text, std::size_t i) const {
        return text[i] == '\'' && text[i - 1] != '\'' && i + 1 < text.size() && small_[i + 1];
    }

    std::string small_;
};

}  // namespace thresher::parse
