// From labels to machines, and the pass over a batch. Classes are numbered in order of appearance;
// what has not appeared has no influence, so a batch and a stream learn the same.
//   one label     two readings are learned, the label as −1 and as +1, until a second one decides
//   two labels    one machine with one vector
//   more          the machine is split into a prototype for each class
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "batch_perceptron.hpp"
#include "class_weights.hpp"
#include "classes.hpp"
#include "drift/detector.hpp"
#include "figures.hpp"
#include "machine.hpp"
#include "rows.hpp"
#include "state.hpp"
#include "target_range.hpp"
#include "threshold.hpp"

namespace thresher {

/// Labels, targets and weights of the rows of a batch. A null pointer means: not given.
struct Lesson {
    const std::int64_t* order = nullptr;  // which rows, in which order
    const std::int32_t* codes = nullptr;  // class numbers (classifiers)
    const double* targets = nullptr;      // (regressors)
    const double* weights = nullptr;
    /// Several labels per row: those of row i are codes[starts[i]] to codes[starts[i + 1] − 1].
    const std::int64_t* starts = nullptr;
    /// The weights of the classes; counts what is learned.
    ClassWeights* class_weights = nullptr;
    /// Where scores are cut; learns from what is learned.
    Threshold* threshold = nullptr;
};

inline std::size_t row_of(const Lesson& lesson, std::size_t i) {
    return lesson.order ? static_cast<std::size_t>(lesson.order[i]) : i;
}

THRESHER_INLINE double checked_weight(const Lesson& lesson, std::size_t row) {
    const double weight = lesson.weights ? lesson.weights[row] : 1.0;
    if (!(weight >= 0.0) || !std::isfinite(weight))
        throw Fault(Fault::Kind::bad_weight, -1, weight);
    return weight;
}

/// The weight with which a row is learned: its own, times that of its class.
THRESHER_INLINE double learning_weight(const Lesson& lesson, std::size_t row) {
    double weight = checked_weight(lesson, row);
    if (lesson.class_weights && weight > 0.0) [[unlikely]] {
        const auto code = static_cast<std::size_t>(lesson.codes[row]);
        weight *= lesson.class_weights->of(code, weight);
        if (!std::isfinite(weight)) throw Fault(Fault::Kind::bad_weight, -1, weight);
    }
    return weight;
}

/// A row was learned: it counts in the class weights of the next ones.
inline void keep_class(const Lesson& lesson, std::size_t row) {
    const double weight = checked_weight(lesson, row);
    const auto code = static_cast<std::size_t>(lesson.codes[row]);
    if (weight > 0.0) lesson.class_weights->keep(code, weight);
}

/// Adds the row to a fault.
template <class F>
THRESHER_INLINE void at_row(std::size_t row, F f) {
    try {
        f();
    } catch (Fault& fault) {
        fault.row = row;
        throw;
    }
}

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
    /// Where labels come by time: how many may still wait when each of the rows that are new is predicted.
    std::vector<std::uint64_t> may_wait;

    /// A pass over this many rows begins: room for their outcomes.
    void begin_pass(std::size_t rows) {
        outcomes.clear();
        if (keeps_outcomes) outcomes.reserve(rows);
    }
    void keep(const Outcome& outcome) {
        if (keeps_outcomes) outcomes.push_back(outcome);
    }
    bool is_delayed() const { return delay > 0 || waiting > 0 || !may_wait.empty(); }
    bool holds_out(std::uint64_t place) const {
        return hold_out_every > 0 && (place + 1) % hold_out_every == 0;
    }
};

/// What a learner has counted.
struct Counts {
    std::uint64_t examples = 0;
    std::uint64_t mistakes = 0;  // 0 where they are not counted
    std::uint64_t updates = 0;
    std::uint64_t clamped = 0;  // weights clamped at a limit
    std::uint64_t links = 0;    // weights kept, by a learner that keeps only some
    std::uint64_t asked = 0;    // labels asked for, by a learner that asks only for some
};

// -- facets: what only some learners can do

