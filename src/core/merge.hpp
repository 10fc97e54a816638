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
    struct Slot {
        std::uint32_t row = 0;
        std::int32_t number = 0;
        std::size_t place = 0;
    };

public:
    /// One row. It is a value of its own, so that a loop keeps it in registers.
    class Row {
    public:
        /// The place where this number came first in the row: this one, if it is new.
        std::size_t first(std::int32_t number, std::size_t place) const {
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
        friend class RowTable;
        Row(Slot* slots, std::uint32_t row, int bits)
            : slots_(slots), mask_((std::size_t{1} << bits) - 1), row_(row), shift_(64 - bits) {}

        Slot* slots_;
        std::size_t mask_;
        std::uint32_t row_;
        int shift_;
    };

    /// Another row, of up to so many numbers; those before it are forgotten.
    Row begin(std::size_t cells) {
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
        return {slots_.data(), row_, bits};
    }

private:
    std::vector<Slot> slots_;
    std::uint32_t row_ = 0;
};

/// Of the cells from `begin` to before `end`, those with the same number become one, at the position of
/// the first. `move(to, from)` moves the value of a cell, `join(at, j)` adds that of cell j to the one
/// at `at`. Returns the end of what is left.
template <class Index, class Move, class Join>
std::size_t merge_repeats(Index& index, std::size_t begin, std::size_t end, RowTable& table,
                          Move move, Join join) {
    const RowTable::Row row = table.begin(end - begin);
    const std::int32_t* cells = index.data();
    std::size_t kept = begin;
    while (kept < end && row.first(cells[kept], kept) == kept) ++kept;
    for (std::size_t j = kept; j < end; ++j) {
        const std::size_t at = row.first(index[j], kept);
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
