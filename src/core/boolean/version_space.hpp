// Which concepts of a class are still alive, one bit each; and how often each has been wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include "core/boolean/bits.hpp"
#include "core/boolean/concept_class.hpp"

namespace thresher::boolean {

/// The values of all concepts on one example: computed by a structured class, or given by the caller
/// for a list of concepts that the core does not know.
class ConceptValues {
public:
    explicit ConceptValues(ConceptClass of) : class_(std::move(of)), places_(class_->places()) {}
    explicit ConceptValues(std::uint64_t places) : places_(places) {
        if (places == 0) throw std::invalid_argument("a class needs at least one concept");
        if (places > most_places) throw std::length_error("too many concepts");
    }

    std::uint64_t places() const { return places_; }
    std::size_t words() const { return words_for(places_); }

    std::vector<Word> valid() const {
        std::vector<Word> out;
        if (class_) {
            class_->fill_valid(out);
        } else {
            out.assign(words(), 0);
            put_ones(out.data(), 0, places_);
        }
        return out;
    }

    /// Predicting and then learning computes one column, not two.
    const Word* of(const std::uint8_t* x, std::size_t n) {
        if (!class_) throw std::invalid_argument("these concepts are given by their columns");
        if (n != class_->variables()) throw std::invalid_argument("x has the wrong length");
        for (std::size_t i = 0; i < n; ++i)
            if (x[i] > 1) throw std::invalid_argument("x holds something other than 0 and 1");
        if (x_.size() != n || !std::equal(x_.begin(), x_.end(), x)) {
            x_.clear();
            class_->fill_column(x, column_);
            x_.assign(x, x + n);
        }
        return column_.data();
    }

    const Word* given(const Word* column, std::size_t size) const {
        if (class_) throw std::invalid_argument("this class makes its own columns");
        if (size != words()) throw std::invalid_argument("the column has the wrong length");
        return column;
    }

private:
    std::optional<ConceptClass> class_;
    std::uint64_t places_;
    std::vector<std::uint8_t> x_;
    std::vector<Word> column_;
};

class VersionSpace {
public:
    explicit VersionSpace(ConceptValues columns)
        : columns_(std::move(columns)), alive_(columns_.valid()) {
        recount();
    }

    ConceptValues& columns() { return columns_; }
    std::uint64_t size() const { return size_; }

    /// How many of those alive say 1.
    std::uint64_t vote(const Word* column) const {
        return count_common(alive_.data(), column, alive_.size());
    }

    /// Keep those that say `value`; if none does, change nothing. Returns how many would stay.
    std::uint64_t keep(const Word* column, bool value) {
        const std::uint64_t says_one = vote(column), stay = value ? says_one : size_ - says_one;
        if (stay == 0 || stay == size_) return stay;
        const Word flip = value ? 0 : ones;
        for (std::size_t i = 0; i < alive_.size(); ++i) alive_[i] &= column[i] ^ flip;
        size_ = stay;
        return stay;
    }

    /// The place of the concept that has `rank` others alive before it.
    std::uint64_t select(std::uint64_t rank) const {
        return boolean::select(alive_.data(), alive_.size(), rank);
    }

    const std::vector<Word>& alive() const { return alive_; }

    /// Bits from a file: of the right number, none where there is no concept, not all of them 0.
    void set_alive(const Word* words, std::size_t size) {
        const std::vector<Word> valid = columns_.valid();
        if (size != valid.size()) throw std::invalid_argument("the bits have the wrong length");
        bool any = false;
        for (std::size_t i = 0; i < size; ++i) {
            if (words[i] & ~valid[i])
                throw std::invalid_argument("a bit is set where there is no concept");
            any |= words[i] != 0;
        }
        if (!any) throw std::invalid_argument("no concept is left");
        alive_.assign(words, words + size);
        recount();
    }

private:
    void recount() { size_ = count_common(alive_.data(), alive_.data(), alive_.size()); }

    ConceptValues columns_;
    std::vector<Word> alive_;
    std::uint64_t size_ = 0;
};

/// How many mistakes each concept of a class has made. A weighted majority needs nothing else: the
/// weight of a concept is β to the power of that number.
class Tally {
public:
    explicit Tally(ConceptValues columns) : columns_(std::move(columns)), valid_(columns_.valid()) {
        if (columns_.places() > most_places / 16) throw std::length_error("too many concepts");
        mistakes_.assign(columns_.places(), 0);
        size_ = count_common(valid_.data(), valid_.data(), valid_.size());
    }

    ConceptValues& columns() { return columns_; }
    std::uint64_t size() const { return size_; }

    /// out[2·m + v]: concepts with m mistakes that say v.
    std::vector<std::uint64_t> votes(const Word* column) const {
        // Four tables in turn: an increment need not wait for the previous one to be stored.
        const std::size_t width = 2 * (std::size_t{highest()} + 1);
        std::vector<std::uint64_t> out(4 * width, 0);
        each(
            [&](std::uint64_t place, bool value) {
                ++out[(place & 3) * width + 2 * std::size_t{mistakes_[place]} + value];
            },
            column);
        for (std::size_t i = 0; i < width; ++i)
            out[i] += out[width + i] + out[2 * width + i] + out[3 * width + i];
        out.resize(width);
        return out;
    }

    /// Count a mistake for those that do not say `value`; returns whether there were any.
    bool learn(const Word* column, bool value) {
        if (highest() == std::numeric_limits<std::uint32_t>::max())
            throw std::overflow_error("too many mistakes to count");
        std::uint64_t wrong = 0;
        each(
            [&](std::uint64_t place, bool says) {
                mistakes_[place] += says != value;
                wrong += says != value;
            },
            column);
        known_ = false;
        return wrong != 0;
    }

    std::uint32_t lowest() const { return look(), lowest_; }
    std::uint32_t highest() const { return look(), highest_; }

    /// The first concept that has the fewest mistakes.
    std::uint64_t best() const { return look(), best_; }

    const std::vector<std::uint32_t>& mistakes() const { return mistakes_; }

    void set_mistakes(const std::uint32_t* counts, std::size_t size) {
        if (size != mistakes_.size())
            throw std::invalid_argument("the counts have the wrong length");
        mistakes_.assign(counts, counts + size);
        known_ = false;
    }

private:
    template <class Visit>
    void each(Visit&& visit, const Word* column) const {
        for (std::size_t w = 0; w < valid_.size(); ++w) {
            const std::uint64_t begin = std::uint64_t{w} * 64;
            if (valid_[w] == ones) {
                for (std::uint64_t i = 0; i < 64; ++i) visit(begin + i, column[w] >> i & 1);
            } else {
                for (Word left = valid_[w]; left != 0; left &= left - 1) {
                    const auto i = static_cast<std::uint64_t>(std::countr_zero(left));
                    visit(begin + i, column[w] >> i & 1);
                }
            }
        }
    }

    void look() const {
        if (known_) return;
        lowest_ = std::numeric_limits<std::uint32_t>::max();
        highest_ = 0;
        each(
            [&](std::uint64_t place, bool) {
                if (mistakes_[place] < lowest_) lowest_ = mistakes_[place], best_ = place;
                highest_ = std::max(highest_, mistakes_[place]);
            },
            valid_.data());
        known_ = true;
    }

    ConceptValues columns_;
    std::vector<Word> valid_;
    std::vector<std::uint32_t> mistakes_;
    std::uint64_t size_ = 0;
    mutable std::uint32_t lowest_ = 0, highest_ = 0;
    mutable std::uint64_t best_ = 0;
    mutable bool known_ = false;
};

}  // namespace thresher::boolean
