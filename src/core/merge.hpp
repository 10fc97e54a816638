// One way of merging cells of a row that have the same number: parsers, hashed names and examples given by
// name all use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thresher {

/// Of the cells from `begin` to before `end`, those with the same number become one, at the position of
/// the first; `together(a, b)` is the value of two. Returns the end of what is left. `place` has an entry
/// for each number and needs no clearing: what an earlier row left there is recognised as such.
template <class Index, class Value, class Together>
std::size_t merge_repeats(Index& index, Value& value, std::size_t begin, std::size_t end,
                          std::vector<std::uint32_t>& place, Together together) {
    std::size_t kept = begin;
    for (std::size_t j = begin; j < end; ++j) {
        std::uint32_t& at = place[static_cast<std::size_t>(index[j])];
        if (at > begin && at <= kept && index[at - 1] == index[j]) {
            value[at - 1] = together(value[at - 1], value[j]);
        } else {
            index[kept] = index[j];
            value[kept] = value[j];
            at = static_cast<std::uint32_t>(++kept);
        }
    }
    return kept;
}

}  // namespace thresher
