// Naive Bayes, streaming: the counts of each feature with each class, and nothing else.
//   multinomial   P(k|x) ∝ N_k·Π_i θ_ki^x_i                 θ_ki = (c_ki + α)/(T_k + α·n)
//   Bernoulli     P(k|x) ∝ N_k·Π_i p_ki^b_i·(1 − p_ki)^(1−b_i)   p_ki = (c_ki + α)/(N_k + 2α)
// with b_i = [x_i > 0], N_k the examples of class k, c_ki the sum of x_i (of b_i) over them, T_k = Σ_i c_ki and
// n features. Both are linear in x (in b): the logarithms are the weights. They are not stored but computed
// from the counts on demand; log(c + α), which changes only where a count does, is stored next to it.
#pragma once

#include <cmath>
#include <limits>
#include <map>

#include "elementary.hpp"
#include "learner.hpp"

namespace thresher {

struct NaiveBayesOptions {
    bool bernoulli = false;
    double alpha = 1.0;
    bool fit_prior = true;  // false: all classes are equally likely before x is seen

    template <class Archive>
    void describe(Archive& a) {
        a.word("kind", bernoulli, {"multinomial", "bernoulli"});
        a.real("alpha", alpha);
        a.flag("fit_prior", fit_prior);
    }
};

class NaiveBayes final : public RowByRow<NaiveBayes> {
    friend class RowByRow<NaiveBayes>;

public:
    explicit NaiveBayes(NaiveBayesOptions o)
        : options_(o), counts_(0.0), logs_(fixed::log(o.alpha)) {}

    void grow(std::size_t features) override {
        const std::size_t before = this->features();
        try {
            counts_.grow(features);
            logs_.grow(features);
        } catch (...) {
            take_back(before);
            throw;
        }
        if (features > before) absent_.assign(absent_.size(), unknown);
    }
    void take_back(std::size_t features) override {
        counts_.shrink(features);
        logs_.shrink(features);
        absent_.assign(absent_.size(), unknown);
    }

    /// The scores are logarithms of probabilities already.
    void calibrate(double* scores, std::size_t rows) const override {
        Calibration().probabilities(scores, rows, columns());
    }

    /// A name that was never seen has no effect.
    double unseen(double, std::size_t, std::size_t) const override { return 0.0; }
    double weight(std::size_t i, std::size_t column) const override {
        if (classes_.size() < 2) return 0.0;
        if (classes_.size() > 2) return class_weight(i, column);
        const std::size_t positive = classes_.positive();
        return class_weight(i, positive) - class_weight(i, 1 - positive);
    }
    double constant(std::size_t column) const override {
        if (classes_.size() < 2) return 0.0;
        if (classes_.size() > 2) return class_constant(column);
        const std::size_t positive = classes_.positive();
        return class_constant(positive) - class_constant(1 - positive);
    }
    std::size_t features() const override { return counts_.features(); }
    Counts counts() const override { return {examples_, mistakes_, examples_}; }
    const std::vector<double>& hypothesis() const override { return counts_.cells(); }

    State save() override {
        State state;
        Saver saver(state);
        describe(saver);
        return state;
    }
    void load(const State& state) override {
        NaiveBayes loaded(options_);
        loaded.announce_as(classes_);
        Loader loader(state);
        loaded.describe(loader);
        *this = std::move(loaded);
    }

private:
    template <class Batch>
    void predict_row(const Batch& batch, std::size_t row, double* out) {
        batch.visit(row, scratch_, [&](const auto& x) { score(x, out); });
    }

    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    template <class Archive>
    void describe(Archive& a) {
        classes_.describe(a);
        const std::size_t classes = classes_.size();
        classes_.describe_positive(a);
        a.nested("counts", counts_);
        a.cells("seen", seen_, classes, 1);
        a.cells("totals", totals_, classes, 1);
        a.count("examples", examples_);
        a.count("mistakes", mistakes_);
        a.require(counts_.columns() == std::max<std::size_t>(1, classes), "classes and columns");
        for (const auto* numbers : {&counts_.cells(), &seen_, &totals_})
            for (const double c : *numbers) a.require(c >= 0.0, "counts");
        a.require(all_seen() <= largest_kept, "counts");
        for (std::size_t i = 0; i < features(); ++i)
            for (std::size_t k = 0; k < counts_.columns(); ++k) {
                const double seen = k < classes ? seen_[k] : 0.0;  // there is a column for no class
                const bool bounded = options_.bernoulli || k >= classes;
                a.require(!bounded || counts_.feature(i)[k] <= seen, "counts");
            }
        if constexpr (Archive::loading) restore();
    }

