// Progressive validation: what is known about a run of which every example is predicted before it is learned.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "classes.hpp"
#include "drift/detector.hpp"
#include "figures.hpp"
#include "lesson.hpp"

namespace thresher {

/// How a learner did on examples before it learned them, weighted: a wrong class counts 1, a wrong number
/// its squared error.
struct Score {
    std::uint64_t examples = 0;
    double weight = 0.0, loss = 0.0;
    double weight_squares = 0.0, loss_squares = 0.0;  // Σ w² and Σ w·loss²: for the mean's error

    /// Whether one more can be added: checked before it is learned.
    void check_room(double w) const { checked_sum(weight, w); }
    void add(double w, double one) {
        weight = checked_sum(weight, w);
        ++examples;
        loss += w * one;
        weight_squares += w * w;
        loss_squares += w * one * one;
    }
};

/// In what order labels come: in a file sorted by label they change seldom.
struct LabelOrder {
    std::uint64_t changes = 0;
    std::vector<std::uint64_t> counts;  // of each code

    /// So that `add` cannot fail.
    void make_room(const Lesson& lesson, std::size_t row) {
        if (counts_label(lesson)) make_room(static_cast<std::size_t>(lesson.codes[row]) + 1);
    }
    void make_room(std::size_t codes) {
        if (codes > counts.size()) counts.resize(codes, 0);
    }
    void add(const Lesson& lesson, std::size_t row) {
        if (!counts_label(lesson)) return;
        const std::int32_t code = lesson.codes[row];
        changes += last_ != code && last_ >= 0;
        ++counts[static_cast<std::size_t>(code)];
        last_ = code;
    }
    /// Changes in a random order of the same n labels, on average: n − Σ n_k²/n (Wald & Wolfowitz 1940).
    double expected() const {
        double n = 0.0, squares = 0.0;
        for (const std::uint64_t count : counts) {
            const double k = static_cast<double>(count);
            n += k;
            squares += k * k;
        }
        return n > 0.0 ? n - squares / n : 0.0;
    }

private:
    /// One label for each row, no number and no set.
    static bool counts_label(const Lesson& lesson) { return lesson.codes && !lesson.starts; }

    std::int32_t last_ = -1;
};

/// The prediction for a row, the code of a class (−1 before there is any) or a number, and its loss.
struct Judged {
    double answer, loss;
};

inline Judged judged(const Classes& classes, const double* scores, const Lesson& lesson,
                     std::size_t row) {
    if (lesson.targets) {
        const double error = lesson.targets[row] - scores[0];
        return {scores[0], error * error};
    }
    if (classes.empty()) return {-1.0, 1.0};
    const std::size_t code = classes.code(classes.decide(scores));
    return {static_cast<double>(code),
            code == static_cast<std::size_t>(lesson.codes[row]) ? 0.0 : 1.0};
}

inline bool labelled(const Lesson& lesson, std::size_t row) {
    if (lesson.targets) return !std::isnan(lesson.targets[row]);
    if (!lesson.starts) return lesson.codes[row] >= 0;
    const std::int64_t first = lesson.starts[row];
    return first == lesson.starts[row + 1] || lesson.codes[first] >= 0;  // an empty set is a label
}

/// How a labelled example was predicted, for those that compare several learners.
struct Outcome {
    bool held_out;
    double weight, loss;
    double truth;  // its target or the code of its class; NaN if it has a set of them
};

inline double truth_of(const Lesson& lesson, std::size_t row) {
    if (lesson.targets) return lesson.targets[row];
    return lesson.starts ? std::numeric_limits<double>::quiet_NaN()
                         : static_cast<double>(lesson.codes[row]);
}

/// Progressive validation: every example is predicted first, then learned.
struct Progress {
    Score learned, held_out;
    std::uint64_t unlabelled = 0;
    std::uint64_t hold_out_every = 0;  // 0: none; n: every n-th example is only predicted
    std::uint64_t position = 0;        // of the next example in its pass
    double* answers = nullptr;         // gets the prediction for each labelled row, if not null
    bool keeps_outcomes = false;       // of the last pass
    std::vector<Outcome> outcomes;
    /// Of the examples that count: those held out if any are, else those learned.
    Figures figures;
    drift::Watch* watch = nullptr;  // sees the loss of each example that is learned
    /// Where the watch ended the pass, so that the caller can react before the next row; 0: nowhere.
    std::size_t ended_at = 0;
    LabelOrder order;
    // Labels that come late: an example is learned when `delay` more have been predicted. `waiting` are
    // predicted and not yet learned: they are the first rows of a call; it learns `taught` rows.
    std::uint64_t delay = 0, waiting = 0, taught = 0;

    /// A pass over this many rows begins: room for their outcomes.
    void begin_pass(std::size_t rows) {
        outcomes.clear();
        if (keeps_outcomes) outcomes.reserve(rows);
    }
    void keep(const Outcome& outcome) {
        if (keeps_outcomes) outcomes.push_back(outcome);
    }
    bool is_delayed() const { return delay > 0 || waiting > 0; }
    bool holds_out(std::uint64_t place) const {
        return hold_out_every > 0 && (place + 1) % hold_out_every == 0;
    }
};

}  // namespace thresher
