// Averaging, lazily (Freund & Schapire 1999; Daumé 2006): the mean of the hypotheses, each weighted by
// the examples it survived, at no cost for weights that do not change.
// A change δ made at time c is missing from the first c hypotheses, so with past = Σ c·δ the mean over
// the time T is w − past/T.
#pragma once

#include "fault.hpp"
#include "matrix.hpp"

namespace thresher {

class Average {
public:
    Average() = default;
    Average(bool on, double burn_in) : on_(on), burn_in_(burn_in) {}

    bool on() const { return on_; }
    double clock() const { return clock_; }
    const Matrix& past() const { return past_; }
    Matrix& past() { return past_; }

    /// What a geometry calls for each weight it writes; `cell` counts from the bias of column 0.
    void changed(std::size_t cell, double delta) { past_.cells()[cell] += clock_ * delta; }

    /// Whether the clock can advance: checked before anything is learned.
    void check_tick(double weight) const {
        if (on_) checked_sum(clock_, weight);
    }
    /// After each example; true once the burn-in is over.
    bool tick(double t, double weight) {
        if (!on_ || t <= burn_in_) return false;
        clock_ += weight;
        return true;
    }

    template <class Archive>
    void describe(Archive& a) {
        if (!on_) return;
        a.real("clock", clock_);
        a.nested("past", past_);
    }

private:
    bool on_ = false;
    double burn_in_ = 0.0, clock_ = 0.0;
    Matrix past_{0.0};
};

/// For the plain learner: no average follows the weights.
struct Unwatched {
    void changed(std::size_t, double) {}
};

}  // namespace thresher