/// A score for each target, however many there are: for top-k predictions and sets of labels.
class Targets {
public:
    virtual ~Targets() = default;
    virtual void predict_targets(const Rows& rows, std::size_t begin, std::size_t end,
                                 double* out) = 0;
    /// Such scores to probabilities, in place.
    virtual void calibrate_targets(double* scores, std::size_t rows) const = 0;
    /// `Learner::unseen` for one target.
    virtual double unseen_target(double sum, std::size_t target) const = 0;
    /// Whether an example may have a set of labels.
    virtual bool takes_sets() const = 0;
    /// The kind of node that each label code gets, where there are several.
    std::vector<std::uint8_t> kinds;
};

/// Features without any state can be forgotten.
class Forgetting {
public:
    virtual ~Forgetting() = default;
    /// Those with state, by number, if many others have none; or all are to stay.
    virtual std::optional<std::vector<std::size_t>> linked() const = 0;
    /// These are renumbered in this order; the others are forgotten. It cannot fail.
    virtual void keep_only(const std::vector<std::size_t>& kept) = 0;
};

/// A ledger: the quantities by which the theorems are checked. It is kept from the first example on;
/// false: one was learned already, or (live) the learner is not additive.
class Ledgers {
public:
    virtual ~Ledgers() = default;
    virtual bool keep_live() = 0;
    virtual bool keep_replay(double target) = 0;
    /// Null if none is kept.
    virtual const Ledger* ledger() const = 0;
};

/// The batch perceptron's epochs.
class Epochs {
public:
    virtual ~Epochs() = default;
    virtual BatchEpoch batch_epoch(const Rows& rows, const Lesson& lesson, double eta,
                                   double divide) = 0;
};

/// What makes a learner slow after many examples can be forgotten in part, so that it follows a target that
/// has moved.
class Fading {
public:
    virtual ~Fading() = default;
    /// Whether it has any of that.
    virtual bool settles() const = 0;
    virtual void forget() = 0;
};

/// What a learner that is not told every label would do if this one row were the next.
class PartlyTold {
public:
    virtual ~PartlyTold() = default;
    /// Whether it asks for the label.
    virtual bool asks(const Rows& one) = 0;
    /// The code of the class that it plays, if it knows any; it is told only whether that is right.
    virtual std::optional<std::size_t> play(const Rows& one) = 0;
};

class Prepared;
class Committee;

/// The facets that a learner has; the others are null.
struct Facets {
    Targets* targets = nullptr;
    Forgetting* forgetting = nullptr;
    Ledgers* ledgers = nullptr;
    Epochs* epochs = nullptr;
    Fading* fading = nullptr;
    PartlyTold* partly_told = nullptr;
    Prepared* prepared = nullptr;
    Committee* committee = nullptr;
};

/// Any learner.
class Learner {
public:
    virtual ~Learner() = default;
    virtual Facets facets() { return {}; }

    // -- learning. An example that cannot be learned leaves no trace, whatever the reason: a value, a rule
    // that raises, no memory. A learner ensures that itself, except for features grown for the example:
    // the caller that let it grow takes them back.

    /// Makes room for this many features, or (no memory) changes nothing.
    virtual void grow(std::size_t features) = 0;
    /// Takes back the features from this one on that the last growth added, before anything was learned
    /// about them. It cannot fail.
    virtual void take_back(std::size_t features) = 0;
    virtual void learn(const Rows& rows, const Lesson& lesson, std::size_t begin,
                       std::size_t end) = 0;
    /// Predict, then learn, row by row; `needed` says how many features each row needs.
    virtual void learn_progressively(const Rows& rows, const Lesson& lesson,
                                     const std::size_t* needed, std::size_t begin, std::size_t end,
                                     Progress& progress) = 0;

    // -- predicting

    /// `columns` scores per row.
    virtual void predict(const Rows& rows, std::size_t begin, std::size_t end, double* out) = 0;
    /// The same for rows that also have names that were never learned: the sum of their values and
    /// their number in each row, or null.
    virtual void predict_with(const Rows& rows, std::size_t begin, std::size_t end,
                              const double* sums, const std::size_t* counts, double* out) {
        predict(rows, begin, end, out);
        const std::size_t k = columns();
        for (std::size_t i = 0; counts && i < end - begin; ++i)
            for (std::size_t c = 0; c < k && counts[i] > 0; ++c)
                out[i * k + c] += unseen(sums[i], counts[i], c);
    }
    /// What features that were never learned add to a score: how many, and the sum of their values.
    virtual double unseen(double sum, std::size_t count, std::size_t column) const = 0;
    /// Scores to probabilities, in place: of the positive class, or of each.
    virtual void calibrate(double* scores, std::size_t rows) const = 0;

