#include <algorithm>
#include <cmath>
#include <utility>

#include "model.hpp"
#include "names.hpp"

namespace thresher::bindings {

namespace {

/// The weights of largest magnitude and their names, a given number of them; of equal ones the first.
class Largest {
public:
    explicit Largest(std::size_t most) : most_(most) {}

    void offer(double size, std::size_t feature) {
        if (found_.size() == most_) {
            if (most_ == 0 || size <= found_.front().first) return;
            std::pop_heap(found_.begin(), found_.end(), before);
            found_.pop_back();
        }
        found_.emplace_back(size, feature);
        std::push_heap(found_.begin(), found_.end(), before);
    }

    /// (name, sign · size), the largest first.
    nb::list named(const Vocabulary& names, double sign) {
        std::sort_heap(found_.begin(), found_.end(), before);
        nb::list out;
        for (const auto& [size, feature] : found_)
            out.append(nb::make_tuple(name_of(names, feature), sign * size));
        return out;
    }

private:
    using Entry = std::pair<double, std::size_t>;
    static bool before(const Entry& a, const Entry& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    }
    std::size_t most_;
    std::vector<Entry> found_;  // a heap, the smallest in front
};

}  // namespace

nb::dict Model::picture(std::size_t top, std::size_t columns, std::size_t bins) {
    const Hold hold(lock_, For::reading);
    if (bins == 0 || bins > 10000) throw nb::value_error("bins: expected 1 to 10,000");
    const std::size_t k = learner_->columns(), n = learner_->features();
    columns = std::min(columns, k);
    std::vector<Largest> plus(columns, Largest(top)), minus(columns, Largest(top));
    double most = 0.0;
    std::size_t zeros = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < k; ++c) {
            const double w = learner_->weight(i, c);
            zeros += w == 0.0;
            if (w == 0.0 || !std::isfinite(w)) continue;
            most = std::max(most, std::abs(w));
            if (c < columns) (w > 0.0 ? plus : minus)[c].offer(std::abs(w), i);
        }
    std::vector<std::size_t> counts(2 * bins);  // from −most to most, 0 between the two halves
    const double a_bin = most / static_cast<double>(bins);
    for (std::size_t i = 0; i < n && most > 0.0; ++i)
        for (std::size_t c = 0; c < k; ++c) {
            const double w = learner_->weight(i, c);
            if (w == 0.0 || !std::isfinite(w)) continue;
            const double place = a_bin > 0.0 ? std::abs(w) / a_bin : 0.0;
            const std::size_t bin = std::min(bins - 1, static_cast<std::size_t>(place));
            ++counts[w > 0.0 ? bins + bin : bins - 1 - bin];
        }
    nb::list lists, spread;
    for (std::size_t c = 0; c < columns; ++c)
        lists.append(nb::make_tuple(plus[c].named(names_, 1.0), minus[c].named(names_, -1.0)));
    for (const std::size_t count : counts) spread.append(count);
    nb::dict out;
    out["top"] = lists;
    out["weights"] = k * n;
    out["zeros"] = zeros;
    out["most"] = most;
    out["counts"] = spread;
    return out;
}

}  // namespace thresher::bindings
