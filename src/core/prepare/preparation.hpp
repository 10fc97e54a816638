// The steps of a prepared learner and what they have learned. Learners that see the same stream have equal
// ones: then a batch can be prepared once for all of them, into `PreparedRows`.
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../learner.hpp"
#include "steps.hpp"

namespace thresher {

class Preparation {
public:
    using Cells = prepare::Cells;

    /// `unit`: the learner takes only values in [0, 1].
    Preparation(const std::vector<prepare::Written>& steps, Domain domain, bool unit)
        : written_(steps), unit_(unit), steps_(steps, unit), domain_(domain) {}

    /// Whether it prepares rows as the other does, where both have learned from the same ones.
    bool same_steps(const Preparation& other) const {
        return written_ == other.written_ && unit_ == other.unit_ && domain_ == other.domain_;
    }

    const prepare::Steps& steps() const { return steps_; }
    std::size_t features() const { return came_.size(); }

    /// If there is no memory for more, it may have grown in part: then it has to shrink.
    void grow(std::size_t features) {
        steps_.grow(features);
        if (features > came_.size()) came_.resize(features, 0.0);
    }
    void shrink(std::size_t features) {
        steps_.shrink(features);
        came_.resize(std::min(features, came_.size()));
    }

    /// The prepared row, as for a prediction: a feature that occurred in no learned example is absent.
    template <class Batch>
    const Cells& mapped(const Batch& batch, std::size_t row, const prepare::Names& names) {
        collect(batch, row, predicted_row_);
        known_.clear();
        for (std::size_t j = 0; j < predicted_row_.size(); ++j)
            if (came_[static_cast<std::size_t>(predicted_row_.index[j])] != 0.0)
                known_.push(static_cast<std::size_t>(predicted_row_.index[j]),
                            predicted_row_.value[j]);
        return prepare::all_finite(steps_.map(known_, names));
    }

    /// The statistics are updated with the row, then it is mapped; `keep` or `undo` has to follow. A row
    /// that is refused leaves nothing.
    template <class Batch>
    const Cells& learned(const Batch& batch, std::size_t row, const prepare::Names& names) {
        collect(batch, row, learned_row_);
        return learn_collected(names);
    }
    /// The same for the row that was mapped last.
    const Cells& learned_as_mapped(const prepare::Names& names) {
        learned_row_ = predicted_row_;
        return learn_collected(names);
    }
    void undo() { steps_.undo(); }
    void keep() {
        for (const std::int32_t i : learned_row_.index) came_[static_cast<std::size_t>(i)] = 1.0;
    }

    template <class Archive>
    void describe(Archive& a) {
        steps_.describe(a);
        const std::size_t features = steps_.inputs();
        a.cells("came", came_, features, 1);
        for (std::size_t i = 0; i < features; ++i)
            a.require(came_[i] == 0.0 || came_[i] == 1.0, "what came of the features");
    }

private:
    const Cells& learn_collected(const prepare::Names& names) {
        const Cells& x = steps_.learn(learned_row_, names);
        try {
            return prepare::all_finite(x);
        } catch (...) {
            undo();
            throw;
        }
    }

    template <class Batch>
    void collect(const Batch& batch, std::size_t row, Cells& raw) {
        prepare::collect(batch, row, scratch_, raw);
        if (domain_ == Domain::any) return;
        for (std::size_t j = 0; j < raw.size(); ++j) {
            const double v = raw.value[j];
            if (domain_ == Domain::unit && !(v >= 0.0 && v <= 1.0))
                throw Fault(Fault::Kind::outside_unit, raw.index[j], v);
            if (v < 0.0) throw Fault(Fault::Kind::below_zero, raw.index[j], v);
        }
    }

    std::vector<prepare::Written> written_;
    bool unit_;
    prepare::Steps steps_;
    Domain domain_;
    std::vector<double> came_;  // 1: in an example learned
    // The row that is learned stays as it is while the learner inside is at it: a rule of the user may
    // ask for a prediction meanwhile.
    Cells learned_row_, predicted_row_, known_;
    Scratch scratch_;
};

/// Rows of a batch in the order of learning, each prepared as it is predicted and as it is learned.
class PreparedRows {
public:
    using Cells = prepare::Cells;

