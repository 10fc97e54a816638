// Random Fourier features (Rahimi & Recht 2007): z_j = √(2/D)·cos(ω_j·x + b_j), ω_j ~ N(0, 2γ·I), b_j uniform
// in [0, 2π). Then z(x)·z(x') is exp(−γ·‖x − x'‖²), up to an error of the order 1/√D.
// The numbers of a feature are drawn from a hash of its name and the seed: a new name has them as soon as it
// appears, and they do not depend on what came before.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../elementary.hpp"
#include "cells.hpp"

namespace thresher::prepare {

/// SplitMix64 (Steele, Lea & Flood 2014), started at a hash: FNV-1a of the name, on top of the seed.
class Draws {
public:
    Draws(std::string_view name, std::uint64_t seed) : state_(mixed(seed) ^ 0xcbf29ce484222325ull) {
        for (const char c : name)
            state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    }

    double uniform() {  // in [0, 1)
        state_ += 0x9e3779b97f4a7c15ull;
        return static_cast<double>(mixed(state_) >> 11) * 0x1p-53;
    }

private:
    static std::uint64_t mixed(std::uint64_t z) {
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ z >> 27) * 0x94d049bb133111ebull;
        return z ^ z >> 31;
    }

    std::uint64_t state_;
};

class Fourier {
public:
    static constexpr bool has_statistics = false;

    Fourier(std::size_t components, double gamma, std::uint64_t seed)
        : components_(components), gamma_(gamma), seed_(seed), offset_(components) {
        Draws draws("", seed);
        for (double& b : offset_) b = 2.0 * std::numbers::pi * draws.uniform();
    }

    void grow(std::size_t inputs) { inputs_ = std::max(inputs_, inputs); }
    void shrink(std::size_t inputs) {
        inputs_ = std::min(inputs_, inputs);
        if (kept_.size() > inputs) kept_.resize(inputs);  // another name may get this number
    }
    std::size_t outputs() const { return components_; }
    void learn(const Cells&) {}
    void undo() {}

    void map(const Cells& x, bool, Cells& out, Unseen&, const Names& names) {
        phase_ = offset_;
        for (std::size_t j = 0; j < x.size(); ++j) {
            const double* omega = of(static_cast<std::size_t>(x.index[j]), names);
            for (std::size_t k = 0; k < components_; ++k) phase_[k] += omega[k] * x.value[j];
        }
        const double height = std::sqrt(2.0 / static_cast<double>(components_));
        for (std::size_t k = 0; k < components_; ++k) out.push(k, height * fixed::cos(phase_[k]));
    }

    std::string name(std::size_t i, const Names&) const {
        return std::string("fourier").append(std::to_string(i));
    }

    template <class Archive>
    void describe(Archive&, std::size_t inputs) {
        inputs_ = inputs;
        kept_.clear();  // the names may have changed
    }

private:
    static constexpr std::size_t most_kept = std::size_t{1} << 22;  // numbers: 32 MiB

    /// ω of a feature: kept for the first ones, drawn again for the others.
    const double* of(std::size_t i, const Names& names) {
        const std::size_t most = most_kept / components_;
        if (i >= most) {
            drawn_.resize(components_);
            draw(names(i), drawn_.data());
            return drawn_.data();
        }
        if (i >= kept_.size()) kept_.resize(std::min(std::max(inputs_, i + 1), most));
        if (kept_[i].empty()) {
            std::vector<double> omega(components_);
            draw(names(i), omega.data());
            kept_[i] = std::move(omega);
        }
        return kept_[i].data();
    }

    void draw(const std::string& name, double* out) const {
        Draws draws(name, seed_ + 1);  // not those of the offsets, whatever the name
        const double scale = std::sqrt(2.0 * gamma_);
        for (std::size_t k = 0; k < components_; k += 2) {  // two at a time: Box & Muller 1958
            const double r = scale * std::sqrt(-2.0 * fixed::log1p(-draws.uniform()));
            const double angle = 2.0 * std::numbers::pi * draws.uniform();
            out[k] = r * fixed::cos(angle);
            if (k + 1 < components_) out[k + 1] = r * fixed::sin(angle);
        }
    }

    std::size_t components_, inputs_ = 0;
    double gamma_;
    std::uint64_t seed_;
    std::vector<double> offset_, phase_, drawn_;
    std::vector<std::vector<double>> kept_;
};

}  // namespace thresher::prepare
