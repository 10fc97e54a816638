// A sparse network as a learner: labels to targets, rows to examples. Targets are numbered in order of
// appearance; a target that has not appeared has no influence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../learner.hpp"
#include "network.hpp"

namespace thresher::snow {

class Snow final : public RowByRow<Snow>, Targets, Forgetting {
    friend class RowByRow<Snow>;

public:
    explicit Snow(const Options& o) : network_(o) {}

    Facets facets() override { return {.targets = this, .forgetting = this}; }

    void grow(std::size_t features) override {
        const std::size_t before = this->features();
        try {
            network_.grow(features);
        } catch (...) {
            take_back(before);
            throw;
        }
    }
    void take_back(std::size_t features) override { network_.shrink(features); }

    void predict_targets(const Rows& rows, std::size_t begin, std::size_t end,
                         double* out) override {
        const std::size_t k = classes_.size();
        std::visit(
            [&](const auto& batch) {
                for (std::size_t i = begin; i < end; ++i)
                    at_row(i, [&] {
                        const std::vector<double>& s = scored(batch, i);
                        std::copy(s.begin(), s.end(), out + (i - begin) * k);
                    });
            },
            rows);
    }

    void calibrate(double* scores, std::size_t rows) const override {
        const Calibration& calibration = network_.calibration();
        const std::size_t k = columns();
        if (k == 1 || !options().sigmoid) return calibration.probabilities(scores, rows, k);
        for (double* s = scores; s < scores + rows * k; s += k) {
            double sum = 0.0;
            for (std::size_t t = 0; t < k; ++t) sum += s[t] = calibration.probability(s[t]);
            for (std::size_t t = 0; t < k; ++t)
                s[t] = sum > 0.0 ? s[t] / sum : 1.0 / static_cast<double>(k);
        }
    }
    /// With sets of labels each has its own sigmoid.
    void calibrate_targets(double* scores, std::size_t rows) const override {
        for (std::size_t i = 0; i < rows * classes_.size(); ++i)
            scores[i] = network_.calibration().probability(scores[i]);
    }

    double unseen(double sum, std::size_t, std::size_t column) const override {
        return in_column(column, [&](std::size_t t) { return network_.unseen(sum, t); });
    }
    double weight(std::size_t feature, std::size_t column) const override {
        return in_column(column, [&](std::size_t t) { return network_.weight(feature, t); });
    }
    double constant(std::size_t column) const override {
        return in_column(column, [&](std::size_t t) { return network_.constant(t); });
    }
    bool takes_sets() const override { return options().multi_label; }
    double unseen_target(double sum, std::size_t target) const override {
        return network_.unseen(sum, target);
    }
    std::size_t features() const override { return network_.features(); }
    Counts counts() const override {
        return {static_cast<std::uint64_t>(network_.examples()), network_.mistakes(),
                network_.updates(), network_.clamped(), network_.links()};
    }
    std::optional<std::vector<std::size_t>> linked() const override { return network_.linked(); }
    void keep_only(const std::vector<std::size_t>& kept) override { network_.keep_only(kept); }
    const std::vector<double>& hypothesis() const override {
        hypothesis_ = network_.hypothesis();
        return hypothesis_;
    }

    State save() override {
        State state;
        Saver saver(state);
        describe(saver);
        return state;
    }
    void load(const State& state) override {
        Snow loaded(network_.options());
        Loader loader(state);
        loaded.describe(loader);
        loaded.announce_as(classes_);
        loaded.kinds = kinds;
        *this = std::move(loaded);
    }

private:
    template <class Archive>
    void describe(Archive& a) {
        std::size_t kind = static_cast<std::size_t>(options().kind);
        std::size_t many = options().multi_label;
        classes_.describe(a);
        a.count("kind", kind);
        a.count("multi_label", many);
        a.require(kind == static_cast<std::size_t>(options().kind) &&
                      (many != 0) == options().multi_label,
                  "the classes and the options");
        a.nested("network", network_);
        a.require(network_.targets() == classes_.size(), "the classes and the targets");
        classes_.set_positive(network_.positive);
    }

    const Options& options() const { return network_.options(); }

    // -- labels

    /// Where the labels of a row are among the codes.
    static std::pair<std::int64_t, std::int64_t> labels_of(const Lesson& lesson, std::size_t row) {
        if (lesson.starts) return {lesson.starts[row], lesson.starts[row + 1]};
        return {static_cast<std::int64_t>(row), static_cast<std::int64_t>(row) + 1};
    }