    /// Prepares as many rows as can be: `fault` says why there are no more. Which rows are held out
    /// follows from `progress`, which does not change.
    template <class Batch>
    PreparedRows(std::shared_ptr<Preparation> preparation, const prepare::Names& names,
                 const Batch& batch, const Lesson& lesson, const std::size_t* needed,
                 std::size_t begin, std::size_t end, const Progress& progress)
        : preparation_(std::move(preparation)), codes_(lesson.targets ? 0 : end - begin) {
        std::uint64_t position = progress.position;
        for (std::size_t i = begin; i < end && !fault; ++i, ++position) {
            const std::size_t row = row_of(lesson, i);
            const bool held =
                progress.hold_out_every > 0 && (position + 1) % progress.hold_out_every == 0;
            const std::size_t before = preparation_->features();
            try {
                at_row(row, [&] {
                    if (labelled(lesson, row)) {
                        if (needed[row] > before) preparation_->grow(needed[row]);
                        push(predicted_, preparation_->mapped(batch, row, names));
                        unseen_.push_back(preparation_->steps().unseen());
                        const bool learns = !held && learning_weight(lesson, row) != 0.0;
                        push(learned_, learns ? preparation_->learned_as_mapped(names) : nothing_);
                        if (learns) preparation_->keep();
                    } else {
                        push(predicted_, nothing_);
                        unseen_.push_back({});
                        push(learned_, nothing_);
                    }
                });
            } catch (const Fault& why) {
                preparation_->shrink(before);
                fault = why;
                break;
            }
            rows_.push_back(row);
            if (lesson.targets)
                targets_.push_back(lesson.targets[row]);
            else
                codes_[rows_.size() - 1] = lesson.codes[row];
            if (lesson.weights) weights_.push_back(lesson.weights[row]);
        }
    }

    std::optional<Fault> fault;
    const char* counted = "row";  // what a row is called in errors

    std::size_t size() const { return rows_.size(); }
    /// The number of a row in its batch.
    std::size_t row(std::size_t i) const { return rows_[i]; }
    const std::shared_ptr<Preparation>& preparation() const { return preparation_; }
    Lesson lesson() const {
        Lesson out;
        out.codes = targets_.empty() ? codes_.data() : nullptr;
        out.targets = targets_.empty() ? nullptr : targets_.data();
        out.weights = weights_.empty() ? nullptr : weights_.data();
        return out;
    }
    Rows predicted(std::size_t i) const { return predicted_.row(i); }
    Rows learned(std::size_t i) const { return learned_.row(i); }
    const prepare::Unseen& unseen(std::size_t i) const { return unseen_[i]; }
    /// How many prepared features there were when each row was predicted, and after it was learned.
    const std::size_t* needed() const { return predicted_.outputs.data(); }
    std::size_t needed_after(std::size_t i) const { return learned_.outputs[i]; }

private:
    struct Table {
        std::vector<std::size_t> start{0};
        std::vector<std::int32_t> index;
        std::vector<double> value;
        std::vector<std::size_t> outputs;

        Rows row(std::size_t i) const {
            const std::size_t a = start[i];
            return OneRow<const double*>{{index.data() + a, value.data() + a, start[i + 1] - a}};
        }
    };
    void push(Table& to, const Cells& row) const {
        to.index.insert(to.index.end(), row.index.begin(), row.index.end());
        to.value.insert(to.value.end(), row.value.begin(), row.value.end());
        to.start.push_back(to.index.size());
        to.outputs.push_back(preparation_->steps().outputs());
    }

    std::shared_ptr<Preparation> preparation_;
    Table predicted_, learned_;
    std::vector<prepare::Unseen> unseen_;
    std::vector<std::size_t> rows_;
    std::vector<std::int32_t> codes_;
    std::vector<double> targets_, weights_;
    Cells nothing_;
};

}  // namespace thresher