    // -- the classes seen, and what score columns mean

    virtual const Classes& classes() const { return classes_; }
    std::size_t columns() const { return classes().columns(); }
    /// The labels that may appear (`Classes::announce`): all or (no memory) nothing.
    virtual void announce(std::vector<std::size_t> rank, std::vector<bool> looks_negative) {
        classes_.announce(std::move(rank), std::move(looks_negative));
    }
    virtual void number_by_order() { classes_.number_by_order(); }
    /// Where the score of two classes is cut.
    virtual void cut_at(double score) { classes_.cut_at(score); }
    /// All labels that were announced count as seen from now on, in the order of their codes.
    virtual void meet_announced() {
        throw std::logic_error("this learner meets its labels one by one");
    }
    void announce_as(const Classes& other) { announce(other.rank(), other.looks_negative()); }

    // -- what was learned

    virtual std::size_t features() const = 0;
    virtual double weight(std::size_t feature, std::size_t column) const = 0;
    virtual double constant(std::size_t column) const = 0;
    virtual Counts counts() const = 0;
    /// The online hypothesis itself, never averaged: equal weights behave equally from here on.
    virtual const std::vector<double>& hypothesis() const = 0;
    virtual State save() = 0;
    virtual void load(const State& state) = 0;

protected:
    Classes classes_;
};

/// The same where labels come late: a row is learned when `progress.delay` more have been predicted, or
/// by `progress.may_wait`.
template <class L, class Judge, class Learn>
void with_delay(L& learner, const Lesson& lesson, const std::size_t* needed, std::size_t begin,
                std::size_t end, Progress& progress, Judge judge, Learn learn) {
    std::size_t next = begin;                                          // to be learned
    const std::uint64_t place = progress.position - progress.waiting;  // of the row `begin`
    const auto growing = [&](std::size_t row, auto f) {
        const std::size_t before = learner.features();
        try {
            at_row(row, [&] {
                if (needed[row] > before) learner.grow(needed[row]);
            });
            f();
        } catch (...) {
            learner.take_back(before);
            throw;
        }
    };
    const auto learn_until = [&](std::uint64_t most_waiting) {
        for (; progress.waiting > most_waiting; ++next) {
            const std::size_t row = row_of(lesson, next);
            if (labelled(lesson, row) && !progress.holds_out(place + (next - begin)))
                growing(row, [&] { learn(row, false); });
            --progress.waiting;
            ++progress.taught;
        }
    };
    const std::size_t first = begin + progress.waiting;
    const bool by_time = !progress.may_wait.empty();
    if (by_time && progress.may_wait.size() != end - first)
        throw std::invalid_argument("who may wait, for each row that is new");
    if (!by_time) learn_until(progress.delay);
    for (std::size_t i = first; i < end; ++i) {
        const std::size_t row = row_of(lesson, i);
        if (by_time) learn_until(progress.may_wait[i - first]);
        if (labelled(lesson, row)) {
            Score& score =
                progress.holds_out(place + (i - begin)) ? progress.held_out : progress.learned;
            double weight = 0.0, loss = 0.0;
            growing(row, [&] {
                at_row(row, [&] {
                    weight = checked_weight(lesson, row);
                    score.check_room(weight);
                    progress.order.make_room(lesson, row);
                    loss = judge(row).loss;
                });
            });
            score.add(weight, loss);
            progress.order.add(lesson, row);
        } else {
            ++progress.unlabelled;
        }
        ++progress.position;
        ++progress.waiting;
        if (!by_time) learn_until(progress.delay);
    }
}

/// The figures of a row before it is learned; its scores p become probabilities.
inline void note(const Learner& learner, std::vector<double>& p, const Lesson& lesson,
                 std::size_t row, Figures& figures) {
    if (!lesson.codes || lesson.starts) throw std::invalid_argument("one label for each row");
    figures.note(learner, p, static_cast<std::size_t>(lesson.codes[row]));
}
/// A row of two classes was learned: the threshold learns from the score that it had before.
inline void cut_after(Learner& learner, double score, const Lesson& lesson, std::size_t row) {
    const double weight = checked_weight(lesson, row);
    if (weight == 0.0 || learner.classes().size() != 2) return;
    lesson.threshold->keep(score, static_cast<std::size_t>(lesson.codes[row]), weight,
                           learner.classes());
    learner.cut_at(lesson.threshold->cut());
}

