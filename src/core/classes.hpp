// The classes that a learner has met, numbered in the order in which they appeared. What has not appeared
// has no influence, so a batch and a stream learn the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
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

    THRESHER_INLINE bool knows(std::size_t code) const {
        return code < place_.size() && place_[code] != unmet;
    }
    std::size_t place(std::size_t code) const { return place_[code]; }

    /// A class that is met for the first time; only codes below `announced` may come.
    std::size_t meet(std::size_t code, std::size_t announced) {
        if (code >= announced || order_.size() >= most)
            throw std::out_of_range("a label code that was never announced");
        place_.resize(std::max(place_.size(), code + 1), unmet);
        order_.push_back(code);
        return place_[code] = order_.size() - 1;  // nothing was met where there is no memory
    }

    /// The class met last has not come.
    void forget_last() {
        place_[order_.back()] = unmet;
        order_.pop_back();
    }

    /// Which of two is positive: the later one in the order of the labels.
    std::size_t later(const std::vector<std::size_t>& rank) const {
        return rank[order_[1]] > rank[order_[0]] ? 1 : 0;
    }
    /// The class that the scores speak for: of two by the sign of one score, of more the highest, of
    /// equals the first in the order of the labels.
    std::size_t decide(const double* s, std::size_t positive,
                       const std::vector<std::size_t>& rank) const {
        if (size() < 2) return 0;
        if (size() == 2) return s[0] >= 0.0 ? positive : 1 - positive;
        std::size_t best = 0;
        for (std::size_t k = 1; k < size(); ++k)
            if (s[k] > s[best] || (s[k] == s[best] && rank[order_[k]] < rank[order_[best]]))
                best = k;
        return best;
    }

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

private:
    static constexpr std::size_t unmet = static_cast<std::size_t>(-1);
    static constexpr std::size_t most = std::size_t{1} << 24;

    std::vector<std::size_t> order_;  // place → label code
    std::vector<std::size_t> place_;  // label code → place
};

}  // namespace thresher
