// ADWIN2 (Bifet & Gavaldà 2007): a window that grows while its mean holds still, and drops its oldest part when
// two parts of it have means too far apart,
//   |μ₀ − μ₁| ≥ ε,   ε = √(2/m·σ²·ln(2/δ')) + 2/(3m)·ln(2/δ'),   1/m = 1/n₀ + 1/n₁,   δ' = δ/ln n
// The window is kept as an exponential histogram: at most M buckets of each size 1, 2, 4 …, so that n values
// take O(M·log n) memory; cuts are tried between buckets, after every `clock` values. For values in [0, 1].
// Mean and variance of the window are summed over the buckets at each test: nothing is ever subtracted.
#pragma once

#include <algorithm>
#include <vector>

#include "../elementary.hpp"
#include "detector.hpp"

namespace thresher::drift {

class Adwin {
public:
    struct Options {
        double delta = 0.002;
        std::uint64_t clock = 32;
        std::size_t max_buckets = 5;  // M

        template <class Archive>
        void describe(Archive& a) {
            a.real("delta", delta);
            a.count("clock", clock);
            a.count("max_buckets", max_buckets);
        }
    };

    explicit Adwin(Options o) : o_(o) {}

    bool update(double value) {
        insert(value);
        ++seen_;
        return seen_ % o_.clock == 0 && shrink();
    }
    void reset() { *this = Adwin(o_); }
    const Evidence& found() const { return found_; }
    bool warns() const { return false; }
    std::uint64_t width() const { return whole().size; }
    double mean() const { return whole().mean(); }
    double variance() const {
        const Bucket all = whole();
        return all.size > 0 ? all.squares / static_cast<double>(all.size) : 0.0;
    }

    template <class Archive>
    void describe(Archive& a) {
        a.count("seen", seen_);
        a.nested("found", found_);
        std::vector<double> levels, totals, squares;
        for (std::size_t level = 0; level < rows_.size(); ++level)
            for (const Bucket& bucket : rows_[level]) {
                levels.push_back(static_cast<double>(level));
                totals.push_back(bucket.total);
                squares.push_back(bucket.squares);
            }
        std::size_t buckets = levels.size();
        a.count("buckets", buckets);
        a.cells("levels", levels, buckets, 1);
        a.cells("totals", totals, buckets, 1);
        a.cells("squares", squares, buckets, 1);
        if constexpr (Archive::loading) {
            rows_.clear();
            for (std::size_t i = 0; i < buckets; ++i) {
                a.require(levels[i] >= 0.0 && levels[i] < 53.0 && squares[i] >= 0.0, "the buckets");
                const auto level = static_cast<std::size_t>(levels[i]);
                if (level >= rows_.size()) rows_.resize(level + 1);
                rows_[level].push_back({std::uint64_t{1} << level, totals[i], squares[i]});
                a.require(rows_[level].size() <= o_.max_buckets, "the buckets");
            }
        }
    }

private:
    /// Σ x and Σ (x − mean)² of values that came one after the other.
    struct Bucket {
        std::uint64_t size = 0;
        double total = 0.0, squares = 0.0;

        double mean() const { return size > 0 ? total / static_cast<double>(size) : 0.0; }
        void add(const Bucket& b) {
            if (size > 0 && b.size > 0) {
                const double n = static_cast<double>(size), k = static_cast<double>(b.size);
                const double gap = mean() - b.mean();
                squares += n * k * gap * gap / (n + k);
            }
            size += b.size;
            total += b.total;
            squares += b.squares;
        }
    };

    Bucket whole() const {
        Bucket all;
        for (auto row = rows_.rbegin(); row != rows_.rend(); ++row)
            for (const Bucket& bucket : *row) all.add(bucket);
        return all;
    }

    /// Two buckets of a size too many become one of the next.
    void insert(double value) {
        if (rows_.empty()) rows_.emplace_back();
        rows_[0].push_back({1, value, 0.0});
        for (std::size_t level = 0; rows_[level].size() > o_.max_buckets; ++level) {
            if (level + 1 == rows_.size()) rows_.emplace_back();
            Bucket both = rows_[level][0];
            both.add(rows_[level][1]);
            rows_[level].erase(rows_[level].begin(), rows_[level].begin() + 2);
            rows_[level + 1].push_back(both);
        }
    }

    bool shrink() {
        bool changed = false;
        for (Evidence cut; find_cut(cut);) {
            if (!changed) found_ = cut;
            changed = true;
            rows_.back().erase(rows_.back().begin());  // the oldest
            while (!rows_.empty() && rows_.back().empty()) rows_.pop_back();
        }
        return changed;
    }

    /// The first cut, from the oldest bucket on, whose two sides differ.
    bool find_cut(Evidence& cut) const {
        const Bucket all = whole();
        if (all.size < 2) return false;
        const double n = static_cast<double>(all.size), variance = all.squares / n;
        const double sure = fixed::log(2.0 * fixed::log(n) / o_.delta);
        double older = 0.0, total = 0.0;
        for (auto row = rows_.rbegin(); row != rows_.rend(); ++row)
            for (const Bucket& bucket : *row) {
                older += static_cast<double>(bucket.size);
                total += bucket.total;
                const double newer = n - older;
                if (newer < 1.0) return false;
                const double one_by_m = 1.0 / older + 1.0 / newer;
                const double before = total / older, after = (all.total - total) / newer;
                const double epsilon =
                    std::sqrt(2.0 * one_by_m * variance * sure) + 2.0 / 3.0 * one_by_m * sure;
                if (std::abs(before - after) < epsilon) continue;
                cut = {before,
                       after,
                       static_cast<std::uint64_t>(older),
                       static_cast<std::uint64_t>(newer),
                       std::abs(before - after),
                       epsilon};
                return true;
            }
        return false;
    }

    Options o_;
    std::vector<std::vector<Bucket>> rows_;  // by size, each from the oldest to the newest
    std::uint64_t seen_ = 0;
    Evidence found_;
};

}  // namespace thresher::drift
