// Where to cut the scores of two classes so that a figure of merit is best on the stream so far.
//
// Every example is counted, with the score that it had before it was learned, in bins whose edges are fixed:
// 16 to each power of two from 2⁻²⁰ to 2²⁰, of either sign, and two around 0. Every 2¹⁶ examples all counts are
// halved, so that the scores of a younger model fade. The cut is exactly the best of all edges for these
// counts; of equal ones, the nearest to 0. It is chosen anew at 16, 32 and every 64 examples, once there
// were ten of either class; before that it is 0.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "classes.hpp"
#include "fault.hpp"

namespace thresher {

/// The bins, lowest scores first.
struct ScoreBins {
    static constexpr std::size_t per_octave = 16, octaves = 40, of_sign = per_octave * octaves + 1;
    static constexpr std::size_t size = 2 * of_sign;
    static constexpr double tiny = 0x1p-20;

    static std::size_t of(double score) {
        const std::size_t k = by_size(std::abs(score));
        return score >= 0.0 ? of_sign + k : of_sign - 1 - k;
    }
    /// The smallest score in a bin; `size`: a score beyond all.
    static double edge(std::size_t bin) {
        if (bin == 0) return -std::numeric_limits<double>::infinity();
        if (bin == size) return std::numeric_limits<double>::infinity();
        if (bin >= of_sign) return smallest(bin - of_sign);
        return std::nextafter(-smallest(of_sign - bin), 0.0);
    }

private:
    // Positive numbers are ordered as their bits are: the exponent, then four bits of the rest.
    static constexpr std::uint64_t shift = 48;
    static constexpr std::uint64_t lowest = std::bit_cast<std::uint64_t>(tiny) >> shift;

    static std::size_t by_size(double v) {
        if (v < tiny) return 0;
        const auto above =
            static_cast<std::size_t>((std::bit_cast<std::uint64_t>(v) >> shift) - lowest);
        return 1 + std::min(above, of_sign - 2);
    }
    static double smallest(std::size_t k) {
        return k == 0 ? 0.0 : std::bit_cast<double>((lowest + k - 1) << shift);
    }
};

class Threshold {
public:
    enum class Kind { none, f1, balanced, cost };

    explicit Threshold(Kind kind = Kind::none) : kind_(kind) {
        if (on()) mass_.assign(2 * ScoreBins::size, 0.0);
    }
    bool on() const { return kind_ != Kind::none; }

    /// By label code: what a mistake on each costs; or (F1) 1 for the label that counts, if not the
    /// second of the two.
    void give(std::vector<double> by_code) { given_ = std::move(by_code); }

    /// Scores of at least this are of the positive class.
    double cut() const { return ScoreBins::edge(cut_); }

    /// One more example, with the score it had before it was learned. It cannot fail.
    void keep(double score, std::size_t code, double weight, const Classes& classes) {
        const bool positive = classes.place(code) == classes.positive();
        double& mass = mass_[2 * ScoreBins::of(score) + positive];
        mass = std::min(mass + weight, largest_kept);
        ++seen_[positive];
        const std::uint64_t n = ++examples_;
        if (n % memory == 0)
            for (double& m : mass_) m *= 0.5;
        if ((n % 64 == 0 || n == 16 || n == 32) && std::min(seen_[0], seen_[1]) >= enough)
            choose(given(classes.code(1 - classes.positive())),
                   given(classes.code(classes.positive())));
    }

    template <class Archive>
    void describe(Archive& a) {
        if (!on()) return;
        a.count("examples", examples_);
        a.count("negative", seen_[0]);
        a.count("positive", seen_[1]);
        a.count("cut", cut_);
        a.cells("mass", mass_, ScoreBins::size, 2);
        a.require(cut_ <= ScoreBins::size && examples_ <= std::uint64_t{1} << 53,
                  "the counts of the threshold");
        for (const double m : mass_)
            a.require(m >= 0.0 && std::isfinite(m), "the counts of the threshold");
    }

private:
    static constexpr std::uint64_t memory = 1 << 16, enough = 10;
    static constexpr std::size_t zero = ScoreBins::of_sign;  // the bin that begins at 0

    double given(std::size_t code) const { return code < given_.size() ? given_[code] : 1.0; }

    /// What is given for the negative and for the positive class.
    void choose(double of_negative, double of_positive) {
        double all[2] = {0.0, 0.0};
        for (std::size_t j = 0; j < mass_.size(); ++j) all[j % 2] += mass_[j];
        if (!(all[0] > 0.0 && all[1] > 0.0)) return;
        double said[2] = {0.0, 0.0};  // of either class, with scores of at least the edge
        double best = -std::numeric_limits<double>::infinity();
        std::size_t chosen = zero;
        for (std::size_t bin = ScoreBins::size;; --bin) {
            const double merit = merit_of(said, all, of_negative, of_positive);
            if (merit > best || (merit == best && distance(bin) < distance(chosen))) {
                best = merit;
                chosen = bin;
            }
            if (bin == 0) break;
            said[0] += mass_[2 * (bin - 1)];
            said[1] += mass_[2 * (bin - 1) + 1];
        }
        cut_ = chosen;
    }
    static std::size_t distance(std::size_t bin) { return bin > zero ? bin - zero : zero - bin; }

    /// Of predicting the positive class for what is in `said`; larger is better.
    double merit_of(const double* said, const double* all, double of_negative,
                    double of_positive) const {
        switch (kind_) {
            case Kind::f1:
                if (of_positive > 0.0) return 2.0 * said[1] / (all[1] + said[0] + said[1]);
                return 2.0 * (all[0] - said[0]) / (2.0 * all[0] + all[1] - said[0] - said[1]);
            case Kind::balanced: return said[1] / all[1] - said[0] / all[0];
            default: return of_positive * said[1] - of_negative * said[0];
        }
    }

    Kind kind_;
    std::vector<double> given_;
    std::vector<double> mass_;  // the weight of negatives and positives in each bin
    std::uint64_t examples_ = 0;
    std::array<std::uint64_t, 2> seen_{};  // of either class
    std::size_t cut_ = zero;
};

}  // namespace thresher
