// What one step of the preparation passes to the next: the nonzero features of a row, by number.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
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

/// The nonzero values of a row in the order of their numbers, each of them finite.
template <class Batch>
void collect(const Batch& batch, std::size_t row, Scratch& scratch, Cells& out) {
    out.clear();
    batch.visit(row, scratch, [&](const auto& x) {
        x.each([&](std::size_t i, double v) {
            if (!std::isfinite(v))
                throw Fault(Fault::Kind::not_finite, static_cast<std::int64_t>(i), v);
            out.push(i, v);
        });
    });
    if (std::is_sorted(out.index.begin(), out.index.end())) return;
    scratch.pairs.clear();
    for (std::size_t j = 0; j < out.size(); ++j)
        scratch.pairs.emplace_back(out.index[j], out.value[j]);
    std::sort(scratch.pairs.begin(), scratch.pairs.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t j = 0; j < out.size(); ++j)
        std::tie(out.index[j], out.value[j]) = scratch.pairs[j];
}

inline const Cells& all_finite(const Cells& x) {
    for (const double v : x.value)
        if (!std::isfinite(v)) throw Fault(Fault::Kind::overflow, -1, v);
    return x;
}

/// The part of a row that has no number: products that were never seen.
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
