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
#include <vector>

namespace thresher::parse {

// Names are short: a call of memcpy or memcmp would cost more than the work itself.

/// Whether the bytes at p equal s, which has eight or more.
inline bool same_bytes(const char* p, std::string_view s) {
    const std::size_t n = s.size();
    if (n > 16) return std::memcmp(p, s.data(), n) == 0;
    return std::memcmp(p, s.data(), 8) == 0 && std::memcmp(p + n - 8, s.data() + n - 8, 8) == 0;
}

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
    void shrink(std::size_t n) { size_ = n; }
    void clear() { size_ = 0; }
    std::size_t bytes() const { return room_ * sizeof(T); }

private:
    std::unique_ptr<T[]> data_;
    std::size_t size_ = 0, room_ = 0;
};

/// Names in order of appearance. A name that is a number in decimal digits is kept as that number.
class Names {
public:
    struct Name {
        std::uint64_t key;    // the number, or the hash of the text
        std::uint32_t begin;  // in the text
        std::uint32_t size;   // or `number`
    };
    static constexpr std::uint32_t number = 0xffffffffu;

    std::size_t size() const { return names_.size(); }
    const Name& operator[](std::size_t i) const { return names_[i]; }
    bool is_number(std::size_t i) const { return names_[i].size == number; }
    std::string_view text(std::size_t i) const {
        return {text_.data() + names_[i].begin, names_[i].size};
    }
    /// The name as text.
    std::string spelled(std::size_t i) const {
        return is_number(i) ? std::to_string(names_[i].key) : std::string(text(i));
    }

    std::size_t text_size() const { return text_.size(); }
    void add_number(std::uint64_t n) { names_.push_back({n, 0, number}); }
    void add_text(std::string_view s, std::uint64_t hash) {
        const auto begin = static_cast<std::uint32_t>(text_.size());
        text_.append(s);  // if there is no memory for the name, its text is never read
        names_.push_back({hash, begin, static_cast<std::uint32_t>(s.size())});
    }
    void shrink(std::size_t n) {
        while (names_.size() > n) {
            if (names_.back().size != number) text_.resize(names_.back().begin);
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
    NumberVector<std::int32_t> index;
    NumberVector<double> value;
    bool numbered = true;             // all names are numbers, and `index` holds the numbers
    std::vector<Zero> zeros;          // while the batch is numbered
    bool plain = true;                // all values are 1
    bool unit = false;                // all values are to stay in [0, 1]
    std::vector<std::int32_t> label;  // −1: the line has none
    std::vector<double> weight;       // empty while all are 1
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
    std::vector<BadLine> bad;
    std::optional<std::size_t> repeated;  // the first row in which a name came again

    std::size_t file = 0;      // which input it comes from
    std::uint64_t offset = 0;  // of its first byte there
    std::uint64_t bytes = 0, lines = 0;

    std::size_t rows() const { return start.size() - 1; }

    /// The name of a cell as text.
    std::string spelled(std::size_t cell) const {
        return numbered ? std::to_string(index[cell])
                        : names.spelled(static_cast<std::size_t>(index[cell]));
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
        bad.clear();
        file = 0;
        offset = bytes = lines = 0;
    }
};

}  // namespace thresher::parse