/// Predict, then learn, row by row: `learn_progressively` of every learner. `learn(row, judged)` is told
/// whether that row was judged just before.
template <class L, class Judge, class Learn>
void progressively(L& learner, const Lesson& lesson, const std::size_t* needed, std::size_t begin,
                   std::size_t end, Progress& progress, Judge judge, Learn learn) {
    progress.begin_pass(end - begin);
    if (progress.is_delayed()) [[unlikely]]
        return with_delay(learner, lesson, needed, begin, end, progress, judge, learn);
    for (std::size_t i = begin; i < end; ++i) {
        const std::size_t row = row_of(lesson, i);
        const bool held = progress.holds_out(progress.position);
        if (labelled(lesson, row)) {
            Score& score = held ? progress.held_out : progress.learned;
            double weight = 0.0;
            Judged found{};
            const std::size_t before = learner.features();
            try {
                at_row(row, [&] {
                    weight = checked_weight(lesson, row);
                    score.check_room(weight);
                    progress.order.make_room(lesson, row);
                    if (needed[row] > before) learner.grow(needed[row]);
                    found = judge(row);
                });
                if (!held) learn(row, true);
            } catch (...) {
                learner.take_back(before);
                throw;
            }
            score.add(weight, found.loss);
            if (progress.answers) progress.answers[i - begin] = found.answer;
            progress.keep({held, weight, found.loss, truth_of(lesson, row)});
            if (progress.figures.on && held == (progress.hold_out_every > 0))
                progress.figures.keep(weight);
            progress.order.add(lesson, row);
            if (progress.watch && !held && weight > 0.0 && progress.watch->sees(found.loss))
                progress.ended_at = i + 1;
        } else {
            ++progress.unlabelled;
        }
        if (progress.hold_out_every > 0) ++progress.position;
        if (progress.ended_at > 0) return;
    }
}

/// The passes over a batch, row by row. `Own` says what is done with a row:
///   learn_row(batch, row, lesson)       learn it
///   predict_row(batch, row, out)        predict it
///   judge(batch, row, lesson)           predict it and compare, if that is not the usual comparison
template <class Own>
class RowByRow : public Learner {
public:
    void learn(const Rows& rows, const Lesson& lesson, std::size_t begin,
               std::size_t end) override {
        is_judged_ = false;
        std::visit(
            [&](const auto& batch) {
                for (std::size_t i = begin; i < end; ++i)
                    learn_one(batch, row_of(lesson, i), lesson);
            },
            rows);
    }

    void learn_progressively(const Rows& rows, const Lesson& lesson, const std::size_t* needed,
                             std::size_t begin, std::size_t end, Progress& progress) override {
        std::visit(
            [&](const auto& batch) {
                progressively(
                    own(), lesson, needed, begin, end, progress,
                    [&](std::size_t row) {
                        if (progress.figures.on) {
                            noted_.resize(this->columns());
                            own().predict_row(batch, row, noted_.data());
                            note(*this, noted_, lesson, row, progress.figures);
                        }
                        return own().judge(batch, row, lesson);
                    },
                    [&](std::size_t row, bool judged) {
                        is_judged_ = judged;
                        learn_one(batch, row, lesson);
                    });
            },
            rows);
    }

    void predict(const Rows& rows, std::size_t begin, std::size_t end, double* out) override {
        const std::size_t k = columns();
        std::visit(
            [&](const auto& batch) {
                for (std::size_t i = begin; i < end; ++i)
                    at_row(i, [&] { own().predict_row(batch, i, out + (i - begin) * k); });
            },
            rows);
    }

protected:
    template <class Batch>
    Judged judge(const Batch& batch, std::size_t row, const Lesson& lesson) {
        judged_.resize(columns());
        own().predict_row(batch, row, judged_.data());
        return judged(classes(), judged_.data(), lesson, row);
    }

