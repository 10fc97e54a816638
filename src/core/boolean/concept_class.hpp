// Structured classes of boolean concepts. A class assigns each concept a place in a row of bits, and
// fills that row with the concepts' values on an example, 64 at a time:
//
//   subsets    S ⊆ {x1 … xn}, place Σ 2^i over its variables: at least m of S are 1
//   parities   the same places: an odd number of S are 1
//   signs      each variable absent, as it is or negated (digit 0, 1, 2 of the place in base 3):
//              all of these literals are true
//   choices    k of the variables, with every choice of signs if `negated`, in lexicographic order
//              of (variable, sign): at least m of these literals are true
//
// Subsets and choices may take several m: one row after another. The dual of a class is
// ¬f(¬x1 … ¬xn) for each of its f: it turns "any of" into "all of".
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "core/boolean/bits.hpp"

namespace thresher::boolean {

constexpr std::uint64_t most_places = std::uint64_t{1} << 32;  // half a gigabyte of bits

class ConceptClass {
public:
    enum class Kind { subsets, parities, signs, choices };

    struct Shape {
        Kind kind;
        std::uint64_t n;                    // variables
        std::uint64_t k = 0;                // choices: the number of variables
        std::uint64_t least = 1, most = 1;  // subsets and choices: each m from least to most
        bool negated = false;               // choices: literals may be negated
        bool all_sizes = false;             // subsets: also those of fewer than m variables
        bool dual = false;
    };

    explicit ConceptClass(const Shape& shape) : s_(shape) {
        if (s_.n == 0) throw std::invalid_argument("a class needs at least one variable");
        if (s_.kind == Kind::choices ? s_.k == 0 || s_.k > s_.n : s_.n > 32)
            throw std::length_error("too many variables for this class");
        if (s_.least > s_.most || s_.most > s_.n) throw std::invalid_argument("m is out of range");
        row_ = row_size();
        const bool many = s_.kind == Kind::subsets || s_.kind == Kind::choices;
        rows_ = many ? s_.most - s_.least + 1 : 1;
        if (row_ > most_places / rows_) throw std::length_error("too many concepts");
    }

    std::uint64_t variables() const { return s_.n; }
    std::uint64_t places() const { return row_ * rows_; }

    /// Places that stand for a concept; only subsets that are too small for their m do not.
    void fill_valid(std::vector<Word>& out) const {
        out.assign(words_for(places()), 0);
        if (s_.kind != Kind::subsets || s_.all_sizes) return put_ones(out.data(), 0, places());
        for (std::uint64_t r = 0; r < rows_; ++r)
            for (std::uint64_t set = 0; set < row_; ++set)
                if (static_cast<std::uint64_t>(std::popcount(set)) >= s_.least + r)
                    out[(r * row_ + set) / 64] |= Word{1} << ((r * row_ + set) % 64);
    }

    /// The value of each concept on x, n bytes of 0 or 1.
    void fill_column(const std::uint8_t* x, std::vector<Word>& out) const {
        out.assign(words_for(places()), 0);
        std::vector<std::uint8_t> at(x, x + s_.n);
        if (s_.dual)
            for (auto& v : at) v ^= 1;
        switch (s_.kind) {
            case Kind::subsets: fill_subsets(at, out.data()); break;
            case Kind::parities: fill_parities(at, out.data()); break;
            case Kind::signs: fill_signs(at, out.data()); break;
            case Kind::choices: fill_choices(at, out.data()); break;
        }
        if (s_.dual)
            for (Word& w : out) w = ~w;
    }

private:
    std::uint64_t row_size() {
        if (s_.kind == Kind::choices) return count_completions();
        std::uint64_t size = 1;
        for (std::uint64_t i = 0; i < s_.n; ++i) {
            size *= s_.kind == Kind::signs ? 3 : 2;
            if (size > most_places) throw std::length_error("too many concepts");
        }
        return size;
    }

    // -- subsets and parities: the low six variables select a bit of a word, the others a word

    static std::uint64_t mask(const std::vector<std::uint8_t>& x) {
        std::uint64_t m = 0;
        for (std::size_t i = 0; i < x.size(); ++i) m |= std::uint64_t{x[i]} << i;
        return m;
    }

    void fill_subsets(const std::vector<std::uint8_t>& x, Word* out) const {
        const std::uint64_t on = mask(x), high = on >> 6;
        // within[j]: the subsets of the low six that hold at least j of those that are on
        Word within[8] = {ones};
        for (std::uint64_t j = 1; j < 8; ++j)
            for (std::uint64_t set = 0; set < 64; ++set)
                if (static_cast<std::uint64_t>(std::popcount(set & on)) >= j)
                    within[j] |= Word{1} << set;
        for (std::uint64_t r = 0; r < rows_; ++r) {
            const std::uint64_t m = s_.least + r;
            if (row_ < 64) {  // rows shorter than a word follow each other within it
                const Word row = within[std::min<std::uint64_t>(m, 7)] & low(row_);
                put_slice(out, r * row_, &row, 0, row_);
            } else if (has_popcnt) {
                subset_words_fast(out + r * row_ / 64, row_ / 64, high, m, within);
            } else {
                subset_words(out + r * row_ / 64, row_ / 64, high, m, within);
            }
        }
    }

