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
#include "preparation.hpp"

namespace thresher {

class Prepared final : public RowByRow<Prepared> {
    friend class RowByRow<Prepared>;

public:
    using Cells = prepare::Cells;

    Prepared(std::unique_ptr<Learner> inner, Preparation fresh,
             std::shared_ptr<const Lexicon> lexicon)
        : inner_(std::move(inner)),
          fresh_(std::move(fresh)),
          preparation_(std::make_shared<Preparation>(fresh_)),
          names_(prepare::names_in(std::move(lexicon))) {
        inner_->grow(steps().outputs());  // even an empty row has Fourier features
    }

    void grow(std::size_t features) override {
        const std::size_t before = this->features();
        try {
            unshared().grow(features);
            inner_->grow(steps().outputs());
        } catch (...) {
            take_back(before);
            throw;
        }
    }
    void take_back(std::size_t features) override {
        unshared().shrink(features);
        inner_->take_back(steps().outputs());
    }
    std::size_t features() const override { return preparation_->features(); }

    /// A row that is predicted and then learned is collected once.
    void learn_progressively(const Rows& rows, const Lesson& lesson, const std::size_t* needed,
                             std::size_t begin, std::size_t end, Progress& progress) override {
        judged_row_ = none;
        RowByRow::learn_progressively(rows, lesson, needed, begin, end, progress);
    }
    void learn(const Rows& rows, const Lesson& lesson, std::size_t begin,
               std::size_t end) override {
        judged_row_ = none;
        RowByRow::learn(rows, lesson, begin, end);
    }

    // -- rows that were prepared for several learners at once

    /// What this learner's rows are prepared by so far, to prepare a batch for all that have the same:
    /// they have the same steps and have learned the same examples.
    const std::shared_ptr<Preparation>& shared() const { return preparation_; }
    const prepare::Names& names() const { return names_; }

    /// `learn_progressively` of rows that were prepared by what this learner, too, would have learned:
    /// it has learned the same examples before them. Afterwards it shares what has prepared them, and
    /// copies it when it has to change it or predicts by itself. After a fault it has learned the rows
    /// before it, but not what prepares them: `share` that, or do not use it any more. `with` weighs
    /// the classes and cuts their scores.
    void learn_prepared(const PreparedRows& rows, const Lesson& with, Progress& progress) {
        try {
            learn_inner(rows, with, progress);
        } catch (Fault& fault) {
            fault.row = rows.row(fault.row);
            throw;
        }
        share(rows.preparation());
        if (rows.fault) throw Fault(*rows.fault);
    }
    void share(std::shared_ptr<Preparation> preparation) { preparation_ = std::move(preparation); }
    // -- what was learned: a weight for each prepared feature, or each raw one if the steps only scale

    std::size_t weighted() const { return steps().outputs(); }
    std::string weighted_name(std::size_t i) const { return steps().name(i, names_); }
    bool is_affine() const { return steps().is_affine(); }
    bool has_statistics() const { return steps().has_statistics(); }
    double weight(std::size_t i, std::size_t column) const override {
        if (i >= inner_->features()) return 0.0;
        if (!steps().is_affine()) return inner_->weight(i, column);
        const double spread = steps().affine(i).spread;
        return spread > 0.0 ? inner_->weight(i, column) / spread : 0.0;
    }
    double constant(std::size_t column) const override {
        double sum = inner_->constant(column);
        for (std::size_t i = 0; steps().is_affine() && i < steps().outputs(); ++i)
            sum += inner_->weight(i, column) * steps().affine(i)(0.0);
        return sum;
    }
    /// The prepared row that the inner learner predicts for, and the part from products that were never
    /// seen.
    std::pair<Cells, double> prepared(const Rows& one, std::size_t column) {
        const Cells* out = nullptr;
        std::visit([&](const auto& batch) { out = &unshared().mapped(batch, 0, names_); }, one);
        return {*out, unseen_products(steps().unseen(), column)};
    }

    /// Names that never occurred do not count.
    double unseen(double, std::size_t, std::size_t) const override { return 0.0; }

    const Classes& classes() const override { return inner_->classes(); }
    void announce(std::vector<std::size_t> rank, std::vector<bool> looks_negative) override {
        inner_->announce(std::move(rank), std::move(looks_negative));
    }
    void number_by_order() override { inner_->number_by_order(); }
    void cut_at(double score) override { inner_->cut_at(score); }
    void calibrate(double* scores, std::size_t rows) const override {
        inner_->calibrate(scores, rows);
    }
    Counts counts() const override { return inner_->counts(); }
    const std::vector<double>& hypothesis() const override { return inner_->hypothesis(); }
    /// None of the inner learner's: the theorems that a ledger is for are about fixed rows, not about
    /// rows that change with the statistics.
    Facets facets() override { return {.fading = inner_->facets().fading, .prepared = this}; }

