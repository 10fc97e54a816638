// Which number a feature's name has: its own, exactly (the vocabulary), or one shared with others (a
// hash into fixed memory). A name may have to occur several times before it counts.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "vocabulary.hpp"

namespace thresher {

class Lexicon {
public:
    static constexpr std::uint32_t none = Vocabulary::none;

    struct Options {
        unsigned hash_bits = 0;     // 0: exact
        unsigned min_count = 1;     // occurrences before a name gets its number
        std::size_t max_names = 0;  // no more names than these get one; 0: no limit
    };

    Lexicon() = default;
    explicit Lexicon(Options options) : options_(options) {
        if (options.hash_bits > 30 || options.min_count < 1 || options.min_count > 255)
            throw std::invalid_argument("hash_bits up to 30, min_count from 1 to 255");
        if (options.min_count > 1) counts_.assign(filter_size, 0);
    }

    const Options& options() const { return options_; }
    /// Whether the numbers depend on how many names came before, or how often.
    bool counts_names() const { return options_.min_count > 1 || options_.max_names > 0; }
    bool hashed() const { return options_.hash_bits > 0; }
    /// How many features there is room for.
    std::size_t size() const {
        return hashed() ? std::size_t{1} << options_.hash_bits : names_.size();
    }
    std::size_t bytes() const {
        return names_.bytes() + by_number_.size() * sizeof(by_number_[0]) + counts_.size();
    }

    Vocabulary& names() { return names_; }
    const Vocabulary& names() const { return names_; }
    std::vector<std::uint8_t>& counts() { return counts_; }

    std::uint32_t find(std::string_view name) const {
        return hashed() ? bucket(name) : names_.find(name);
    }
    /// Counts as one occurrence; `none` while there have been too few.
    std::uint32_t meet(std::string_view name) { return meet(name, Vocabulary::hash(name)); }
    std::uint32_t meet(std::string_view name, std::uint64_t h) {
        if (hashed()) return bucket(name);
        if (!counts_names()) return names_.find_or_add(name, h);
        const std::uint32_t id = names_.find(name, h);
        const bool full = options_.max_names > 0 && names_.size() >= options_.max_names;
        if (id != none || full || (options_.min_count > 1 && !counted(name))) return id;
        return names_.find_or_add(name, h);
    }

    /// The same for a name that is a number in decimal digits.
    std::uint32_t find(std::uint64_t n) {
        if (const std::uint32_t id = remembered(n); id != none) return id;
        char digits[24];
        const std::uint32_t id = find(spell(n, digits));
        remember(n, id);
        return id;
    }
    std::uint32_t meet(std::uint64_t n) {
        if (const std::uint32_t id = remembered(n); id != none) return id;
        char digits[24];
        const std::uint32_t id = meet(spell(n, digits));
        remember(n, id);
        return id;
    }

    /// Forget all but the first names.
    void shrink(std::size_t names) {
        if (hashed() || names >= names_.size()) return;
        names_.shrink(names);
        by_number_.clear();
    }

    /// What is added from here on may be taken back.
    void mark() {
        counted_.clear();
        rows_.clear();
    }
    void begin_row() { rows_.push_back(counted_.size()); }
    /// Takes back the names from this number on, and what was counted since the mark, except for the
    /// first `rows`. It cannot fail.
    void take_back(std::size_t names, std::size_t rows = 0) {
        shrink(names);
        const std::size_t stays = rows == 0             ? 0
                                  : rows < rows_.size() ? rows_[rows]
                                                        : counted_.size();
        for (; counted_.size() > stays; counted_.pop_back())
            counts_[counted_.back().first] = counted_.back().second;
    }

    void replace_names(Vocabulary names) {
        names_ = std::move(names);
        by_number_.clear();
    }

private:
    static constexpr std::size_t direct = std::size_t{1} << 22;
    static constexpr std::size_t filter_size = std::size_t{1} << 22;
    // Hashes that end up in files: the same in every process and version.
    static constexpr std::uint64_t bucket_seed = 0x7468726573686572ull;
    static constexpr std::uint64_t count_seed = 0x77696e6e6f772121ull;

    void remember(std::uint64_t n, std::uint32_t id) {
        if (id == none || n >= direct) return;
        if (n >= by_number_.size())
            by_number_.resize(std::max<std::size_t>(1024, 2 * static_cast<std::size_t>(n)), none);
        by_number_[n] = id;
    }
    std::uint32_t remembered(std::uint64_t n) const {
        return n < by_number_.size() ? by_number_[n] : none;
    }
    static std::string_view spell(std::uint64_t n, char (&digits)[24]) {
        return {digits, std::to_chars(digits, digits + sizeof digits, n).ptr};
    }
    std::uint32_t bucket(std::string_view name) const {
        return static_cast<std::uint32_t>(Vocabulary::hash(name, bucket_seed)) &
               ((std::uint32_t{1} << options_.hash_bits) - 1);
    }

    /// Counts one more of a name without a number; returns whether it is enough. Each name has two
    /// counters, of which the smaller counts; a name that shares both may get in early, never late.
    bool counted(std::string_view name) {
        const std::uint64_t h = Vocabulary::hash(name, count_seed);
        const auto at = static_cast<std::uint32_t>(h & (filter_size - 1));
        const auto other = static_cast<std::uint32_t>(h >> 32 & (filter_size - 1));
        std::uint8_t &a = counts_[at], &b = counts_[other];
        const auto least = static_cast<std::uint8_t>(std::min(a, b) + 1);
        counted_.emplace_back(at, a);
        counted_.emplace_back(other, b);
        a = std::max(a, least);
        b = std::max(b, least);
        return least >= options_.min_count;
    }

    Options options_;
    Vocabulary names_;
    std::vector<std::uint32_t> by_number_;
    std::vector<std::uint8_t> counts_;
    std::vector<std::pair<std::uint32_t, std::uint8_t>>
        counted_;                    // what counters were, since a mark
    std::vector<std::size_t> rows_;  // how much of it there was when each row began
};

}  // namespace thresher
