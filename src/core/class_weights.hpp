// By how much the weight of an example is multiplied for its class: a number given for the class, or one that
// makes all classes count equally in a stream,
//   n/(K·n_k)
// where n is the weight of all examples that were learned, n_k that of class k, and K the number of classes
// seen; each includes the current example. For the last example of an array this is scikit-learn's
// "balanced".
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "fault.hpp"
#include "matrix.hpp"

namespace thresher {

class ClassWeights {
public:
    enum class Kind { none, given, balanced };

    explicit ClassWeights(Kind kind = Kind::none) : kind_(kind) {}
    bool on() const { return kind_ != Kind::none; }

    /// The weight of each label code, where weights are given.
    void give(std::vector<double> weights) { given_ = std::move(weights); }

    /// How much an example of this class counts, whose own weight is `weight`. It makes sure that
    /// `keep` cannot fail.
    double of(std::size_t code, double weight) {
        if (kind_ == Kind::given) return code < given_.size() ? given_[code] : 1.0;
        make_room(seen_, code + 1);
        const double before = code < seen_.size() ? seen_[code] : 0.0;
        const double classes = static_cast<double>(classes_ + (before == 0.0));
        return checked_sum(all_, weight) / (classes * (before + weight));
    }

    /// It was learned.
    void keep(std::size_t code, double weight) {
        if (kind_ != Kind::balanced) return;
        if (code >= seen_.size()) seen_.resize(code + 1, 0.0);
        classes_ += seen_[code] == 0.0;
        seen_[code] += weight;
        all_ += weight;
    }

    /// Labels have new codes: that of order[i] becomes i.
    void number_by(const std::vector<std::size_t>& order) {
        if (kind_ != Kind::balanced) return;
        std::vector<double> seen;
        for (const std::size_t code : order)
            seen.push_back(code < seen_.size() ? seen_[code] : 0.0);
        seen_ = std::move(seen);
    }

    template <class Archive>
    void describe(Archive& a) {
        if (kind_ != Kind::balanced) return;
        std::size_t codes = seen_.size();
        a.count("codes", codes);
        a.cells("seen", seen_, codes, 1);
        a.real("all", all_);
        a.require(all_ >= 0.0 && std::isfinite(all_), "the weights of the classes");
        classes_ = 0;
        for (const double seen : seen_) {
            a.require(seen >= 0.0, "the weights of the classes");
            classes_ += seen > 0.0;
        }
    }

private:
    Kind kind_;
    std::vector<double> given_;  // by label code
    std::vector<double> seen_;   // n_k, by label code
    double all_ = 0.0;           // n
    std::size_t classes_ = 0;    // K
};

}  // namespace thresher
