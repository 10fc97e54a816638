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
    // The two latest values are tried first, without a branch between them: most problems have two
    // classes, and which of them comes next is unpredictable.
    T last[2] = {};
    std::int32_t last_code[2] = {-1, -1};
    for (std::size_t i = 0; i < n; ++i) {
        const bool second = y[i] == last[1];
        const std::int32_t code = last_code[second];
        if (((y[i] == last[0]) | second) && code >= 0) {
            codes[i] = code;
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
