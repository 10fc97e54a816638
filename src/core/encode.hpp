// Labels that are numbers → codes, in one pass and in order of appearance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace thresher {

/// Appends to `values` those not in it yet; codes[i] is the place of y[i] in `values`.
template <class T>
void encode(const T* y, std::size_t n, std::vector<T>& values, std::int32_t* codes) {
    std::unordered_map<T, std::int32_t> places;
    for (std::size_t i = 0; i < values.size(); ++i)
        places.emplace(values[i], static_cast<std::int32_t>(i));
    // The two values met last are tried first: most problems have two classes.
    T last[2] = {};
    std::int32_t last_code[2] = {-1, -1};
    for (std::size_t i = 0; i < n; ++i) {
        const bool first = y[i] == last[0] && last_code[0] >= 0;
        if (first || (y[i] == last[1] && last_code[1] >= 0)) {
            codes[i] = last_code[first ? 0 : 1];
            continue;
        }
        const auto [at, fresh] = places.emplace(y[i], static_cast<std::int32_t>(values.size()));
        if (fresh) values.push_back(y[i]);
        last[1] = last[0];
        last_code[1] = last_code[0];
        last[0] = y[i];
        last_code[0] = codes[i] = at->second;
    }
}

}  // namespace thresher
