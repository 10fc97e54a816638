// The result of parsing some lines: examples whose features and labels are numbered within the batch, in
// order of appearance. Names get their final numbers when it is learned from (core/resolve.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "known_names.hpp"

namespace thresher::parse {

/// A vector of numbers that may grow without being initialised, and be appended to without a check
/// once there is room.
template <class T>
class NumberVector {
public:
    std::size_t size() const { return size_; }
    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }

    /// Room for n more.
    void reserve_more(std::size_t n) {
        if (size_ + n <= room_) return;
        const std::size_t room = std::max(size_ + n, 2 * room_);
        std::unique_ptr<T[]> wider(new T[room]);
        if (size_ > 0) std::memcpy(wider.get(), data_.get(), size_ * sizeof(T));
        data_ = std::move(wider);
        room_ = room;
    }
    void push_unchecked(T v) { data_[size_++] = v; }
    void push_back(T v) {
        reserve_more(1);
        push_unchecked(v);
    }
    void append(const T* from, std::size_t n) {
        reserve_more(n);
        if (n > 0) std::memcpy(data_.get() + size_, from, n * sizeof(T));
        size_ += n;
    }
    void append_copies(T v, std::size_t n) {
        reserve_more(n);
        std::fill_n(data_.get() + size_, n, v);
        size_ += n;
    }
    void shrink(std::size_t n) { size_ = n; }
    void clear() { size_ = 0; }
    std::size_t bytes() const { return room_ * sizeof(T); }
    std::size_t room() const { return room_ - size_; }

private:
    std::unique_ptr<T[]> data_;
    std::size_t size_ = 0, room_ = 0;
};

/// Names in order of appearance. A name that is a number in decimal digits is kept as that number.
class Names {
public:
    struct Name {
        NameKey key;  // of a long name: where it begins in the text
        std::uint64_t hash;
    };

    std::size_t size() const { return names_.size(); }
    const Name& operator[](std::size_t i) const { return names_[i]; }
    bool is_number(std::size_t i) const { return names_[i].key.is_number(); }
    std::uint64_t number(std::size_t i) const { return names_[i].key.where(); }
    /// The bytes of a name that is no number, valid until the next one is added.
    std::string_view text(std::size_t i) const {
        const NameKey& key = names_[i].key;
        return key.is_long() ? std::string_view(text_).substr(key.where(), key.long_size())
                             : key.text();
    }
    /// The name as text.
    std::string spelled(std::size_t i) const {
        return is_number(i) ? std::to_string(number(i)) : std::string(text(i));
    }

    std::size_t text_size() const { return text_.size(); }
    void add_number(std::uint64_t n) { names_.push_back({NameKey::number(n), 0}); }
    void add_short(const NameKey& key, std::uint64_t hash) { names_.push_back({key, hash}); }
    void add_long(std::string_view s, std::uint64_t hash) {
        const std::size_t begin = text_.size();
        text_.append(s);  // if there is no memory for the name, its text is never read
        names_.push_back({NameKey::elsewhere(begin, static_cast<std::uint32_t>(s.size())), hash});
    }
    void add_text(std::string_view s) {
        const std::uint64_t hash = Vocabulary::hash(s);
        if (s.size() <= NameKey::longest)
            add_short(NameKey::of(s), hash);
        else
            add_long(s, hash);
    }
    void shrink(std::size_t n) {
        while (names_.size() > n) {
            const NameKey& key = names_.back().key;
            if (key.is_long()) text_.resize(key.where());
            names_.pop_back();
        }
    }
    void clear() {
        names_.clear();
        text_.clear();
    }
    std::size_t bytes() const { return text_.capacity() + names_.capacity() * sizeof(Name); }

private:
    std::vector<Name> names_;
    std::string text_;
};

/// A line that could not be used.
struct BadLine {
    std::uint64_t line;    // counted from the batch's first line, from 0
    std::uint64_t column;  // in bytes, from 0
    std::uint64_t begin;   // of the line, in bytes from the batch's first
    std::size_t before;    // how many rows of the batch came before it
    std::string excerpt;   // the line, or its part around the column
    std::size_t excerpt_column;
    std::string whole;    // the whole line, kept only if bad lines are written to a file
    std::string problem;  // what was found and what was expected
};

/// A number that was given with a value of 0: its row and the cell it comes before, as it has none.
struct Zero {
    std::size_t row, cell;
    std::uint64_t number;
};

struct Batch {
    std::vector<std::int64_t> start{0};  // where each row begins in `index` and `value`
    /// A name by its number in the batch; where names were known to the parser, by its id, and the
    /// number in the batch of one that was not as its complement.
    NumberVector<std::int32_t> index;
    NumberVector<double> value;  // empty while all are 1
    bool numbered = true;        // all names are numbers, and `index` holds the numbers
    std::shared_ptr<const Vocabulary::Snapshot> known;  // to the parser, while it is not `numbered`
    std::shared_ptr<KnownNames> knows;                  // for those who parse later batches
    std::vector<Zero> zeros;                            // while the batch is numbered
    bool plain = true;                                  // all values are 1, and `value` is empty
    bool unit = false;                                  // all values are to stay in [0, 1]
    std::vector<std::int32_t> label;                    // −1: the line has none
    std::vector<double> weight;                         // empty while all are 1
    std::vector<std::uint64_t>
        end;  // where the next record begins, in bytes from the batch's first
    std::vector<std::uint32_t> line;       // of each row, counted from the batch's first line
    std::vector<std::uint32_t> next_line;  // after each row, if one may have several lines
    std::vector<double> target;  // numbers to predict, where those are wanted instead of labels
    std::vector<std::int64_t> query;  // svmlight's qid, if any row has one
    std::vector<std::string> tag;     // Vowpal Wabbit's, if any row has one
    std::vector<std::string> kept;    // texts that are to be kept, all of a row together
    std::uint64_t missing = 0;        // values that were said to be missing
    Names names, labels;
    std::vector<std::uint32_t> names_after;  // how many names there were at the end of each row
    std::vector<std::uint32_t>
        known_after;  // 1 + the largest known id up to there, if any is known
    std::vector<BadLine> bad;
    std::optional<std::size_t> repeated;  // the first row in which a name came again