    /// The row to be learned was predicted last, with nothing learned since.
    bool is_judged_ = false;

private:
    Own& own() { return static_cast<Own&>(*this); }

    template <class Batch>
    THRESHER_INLINE void learn_one(const Batch& batch, std::size_t row, const Lesson& lesson) {
        if (lesson.threshold) [[unlikely]]
            return learn_and_cut(batch, row, lesson);
        learn_weighted(batch, row, lesson);
    }
    template <class Batch>
    THRESHER_INLINE void learn_weighted(const Batch& batch, std::size_t row, const Lesson& lesson) {
        own().learn_row(batch, row, lesson);
        if (lesson.class_weights) [[unlikely]]
            keep_class(lesson, row);
    }
    /// With two classes the threshold learns from the score that the row had before.
    template <class Batch>
    void learn_and_cut(const Batch& batch, std::size_t row, const Lesson& lesson) {
        const bool counts = row < batch.size() && this->classes().size() == 2;
        double score = 0.0;
        if (counts) at_row(row, [&] { own().predict_row(batch, row, &score); });
        learn_weighted(batch, row, lesson);
        if (counts) cut_after(*this, score, lesson, row);
    }

    std::vector<double> judged_, noted_;
};

template <class Geometry>
class LearnerOf final : public RowByRow<LearnerOf<Geometry>>, Ledgers, Epochs, Fading, PartlyTold {
    friend class RowByRow<LearnerOf>;
    static constexpr bool additive = std::is_same_v<Geometry, Additive>;

public:
    using Learner::classes_, Learner::columns;

    LearnerOf(typename Geometry::Options geometry, const MachineOptions& options, bool regressor)
        : fresh_(geometry, options),
          readings_(regressor ? 1 : 2, fresh_),
          regressor_(regressor),
          targets_(options.clip_predictions) {}

    Facets facets() override {
        Facets has;
        if (!regressor_ && !fresh_.is_bandit()) has.ledgers = this;
        if (additive) has.epochs = this;
        has.fading = this;
        if (fresh_.is_bandit() || fresh_.asks_for_labels()) has.partly_told = this;
        return has;
    }

    void grow(std::size_t features) override {
        const std::size_t before = this->features();
        try {
            for (auto& machine : readings_) machine.grow(features);
        } catch (...) {
            take_back(before);
            throw;
        }
    }
    void take_back(std::size_t features) override {
        for (auto& machine : readings_) machine.shrink(features);
    }

    void calibrate(double* scores, std::size_t rows) const override {
        shown().calibration().probabilities(scores, rows, columns());
    }

    double unseen(double sum, std::size_t count, std::size_t column) const override {
        return shown().unseen(sum, count, column);
    }
    double weight(std::size_t feature, std::size_t column) const override {
        return shown().weight(feature, column);
    }
    double constant(std::size_t column) const override { return shown().constant(column); }
    std::size_t features() const override { return shown().features(); }
    Counts counts() const override {
        const auto& machine = shown();
        return {static_cast<std::uint64_t>(machine.examples()),
                machine.mistakes(),
                machine.updates(),
                machine.geometry().clamped(),
                0,
                machine.asked()};
    }
    bool settles() const override { return shown().settles(); }
    void forget() override {
        for (auto& machine : readings_) machine.forget();
    }
    bool keep_live() override {
        if (!additive || shown().examples() > 0) return false;
        for (auto& machine : readings_) machine.ledger().start_live();
        return true;
    }
    bool keep_replay(double target) override {
        if (shown().examples() > 0) return false;
        for (auto& machine : readings_) machine.ledger().start_replay(target);
        return true;
    }
    const Ledger* ledger() const override {
        return shown().ledger().on() ? &shown().ledger() : nullptr;
    }
    const std::vector<double>& hypothesis() const override {
        return shown().geometry().raw().cells();
    }

    bool asks(const Rows& one) override {
        bool asks = true;
        for_the(one, [&](const auto& x) { asks = shown().asks(x); });
        return asks;
    }
    std::optional<std::size_t> play(const Rows& one) override {
        std::optional<std::size_t> code;
        for_the(one, [&](const auto& x) {
            if (!classes_.empty()) code = classes_.code(shown().play(x, classes_).played);
        });
        return code;
    }
    void meet_announced() override {
        for (std::size_t code = 0; code < classes_.announced(); ++code) met(code);
    }

