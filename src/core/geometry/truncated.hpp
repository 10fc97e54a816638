// Truncated geometry (Wang, Zhao, Hoi & Jin 2014): each class keeps the `keep` largest weights.
//   w ← max(0, 1 − l2·|step|)·w + step·x         without l2 that is the additive step
//   w ← w·min(1, 1/(√l2·‖w‖))                    with l2: into the ball of radius 1/√l2
//   all but the `keep` largest |w_i| ← 0
// On a tie the older weight stays, and of those from the same example the one earlier in it; a weight that
// an update left at 0 counts as new when it returns. The bias is exempt: not shrunk, not in ‖w‖, not
// counted and never dropped.
// The weights that are not 0 are listed in order of arrival, so an update costs O(keep + nonzeros of x),
// whatever the number of features.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "additive.hpp"

namespace thresher {

class Truncated : public Additive {
public:
    struct Options {
        double bias = 1.0;
        std::size_t keep = 1000;
        double l2 = 0.0;

        template <class Archive>
        void describe(Archive& a) {
            a.count("keep", keep);
            a.real("l2", l2);
        }
    };

    explicit Truncated(Options o) : Additive(Additive::Options{o.bias}), truncated_(o) {}

    void grow(std::size_t features, Average& average) {
        Additive::grow(features, average);
        for (Kept& kept : kept_) kept.is_in.resize(this->features(), false);
    }

    void shrink(std::size_t features, Average& average) {
        Additive::shrink(features, average);
        for (Kept& kept : kept_) kept.is_in.resize(this->features());
    }

    /// Makes room for the features of the row.
    template <class Row>
    double plan(const Row& x, std::size_t k, const Move& move) {
        Kept& kept = kept_[k];
        std::size_t most = kept.order.size();
        x.each([&](std::size_t i, double) { most += !kept.is_in[i]; });
        make_room(kept.order, most);
        make_room(places_, most);
        return Additive::plan(x, k, move);
    }
    /// It may be shrunk, moved, scaled and dropped.
    static double changes(double largest, double far) { return 4.0 * (largest + far); }

    template <class Row, class Watch>
    void update(const Row& x, std::size_t k, double step, Watch& watch) {
        Kept& kept = kept_[k];
        double* column = w_.feature(0) + k;
        const std::size_t stride = w_.stride();
        const auto set = [&](std::size_t i, double value) {
            double& w = column[i * stride];
            const double delta = value - w;
            w = value;
            watch.changed((i + 1) * stride + k, delta);
        };
        const auto scale = [&](double factor) {
            for (const std::size_t i : kept.order) set(i, factor * column[i * stride]);
        };
        if (options_.bias != 0.0) {
            w_.cells()[k] += step * options_.bias;
            watch.changed(k, step * options_.bias);
        }
        const double l2 = truncated_.l2;
        if (l2 > 0.0) scale(std::max(0.0, 1.0 - l2 * std::abs(step)));
        x.each([&](std::size_t i, double v) {
            set(i, column[i * stride] + step * v);
            if (!kept.is_in[i]) {
                kept.is_in[i] = true;
                kept.order.push_back(i);
            }
        });
        if (l2 > 0.0) {
            const double radius = 1.0 / std::sqrt(l2), length = norm(kept, column, stride);
            if (length > radius) scale(radius / length);
        }
        drop_zeros(kept, column, stride);
        if (kept.order.size() <= truncated_.keep) return;
        // By place in the list: the places from `keep` on hold those to be dropped.
        places_.resize(kept.order.size());
        std::iota(places_.begin(), places_.end(), std::size_t{0});
        const auto last = places_.begin() + static_cast<std::ptrdiff_t>(truncated_.keep);
        std::nth_element(places_.begin(), last, places_.end(), [&](std::size_t p, std::size_t q) {
            const double a = std::abs(column[kept.order[p] * stride]);
            const double b = std::abs(column[kept.order[q] * stride]);
            return a > b || (a == b && p < q);
        });
        for (auto p = last; p != places_.end(); ++p) set(kept.order[*p], 0.0);
        drop_zeros(kept, column, stride);
    }

    /// Both known classes keep the same features as their common vector; a third has none yet.
    void split(std::size_t positive, double factor, Average& average) {
        Additive::split(positive, factor, average);
        kept_.push_back(kept_[0]);
        kept_.emplace_back();
        kept_.back().is_in.resize(features(), false);
    }
    void add_column(Average& average) {
        Additive::add_column(average);
        kept_.emplace_back();
        kept_.back().is_in.resize(features(), false);
    }
    void take_back_column(std::size_t columns, Average& average) {
        Additive::take_back_column(columns, average);
        if (kept_.size() > columns) kept_.pop_back();
    }

    template <class Archive>
    void describe(Archive& a) {
        Additive::describe(a);
        kept_.resize(columns());
        for (std::size_t k = 0; k < columns(); ++k) {
            const std::string name = "kept" + std::to_string(k);
            std::vector<double> order(kept_[k].order.begin(), kept_[k].order.end());
            std::size_t count = order.size();
            a.count(name + ".count", count);
            a.cells(name, order, count, 1);
            if constexpr (Archive::loading) {
                a.require(list(k, order), "the weights and the list of those kept");
            }
        }
    }

private:
    /// The features of one class whose weight is not 0.
    struct Kept {
        std::vector<std::size_t> order;  // in order of arrival
        std::vector<bool> is_in;         // by feature
    };

    static double norm(const Kept& kept, const double* column, std::size_t stride) {
        double largest = 0.0, sum = 0.0;  // relative to the largest, so that no square overflows
        for (const std::size_t i : kept.order)
            largest = std::max(largest, std::abs(column[i * stride]));
        if (largest == 0.0) return 0.0;
        for (const std::size_t i : kept.order) {
            const double part = column[i * stride] / largest;
            sum += part * part;
        }
        return largest * std::sqrt(sum);
    }

    static void drop_zeros(Kept& kept, const double* column, std::size_t stride) {
        std::erase_if(kept.order, [&](std::size_t i) {
            if (column[i * stride] != 0.0) return false;
            kept.is_in[i] = false;
            return true;
        });
    }

    /// Takes a list from a file; false if it does not match the weights.
    bool list(std::size_t k, const std::vector<double>& order) {
        Kept& kept = kept_[k];
        kept.order.clear();
        kept.is_in.assign(features(), false);
        if (order.size() > truncated_.keep) return false;
        for (const double number : order) {
            if (!(number >= 0.0 && number < static_cast<double>(features()))) return false;
            const auto i = static_cast<std::size_t>(number);
            if (static_cast<double>(i) != number || kept.is_in[i] || weight(i, k) == 0.0)
                return false;
            kept.is_in[i] = true;
            kept.order.push_back(i);
        }
        std::size_t used = 0;
        for (std::size_t i = 0; i < features(); ++i) used += weight(i, k) != 0.0;
        return used == order.size();
    }

    Options truncated_;
    std::vector<Kept> kept_{1};
    std::vector<std::size_t> places_;  // working memory
};

}  // namespace thresher
