// Scaling by running statistics: every value becomes (x − centre)/spread, or 0 while there is no spread.
//   standard   centre μ, spread σ (of the population)       → mean 0, variance 1
//   minmax     centre min, spread max − min                 → [0, 1]
//   maxabs     centre 0, spread max |x|                     → [−1, 1]; zeros stay zeros
//   idf        centre 0, spread 1/(1 + ln((1 + n)/(1 + d))) → rare features count more; zeros stay zeros
//              (n examples, of which d have the feature)
// A feature that is absent is 0 and counts as 0. Only the statistics of the values that are not 0 and the
// number of examples are kept; the zeros are included on demand, so an example costs O(nonzeros).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "../elementary.hpp"
#include "cells.hpp"

namespace thresher::prepare {

struct Affine {
    double centre = 0.0, spread = 0.0;

    double operator()(double x) const { return spread > 0.0 ? (x - centre) / spread : 0.0; }
};

// The cells of a feature: how many of its values were not 0, and two numbers about these.

struct Standard {
    static constexpr bool moves_zeros = true;
    static constexpr bool has_range = true;

    static void add(double* p, double v) {  // Welford 1962
        p[0] += 1.0;
        const double d = v - p[1];
        p[1] += d / p[0];
        p[2] += d * (v - p[1]);
    }
    static Affine affine(const double* p, double n) {
        const double share = p[0] / n;
        const double variance = (p[2] + p[1] * p[1] * p[0] * (1.0 - share)) / n;
        return {p[1] * share, std::sqrt(variance)};
    }
    static bool is_possible(const double* p) { return p[2] >= 0.0; }
};

struct MinMax {
    static constexpr bool moves_zeros = true;
    static constexpr bool has_range = true;

    static void add(double* p, double v) {
        p[1] = p[0] == 0.0 ? v : std::min(p[1], v);
        p[2] = p[0] == 0.0 ? v : std::max(p[2], v);
        p[0] += 1.0;
    }
    static Affine affine(const double* p, double n) {
        const bool zeros = p[0] < n;
        const double low = zeros ? std::min(p[1], 0.0) : p[1];
        const double high = zeros ? std::max(p[2], 0.0) : p[2];
        return {low, high - low};
    }
    static bool is_possible(const double* p) { return p[1] <= p[2]; }
};

struct MaxAbs {
    static constexpr bool moves_zeros = false;
    static constexpr bool has_range = true;

    static void add(double* p, double v) {
        p[0] += 1.0;
        p[1] = std::max(p[1], std::abs(v));
    }
    static Affine affine(const double* p, double) { return {0.0, p[1]}; }
    static bool is_possible(const double* p) { return p[1] >= 0.0 && p[2] == 0.0; }
};

/// Inverse document frequency, smoothed as if one more example had every feature.
struct Idf {
    static constexpr bool moves_zeros = false;
    static constexpr bool has_range = false;

    static void add(double* p, double) { p[0] += 1.0; }
    static Affine affine(const double* p, double n) {
        return {0.0, 1.0 / (1.0 + fixed::log((1.0 + n) / (1.0 + p[0])))};
    }
    static bool is_possible(const double* p) { return p[1] == 0.0 && p[2] == 0.0; }
};

template <class Kind>
class Scaler {
public:
    static constexpr bool has_statistics = true;
    static constexpr std::size_t stride = 3;

    void grow(std::size_t inputs) {
        if (inputs * stride > cells_.size()) cells_.resize(inputs * stride, 0.0);
    }
    void shrink(std::size_t inputs) { cells_.resize(std::min(inputs * stride, cells_.size())); }
    std::size_t inputs() const { return cells_.size() / stride; }
    std::size_t outputs() const { return inputs(); }

