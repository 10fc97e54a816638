// What goes from one step of the preparation to the next: the nonzero features of a row, by number.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../fault.hpp"
#include "../rows.hpp"

namespace thresher::prepare {

struct Cells {
    std::vector<std::int32_t> index;  // increasing
    std::vector<double> value;        // none is 0

    std::size_t size() const { return index.size(); }
    void clear() {
        index.clear();
        value.clear();
    }
    void push(std::size_t i, double v) {
        if (v == 0.0) return;
        index.push_back(static_cast<std::int32_t>(i));
        value.push_back(v);
    }
    Rows rows() const { return OneRow<const double*>{{index.data(), value.data(), index.size()}}; }
};

/// What a row has that no step knows a number of: products that were never met.
struct Unseen {
    double sum = 0.0;
    std::size_t count = 0;
};

/// The name of a feature, by its number.
using Names = std::function<std::string(std::size_t)>;

/// Squares and differences of larger values, summed over a long stream, would overflow.
inline void check_size(const Cells& x) {
    constexpr double most = 1e140;
    for (std::size_t j = 0; j < x.size(); ++j)
        if (!(std::abs(x.value[j]) <= most))
            throw Fault(Fault::Kind::overflow, x.index[j], x.value[j]);
}

}  // namespace thresher::prepare
