// A learner whose rows are prepared first: it runs the steps, then passes the prepared row to the inner
// learner, which is not aware of them.
//   learning     the statistics are updated with the example, then it is mapped and learned
//   predicting   it is mapped by the statistics so far, which do not change; a feature that occurred in no
//                learned example counts as absent, however the row is given
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../learner.hpp"
#include "../lexicon.hpp"
#include "steps.hpp"

namespace thresher {

class Prepared final : public RowByRow<Prepared> {
    friend class RowByRow<Prepared>;

public:
    using Cells = prepare::Cells;

    /// `unit`: the inner learner takes only values in [0, 1].
    Prepared(std::unique_ptr<Learner> inner, const std::vector<prepare::Written>& steps,
             Domain domain, bool unit, std::shared_ptr<const Lexicon> lexicon)
        : inner_(std::move(inner)),
          steps_(steps, unit),
          fresh_(steps_),
          domain_(domain),
          lexicon_(std::move(lexicon)),
          names_(prepare::names_in(lexicon_)) {
        if (inner_) inner_->grow(steps_.outputs());  // even an empty row has Fourier features
    }

    void grow(std::size_t features) override {
        const std::size_t before = this->features();
        try {
            steps_.grow(features);
            if (features > came_.size()) came_.resize(features, 0.0);
            inner_->grow(steps_.outputs());
        } catch (...) {
            take_back(before);
            throw;
        }
    }
    void take_back(std::size_t features) override {
        steps_.shrink(features);
        came_.resize(std::min(features, came_.size()));
        inner_->take_back(steps_.outputs());
    }
    std::size_t features() const override { return came_.size(); }

    // -- what was learned: a weight for each prepared feature, or each raw one if the steps only scale

    std::size_t weighted() const { return steps_.outputs(); }
    std::string weighted_name(std::size_t i) const { return steps_.name(i, names_); }
    bool is_affine() const { return steps_.is_affine(); }
    bool has_statistics() const { return steps_.has_statistics(); }
    double weight(std::size_t i, std::size_t column) const override {
        if (i >= inner_->features()) return 0.0;
        if (!steps_.is_affine()) return inner_->weight(i, column);
        const double spread = steps_.affine(i).spread;
        return spread > 0.0 ? inner_->weight(i, column) / spread : 0.0;
    }
    double constant(std::size_t column) const override {
        double sum = inner_->constant(column);
        for (std::size_t i = 0; steps_.is_affine() && i < steps_.outputs(); ++i)
            sum += inner_->weight(i, column) * steps_.affine(i)(0.0);
        return sum;
    }
    /// The prepared row that the inner learner predicts for, and the part from products that were never
    /// seen.
    std::pair<Cells, double> prepared(const Rows& one, std::size_t column) {
        const Cells* out = nullptr;
        std::visit([&](const auto& batch) { out = &mapped(batch, 0); }, one);
        return {*out, unseen_products(column)};
    }

    /// Names that never occurred do not count.
    double unseen(double, std::size_t, std::size_t) const override { return 0.0; }

    const Classes& classes() const override { return inner_->classes(); }
    void announce(std::vector<std::size_t> rank, std::vector<bool> looks_negative) override {
        inner_->announce(std::move(rank), std::move(looks_negative));
    }
    void number_by_order() override { inner_->number_by_order(); }
    void calibrate(double* scores, std::size_t rows) const override {
        inner_->calibrate(scores, rows);
    }
    Counts counts() const override { return inner_->counts(); }
    const std::vector<double>& hypothesis() const override { return inner_->hypothesis(); }
    /// None of the inner learner's: the theorems that a ledger is for are about fixed rows, not about
    /// rows that change with the statistics.
    Facets facets() override { return {.prepared = this}; }

    State save() override {
        State state = inner_->save();
        Saver saver(state, "prepare.");
        describe(saver);
        return state;
    }
    void load(const State& state) override {
        Prepared loaded(nullptr, {}, domain_, false, lexicon_);
        loaded.steps_ = fresh_;
        Loader loader(state, "prepare.");
        loaded.describe(loader);
        inner_->load(state);
        if (inner_->features() < loaded.steps_.outputs())
            throw BadState("prepare: there are fewer weights than prepared features");
        steps_ = loaded.steps_;
        came_ = loaded.came_;
    }

private:
    template <class Archive>
    void describe(Archive& a) {
        steps_.describe(a);
        const std::size_t features = steps_.inputs();
        a.cells("came", came_, features, 1);
        for (std::size_t i = 0; i < features; ++i)
            a.require(came_[i] == 0.0 || came_[i] == 1.0, "what came of the features");
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

    /// The prepared row, as for a prediction.
    template <class Batch>
    const Cells& mapped(const Batch& batch, std::size_t row) {
        collect(batch, row, predicted_row_);
        known_.clear();
        for (std::size_t j = 0; j < predicted_row_.size(); ++j)
            if (came_[static_cast<std::size_t>(predicted_row_.index[j])] != 0.0)
                known_.push(static_cast<std::size_t>(predicted_row_.index[j]),
                            predicted_row_.value[j]);
        return prepare::all_finite(steps_.map(known_, names_));
    }
    double unseen_products(std::size_t column) const {
        const prepare::Unseen& unseen = steps_.unseen();
        return unseen.count > 0 ? inner_->unseen(unseen.sum, unseen.count, column) : 0.0;
    }

    template <class Batch>
    void predict_row(const Batch& batch, std::size_t row, double* out) {
        const Cells& x = mapped(batch, row);
        inside([&] { inner_->predict(x.rows(), 0, 1, out); });
        for (std::size_t c = 0; c < columns(); ++c) out[c] += unseen_products(c);
    }

    template <class Batch>
    void learn_row(const Batch& batch, std::size_t row, const Lesson& lesson) {
        at_row(row, [&] {
            if (row >= batch.size())
                throw Fault(Fault::Kind::bad_row_bounds, -1, static_cast<double>(row));
            const double weight = learning_weight(lesson, row);
            if (weight == 0.0) return;
            collect(batch, row, learned_row_);
            const Cells& x = steps_.learn(learned_row_, names_);
            try {
                prepare::all_finite(x);
                inner_->grow(steps_.outputs());
                const Lesson one{nullptr, lesson.codes ? lesson.codes + row : nullptr,
                                 lesson.targets ? lesson.targets + row : nullptr, &weight};
                inside([&] { inner_->learn(x.rows(), one, 0, 1); });
            } catch (...) {
                steps_.undo();
                inner_->take_back(steps_.outputs());
                throw;
            }
            for (const std::int32_t i : learned_row_.index)
                came_[static_cast<std::size_t>(i)] = 1.0;
        });
    }

    /// A fault of the inner learner may name a prepared feature, which the example does not have.
    template <class F>
    static void inside(F f) {
        try {
            f();
        } catch (Fault& fault) {
            fault.feature = -1;
            throw;
        }
    }

    std::unique_ptr<Learner> inner_;
    prepare::Steps steps_, fresh_;
    Domain domain_;
    std::shared_ptr<const Lexicon> lexicon_;
    prepare::Names names_;
    std::vector<double> came_;  // 1: in an example learned
    Cells
        learned_row_;  // stays as it is while the learner inside is at it, which a rule of the user
    Cells predicted_row_, known_;  // may ask for a prediction meanwhile
    Scratch scratch_;
};

}  // namespace thresher
