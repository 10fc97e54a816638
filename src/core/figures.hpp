// What a run may count about the predictions of a classifier besides its mistakes: log-loss, right answers by
// label, and (two classes) scores by class, in bins of fixed edges. Memory is fixed by the number of labels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "elementary.hpp"
#include "threshold.hpp"

namespace thresher {

struct Figures {
    bool on = false;
    double weight = 0.0;
    double log_loss = 0.0, log_loss_squares = 0.0;  // Σ w·loss, Σ w·loss²
    std::vector<double> right, truth, said;         // the weight of each label code
    std::vector<double> mass;  // of negatives and positives in each of `ScoreBins`

    /// The prediction for an example of this class, before it is learned; `p` are the scores.
    template <class Learner>
    void note(const Learner& learner, std::vector<double>& p, std::size_t code) {
        const Classes& classes = learner.classes();
        const bool known = classes.knows(code);
        said_ = classes.empty() ? none : classes.code(classes.decide(p.data()));
        code_ = code;
        double of_truth = known ? 1.0 : 0.0;  // while there is one class it is certain
        bin_ = none;
        if (classes.size() == 2 && known)
            bin_ = 2 * ScoreBins::of(p[0]) + (classes.place(code) == classes.positive());
        if (classes.size() > 1) {
            learner.calibrate(p.data(), 1);
            const std::size_t place = known ? classes.place(code) : 0;
            if (classes.size() == 2)
                of_truth *= place == classes.positive() ? p[0] : 1.0 - p[0];
            else
                of_truth *= p[place];
        }
        make_room(truth, code);
        make_room(right, code);
        if (said_ != none) make_room(said, said_);
        if (bin_ != none && mass.empty()) mass.assign(2 * ScoreBins::size, 0.0);
        // A probability of 0 for what happened would have infinite loss.
        loss_ = -fixed::log(std::max(of_truth, std::numeric_limits<double>::epsilon()));
    }
    /// It was learned, or held out. This cannot fail.
    void keep(double w) {
        weight += w;
        log_loss += w * loss_;
        log_loss_squares += w * loss_ * loss_;
        truth[code_] += w;
        if (said_ != none) said[said_] += w;
        if (said_ == code_) right[code_] += w;
        if (bin_ != none) mass[bin_] += w;
    }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    static void make_room(std::vector<double>& of, std::size_t code) {
        if (code >= of.size()) of.resize(code + 1, 0.0);
    }

    std::size_t code_ = none, said_ = none, bin_ = none;
    double loss_ = 0.0;
};

}  // namespace thresher