    /// What is computed from the counts.
    void restore() {
        for (std::size_t k = 1; k < classes_.size(); ++k) logs_.add_column();
        logs_.grow(features());
        for (std::size_t i = 0; i < features(); ++i)
            for (std::size_t k = 0; k < classes_.size(); ++k)
                logs_.feature(i)[k] = fixed::log(counts_.feature(i)[k] + options_.alpha);
        absent_.assign(classes_.size(), unknown);
        equal_.assign(classes_.size(), {});
        for (std::size_t i = 0; options_.bernoulli && i < features(); ++i)
            for (std::size_t k = 0; k < classes_.size(); ++k) {
                const double c = counts_.feature(i)[k];
                if (c > 0.0) ++equal_[k][c];
            }
    }

    // -- learning

    template <class Batch>
    void learn_row(const Batch& batch, std::size_t row, const Lesson& lesson) {
        at_row(row, [&] {
            if (row >= batch.size())
                throw Fault(Fault::Kind::bad_row_bounds, -1, static_cast<double>(row));
            const double weight = learning_weight(lesson, row);
            if (weight == 0.0) return;
            batch.visit(row, scratch_, [&](const auto& x) {
                learn_label(x, static_cast<std::size_t>(lesson.codes[row]), weight);
            });
        });
    }

    template <class Row>
    void learn_label(const Row& x, std::size_t code, double weight) {
        predicted_.resize(columns());
        score(x, predicted_.data());
        const double sum = options_.bernoulli ? 0.0 : weight * sum_of(x);
        const bool known = classes_.knows(code);
        const double total = known ? totals_[classes_.place(code)] + sum : sum;
        if (!(total <= largest_kept)) {
            const Feature most = largest_of(x);
            throw Fault(most.index, most.value, weight, "a count");
        }
        checked_sum(all_seen(), weight);
        const bool right = known && classes_.decide(predicted_.data()) == classes_.place(code);
        const std::size_t k = known ? classes_.place(code) : meet(code);
        if (options_.bernoulli) {
            try {
                make_room(x, k, weight);
            } catch (...) {
                if (!known) forget_last_class();
                throw;
            }
        }
        // From here on nothing fails.
        totals_[k] = total;
        absent_[k] = unknown;
        seen_[k] += weight;
        x.each([&](std::size_t i, double v) {
            if (options_.bernoulli && !(v > 0.0)) return;
            double& c = counts_.feature(i)[k];
            if (options_.bernoulli) recount(equal_[k], c, c + weight);
            c += options_.bernoulli ? weight : weight * v;
            logs_.feature(i)[k] = fixed::log(c + options_.alpha);
        });
        drop_unused(equal_[k]);
        ++examples_;
        mistakes_ += !right;
    }

    std::size_t meet(std::size_t code) {
        const std::size_t place = classes_.meet(code);
        try {
            if (classes_.size() > 1) {
                counts_.add_column();
                logs_.add_column();
            }
            seen_.push_back(0.0);
            totals_.push_back(0.0);
            equal_.emplace_back();
            absent_.push_back(unknown);
        } catch (...) {
            forget_last_class();
            throw;
        }
        return place;
    }
    /// It may have been added only in part.
    void forget_last_class() {
        classes_.forget_last();
        const std::size_t left = classes_.size();
        counts_.take_back_column(std::max<std::size_t>(1, left));
        logs_.take_back_column(std::max<std::size_t>(1, left));
        seen_.resize(left);
        totals_.resize(left);
        equal_.resize(left);
        absent_.resize(left);
    }

    /// Makes room for the new counts, or (no memory) leaves everything as it was.
    template <class Row>
    void make_room(const Row& x, std::size_t k, double weight) {
        auto& equal = equal_[k];
        try {
            x.each([&](std::size_t i, double v) {
                if (v > 0.0) equal.try_emplace(counts_.feature(i)[k] + weight, 0);
            });
        } catch (...) {
            drop_unused(equal);
            throw;
        }
    }
    static void recount(std::map<double, std::size_t>& equal, double from, double to) {
        if (from > 0.0) --equal.find(from)->second;
        ++equal.find(to)->second;
    }
    static void drop_unused(std::map<double, std::size_t>& equal) {
        std::erase_if(equal, [](const auto& count) { return count.second == 0; });
    }