    void learn(const Cells& x) {
        check_size(x);
        undo_.clear();
        undo_.reserve(x.size());
        for (std::size_t j = 0; j < x.size(); ++j) {
            double* p = of(static_cast<std::size_t>(x.index[j]));
            undo_.emplace_back(x.index[j], std::array{p[0], p[1], p[2]});
            Kind::add(p, x.value[j]);
        }
        ++examples_;
    }
    /// Takes back the last example.
    void undo() {
        for (const auto& [i, before] : undo_)
            std::copy(before.begin(), before.end(), of(static_cast<std::size_t>(i)));
        undo_.clear();
        --examples_;
    }

    /// With `unit`, values beyond the range seen so far are clamped to [0, 1].
    void map(const Cells& x, bool unit, Cells& out, Unseen&, const Names&) {
        const auto put = [&](std::size_t i, double v) {
            const double z = affine(i)(v);
            out.push(i, unit && Kind::has_range ? std::clamp(z, 0.0, 1.0) : z);
        };
        if constexpr (Kind::moves_zeros) {
            std::size_t j = 0;
            for (std::size_t i = 0; i < inputs(); ++i) {
                const bool here = j < x.size() && static_cast<std::size_t>(x.index[j]) == i;
                put(i, here ? x.value[j] : 0.0);
                j += here;
            }
        } else {
            for (std::size_t j = 0; j < x.size(); ++j)
                put(static_cast<std::size_t>(x.index[j]), x.value[j]);
        }
    }

    Affine affine(std::size_t i) const {
        const double* p = cells_.data() + i * stride;
        if (p[0] == 0.0) return {};  // it never occurred
        return Kind::affine(p, static_cast<double>(examples_));
    }

    std::string name(std::size_t i, const Names& inputs) const { return inputs(i); }

    template <class Archive>
    void describe(Archive& a, std::size_t inputs) {
        if (!Archive::loading) cells_.resize(inputs * stride, 0.0);
        a.count("examples", examples_);
        a.cells("seen", cells_, inputs, stride);
        a.require(examples_ <= std::uint64_t{1} << 53, "the statistics and their examples");
        for (std::size_t i = 0; i < inputs; ++i) {
            const double* p = cells_.data() + i * stride;
            const bool whole = p[0] >= 0.0 && p[0] == std::floor(p[0]);
            const bool none = p[0] > 0.0 || (p[1] == 0.0 && p[2] == 0.0);
            // No more than the largest values lead to: their squares are yet to be summed.
            const bool small = std::abs(p[1]) <= 1e150 && std::abs(p[2]) <= largest_kept;
            a.require(whole && none && small && p[0] <= static_cast<double>(examples_) &&
                          Kind::is_possible(p),
                      "the statistics of a feature");
        }
    }

private:
    double* of(std::size_t i) { return cells_.data() + i * stride; }

    std::uint64_t examples_ = 0;
    std::vector<double> cells_;
    std::vector<std::pair<std::int32_t, std::array<double, stride>>> undo_;
};

/// Rows of length 1; a row of zeros stays zero. Relative to its largest value, so that no square
/// overflows or vanishes.
class Unit {
public:
    static constexpr bool has_statistics = false;

    void grow(std::size_t inputs) { inputs_ = std::max(inputs_, inputs); }
    void shrink(std::size_t inputs) { inputs_ = std::min(inputs_, inputs); }
    std::size_t outputs() const { return inputs_; }
    void learn(const Cells&) {}
    void undo() {}

    void map(const Cells& x, bool unit, Cells& out, Unseen&, const Names&) const {
        double most = 0.0, sum = 0.0;
        for (const double v : x.value) most = std::max(most, std::abs(v));
        for (const double v : x.value) sum += (v / most) * (v / most);
        const double root = std::sqrt(sum);
        for (std::size_t j = 0; j < x.size(); ++j) {
            const double z = x.value[j] / most / root;
            out.push(static_cast<std::size_t>(x.index[j]), unit ? std::min(z, 1.0) : z);
        }
    }

    std::string name(std::size_t i, const Names& inputs) const { return inputs(i); }

    template <class Archive>
    void describe(Archive&, std::size_t inputs) {
        inputs_ = inputs;
    }

private:
    std::size_t inputs_ = 0;
};

}  // namespace thresher::prepare
