// How several predictors of one stream have done, beside two baselines: who leads, and who is surely worse.
// A committee decides by it about its members, and a race about its runners.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <variant>
#include <vector>

#include "../learner.hpp"
#include "history.hpp"

namespace thresher {

/// How many features of a row are not 0; none if it is not one that can be learned.
inline double width_of(const Rows& rows, std::size_t row) {
    double width = 0.0;
    Scratch scratch;
    try {
        std::visit(
            [&](const auto& batch) {
                batch.visit(row, scratch, [&](const auto& x) {
                    x.each([&](std::size_t, double) { width += 1.0; });
                });
            },
            rows);
    } catch (const Fault&) {
        return 0.0;
    }
    return width;
}

class Standings {
public:
    /// Predictors that learn next to nothing: what a model has to beat.
    enum Baseline { usual, last, baselines };  // the most frequent class or the mean; the last one
    static constexpr std::uint64_t first_look = 2048;  // at who is worse
    static constexpr std::uint64_t least = 4096;       // examples to be sure that one is
    static constexpr double cheap = 2e7, dear = 4e7;   // products of features and predictors
    static constexpr std::uint64_t enough = 32;        // examples that show what the data is like
    static constexpr double wide = 32.0;               // rows of this many features that are not 0

    /// `others` are compared, too, but do not lead.
    Standings(std::size_t predictors, bool regressor, std::size_t others = 0)
        : regressor_(regressor),
          here_(predictors, true),
          history_(predictors + baselines + others),
          last_(regressor ? 0.0 : -1.0),
          distances_(predictors, 0.0) {}

    std::size_t size() const { return here_.size(); }
    std::size_t row_of(Baseline b) const { return size() + b; }
    const History& history() const { return history_; }
    bool is_regressor() const { return regressor_; }
    bool is_here(std::size_t p) const { return here_[p]; }
    void leave(std::size_t p) { here_[p] = false; }

    // -- counting. Only `make_room` can fail.

    void make_room(std::size_t codes) {
        if (codes > of_code_.size()) of_code_.resize(codes, 0.0);
    }
    /// An example by which predictors are judged: the loss of each of them, and of the others.
    template <class Loss>
    void judge(double weight, double truth, Loss loss) {
        judge(weight, truth, loss, {answer(usual), last_});
    }
    /// The same if these were the answers of the baselines.
    template <class Loss>
    void judge(double weight, double truth, Loss loss,
               const std::array<double, baselines>& trivial) {
        for (std::size_t p = 0; regressor_ && p < size(); ++p)
            if (here_[p])
                distances_[p] = std::min(distances_[p] + weight * std::sqrt(loss(p)), largest_kept);
        judged_ = std::min(judged_ + weight, largest_kept);
        const double usual_loss = loss_of(trivial[usual], truth),
                     last_loss = loss_of(trivial[last], truth);
        history_.add(weight, [&](std::size_t p) {
            if (p < size()) return here_[p] ? loss(p) : 0.0;
            if (p == row_of(usual)) return usual_loss;
            return p == row_of(last) ? last_loss : loss(p);
        });
    }
    /// The mean absolute error of a predictor of numbers; NaN before there is any example.
    double distance(std::size_t p) const { return distances_[p] / judged_; }
    /// One of the first examples has this many features that are not 0.
    void see(double width) { nonzeros_ += width; }
    /// An example that was learned.
    void learn(double weight, double truth) {
        ++learned_;
        if (std::isnan(truth)) return;  // a set of labels
        last_ = truth;
        mass_ = std::min(mass_ + weight, largest_kept);
        if (regressor_) {
            mean_ += (truth - mean_) * (weight / mass_);
        } else {
            double& of = of_code_[static_cast<std::size_t>(truth)];
            of = std::min(of + weight, largest_kept);
            if (usual_ < 0.0 || of > of_code_[static_cast<std::size_t>(usual_)]) usual_ = truth;
        }
    }
    /// Of a baseline, for any example: a target or the code of a class, −1 before there is one.
    double answer(Baseline b) const {
        if (b == last) return last_;
        return regressor_ ? mean_ : usual_;
    }
    double loss_of(double answer, double truth) const {
        if (!regressor_) return answer == truth ? 0.0 : 1.0;
        return (answer - truth) * (answer - truth);
    }

    std::uint64_t learned() const { return learned_; }
    double mass() const { return mass_; }
    const std::vector<double>& of_code() const { return of_code_; }
    /// Features of a row that are not 0, on average over the first examples.
    double width() const { return nonzeros_ / static_cast<double>(enough); }

    /// The examples of a pass, as those that are here have predicted them; null: it has left.
    void add(const std::vector<const Progress*>& passes) {
        const Progress* any = nullptr;
        for (std::size_t p = 0; p < size(); ++p) {
            if (!passes[p]) leave(p);
            if (!here_[p]) continue;
            if (any && any->outcomes.size() != passes[p]->outcomes.size())
                throw std::invalid_argument("passes over different examples");
            any = passes[p];
        }
        if (!any) return;
        double most = -1.0;
        for (const Outcome& one : any->outcomes) {
            if (!regressor_ && !(std::isnan(one.truth) || (one.truth >= 0.0 && one.truth < 0x1p31)))
                throw std::invalid_argument("a truth that is no code of a label");
            most = std::max(most, one.truth);
        }
        if (!regressor_) make_room(static_cast<std::size_t>(most + 1.0));
        for (std::size_t i = 0; i < any->outcomes.size(); ++i) {
            const Outcome& one = any->outcomes[i];
            if (one.held_out == (any->hold_out_every > 0))
                judge(one.weight, one.truth,
                      [&](std::size_t p) { return passes[p]->outcomes[i].loss; });
            if (!one.held_out && one.weight > 0.0) learn(one.weight, one.truth);
        }
    }