    State save() override {
        State state = inner_->save();
        Saver saver(state, "prepare.");
        unshared().describe(saver);
        return state;
    }
    void load(const State& state) override {
        Preparation loaded = fresh_;
        Loader loader(state, "prepare.");
        loaded.describe(loader);
        inner_->load(state);
        if (inner_->features() < loaded.steps().outputs())
            throw BadState("prepare: there are fewer weights than prepared features");
        preparation_ = std::make_shared<Preparation>(std::move(loaded));
    }

private:
    const prepare::Steps& steps() const { return preparation_->steps(); }
    /// Not shared with other learners any more.
    Preparation& unshared() {
        if (preparation_.use_count() > 1)
            preparation_ = std::make_shared<Preparation>(*preparation_);
        return *preparation_;
    }

    void learn_inner(const PreparedRows& rows, const Lesson& with, Progress& progress) {
        Lesson lesson = rows.lesson();
        lesson.class_weights = with.class_weights;
        lesson.threshold = with.threshold;
        double score = 0.0;
        progressively(
            *inner_, lesson, rows.needed(), 0, rows.size(), progress,
            [&](std::size_t i) {
                predicted_.resize(columns());
                predict_inside(rows.predicted(i), rows.unseen(i), predicted_.data());
                const Judged found = judged(classes(), predicted_.data(), lesson, i);
                if (columns() > 0) score = predicted_[0];
                if (progress.figures.on) note(*inner_, predicted_, lesson, i, progress.figures);
                return found;
            },
            [&](std::size_t i, bool) {
                const bool two = classes().size() == 2;
                at_row(i, [&] { learn_inside(rows.learned(i), rows.needed_after(i), lesson, i); });
                if (lesson.class_weights) keep_class(lesson, i);
                if (lesson.threshold && two) cut_after(*inner_, score, lesson, i);
            });
    }

    double unseen_products(const prepare::Unseen& unseen, std::size_t column) const {
        return unseen.count > 0 ? inner_->unseen(unseen.sum, unseen.count, column) : 0.0;
    }
    void predict_inside(const Rows& x, const prepare::Unseen& unseen, double* out) {
        inside([&] { inner_->predict(x, 0, 1, out); });
        for (std::size_t c = 0; c < columns(); ++c) out[c] += unseen_products(unseen, c);
    }
    template <class Batch>
    void predict_row(const Batch& batch, std::size_t row, double* out) {
        const Cells& x = unshared().mapped(batch, row, names_);
        predict_inside(x.rows(), steps().unseen(), out);
    }

    template <class Batch>
    Judged judge(const Batch& batch, std::size_t row, const Lesson& lesson) {
        const Judged found = RowByRow::judge(batch, row, lesson);
        judged_row_ = row;
        return found;
    }

    /// The inner learner learns the prepared row x; there are this many prepared features now.
    void learn_inside(const Rows& x, std::size_t outputs, const Lesson& lesson, std::size_t row) {
        const double weight = learning_weight(lesson, row);
        if (weight == 0.0) return;
        inner_->grow(outputs);
        const Lesson one{nullptr, lesson.codes ? lesson.codes + row : nullptr,
                         lesson.targets ? lesson.targets + row : nullptr, &weight};
        inside([&] { inner_->learn(x, one, 0, 1); });
    }
    template <class Batch>
    void learn_row(const Batch& batch, std::size_t row, const Lesson& lesson) {
        at_row(row, [&] {
            if (row >= batch.size())
                throw Fault(Fault::Kind::bad_row_bounds, -1, static_cast<double>(row));
            if (learning_weight(lesson, row) == 0.0) return;
            Preparation& mine = unshared();
            const bool is_mapped = std::exchange(judged_row_, none) == row;
            const Cells& x =
                is_mapped ? mine.learned_as_mapped(names_) : mine.learned(batch, row, names_);
            try {
                learn_inside(x.rows(), steps().outputs(), lesson, row);
            } catch (...) {
                mine.undo();
                inner_->take_back(steps().outputs());
                throw;
            }
            mine.keep();
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

    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    std::unique_ptr<Learner> inner_;
    Preparation fresh_;
    std::shared_ptr<Preparation> preparation_;
    prepare::Names names_;
    std::vector<double> predicted_;
    std::size_t judged_row_ = none;  // of the rows at hand, the one that was mapped last
};

}  // namespace thresher
