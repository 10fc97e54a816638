// Averaging, lazily (Freund & Schapire 1999; Daumé 2006): a weighted mean of the hypotheses, at no cost for
// weights that do not change. The hypothesis after example t has the weight a_t.
// A change δ made when the clock Σa shows c is missing from the hypotheses before it, so with
// past = Σ c·δ the mean over the time T is w − past/T.
//   mean      a_t is the weight of the example: every hypothesis counts by the examples it survived
//   fading    a_t is that weight times β^−t, which is the mean with weights β^(now − t): numbers that would
//             become too large are divided, all at once, by a common factor
//   tail      the mean of a suffix: the clock starts over at every power of two, and so does the mean, half
//             of that count earlier: it is over the last n/2 to 3n/4 of n examples. A second past follows
//             the suffix that comes next
#pragma once

#include <algorithm>

#include "fault.hpp"
#include "loops.hpp"
#include "matrix.hpp"

namespace thresher {

struct Averaging {
    bool on = false;
    bool tail = false;
    double decay = 1.0;    // β
    double burn_in = 0.0;  // examples that are left out
};

class Average {
public:
    static constexpr double most_growth = 1e100;

    Average() = default;
    explicit Average(Averaging o) : o_(o), is_renewed_(o.tail || o.decay < 1.0) {}

    bool on() const { return o_.on; }
    bool has_tail() const { return o_.tail; }
    /// Whether more than the clock changes with time: else neither `due` nor `is_restart_due` says so.
    bool is_renewed() const { return is_renewed_; }
    double clock() const { return clock_; }
    const Matrix& past() const { return past_; }

    /// What a geometry calls for each weight it writes; `cell` counts from the bias of column 0.
    void changed(std::size_t cell, double delta) {
        past_.cells()[cell] += clock_ * delta;
        if (o_.tail) next_.cells()[cell] += next_clock_ * delta;
    }
    /// The same for the classes of one feature.
    void changed_row(std::size_t cell, const double* delta, std::size_t k) {
        loops::axpy(past_.cells().data() + cell, delta, k, clock_);
        if (o_.tail) loops::axpy(next_.cells().data() + cell, delta, k, next_clock_);
    }
    /// The same for a loop over the features of a single column, where there is no second past.
    double* past_of_features() { return past_.feature(0); }

    /// f for each matrix that has the shape of the weights.
    template <class F>
    void each(F f) {
        if (o_.on) f(past_);
        if (o_.tail) f(next_);
    }
    void grow(std::size_t features) {
        each([&](Matrix& m) { m.grow(features); });
    }
    void shrink(std::size_t features) {
        each([&](Matrix& m) { m.shrink(features); });
    }
    void add_column() {
        each([](Matrix& m) { m.add_column(); });
    }
    void take_back_column(std::size_t columns) {
        each([&](Matrix& m) { m.take_back_column(columns); });
    }
    double largest() const { return std::max(past_.largest(), next_.largest()); }
    /// Whether it belongs to weights of this shape.
    bool fits(const Matrix& w) const {
        return !o_.on || (past_.is_like(w) && (!o_.tail || next_.is_like(w)));
    }

    /// What an example of this weight adds to the clock.
    double counted(double weight) const { return weight * growth_; }
    /// Whether the clock can advance: checked before anything is learned.
    void check_tick(double weight) const {
        if (o_.on) checked_sum(clock_, counted(weight));
    }
    /// After each example; true once the burn-in is over. The caller then tells its geometry, and asks
    /// whether something is due.
    bool tick(double t, double weight) {
        if (!o_.on || t <= o_.burn_in) return false;
        clock_ += counted(weight);
        if (is_renewed_) [[unlikely]]
            advance(weight);
        return true;
    }
    /// The factor by which all sums of the past are to be multiplied now; 1: none.
    double due() const { return growth_ > most_growth ? 1.0 / growth_ : 1.0; }
    void rescale(double factor) {
        for (double& cell : past_.cells()) cell *= factor;
        clock_ *= factor;
        growth_ = 1.0;
    }
    /// The mean of the hypotheses from here on.
    void start_over() {
        each([](Matrix& m) { std::fill(m.cells().begin(), m.cells().end(), 0.0); });
        clock_ = next_clock_ = 0.0;
        growth_ = 1.0;
        counted_ = 0;
    }
    /// Whether the suffix begins anew: after 1, 2, 4, 8 … examples.
    bool is_restart_due() const { return o_.tail && (counted_ & (counted_ - 1)) == 0; }
    void restart() {
        std::swap(past_, next_);
        std::fill(next_.cells().begin(), next_.cells().end(), 0.0);
        clock_ = next_clock_;
        next_clock_ = 0.0;
    }

    template <class Archive>
    void describe(Archive& a) {
        if (!o_.on) return;
        a.real("clock", clock_);
        a.nested("past", past_);
        if (o_.decay < 1.0) {
            a.real("growth", growth_);
            a.require(growth_ >= 1.0 && growth_ <= most_growth, "the clock and its growth");
        }
        if (o_.tail) {
            a.count("counted", counted_);
            a.real("next_clock", next_clock_);
            a.nested("next", next_);
            a.require(next_clock_ >= 0.0 && counted_ <= (std::uint64_t{1} << 53),
                      "the clocks of the average");
        }
    }

private:
    void advance(double weight) {
        if (o_.tail) {
            next_clock_ += weight;
            ++counted_;
        }
        if (o_.decay < 1.0) growth_ /= o_.decay;
    }

    Averaging o_;
    bool is_renewed_ = false;
    double clock_ = 0.0;
    Matrix past_{0.0};
    double growth_ = 1.0;  // fading: a_t of the next example, for weight 1
    // The tail: the suffix that comes next, and the examples counted.
    double next_clock_ = 0.0;
    Matrix next_{0.0};
    std::uint64_t counted_ = 0;
};

/// For the plain learner: no average follows the weights.
struct Unwatched {
    void changed(std::size_t, double) {}
    void changed_row(std::size_t, const double*, std::size_t) {}
};

}  // namespace thresher
