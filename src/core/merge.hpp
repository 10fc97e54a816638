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
    /// One row. It is a value of its own, so that a loop keeps it in registers.
    class Row {
    public:
        /// The place where this number came first in the row: this one, if it is new.
        std::size_t first(std::int32_t number, std::size_t place) const {
            const auto bits = static_cast<std::uint32_t>(number);
            const std::uint64_t mixed = bits * 0x9e3779b97f4a7c15ull, slot = row_ | bits;
            for (std::size_t i = mixed >> shift_;; i = (i + 1) & mask_) {
                if (slots_[i] < row_) {  // of an earlier row
                    slots_[i] = slot;
                    places_[i] = place;
                    return place;
                }
                if (slots_[i] == slot) return places_[i];
            }
        }

    private:
        friend class RowTable;
        Row(std::uint64_t* slots, std::size_t* places, std::uint64_t row, int bits)
            : slots_(slots),
              places_(places),
              mask_((std::size_t{1} << bits) - 1),
              row_(row),
              shift_(64 - bits) {}

        std::uint64_t* slots_;
        std::size_t* places_;
        std::size_t mask_;
        std::uint64_t row_;
        int shift_;
    };

    /// Another row, of up to so many numbers; those before it are forgotten.
    Row begin(std::size_t cells) {
        const int bits = std::bit_width(cells) + 2;
        const std::size_t slots = std::size_t{1} << bits;
        if (slots_.size() < slots) {
            places_.resize(slots);  // if there is no memory for one of them, nothing is larger
            slots_.assign(slots, 0);
            row_ = 0;
        }
        if (++row_ >> 32 != 0) {  // once in four billion rows
            std::fill(slots_.begin(), slots_.end(), 0);
            row_ = 1;
        }
        return {slots_.data(), places_.data(), row_ << 32, bits};
    }

private:
    std::vector<std::uint64_t> slots_;  // the number of the row, then that of the cell
    std::vector<std::size_t> places_;
    std::uint64_t row_ = 0;
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