    // -- scores

    /// The log-odds of two classes; for more, log P(x, k) of each class.
    template <class Row>
    void score(const Row& x, double* out) {
        const std::size_t k = classes_.size();
        double sum = 0.0;
        if (!options_.bernoulli)
            sum = sum_of(x);
        else
            require_finite(x);
        if (k < 2) {
            out[0] = 0.0;
            return;
        }
        shares_.assign(k, 0.0);
        if (options_.bernoulli)
            x.each([&](std::size_t i, double v) {
                if (!(v > 0.0)) return;
                for (std::size_t c = 0; c < k; ++c) shares_[c] += class_weight(i, c);
            });
        else
            x.add_scores(shares_.data(), k, logs_.feature(0), logs_.stride());
        for (std::size_t c = 0; c < k; ++c) {
            if (sum != 0.0) shares_[c] -= sum * log_total(c);
            shares_[c] += class_constant(c);
            if (!std::isfinite(shares_[c])) blame(x);
        }
        if (k == 2)
            out[0] = shares_[classes_.positive()] - shares_[1 - classes_.positive()];
        else
            std::copy(shares_.begin(), shares_.end(), out);
    }

    /// Σ x_i, after a check that the values can be counts.
    template <class Row>
    static double sum_of(const Row& x) {
        double sum = 0.0;
        x.each([&](std::size_t i, double v) {
            if (v < 0.0 && std::isfinite(v))
                throw Fault(Fault::Kind::negative, static_cast<std::int64_t>(i), v);
            sum += v;
        });
        if (!std::isfinite(sum)) blame(x);
        return sum;
    }
    template <class Row>
    static void require_finite(const Row& x) {
        x.each([&](std::size_t, double v) {
            if (!std::isfinite(v)) blame(x);
        });
    }

    double class_weight(std::size_t i, std::size_t k) const {
        const double log = logs_.feature(i)[k];
        if (!options_.bernoulli) return log - log_total(k);
        return log - fixed::log(seen_[k] - counts_.feature(i)[k] + options_.alpha);
    }
    /// The prior; for Bernoulli also the term for the absence of all features.
    double class_constant(std::size_t k) const {
        const double prior = options_.fit_prior ? fixed::log(seen_[k]) - fixed::log(all_seen())
                                                : -fixed::log(static_cast<double>(seen_.size()));
        return options_.bernoulli ? prior + log_absent(k) : prior;
    }
    double all_seen() const {
        double all = 0.0;
        for (const double seen : seen_) all += seen;
        return all;
    }
    double log_total(std::size_t k) const {
        return fixed::log(totals_[k] + options_.alpha * static_cast<double>(features()));
    }
    /// Σ_i log(1 − p_i): features of the same count are added up at once, and there are few counts.
    double log_absent(std::size_t k) const {
        if (std::isnan(absent_[k])) absent_[k] = sum_absent(k);
        return absent_[k];
    }
    double sum_absent(std::size_t k) const {
        const double n = static_cast<double>(features());
        double sum = 0.0, met = 0.0;
        for (const auto& [count, times] : equal_[k]) {
            const double here = static_cast<double>(times);
            sum += here * fixed::log(seen_[k] - count + options_.alpha);
            met += here;
        }
        sum += (n - met) * fixed::log(seen_[k] + options_.alpha);
        return sum - n * fixed::log(seen_[k] + 2.0 * options_.alpha);
    }

    NaiveBayesOptions options_;
    Matrix counts_, logs_;               // c and log(c + α), a column for each class seen
    std::vector<double> seen_, totals_;  // N and T of each class
    std::vector<std::map<double, std::size_t>> equal_;  // Bernoulli: how many features have a count
    mutable std::vector<double> absent_;                // Bernoulli: Σ log(1 − p), once computed
    std::uint64_t examples_ = 0, mistakes_ = 0;
    Scratch scratch_;
    std::vector<double> predicted_, shares_;
};

}  // namespace thresher