    THRESHER_INLINE static void subset_words(Word* out, std::uint64_t words, std::uint64_t high,
                                             std::uint64_t m, const Word* within) {
        for (std::uint64_t set = 0; set < words; ++set) {
            const auto found = static_cast<std::uint64_t>(std::popcount(set & high));
            out[set] = within[found >= m ? 0 : std::min<std::uint64_t>(m - found, 7)];
        }
    }

    THRESHER_COUNTS_BITS static void subset_words_fast(Word* out, std::uint64_t words,
                                                       std::uint64_t high, std::uint64_t m,
                                                       const Word* within) {
        subset_words(out, words, high, m, within);
    }

    void fill_parities(const std::vector<std::uint8_t>& x, Word* out) const {
        const std::uint64_t on = mask(x);
        for (std::uint64_t set = 0; set < 64; ++set)
            out[0] |= static_cast<Word>(std::popcount(set & on) & 1) << set;
        for (std::uint64_t size = 1, i = 6; i < s_.n; ++i, size *= 2) {
            const Word flip = x[i] ? ones : 0;  // one more variable: the row doubles
            for (std::uint64_t j = 0; j < size; ++j) out[size + j] = out[j] ^ flip;
        }
    }

    // -- signs: with one more variable the row triples: absent, x_i, ¬x_i

    void fill_signs(const std::vector<std::uint8_t>& x, Word* out) const {
        out[0] = 1;  // the empty conjunction
        std::uint64_t size = 1;
        for (std::uint64_t i = 0; i < s_.n; ++i, size *= 3)
            put_slice(out, x[i] ? size : 2 * size, out, 0, size);
    }

    // -- choices

    /// completions_[d·(n+1) + v]: ways to choose d literals from the variables v … n − 1.
    std::uint64_t count_completions() {
        const std::uint64_t n = s_.n, k = s_.k, width = n + 1;
        if (width > (std::uint64_t{1} << 24) / (k + 1))
            throw std::length_error("too many variables for this k");
        completions_.assign(static_cast<std::size_t>((k + 1) * width), 0);
        for (std::uint64_t v = 0; v <= n; ++v) completions_[v] = 1;
        for (std::uint64_t d = 1; d <= k; ++d)
            for (std::uint64_t v = n; v-- > 0;) {
                const std::uint64_t with = completions(d - 1, v + 1) * (s_.negated ? 2 : 1);
                const std::uint64_t sum = with + completions(d, v + 1);
                // A count beyond the limit stays just beyond it, and never wraps around.
                completions_[d * width + v] = std::min(sum, most_places + 1);
            }
        return completions(k, 0);
    }

    std::uint64_t completions(std::uint64_t d, std::uint64_t v) const {
        return completions_[d * (s_.n + 1) + v];
    }

    struct Choices {
        const std::vector<std::uint8_t>& x;
        std::vector<Word> literals;  // the value of each literal: x1, ¬x1, x2, … or x1, x2, …
        Word* out;
        std::uint64_t at;  // the next place
        std::uint64_t m;
    };

    void fill_choices(const std::vector<std::uint8_t>& x, Word* out) const {
        const std::uint64_t signs = s_.negated ? 2 : 1;
        Choices c{x, std::vector<Word>(words_for(signs * s_.n), 0), out, 0, 0};
        for (std::uint64_t i = 0; i < s_.n; ++i) {
            const std::uint64_t on = signs * i + (s_.negated && !x[i] ? 1 : 0);
            if (s_.negated || x[i]) c.literals[on / 64] |= Word{1} << (on % 64);
        }
        for (c.m = s_.least; c.m <= s_.most; ++c.m) complete(c, s_.k, 0, 0);
    }

    /// All ways to choose d more literals from variable v on, when `found` chosen ones are true.
    void complete(Choices& c, std::uint64_t d, std::uint64_t v, std::uint64_t found) const {
        const std::uint64_t all = completions(d, v);
        if (found >= c.m) put_ones(c.out, c.at, all);
        if (found >= c.m || found + d < c.m) {  // already decided
            c.at += all;
        } else if (d == 1) {  // the last literal decides: its values are a slice of the literals'
            const std::uint64_t signs = s_.negated ? 2 : 1;
            put_slice(c.out, c.at, c.literals.data(), signs * v, all);
            c.at += all;
        } else {
            for (std::uint64_t i = v; i + d <= s_.n; ++i) {
                complete(c, d - 1, i + 1, found + c.x[i]);
                if (s_.negated) complete(c, d - 1, i + 1, found + !c.x[i]);
            }
        }
    }

    Shape s_;
    std::uint64_t row_ = 0, rows_ = 1;  // places of one m; how many m there are
    std::vector<std::uint64_t> completions_;
};

}  // namespace thresher::boolean