    BatchEpoch batch_epoch(const Rows& rows, const Lesson& lesson, double eta,
                           double divide) override {
        if constexpr (additive)
            return additive_epoch(rows, lesson, eta, divide);
        else
            throw std::logic_error("the batch perceptron is additive");
    }

    State save() override {
        State state;
        Saver saver(state);
        describe(saver);
        return state;
    }

    void load(const State& state) override {
        LearnerOf loaded(fresh_, regressor_, targets_.clips());
        loaded.announce_as(classes_);
        Loader loader(state);
        loaded.describe(loader);
        *this = std::move(loaded);
    }

private:
    LearnerOf(const Machine<Geometry>& fresh, bool regressor, bool clips)
        : fresh_(fresh), readings_(1, fresh), regressor_(regressor), targets_(clips) {}

    /// f of the only row.
    template <class F>
    void for_the(const Rows& one, F f) {
        std::visit([&](const auto& batch) { at_row(0, [&] { batch.visit(0, predicting_, f); }); },
                   one);
    }
    template <class Batch>
    void predict_row(const Batch& batch, std::size_t row, double* out) {
        batch.template visit<additive>(row, predicting_,
                                       [&](const auto& x) { shown().predict(x, out); });
        if (regressor_) out[0] = targets_.clipped(out[0]);
    }

    template <class Archive>
    void describe(Archive& a) {
        std::size_t readings = readings_.size();
        classes_.describe(a);
        classes_.describe_positive(a);
        a.count("readings", readings);
        a.require(readings == (regressor_ || classes_.size() >= 2 ? 1u : 2u),
                  "the classes and their weights");
        readings_.resize(readings, fresh_);
        for (std::size_t i = 0; i < readings; ++i)
            a.nested("reading" + std::to_string(i), readings_[i]);
        if (regressor_) a.nested("targets", targets_);
        for (const auto& machine : readings_) {
            a.require(machine.columns() == columns(), "the classes and the columns");
            a.require(machine.features() == features(), "the readings of a single class");
            a.require(additive || !machine.ledger().is_live(), "the live audit and the learner");
        }
    }

    template <class Batch>
    THRESHER_INLINE void learn_row(const Batch& batch, std::size_t row, const Lesson& lesson) {
        const bool judged = this->is_judged_;
        at_row(row, [&] {
            if (row >= batch.size())
                throw Fault(Fault::Kind::bad_row_bounds, -1, static_cast<double>(row));
            const double weight = learning_weight(lesson, row);
            if (weight == 0.0) return;
            batch.template visit<additive>(row, scratch_, [&](const auto& x) {
                if (regressor_)
                    learn_target(x, lesson.targets[row], weight, judged);
                else
                    learn_label(x, static_cast<std::size_t>(lesson.codes[row]), weight, judged);
            });
        });
    }

