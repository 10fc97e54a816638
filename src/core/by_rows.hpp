// A sparse matrix by columns becomes one by rows, in one pass that counts and one that moves. Written in the order of
// the columns, each value would go to another row, and wait for its memory; so a block of rows that stays in the cache
// is filled at a time, while a cursor in each column remembers how far it is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "huge_pages.hpp"
#include "loops.hpp"
#include "prefetch.hpp"

namespace thresher {

/// Column j has the rows index[start[j]] to index[start[j + 1] − 1], in any order; they may repeat. None is trusted.
template <class Index, class Values>
struct Columns {
    const std::int64_t* start;  // columns + 1 of them
    const Index* index;
    Values value;
    std::size_t rows, columns, nonzeros;
};

/// Within a row, in the order of the columns; what repeats is kept.
template <class V>
struct ByRows {
    std::unique_ptr<std::int64_t[]> start;
    std::unique_ptr<std::int32_t[]> index;
    std::unique_ptr<V[]> value;  // null if the values are Ones
    std::size_t nonzeros = 0;
};

/// False if the arrays do not fit together, or change meanwhile.
template <class Index, class Values, class V>
bool to_rows(const Columns<Index, Values>& from, ByRows<V>& to) {
    constexpr bool has_values = !std::is_same_v<Values, loops::Ones>;
    const std::size_t rows = from.rows, columns = from.columns;
    const std::vector<std::int64_t> start(from.start, from.start + columns + 1);
    if (start[0] != 0 || !std::is_sorted(start.begin(), start.end()) ||
        static_cast<std::size_t>(start[columns]) > from.nonzeros)
        return false;
    const auto total = static_cast<std::size_t>(start[columns]);

    to.nonzeros = total;
    to.start = std::make_unique<std::int64_t[]>(rows + 1);
    to.index = std::make_unique_for_overwrite<std::int32_t[]>(total);
    prefer_huge_pages(to.index.get(), total * sizeof(std::int32_t));
    if constexpr (has_values) {
        to.value = std::make_unique_for_overwrite<V[]>(total);
        prefer_huge_pages(to.value.get(), total * sizeof(V));
    }

    bool in_order = true;
    for (std::size_t j = 0; j < columns; ++j) {
        std::size_t before = 0;
        for (auto at = static_cast<std::size_t>(start[j]);
             at < static_cast<std::size_t>(start[j + 1]); ++at) {
            const auto row = static_cast<std::size_t>(from.index[at]);  // a negative one is huge
            if (row >= rows) return false;
            in_order &= row >= before;
            before = row;
            ++to.start[row + 1];
        }
    }
    for (std::size_t row = 0; row < rows; ++row) to.start[row + 1] += to.start[row];

    // A block costs a look at every column, and is worth it if it finds a few values in each. Where each column
    // goes on is read from memory meanwhile.
    constexpr std::size_t ahead = 8;
    constexpr std::size_t cells_of_block = std::size_t{1} << 20, values_of_column = 4;
    const std::size_t most = std::max<std::size_t>(1, total / (values_of_column * columns + 1));
    const std::size_t blocks =
        in_order ? std::clamp<std::size_t>(total / cells_of_block, 1, most) : 1;
    std::vector<std::int64_t> cursor(start.begin(), start.end() - 1),
        next(to.start.get(), to.start.get() + rows);
    for (std::size_t block = 1; block <= blocks; ++block) {
        const std::size_t end = block < blocks ? rows / blocks * block : rows;
        for (std::size_t j = 0; j < columns; ++j) {
            if (j + ahead < columns) {
                prefetch(from.index + cursor[j + ahead]);
                if constexpr (has_values) prefetch(from.value + cursor[j + ahead]);
            }
            std::int64_t at = cursor[j];
            for (; at < start[j + 1]; ++at) {
                const auto row = static_cast<std::size_t>(from.index[at]);
                if (row >= end) break;
                const auto place = static_cast<std::size_t>(next[row]++);
                if (place >= total) return false;
                to.index[place] = static_cast<std::int32_t>(j);
                if constexpr (has_values) to.value[place] = from.value[at];
            }
            cursor[j] = at;
        }
    }
    return std::equal(cursor.begin(), cursor.end(), start.begin() + 1);
}

}  // namespace thresher