    /// The labels of a row, as targets; returns how many are new.
    std::size_t meet_labels(const Lesson& lesson, std::size_t row) {
        const auto [begin, end] = labels_of(lesson, row);
        right_.clear();
        std::size_t fresh = 0;
        for (std::int64_t i = begin; i < end; ++i)
            fresh += !classes_.knows(static_cast<std::size_t>(lesson.codes[i]));
        if (fresh > 0) network_.check_room(fresh);
        for (std::int64_t i = begin; i < end; ++i) {
            const auto code = static_cast<std::size_t>(lesson.codes[i]);
            if (!classes_.knows(code)) meet(code);
            right_.push_back(classes_.place(code));
        }
        return fresh;
    }
    /// Takes back the targets added last.
    void forget_labels(std::size_t before) {
        while (classes_.size() > before) classes_.forget_last();
        network_.take_back_targets(before);
        network_.positive = classes_.positive();
    }
    void meet(std::size_t code) {
        const Kind kind =
            code < kinds.size() ? static_cast<Kind>(kinds[code] % snow::kinds) : options().kind;
        if (kind == Kind::naive_bayes && !options().uses_bayes)
            throw std::invalid_argument("a node of naive Bayes that was never announced");
        classes_.meet(code);
        network_.add_target(kind);
        network_.positive = classes_.positive();
    }

    // -- examples

    template <class Batch>
    void learn_row(const Batch& batch, std::size_t row, const Lesson& lesson) {
        at_row(row, [&] {
            if (row >= batch.size())
                throw Fault(Fault::Kind::bad_row_bounds, -1, static_cast<double>(row));
            const double weight = learning_weight(lesson, row);
            if (weight == 0.0) return;
            batch.visit(row, scratch_, [&](const auto& x) {
                network_.check(x);
                const std::size_t before = classes_.size();
                try {
                    const std::size_t fresh = meet_labels(lesson, row);
                    network_.learn(x, right_, fresh, weight);
                } catch (...) {
                    forget_labels(before);
                    throw;
                }
            });
        });
    }

    template <class Batch>
    Judged judge(const Batch& batch, std::size_t row, const Lesson& lesson) {
        if (!options().multi_label) return RowByRow<Snow>::judge(batch, row, lesson);
        scored(batch, row);
        return {-1.0, set_is_right(lesson, row) ? 0.0 : 1.0};
    }

    /// Whether the labels of a row are exactly those whose scores are at least 0.
    bool set_is_right(const Lesson& lesson, std::size_t row) {
        const auto [begin, end] = labels_of(lesson, row);
        std::size_t chosen = 0;
        for (const double s : scores_) chosen += s >= 0.0;
        if (chosen != static_cast<std::size_t>(end - begin)) return false;
        for (std::int64_t i = begin; i < end; ++i) {
            const auto code = static_cast<std::size_t>(lesson.codes[i]);
            if (!classes_.knows(code) || scores_[classes_.place(code)] < 0.0) return false;
        }
        return true;
    }

    /// A score for each target.
    template <class Batch>
    const std::vector<double>& scored(const Batch& batch, std::size_t row) {
        scores_.resize(classes_.size());
        batch.visit(row, scratch_, [&](const auto& x) {
            network_.check(x);
            network_.predict(x, scores_.data());
        });
        return scores_;
    }
    template <class Batch>
    void predict_row(const Batch& batch, std::size_t row, double* out) {
        to_columns(scored(batch, row), out);
    }

    /// One value per column from one per target: two targets are one column, their difference.
    template <class OfTarget>
    double in_column(std::size_t column, OfTarget of) const {
        if (classes_.size() >= 3) return of(column);
        if (classes_.empty()) return 0.0;
        if (classes_.size() == 1) return classes_.lone_is_negative() ? -of(0) : of(0);
        return of(classes_.positive()) - of(1 - classes_.positive());
    }
    void to_columns(const std::vector<double>& s, double* out) const {
        for (std::size_t k = 0; k < columns(); ++k)
            out[k] = in_column(k, [&](std::size_t t) { return s[t]; });
    }

    Network network_;
    std::vector<std::size_t> right_;  // targets of the current row
    std::vector<double> scores_;
    mutable std::vector<double> hypothesis_;
    Scratch scratch_;
};

}  // namespace thresher::snow
