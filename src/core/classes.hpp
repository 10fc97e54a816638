// The classes that a learner has seen, numbered in order of appearance, and what scores say about them.
// What has not appeared has no influence, so a batch and a stream learn the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "loops.hpp"

namespace thresher {

class Classes {
public:
    std::size_t size() const { return order_.size(); }
    bool empty() const { return order_.empty(); }
    /// The label codes, by place.
    const std::vector<std::size_t>& order() const { return order_; }
    std::size_t code(std::size_t place) const { return order_[place]; }

    /// The labels that may appear, by code: their places among the sorted labels, and how each is shown
    /// while it is the only one.
    void announce(std::vector<std::size_t> rank, std::vector<bool> looks_negative) {
        rank_ = std::move(rank);
        looks_negative_ = std::move(looks_negative);
    }
    const std::vector<std::size_t>& rank() const { return rank_; }
    const std::vector<bool>& looks_negative() const { return looks_negative_; }
    std::size_t announced() const { return rank_.size(); }

    THRESHER_INLINE bool knows(std::size_t code) const {
        return code < place_.size() && place_[code] != unmet;
    }
    std::size_t place(std::size_t code) const { return place_[code]; }

    /// A class that is seen for the first time; it must have been announced.
    std::size_t meet(std::size_t code) {
        if (code >= announced() || order_.size() >= most)
            throw std::out_of_range("a label code that was never announced");
        place_.resize(std::max(place_.size(), code + 1), unmet);
        order_.push_back(code);
        place_[code] = order_.size() - 1;  // without memory nothing was added
        if (size() == 2) positive_ = rank_at(1) > rank_at(0) ? 1 : 0;
        return place_[code];
    }

    /// Takes back the class added last.
    void forget_last() {
        place_[order_.back()] = unmet;
        order_.pop_back();
        if (size() == 1) positive_ = 1;
    }

    /// The labels get new codes, in order of appearance. The next `announce` must use these.
    void number_by_order() {
        place_.resize(size());
        for (std::size_t i = 0; i < size(); ++i) order_[i] = place_[i] = i;
    }

    /// Scores of an example: one, whose sign decides, until there are three classes; then one each.
    std::size_t columns() const { return size() >= 3 ? size() : 1; }
    /// Of two classes the positive one: the later in the order of the labels.
    std::size_t positive() const { return positive_; }
    void set_positive(std::size_t place) { positive_ = place; }
    /// The class that a single score predicts if it is positive, also if there is only one.
    std::size_t shown_positive() const {
        return size() == 1 ? (lone_is_negative() ? 1 : 0) : positive_;
    }
    bool lone_is_negative() const {
        return size() == 1 && order_[0] < looks_negative_.size() && looks_negative_[order_[0]];
    }
    /// The class that the scores predict: of two by where one score is cut, of more the highest, on a
    /// tie the first in the order of the labels.
    std::size_t decide(const double* s) const {
        if (size() < 2) return 0;
        if (size() == 2) return s[0] >= cut_ ? positive_ : 1 - positive_;
        std::size_t best = 0;
        for (std::size_t k = 1; k < size(); ++k)
            if (s[k] > s[best] || (s[k] == s[best] && rank_at(k) < rank_at(best))) best = k;
        return best;
    }
    /// Where the score of two classes is cut, if not at 0.
    void cut_at(double score) { cut_ = score; }

    template <class Archive>
    void describe(Archive& a) {
        std::size_t classes = size();
        a.count("classes", classes);
        a.require(classes <= most, "the classes");
        order_.resize(classes);
        for (std::size_t i = 0; i < classes; ++i) a.count("class" + std::to_string(i), order_[i]);
        if constexpr (Archive::loading) {
            place_.clear();
            for (std::size_t i = 0; i < classes; ++i) {
                a.require(order_[i] < most, "the class numbers");
                place_.resize(std::max(place_.size(), order_[i] + 1), unmet);
                a.require(place_[order_[i]] == unmet, "the class numbers");
                place_[order_[i]] = i;
            }
        }
    }
    template <class Archive>
    void describe_positive(Archive& a) {
        a.count("positive", positive_);
        a.require(positive_ <= 1, "the classes");
    }

private:
    static constexpr std::size_t unmet = static_cast<std::size_t>(-1);
    static constexpr std::size_t most = std::size_t{1} << 24;

    /// Of the label at a place, among the sorted ones.
    std::size_t rank_at(std::size_t place) const {
        return order_[place] < rank_.size() ? rank_[order_[place]] : order_[place];
    }

    std::vector<std::size_t> order_;  // place → label code
    std::vector<std::size_t> place_;  // label code → place
    std::size_t positive_ = 1;
    double cut_ = 0.0;
    std::vector<std::size_t> rank_;  // label code → place among the sorted labels
    std::vector<bool> looks_negative_;
};

}  // namespace thresher
