// Running text → words. A word is a run of ASCII letters, digits, underscores and characters beyond ASCII
// that are neither punctuation nor blanks: letters of all scripts, but also signs such as € and emoji. An
// apostrophe, ' or ’, with such a character on either side belongs to the word: don't, o'clock. Letters
// become lower case (letters.hpp). All else separates.
//     "Don’t PANIC: it's 42 o'clock" → don't panic it's 42 o'clock
// For models made before this rule, ASCII letters alone become lower case, and all bytes beyond ASCII are
// part of words.
#pragma once

#include <array>
#include <string>

#include "builder.hpp"
#include "letters.hpp"

namespace thresher::parse {

class Words {
public:
    /// Adds the words of a text as features `group` + word.
    void add(std::string_view group, std::string_view text, Builder& out) {
        ascii_only_ = out.ascii_only();
        // A character in lower case may take one byte more than it has: ⱥ of Ⱥ, 3 of 2.
        word_.resize(std::max(word_.size(), 2 * text.size()));
        const char *p = text.data(), *const end = p + text.size();
        while (p < end) {
            char* to = word_.data();
            while (p < end) {
                const Piece piece = piece_at(p, end, to);
                if (piece.written == 0 && !(to > word_.data() && joins(p, piece.read, end))) {
                    p += piece.read;
                    break;
                }
                if (piece.written == 0) *to++ = '\'';
                to += piece.written;
                p += piece.read;
            }
            if (to > word_.data())
                out.word(group, {word_.data(), static_cast<std::size_t>(to - word_.data())});
        }
        out.end_words(group);
    }

private:
    struct Piece {
        std::size_t read, written;  // nothing is written of what separates words
    };

    /// The character at p, in lower case, to `to`.
    Piece piece_at(const char* p, const char* end, char* to) const {
        const auto byte = static_cast<unsigned char>(*p);
        if (byte < 0x80 || ascii_only_) {
            *to = small(*p);
            return {1, *to != 0};
        }
        const std::size_t size = character_size(p, end);
        if (size == 0) {  // of a dict: no character, but part of a name
            *to = *p;
            return {1, 1};
        }
        const std::uint32_t c = decoded(p, size);
        if (letters::separates(c)) return {size, 0};
        const std::uint32_t folded = letters::lower(c);
        if (folded != c) return {size, encode(folded, to)};
        std::memcpy(to, p, size);
        return {size, size};
    }

    /// Whether what separates at p, of this many bytes, is an apostrophe before a letter.
    bool joins(const char* p, std::size_t size, const char* end) const {
        const bool apostrophe = *p == '\'' || (size == 3 && std::memcmp(p, "\xe2\x80\x99", 3) == 0);
        if (!apostrophe || end - p <= static_cast<std::ptrdiff_t>(size)) return false;
        char ignored[4];
        return piece_at(p + size, end, ignored).written > 0;
    }

    static std::uint32_t decoded(const char* p, std::size_t size) {
        std::uint32_t c = static_cast<unsigned char>(*p) & (0xffu >> (size + 1));
        for (std::size_t i = 1; i < size; ++i)
            c = c << 6 | (static_cast<unsigned char>(p[i]) & 0x3f);
        return c;
    }
    static std::size_t encode(std::uint32_t c, char* to) {
        const std::size_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
        if (size == 1) return *to = static_cast<char>(c), 1;
        for (std::size_t i = size - 1; i > 0; --i, c >>= 6)
            to[i] = static_cast<char>(0x80 | (c & 0x3f));
        to[0] = static_cast<char>((0xf00u >> size & 0xff) | c);
        return size;
    }

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

    bool ascii_only_ = false;
    std::string word_;
};

}  // namespace thresher::parse
