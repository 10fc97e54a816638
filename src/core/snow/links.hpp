// The links of a sparse network: a feature is linked only to the targets it occurred with.
// A row of links for each feature, so that one walk over the active features scores all targets.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace thresher::snow {

struct Link {
    double weight;  // naive Bayes: how much of the feature came with the target
    double past;    // of the lazy average (see average.hpp); 0 where none is kept
    std::uint32_t target;
    std::uint32_t count;  // examples of the target in which the feature was active

    void occur() { count += count < std::numeric_limits<std::uint32_t>::max(); }
};

class Links {
public:
    using Row = std::vector<Link>;

    std::size_t features() const { return rows_.size(); }
    std::size_t size() const { return size_; }
    void grow(std::size_t features) {
        if (features > rows_.size()) rows_.resize(features);
    }
    void shrink(std::size_t features) { rows_.resize(std::min(features, rows_.size())); }

    const Row& of(std::size_t feature) const { return rows_[feature]; }
    Row& of(std::size_t feature) { return rows_[feature]; }

    Link* find(std::size_t feature, std::size_t target) {
        for (Link& link : rows_[feature])
            if (link.target == target) return &link;
        return nullptr;
    }
    const Link* find(std::size_t feature, std::size_t target) const {
        return const_cast<Links*>(this)->find(feature, target);
    }

    /// Makes room for `more` links of a feature.
    void make_room(std::size_t feature, std::size_t more) {
        Row& row = rows_[feature];
        if (row.size() + more > row.capacity()) row.reserve(row.size() + more + row.size() / 2);
    }
    Link& add(std::size_t feature, std::size_t target) {
        Row& row = rows_[feature];
        row.push_back({0.0, 0.0, static_cast<std::uint32_t>(target), 0});
        ++size_;
        return row.back();
    }

    /// Drops the links of one feature for which `useless` holds; returns how many there were.
    template <class Useless>
    std::size_t drop_if(std::size_t feature, Useless useless) {
        const std::size_t dropped = std::erase_if(rows_[feature], useless);
        size_ -= dropped;
        return dropped;
    }

    /// How useful a link is: on a tie the one of the earlier feature is less so, then that of the
    /// earlier target.
    struct Rank {
        double use;
        std::size_t feature;
        std::uint32_t target;
        bool operator<(const Rank& o) const {
            if (use != o.use) return use < o.use;
            return feature != o.feature ? feature < o.feature : target < o.target;
        }
    };
    /// The last of the `count` links with the smallest `use(feature, link)`.
    template <class Use>
    Rank least(std::size_t count, Use use) const {
        std::vector<Rank> all;
        all.reserve(size_);
        for (std::size_t i = 0; i < rows_.size(); ++i)
            for (const Link& link : rows_[i]) all.push_back({use(i, link), i, link.target});
        const auto last = all.begin() + static_cast<std::ptrdiff_t>(std::min(count, size_) - 1);
        std::nth_element(all.begin(), last, all.end());
        return *last;
    }
    /// Drops that one and all that are less useful.
    template <class Use>
    void drop_up_to(const Rank& limit, Use use) {
        for (std::size_t i = 0; i < rows_.size(); ++i)
            drop_if(i, [&](const Link& l) { return !(limit < Rank{use(i, l), i, l.target}); });
    }
    /// Rows without links need no memory.
    void free_empty() {
        for (Row& row : rows_)
            if (row.empty()) Row().swap(row);
    }

    /// The features that have links.
    std::vector<std::size_t> linked() const {
        std::vector<std::size_t> kept;
        for (std::size_t i = 0; i < rows_.size(); ++i)
            if (!rows_[i].empty()) kept.push_back(i);
        return kept;
    }
    /// These become the only ones, renumbered in their order.
    void keep_only(const std::vector<std::size_t>& kept) {
        for (std::size_t i = 0; i < kept.size(); ++i)
            if (i < kept[i]) rows_[i] = std::move(rows_[kept[i]]);
        rows_.resize(kept.size());
        rows_.shrink_to_fit();
    }

    /// As arrays of numbers: the number of links of each feature, then the links in order.
    template <class Archive>
    void describe(Archive& a, std::size_t targets) {
        std::size_t features = rows_.size();
        a.count("features", features);
        a.count("links", size_);
        std::vector<double> lengths, target, count, weight, past;
        if constexpr (!Archive::loading)
            for (const Row& row : rows_) {
                lengths.push_back(static_cast<double>(row.size()));
                for (const Link& link : row) {
                    target.push_back(link.target);
                    count.push_back(link.count);
                    weight.push_back(link.weight);
                    past.push_back(link.past);
                }
            }
        a.cells("lengths", lengths, features, 1);
        a.cells("targets", target, size_, 1);
        a.cells("counts", count, size_, 1);
        a.cells("weights", weight, size_, 1);
        a.cells("past", past, size_, 1);
        if constexpr (Archive::loading) {
            rows_.assign(features, Row());
            std::size_t at = 0;
            std::vector<std::size_t> met(targets, features);
            for (std::size_t i = 0; i < features; ++i) {
                a.require(whole(lengths[i], static_cast<double>(targets)) &&
                              static_cast<std::size_t>(lengths[i]) <= size_ - at,
                          "the links of a feature");
                const std::size_t end = at + static_cast<std::size_t>(lengths[i]);
                rows_[i].reserve(end - at);
                for (; at < end; ++at) {
                    a.require(whole(target[at], static_cast<double>(targets) - 1.0) &&
                                  whole(count[at], 4294967295.0) && count[at] >= 1.0,
                              "the links of a feature");
                    const auto t = static_cast<std::uint32_t>(target[at]);
                    a.require(met[t] != i, "the links of a feature");
                    met[t] = i;
                    rows_[i].push_back(
                        {weight[at], past[at], t, static_cast<std::uint32_t>(count[at])});
                }
            }
            a.require(at == size_, "the number of links");
        }
    }

private:
    static bool whole(double v, double most) { return v >= 0.0 && v <= most && v == std::floor(v); }

    std::vector<Row> rows_;
    std::size_t size_ = 0;
};

}  // namespace thresher::snow