    // -- deciding

    /// The one with the least error; but the one that was best recently, where that is clearly
    /// better than it of late.
    std::size_t leader() const {
        const std::size_t all = best(Stretch::whole), now = best(Stretch::recent);
        return history_.excess(all, now, Stretch::recent) > History::likely ? now : all;
    }
    std::size_t best(Stretch stretch) const {
        std::size_t found = 0;
        double smallest = std::numeric_limits<double>::infinity();
        for (std::size_t p = 0; p < size(); ++p) {
            if (!here_[p]) continue;
            const double error = history_.error(p, stretch);
            if (!here_[found] || error < smallest) {
                found = p;
                smallest = error;
            }
        }
        return found;
    }
    std::uint64_t next_look() const { return next_look_; }
    /// If it is time to ask who is worse: by how many standard errors. Where all are cheap, none has to
    /// go: the target may move, and the last be first. Where they are dear, less evidence is enough.
    std::optional<double> looks(std::uint64_t examples) {
        if (examples < next_look_) return std::nullopt;
        while (next_look_ <= examples) next_look_ *= 2;
        const double cost =
            (8.0 + width()) * static_cast<double>(examples) * static_cast<double>(size());
        if (cost < cheap || examples < least) return std::nullopt;
        return cost < dear ? History::sure : History::likely;
    }

    /// The worse half of a wide stream's predictors, by the errors over the whole of it and over its last
    /// quarter; of two that never differed one is enough. Nobody has to go where the leader's error rises:
    /// then the target moves, and the last may be the first.
    std::vector<std::size_t> worse_half() const {
        std::vector<std::size_t> order, worse;
        if (width() < wide || history_.examples() < first_look / 4 ||
            history_.rise(leader()) > History::likely)
            return worse;
        for (std::size_t p = 0; p < size(); ++p)
            if (here_[p]) order.push_back(p);
        const auto error = [&](std::size_t p) {
            return history_.error(p) + history_.error(p, Stretch::recent);
        };
        std::stable_sort(order.begin(), order.end(), [&, best = leader()](auto p, auto q) {
            return p == best || q == best ? p == best && q != best : error(p) < error(q);
        });
        std::vector<std::size_t> kept;
        for (const std::size_t p : order) {
            const bool again = std::any_of(kept.begin(), kept.end(),
                                           [&](std::size_t q) { return history_.are_alike(p, q); });
            (again || 2 * kept.size() >= order.size() ? worse : kept).push_back(p);
        }
        return worse;
    }

    /// Labels have new codes.
    void renumber(const std::vector<std::size_t>& order) {
        std::vector<double> now;
        double new_last = -1.0, new_usual = -1.0;
        for (const std::size_t code : order) {
            if (static_cast<double>(code) == last_) new_last = static_cast<double>(now.size());
            if (static_cast<double>(code) == usual_) new_usual = static_cast<double>(now.size());
            now.push_back(code < of_code_.size() ? of_code_[code] : 0.0);
        }
        of_code_ = std::move(now);
        if (regressor_) return;
        last_ = new_last;
        usual_ = new_usual;
    }

    template <class Archive>
    void describe(Archive& a) {
        a.count("examples", learned_);
        a.count("next_cut", next_look_);
        a.require(next_look_ >= first_look && next_look_ < (std::uint64_t{1} << 53),
                  "the examples");
        a.nested("history", history_);
        a.real("last", last_);
        a.real("mean", mean_);
        a.real("mass", mass_);
        a.require(mass_ >= 0.0, "the targets");
        std::size_t codes = of_code_.size();
        a.count("codes", codes);
        a.cells("of_code", of_code_, codes, 1);
        for (const double mass : of_code_) a.require(mass >= 0.0, "the classes");
        a.real("nonzeros", nonzeros_);
        if (a.has("usual")) {
            a.real("usual", usual_);
            a.real("judged", judged_);
            a.cells("distances", distances_, size(), 1);
        } else {  // a file from before these were kept
            usual_ = most_frequent();
        }
        if (regressor_) return;
        for (const double code : {last_, usual_})
            a.require(code == -1.0 || (code >= 0.0 && code < static_cast<double>(codes) &&
                                       code == std::floor(code)),
                      "the classes");
    }

private:
    double most_frequent() const {
        double found = -1.0, most = 0.0;
        for (std::size_t code = 0; code < of_code_.size(); ++code)
            if (of_code_[code] > most) {
                most = of_code_[code];
                found = static_cast<double>(code);
            }
        return found;
    }

    bool regressor_;
    std::vector<bool> here_;
    History history_;
    std::uint64_t learned_ = 0, next_look_ = first_look;
    double last_;          // label or target
    double usual_ = -1.0;  // the most frequent class; on a tie the one that was it before
    double mean_ = 0.0, mass_ = 0.0;  // of the targets; the weight of all examples
    std::vector<double> distances_;   // Σ |error| of each, for numbers
    double judged_ = 0.0;             // the weight of what they are judged by
    double nonzeros_ = 0.0;           // in the first examples
    std::vector<double> of_code_;     // the weight of each class
};

}  // namespace thresher
