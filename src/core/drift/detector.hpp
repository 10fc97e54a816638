// Detectors of drift: they see a number for each example, usually its loss, and say when its mean has changed.
// Each is as its paper has it, one in a file. `update` returns whether a change was found with this value; what
// was found stays in `found` until the next update.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

#include "../state.hpp"

namespace thresher::drift {

/// What a detector compared when it found a change.
struct Evidence {
    double older_mean = 0.0, newer_mean = 0.0;
    std::uint64_t older_size = 0, newer_size = 0;  // values before the change, and since
    double statistic = 0.0, threshold = 0.0;       // found: the first is beyond the second

    bool rises() const { return newer_mean > older_mean; }

    template <class Archive>
    void describe(Archive& a) {
        a.real("older_mean", older_mean);
        a.real("newer_mean", newer_mean);
        a.count("older_size", older_size);
        a.count("newer_size", newer_size);
        a.real("statistic", statistic);
        a.real("threshold", threshold);
    }
};

/// Any of them, with the state of its run.
class Detector {
public:
    virtual ~Detector() = default;
    virtual bool update(double value) = 0;
    virtual const Evidence& found() const = 0;
    virtual void reset() = 0;
    virtual std::uint64_t width() const = 0;
    virtual double mean() const = 0;
    virtual bool warns() const = 0;
    virtual State save() = 0;
    virtual void load(const State& state) = 0;
};

template <class Kind>
class DetectorOf final : public Detector {
public:
    explicit DetectorOf(typename Kind::Options o) : kind_(o), fresh_(o) {}

    bool update(double value) override { return kind_.update(value); }
    const Evidence& found() const override { return kind_.found(); }
    void reset() override { kind_.reset(); }
    std::uint64_t width() const override { return kind_.width(); }
    double mean() const override { return kind_.mean(); }
    bool warns() const override { return kind_.warns(); }
    State save() override {
        State state;
        Saver saver(state);
        kind_.describe(saver);
        return state;
    }
    void load(const State& state) override {
        Kind loaded = fresh_;
        Loader loader(state);
        loaded.describe(loader);
        kind_ = std::move(loaded);
    }

private:
    Kind kind_, fresh_;
};

/// What a run shows a detector: the loss of each example. An error of 0 or 1 as it is; a squared error as
/// e²/(e² + the mean of all e² so far), which lies in [0, 1] whatever the units.
class Watch {
public:
    Watch(Detector& detector, bool numbers) : detector_(detector), numbers_(numbers) {}

    /// Whether the losses have risen.
    bool sees(double loss) {
        return detector_.update(numbers_ ? share(loss) : loss) && detector_.found().rises();
    }
    double total = 0.0;  // of the squared errors, as far as they are finite
    std::uint64_t count = 0;

private:
    double share(double loss) {
        if (!std::isfinite(total + loss)) return 1.0;
        total += loss;
        ++count;
        const double mean = total / static_cast<double>(count);
        return loss == 0.0 ? 0.0 : loss / (loss + mean);
    }

    Detector& detector_;
    bool numbers_;
};

}  // namespace thresher::drift
