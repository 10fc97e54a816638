// The range of the targets learned so far. A regressor may clip its predictions to it: where the next target
// lies within the range, the clipped prediction is never farther from it than the prediction itself.
#pragma once

#include <algorithm>
#include <limits>

namespace thresher {

class TargetRange {
public:
    explicit TargetRange(bool clips = false) : clips_(clips) {}

    bool clips() const { return clips_; }
    void include(double y) {
        low_ = std::min(low_, y);
        high_ = std::max(high_, y);
    }
    double clipped(double prediction) const {
        return clips_ && low_ <= high_ ? std::clamp(prediction, low_, high_) : prediction;
    }

    /// A file from before there was a range: its targets may have been anything.
    template <class Archive>
    void describe(Archive& a) {
        if (!a.has("low")) {
            low_ = -most;
            high_ = most;
            return;
        }
        a.real("low", low_);
        a.real("high", high_);
        a.require(low_ <= high_ || (low_ == most && high_ == -most), "the range of the targets");
    }

private:
    static constexpr double most = std::numeric_limits<double>::max();

    bool clips_;
    double low_ = most, high_ = -most;  // empty
};

}  // namespace thresher