    std::size_t file = 0;      // which input it comes from
    std::uint64_t offset = 0;  // of its first byte there
    std::uint64_t bytes = 0, lines = 0;

    std::size_t rows() const { return start.size() - 1; }

    /// Of a cell: the number of its name in the batch, for names that were not known.
    std::size_t local(std::int32_t cell) const {
        return static_cast<std::size_t>(known ? ~cell : cell);
    }
    bool is_known(std::int32_t cell) const { return known && cell >= 0; }

    /// The name of a cell as text.
    std::string spelled(std::size_t cell) const {
        const std::int32_t i = index[cell];
        if (numbered) return std::to_string(i);
        if (is_known(i)) return std::string(known->name(static_cast<std::size_t>(i)));
        return names.spelled(local(i));
    }

    double value_of(std::size_t cell) const { return plain ? 1.0 : value[cell]; }
    /// From here on `value` has all values, even if they are 1.
    void fill_values() {
        if (!plain) return;
        value.clear();
        value.append_copies(1.0, index.size());
        plain = false;
    }

    /// All names by their numbers in the batch, in order of appearance.
    void spell_out() {
        if (numbered) return name_numbers();
        if (!known) return;
        const std::shared_ptr<const Vocabulary::Snapshot> before = std::move(known);
        known = nullptr;
        const Names unknown = std::exchange(names, {});
        std::vector<std::int32_t> place(unknown.size());
        std::unordered_map<std::int32_t, std::int32_t> place_of_known;
        const auto next = [&] { return static_cast<std::int32_t>(names.size()); };
        std::size_t named = 0;  // in their order: those of value 0 have no cell
        const auto add_unknown_before = [&](std::size_t end_of_names) {
            for (; named < end_of_names; ++named) {
                place[named] = next();
                if (unknown.is_number(named))
                    names.add_number(unknown.number(named));
                else
                    names.add_text(unknown.text(named));
            }
        };
        for (std::size_t row = 0; row < rows(); ++row) {
            for (auto j = static_cast<std::size_t>(start[row]);
                 j < static_cast<std::size_t>(start[row + 1]); ++j) {
                if (index[j] < 0) {
                    const auto i = static_cast<std::size_t>(~index[j]);
                    add_unknown_before(i + 1);
                    index[j] = place[i];
                    continue;
                }
                const auto [at, fresh] = place_of_known.emplace(index[j], next());
                if (fresh) names.add_text(before->name(static_cast<std::size_t>(index[j])));
                index[j] = at->second;
            }
            add_unknown_before(names_after[row]);
            names_after[row] = static_cast<std::uint32_t>(names.size());
        }
        known_after.clear();
    }

    /// Replaces numbers by names; `place` gives each number its place among the names.
    template <class Place>
    void name_numbers(Place place) {
        if (!numbered) return;
        numbered = false;
        names_after.clear();
        auto zero = zeros.begin();
        for (std::size_t row = 0; row <= rows(); ++row) {  // the last one may be incomplete
            const bool whole = row < rows();
            const auto stop = whole ? static_cast<std::size_t>(start[row + 1]) : index.size();
            for (auto j = static_cast<std::size_t>(start[row]);; ++j) {
                for (; zero != zeros.end() && zero->row == row && zero->cell <= j; ++zero)
                    place(zero->number);
                if (j >= stop) break;
                index[j] = place(static_cast<std::uint64_t>(index[j]));
            }
            if (whole) names_after.push_back(static_cast<std::uint32_t>(names.size()));
        }
        zeros.clear();
    }
    void name_numbers() {
        known.reset();
        known_after.clear();
        std::unordered_map<std::uint64_t, std::int32_t> places;
        name_numbers([&](std::uint64_t n) {
            const auto [at, fresh] = places.emplace(n, static_cast<std::int32_t>(names.size()));
            if (fresh) names.add_number(n);
            return at->second;
        });
    }

    /// Empty, but with its memory.
    void clear() {
        numbered = true;
        known.reset();
        knows.reset();
        zeros.clear();
        start.assign(1, 0);
        index.clear();
        value.clear();
        plain = true;
        unit = false;
        repeated.reset();
        label.clear();
        weight.clear();
        end.clear();
        line.clear();
        next_line.clear();
        target.clear();
        query.clear();
        tag.clear();
        kept.clear();
        missing = 0;
        names.clear();
        labels.clear();
        names_after.clear();
        known_after.clear();
        bad.clear();
        file = 0;
        offset = bytes = lines = 0;
    }
};

}  // namespace thresher::parse
