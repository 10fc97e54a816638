// One way of merging cells of a row that have the same number: parsers, hashed names and examples given by
// name all use it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace thresher {

/// Where each number of a row came first: a table as small as the row, which need not be cleared.
class RowTable {
public:
    /// Start with another row, of up to so many numbers.
    void begin(std::size_t cells) {
        const int bits = std::bit_width(cells) + 1;
        const std::size_t slots = std::size_t{1} << bits;
        if (slots_.size() < slots) {
            slots_.assign(slots, {});
            row_ = 0;
        }
        if (++row_ == 0) {  // once in four billion rows
            std::fill(slots_.begin(), slots_.end(), Slot{});
            row_ = 1;
        }
        mask_ = slots - 1;
        shift_ = 64 - bits;
    }

    /// The place where this number came first in the row: this one, if it is new.
    std::size_t first(std::int32_t number, std::size_t place) {
        const std::uint64_t mixed = static_cast<std::uint32_t>(number) * 0x9e3779b97f4a7c15ull;
        for (std::size_t i = mixed >> shift_;; i = (i + 1) & mask_) {
            Slot& slot = slots_[i];
            if (slot.row != row_) {
                slot = {row_, number, place};
                return place;
            }
            if (slot.number == number) return slot.place;
        }
    }

private:
    struct Slot {
        std::uint32_t row = 0;
        std::int32_t number = 0;
        std::size_t place = 0;
    };
    std::vector<Slot> slots_;
    std::uint32_t row_ = 0;
    std::size_t mask_ = 0;
    int shift_ = 0;
};

/// Of the cells from `begin` to before `end`, those with the same number become one, at the position of
/// the first. `move(to, from)` moves the value of a cell, `join(at, j)` adds that of cell j to the one
/// at `at`. Returns the end of what is left.
template <class Index, class Move, class Join>
std::size_t merge_repeats(Index& index, std::size_t begin, std::size_t end, RowTable& table,
                          Move move, Join join) {
    table.begin(end - begin);
    std::size_t kept = begin;
    for (std::size_t j = begin; j < end; ++j) {
        const std::size_t at = table.first(index[j], kept);
        if (at < kept) {
            join(at, j);
        } else {
            index[kept] = index[j];
            move(kept++, j);
        }
    }
    return kept;
}

}  // namespace thresher