    /// The step is that of the score itself, never clipped.
    template <class Row>
    void learn_target(const Row& x, double y, double weight, bool judged) {
        readings_[0].learn_target(x, y, weight, judged);
        targets_.include(y);
    }
    template <class Row>
    THRESHER_INLINE void learn_label(const Row& x, std::size_t code, double weight, bool judged) {
        if (fresh_.is_bandit()) [[unlikely]]
            learn_answer(x, code, weight);
        else if (classes_.knows(code))
            learn_known(x, classes_.place(code), weight, judged);
        else
            meeting(code, [&] { learn_known(x, classes_.place(code), weight, false); });
    }
    template <class Row>
    THRESHER_INLINE void learn_known(const Row& x, std::size_t y, double weight, bool judged) {
        if (classes_.size() == 1) {
            const auto minus = readings_[0].plan_sign(x, -1.0, weight);
            const auto plus = readings_[1].plan_sign(x, +1.0, weight);
            readings_[0].keep_sign(x, minus);
            readings_[1].keep_sign(x, plus);
        } else if (classes_.size() == 2) {
            // A table, not a branch: which label comes next is unpredictable.
            static constexpr double sign[] = {-1.0, 1.0};
            readings_[0].keep_sign(
                x, readings_[0].plan_sign(x, sign[y == classes_.positive()], weight, judged));
        } else {
            readings_[0].learn_class(x, y, weight, judged);
        }
    }
    /// The label only says whether what is played is right. One that is new was not played; it joins
    /// the classes before the step is made.
    template <class Row>
    void learn_answer(const Row& x, std::size_t code, double weight) {
        const rules::Play play = shown().play(x, classes_);
        const bool known = classes_.knows(code);
        const bool right = known && play.played == classes_.place(code);
        const auto learn = [&] {
            const std::size_t count = classes_.size() == 1 ? readings_.size() : 1;
            for (std::size_t i = 0; i < count; ++i)
                readings_[i].learn_answer(x, play, right, classes_.positive(), weight);
        };
        if (known)
            learn();
        else
            meeting(code, learn);
    }
    /// The first example of a class; if it cannot be learned the class is taken back. The second one
    /// decides between two readings, the other of which goes when it is learned; the third changes all
    /// weights, which are copied before; later ones only add a column.
    template <class Learn>
    void meeting(std::size_t code, Learn learn) {
        const std::size_t before = classes_.size();
        std::vector<Machine<Geometry>> kept;
        if (before == 2) kept = readings_;
        try {
            meet(code);
            learn();
        } catch (...) {
            if (classes_.size() > before) {
                if (before == 1) choose_reading();  // a swap: twice is not at all
                classes_.forget_last();
            }
            if (!kept.empty()) readings_ = std::move(kept);
            if (before > 2) readings_[0].take_back_column(before);
            throw;
        }
        drop_other_reading();
    }

    /// The number of a class, which may be new.
    std::size_t met(std::size_t code) {
        if (classes_.knows(code)) return classes_.place(code);
        const std::size_t place = meet(code);
        drop_other_reading();
        return place;
    }
    void choose_reading() {
        if (classes_.positive() == 0) std::swap(readings_[0], readings_[1]);
    }
    void drop_other_reading() {
        if (classes_.size() >= 2 && readings_.size() == 2) readings_.pop_back();
    }
    std::size_t meet(std::size_t code) {
        const std::size_t place = classes_.meet(code);
        if (classes_.size() == 2) {
            choose_reading();
        } else if (classes_.size() == 3) {
            readings_[0].split(classes_.positive());
        } else if (classes_.size() > 3) {
            readings_[0].add_column();
        }
        return place;
    }

    BatchEpoch additive_epoch(const Rows& rows, const Lesson& lesson, double eta, double divide) {
        meet_announced();
        auto& machine = shown();
        BatchPerceptron batch(machine.geometry());
        std::uint64_t seen = 0;
        return std::visit(
            [&](const auto& examples) {
                for (std::size_t i = 0; i < examples.size(); ++i)
                    at_row(i, [&] {
                        const double weight = checked_weight(lesson, i);
                        if (weight == 0.0) return;
                        ++seen;
                        const std::size_t y = met(static_cast<std::size_t>(lesson.codes[i]));
                        examples.visit(i, scratch_, [&](const auto& x) {
                            if (classes_.size() >= 3)
                                batch.see_class(x, y, weight);
                            else
                                batch.see_sign(x, y == classes_.shown_positive() ? 1.0 : -1.0,
                                               weight);
                        });
                    });
                const BatchEpoch epoch = batch.step(eta, divide);
                machine.count(seen, epoch.mistakes);
                return epoch;
            },
            rows);
    }

    /// Of the two readings of a single class, the one to show. The second class chooses the first of
    /// them, and while its first example is learned, which a rule may watch, both are still there.
    std::size_t shown_reading() const {
        const bool undecided = readings_.size() == 2 && classes_.size() < 2;
        return undecided && !classes_.lone_is_negative() ? 1 : 0;
    }
    const Machine<Geometry>& shown() const { return readings_[shown_reading()]; }
    Machine<Geometry>& shown() { return readings_[shown_reading()]; }

    Machine<Geometry> fresh_;
    std::vector<Machine<Geometry>> readings_;
    bool regressor_;
    TargetRange targets_;
    Scratch scratch_;     // of the row that is learned: a rule of the user may predict meanwhile
    Scratch predicting_;  // of a row that is predicted
};

}  // namespace thresher
