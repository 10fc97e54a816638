// What learners of moments share: the passes, and refusing or learning one example. They have no rule and no
// geometry, and solve for weights only when these are requested.
//   Own::learn_example(x, lesson, row, weight)   after all values were checked; all of it or nothing
//   Own::score(x, out)                           what it predicts
#pragma once

#include <cmath>
#include <vector>

#include "../learner.hpp"
#include "triangle.hpp"

namespace thresher {

template <class Own>
class MomentLearner : public RowByRow<MomentLearner<Own>> {
    friend class RowByRow<MomentLearner>;

public:
    using Learner::classes_, Learner::columns;

    /// A name that was never seen has no effect.
    double unseen(double, std::size_t, std::size_t) const override { return 0.0; }
    /// Mistakes are not counted: it would have to solve for its weights at each example.
    Counts counts() const override { return {.examples = examples_, .updates = examples_}; }
    const std::vector<double>& hypothesis() const override { return triangle_.cells(); }

    State save() override {
        State state;
        Saver saver(state);
        own().describe(saver);
        return state;
    }
    void load(const State& state) override {
        Own loaded(own().options());
        loaded.announce_as(classes_);
        Loader loader(state);
        loaded.describe(loader);
        own() = std::move(loaded);
    }

protected:
    void check_width(std::size_t features) {
        const std::size_t most = std::min(own().options().max_columns, Triangle::most);
        if (features > most)
            throw Fault(Fault::Kind::too_wide, -1, static_cast<double>(features),
                        static_cast<double>(most));
    }

    /// Values whose squares overflow are refused before anything is changed.
    static bool can_square(double v, double weight) {
        const double root = std::max(1.0, std::sqrt(weight)) * v;
        return std::isfinite(root * root);
    }
    template <class Row>
    static void check_values(const Row& x, double weight) {
        x.each([&](std::size_t i, double v) {
            const auto feature = static_cast<std::int64_t>(i);
            if (!std::isfinite(v)) throw Fault(Fault::Kind::not_finite, feature, v);
            if (!can_square(v, weight)) throw Fault(Fault::Kind::overflow, feature, v);
        });
    }
    /// Whether a mean of this mass can be of such values.
    static bool can_be_mean(double mean, double mass) {
        return std::isfinite(mean * mean) && std::abs(mean) * std::sqrt(mass) <= Triangle::largest;
    }
    Triangle triangle_;
    std::uint64_t examples_ = 0;
    mutable bool solved_ = false;  // the weights are those of the examples so far

private:
    Own& own() { return static_cast<Own&>(*this); }

    template <class Batch>
    void predict_row(const Batch& batch, std::size_t row, double* out) {
        batch.visit(row, scratch_, [&](const auto& x) { own().score(x, out); });
    }

    template <class Batch>
    void learn_row(const Batch& batch, std::size_t row, const Lesson& lesson) {
        at_row(row, [&] {
            if (row >= batch.size())
                throw Fault(Fault::Kind::bad_row_bounds, -1, static_cast<double>(row));
            const double weight = learning_weight(lesson, row);
            if (weight == 0.0) return;
            batch.visit(row, scratch_, [&](const auto& x) {
                check_values(x, weight);
                own().learn_example(x, lesson, row, weight);
                ++examples_;
                solved_ = false;
            });
        });
    }

    Scratch scratch_;
};

}  // namespace thresher
