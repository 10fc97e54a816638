// The losses of several predictors on one stream, in blocks of consecutive examples, and what can be said about
// their differences. When there are too many blocks, neighbours are merged: memory stays the same, and blocks
// become longer than the stretches over which examples resemble each other. Two predictors are compared by
// their difference in each block (batch means), so that neither dependent examples nor those that are hard
// for both count as evidence.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../fault.hpp"

namespace thresher {

/// Which blocks: all, or only the last quarter of them.
enum class Stretch { whole, recent };

class History {
public:
    static constexpr std::size_t most_blocks = 256, first_size = 16;
    /// Beyond this many standard errors a difference is sure. The recent ones may be as few as 16.
    static constexpr double sure = 4.0;
    /// Beyond this many it is likely.
    static constexpr double likely = 2.0;

    History() = default;
    explicit History(std::size_t predictors) : losses_(predictors), sums_(predictors, 0.0) {
        make_room();
    }

    std::size_t predictors() const { return losses_.size(); }
    std::uint64_t examples() const { return examples_; }

    /// One example: its importance, and the loss of each predictor. It cannot fail.
    template <class Loss>
    void add(double weight, Loss loss) {
        for (std::size_t p = 0; p < sums_.size(); ++p)
            sums_[p] = std::min(sums_[p] + weight * loss(p), largest_kept);
        weight_ = std::min(weight_ + weight, largest_kept);
        ++examples_;
        if (++in_block_ < size_) return;
        for (std::size_t p = 0; p < sums_.size(); ++p) {
            losses_[p].push_back(sums_[p]);
            sums_[p] = 0.0;
        }
        weights_.push_back(weight_);
        weight_ = 0.0;
        in_block_ = 0;
        if (weights_.size() == most_blocks) merge();
    }

    /// The mean loss; NaN before there is any example.
    double error(std::size_t p, Stretch stretch = Stretch::whole) const {
        const std::size_t from = begin(stretch);
        double loss = sums_[p], weight = weight_;
        for (std::size_t b = from; b < weights_.size(); ++b) {
            loss += losses_[p][b];
            weight += weights_[b];
        }
        return loss / weight;
    }

    /// By how many standard errors the mean loss of p exceeds that of q; 0 where little is known.
    double excess(std::size_t p, std::size_t q, Stretch stretch) const {
        const std::size_t from = begin(stretch), n = weights_.size() - from;
        if (n < 16) return 0.0;
        double more = 0.0, weight = 0.0;
        for (std::size_t b = from; b < weights_.size(); ++b) {
            more += losses_[p][b] - losses_[q][b];
            weight += weights_[b];
        }
        if (!(weight > 0.0)) return 0.0;
        const double mean = more / weight;
        double squares = 0.0;
        for (std::size_t b = from; b < weights_.size(); ++b) {
            const double rest = losses_[p][b] - losses_[q][b] - mean * weights_[b];
            squares += rest * rest;
        }
        const double error =
            std::sqrt(squares * static_cast<double>(n) / static_cast<double>(n - 1)) / weight;
        if (error > 0.0) return mean / error;
        return mean > 0.0 ? 2.0 * sure : mean < 0.0 ? -2.0 * sure : 0.0;
    }
    /// Of the mean loss, from its spread between blocks; 0 where little is known.
    double standard_error(std::size_t p) const {
        return std::sqrt(mean_of(p, 0, weights_.size()).variance);
    }
    /// Whether p is worse than q by this many standard errors, over all blocks and over the recent ones.
    bool is_worse(std::size_t p, std::size_t q, double errors) const {
        return excess(p, q, Stretch::whole) > errors && excess(p, q, Stretch::recent) > errors;
    }

    /// By how many standard errors the mean loss of p over the recent blocks exceeds that over the others;
    /// 0 where little is known.
    double rise(std::size_t p) const {
        const std::size_t from = begin(Stretch::recent);
        if (from < 16) return 0.0;
        const auto [before, before_variance] = mean_of(p, 0, from);
        const auto [now, variance] = mean_of(p, from, weights_.size());
        const double error = std::sqrt(before_variance + variance);
        return error > 0.0 ? (now - before) / error : 0.0;
    }
    /// Whether the two lost the same in every block.
    bool are_alike(std::size_t p, std::size_t q) const {
        return losses_[p] == losses_[q] && sums_[p] == sums_[q];
    }

    /// The examples of the blocks that count as recent.
    std::uint64_t recent() const {
        return (weights_.size() - begin(Stretch::recent)) * size_ + in_block_;
    }
    /// The mean loss in each block, for a curve.
    std::vector<double> curve(std::size_t p) const {
        std::vector<double> out;
        for (std::size_t b = 0; b < weights_.size(); ++b)
            out.push_back(losses_[p][b] / weights_[b]);
        return out;
    }
    std::size_t size() const { return size_; }

    template <class Archive>
    void describe(Archive& a) {
        std::size_t blocks = weights_.size();
        a.count("blocks", blocks);
        a.count("size", size_);
        a.count("in_block", in_block_);
        a.count("examples", examples_);
        a.real("weight", weight_);
        a.require(blocks < most_blocks && size_ > 0 && size_ < (std::size_t{1} << 53) &&
                      in_block_ < size_,
                  "the blocks of losses");
        a.cells("weights", weights_, blocks, 1);
        a.cells("sums", sums_, sums_.size(), 1);
        for (std::size_t p = 0; p < losses_.size(); ++p)
            a.cells("losses" + std::to_string(p), losses_[p], blocks, 1);
        make_room();
    }

private:
    struct Mean {
        double value = 0.0, variance = 0.0;  // of the mean
    };
    /// Of the losses in some blocks; nothing where these are few.
    Mean mean_of(std::size_t p, std::size_t from, std::size_t until) const {
        const std::size_t n = until - from;
        double loss = 0.0, weight = 0.0, squares = 0.0;
        for (std::size_t b = from; b < until; ++b) {
            loss += losses_[p][b];
            weight += weights_[b];
        }
        if (n < 16 || !(weight > 0.0)) return {};
        for (std::size_t b = from; b < until; ++b) {
            const double rest = losses_[p][b] - loss / weight * weights_[b];
            squares += rest * rest;
        }
        const double more = static_cast<double>(n) / static_cast<double>(n - 1);
        return {loss / weight, squares * more / weight / weight};
    }
    void make_room() {
        for (auto& of : losses_) of.reserve(most_blocks);
        weights_.reserve(most_blocks);
    }
    std::size_t begin(Stretch stretch) const {
        const std::size_t n = weights_.size();
        return stretch == Stretch::whole ? 0 : n - std::max(std::min<std::size_t>(n, 16), n / 4);
    }

    void merge() {
        const auto halved = [](std::vector<double>& v) {
            for (std::size_t b = 0; b < v.size() / 2; ++b)
                v[b] = std::min(v[2 * b] + v[2 * b + 1], largest_kept);
            v.resize(v.size() / 2);
        };
        for (auto& of : losses_) halved(of);
        halved(weights_);
        size_ *= 2;
    }

    std::vector<std::vector<double>> losses_;  // of each predictor, by block
    std::vector<double> weights_;              // by block
    std::vector<double> sums_;                 // of the block that is not complete
    double weight_ = 0.0;
    std::size_t size_ = first_size, in_block_ = 0;
    std::uint64_t examples_ = 0;
};

}  // namespace thresher
