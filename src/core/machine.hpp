// One linear machine: a geometry that holds the weights, a rule that decides the steps, and the rest of
// the state. `learn` is the loop body of everything: receive, predict, feedback, update.
// Everything that may fail comes first: a score, a rule, a number too large to be kept, no memory. Only
// then is anything written, so an example is learned as a whole or leaves no trace.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "average.hpp"
#include "calibration.hpp"
#include "chance.hpp"
#include "classes.hpp"
#include "ledger.hpp"
#include "rules/banditron.hpp"
#include "rules/logistic.hpp"
#include "rules/mira.hpp"
#include "rules/rule.hpp"
#include "spectrum.hpp"

namespace thresher {

/// How the classes learn from an example of one of them, with three or more.
struct AgainstRival {};  // the right prototype and its strongest rival move
struct AgainstRest {};   // a machine for each class, against all others
struct BySoftmax {};     // all move by the gradient of the log loss
using ManyClasses = std::variant<AgainstRival, AgainstRest, BySoftmax, rules::AllConstraints>;

/// Labels only where they are likely to help (Cesa-Bianchi, Gentile & Zaniboni 2006): one is asked for
/// with probability b/(b + lead), where the lead of the answer over the next best is |s| for two classes.
/// What is not asked for is not learned from; mistakes are counted all the same.
struct Asking {
    double b = 0.0;  // 0: always
    std::uint64_t seed = 0;

    bool on() const { return b > 0.0; }
    bool wants(double lead, double t) const {
        return !on() || chance(seed, static_cast<std::uint64_t>(t)) * (b + lead) < b;
    }
};

struct MachineOptions {
    std::shared_ptr<const Rule> rule;
    Asking asking;
    rules::Banditron bandit;
    ManyClasses many;
    Averaging average;
    bool calibrate = false;
    bool estimate_curvature = false;
    bool clip_predictions = false;
    double bias = 0.0;  // the value of the constant feature; 0: there is none

    /// A learner that does not average, or has no constant feature, does not list it.
    template <class Archive>
    void describe(Archive& a) {
        if (a.has("average")) {
            a.averaging("average", average);
            a.real("burn_in", average.burn_in);
        }
        if (a.has("calibrate")) a.flag("calibrate", calibrate);
        if (a.has("b")) {
            a.real("b", asking.b);
            a.count("seed", asking.seed);
        }
        if (a.has("gamma")) {
            a.real("gamma", bandit.gamma);
            a.count("seed", bandit.seed);
        }
        if (a.has("estimate_curvature")) a.flag("estimate_curvature", estimate_curvature);
        if (a.has("clip_predictions")) a.flag("clip_predictions", clip_predictions);
        if (a.has("fit_intercept")) {
            bool fit_intercept = true;
            a.flag("fit_intercept", fit_intercept);
            bias = 1.0;
            if (a.has("intercept_scaling")) a.real("intercept_scaling", bias);
            if (!fit_intercept) bias = 0.0;
        }
        if (a.has("multiclass")) {
            const ManyClasses ways[] = {AgainstRival(), AgainstRest(), BySoftmax(),
                                        rules::AllConstraints()};
            int way = 0;
            a.word("multiclass", way,
                   {"ultraconservative", "one-vs-rest", "softmax", "all-constraints"});
            many = ways[way];
            if (auto* all = std::get_if<rules::AllConstraints>(&many)) a.part(*all);
        }
    }
};

template <class Geometry>
class Machine {
public:
    Machine(typename Geometry::Options geometry, const MachineOptions& o)
        : options_(o),
          geometry_(geometry),
          average_(o.average),
          calibration_(o.calibrate),
          spectrum_(o.estimate_curvature),
          scores_(1),
          room_(1) {}

    void grow(std::size_t features) {
        geometry_.grow(features, average_);
        if (spectrum_.on()) spectrum_.grow(features);
    }
    /// Takes back the features added last, before anything was learned about them.
    void shrink(std::size_t features) {
        geometry_.shrink(features, average_);
        spectrum_.shrink(features);
    }

    /// A step with two classes that is known to succeed.
    struct SignStep {
        double step, weight;
        bool mistake, asked;
    };
    /// Two classes, y = ±1.
    template <class Row>
    THRESHER_INLINE SignStep plan_sign(const Row& x, double y, double weight, bool judged = false) {
        const double s = scores(x, judged)[0];
        const bool mistake =
            Geometry::zero_score_is_mistake ? y * s <= 0.0 : (s >= 0.0) != (y > 0.0);
        const bool asked = options_.asking.wants(std::abs(s), t_ + 1.0);
        double step = 0.0, sqnorm = ledger_.on() ? sqnorm_of(x, 0) : unknown;
        if (asked && may_move(y * s)) {
            if (options_.rule->uses_sqnorm && !ledger_.on()) sqnorm = sqnorm_of(x, 0);
            step = step_for({s, y, std::max(0.0, sqnorm), time(), weight, mistake, 0.0}, 0);
        }
        begin_plan(x, weight);
        if (step != 0.0) plan(x, 0, step, weight, sqnorm);
        if (ledger_.on()) {
            next_ledger_ = ledger_;
            next_ledger_.add(y, s, sqnorm, step, adds);
            if (!next_ledger_.is_finite()) refuse(x, weight, "a sum of the audit");
        }
        if (asked && calibration_.on())
            observe(x, weight,
                    [&] { next_calibration_.observe(predicting_scores(x)[0], y, weight); });
        return {step, weight, mistake, asked};
    }
    template <class Row>
    THRESHER_INLINE void keep_sign(const Row& x, const SignStep& planned) {
        if (ledger_.on()) ledger_ = next_ledger_;
        if (planned.asked && calibration_.on()) calibration_ = next_calibration_;
        if (planned.step != 0.0) write(x, 0, planned.step);
        if (options_.asking.on()) asked_ += planned.asked;
        finish(planned.weight, planned.mistake, planned.step != 0.0);
    }

    /// A number to predict.
    template <class Row>
    void learn_target(const Row& x, double y, double weight, bool judged) {
        if (!std::isfinite(y)) throw Fault(Fault::Kind::bad_target, -1, y);
        const double s = scores(x, judged)[0], sqnorm = sqnorm_of(x, 0);
        double curvature = 0.0;
        Spectrum::Outlook outlook;
        if (spectrum_.on()) {
            outlook = spectrum_.with(x, sqnorm, options_.bias);
            curvature = 2.0 * outlook.largest() + outlook.trace;
        }
        const double scale = std::max(largest_target_, std::abs(y));
        const double step = step_for({s, y, sqnorm, time(), weight, false, curvature, scale}, 0);
        if (Geometry::can_overshoot) {
            const double left = y - s - step * sqnorm;  // the residual on this example afterwards
            if (!(std::abs(left) <= runaway * scale)) throw Fault(Fault::Kind::diverged, -1, left);
        }
        begin_plan(x, weight);
        if (step != 0.0) plan(x, 0, step, weight, sqnorm);
        if (spectrum_.on() && !outlook.can_be_kept()) refuse(x, weight, "the estimated curvature");
        largest_target_ = scale;
        if (spectrum_.on()) spectrum_.keep(outlook, x, options_.bias);
        if (step != 0.0) write(x, 0, step);
        finish(weight, false, step != 0.0);
    }

    /// One of many classes; `ManyClasses` decides how far each of them moves.
    template <class Row>
    void learn_class(const Row& x, std::size_t y, double weight, bool judged) {
        const std::size_t k = geometry_.columns();
        const double* s = scores(x, judged);
        std::size_t rival = y == 0 ? 1 : 0;
        for (std::size_t r = 0; r < k; ++r)
            if (r != y && s[r] > s[rival]) rival = r;
        const Ranked ranked{s, y, rival, s[y] - s[rival], weight};
        const bool mistake = ranked.lead <= 0.0;
        double sqnorm = unknown;
        const bool asked =
            !options_.asking.on() || options_.asking.wants(best_lead(s, k), t_ + 1.0);
        const bool update =
            asked &&
            std::visit([&](const auto& way) { return steps_of_classes(way, x, ranked, sqnorm); },
                       options_.many);
        begin_plan(x, weight);
        if (update) plan_classes(x, weight, sqnorm);
        if (ledger_.on()) {
            next_ledger_ = ledger_;
            next_ledger_.add_loss(ranked.lead);
            if (!next_ledger_.is_finite()) refuse(x, weight, "a sum of the audit");
        }
        if (asked && calibration_.on()) {
            observe(x, weight,
                    [&] { next_calibration_.observe(predicting_scores(x), k, y, weight); });
            calibration_ = next_calibration_;
        }
        if (ledger_.on()) ledger_ = next_ledger_;
        if (update) write_classes(x);
        if (options_.asking.on()) asked_ += asked;
        finish(weight, mistake, update);
    }

    bool asks_for_labels() const { return options_.asking.on(); }
    /// Whether it asks for the label of x if that is its next example.
    template <class Row>
    bool asks(const Row& x) {
        const double* s = scores(x);
        const std::size_t k = geometry_.columns();
        return options_.asking.wants(k == 1 ? std::abs(s[0]) : best_lead(s, k), t_ + 1.0);
    }

    // Many classes, where the answer is only whether the class that was played is right.

    bool is_bandit() const { return options_.bandit.on(); }
    /// What it plays if x is its next example.
    template <class Row>
    rules::Play play(const Row& x, const Classes& classes) {
        return options_.bandit.play(classes.decide(scores(x)), classes.size(), t_ + 1.0);
    }
    /// Of two classes, whose scores are one, `positive` is that of the positive score.
    template <class Row>
    void learn_answer(const Row& x, const rules::Play& play, bool right, std::size_t positive,
                      double weight) {
        const std::size_t k = geometry_.columns();
        steps_.assign(std::max<std::size_t>(k, 2), 0.0);
        if (play.best != rules::Play::none) steps_[play.best] -= weight;
        if (right) steps_[play.played] += weight / play.probability;
        if (k == 1) steps_[0] = steps_[positive] - steps_[1 - positive];
        const bool update = std::any_of(steps_.begin(), steps_.begin() + static_cast<long>(k),
                                        [](double step) { return step != 0.0; });
        begin_plan(x, weight);
        if (update) {
            plan_classes(x, weight, unknown);
            write_classes(x);
        }
        finish(weight, !right, update);
    }

    /// The scores of the predicting hypothesis: the average if one is kept.
    template <class Row>
    void predict(const Row& x, double* out) {
        geometry_.check(x);
        geometry_.scores(x, out);
        std::copy_n(out, geometry_.columns(), judged_.data());
        if (average_.on()) geometry_.average_scores(x, average_, out, room_.data());
        require_finite(x, out);
    }

    double unseen(double sum, std::size_t count, std::size_t k) const {
        return average_.on() ? geometry_.averaged_unseen(sum, count, k, average_)
                             : geometry_.unseen(sum, count, k);
    }
    double weight(std::size_t i, std::size_t k) const {
        return average_.on() ? geometry_.averaged_weight(i, k, average_) : geometry_.weight(i, k);
    }
    double constant(std::size_t k) const {
        return average_.on() ? geometry_.averaged_constant(k, average_) : geometry_.constant(k);
    }

    /// For learners that iterate over the data themselves.
    void count(std::uint64_t examples, std::uint64_t mistakes) {
        t_ += static_cast<double>(examples);
        mistakes_ += mistakes;
        updates_ += mistakes;
        measure();
    }

    /// A third class has appeared: the vector is split into a prototype for each.
    void split(std::size_t positive) {
        // One-vs-rest: with two classes each machine is the mirror image of the other.
        const bool mirrored = std::holds_alternative<AgainstRest>(options_.many);
        const double share = is_bandit() ? 0.5 : options_.rule->split;
        geometry_.split(positive, mirrored ? 1.0 : share, average_);
        calibration_.restart();
        resize();
    }
    void add_column() {
        geometry_.add_column(average_);
        resize();
    }
    /// Back to `columns` columns, if one more was added, or half added, and nothing written to it.
    void take_back_column(std::size_t columns) { geometry_.take_back_column(columns, average_); }

    /// Whether there is something to forget.
    bool settles() const {
        return average_.on() || geometry_.settles() || options_.rule->settles();
    }
    /// Half of what makes steps smaller, and the average: it begins again with the current weights.
    void forget() {
        average_.start_over();
        geometry_.rescale_past(0.0);
        geometry_.forget();
        forgotten_ += 0.5 * (t_ - forgotten_);
        measure();
    }

    /// From the first example on.
    Ledger& ledger() { return ledger_; }
    const Ledger& ledger() const { return ledger_; }

    std::size_t columns() const { return geometry_.columns(); }
    std::size_t features() const { return geometry_.features(); }
    const Calibration& calibration() const { return calibration_; }
    const Geometry& geometry() const { return geometry_; }
    Geometry& geometry() { return geometry_; }
    double examples() const { return t_; }
    std::uint64_t mistakes() const { return mistakes_; }
    std::uint64_t updates() const { return updates_; }
    /// Labels that were asked for, where the options say which are.
    std::uint64_t asked() const { return asked_; }

    template <class Archive>
    void describe(Archive& a) {
        a.nested("geometry", geometry_);
        a.nested("average", average_);
        a.nested("calibration", calibration_);
        a.nested("spectrum", spectrum_);
        a.nested("ledger", ledger_);
        a.real("examples", t_);
        a.real_or_zero("forgotten", forgotten_);
        a.count("mistakes", mistakes_);
        a.count("updates", updates_);
        if (options_.asking.on()) a.count("asked", asked_);
        a.real("largest_target", largest_target_);
        a.require(average_.fits(geometry_.raw()), "the averaged weights");
        a.require(spectrum_.fits(geometry_.raw()), "the weights and the estimated curvature");
        a.require(t_ >= 0.0 && t_ <= 0x1p53 && average_.clock() >= 0.0 && forgotten_ >= 0.0 &&
                      forgotten_ <= t_,
                  "the counts");
        if constexpr (Archive::loading) {
            resize();
            measure();
        }
    }

private:
    static constexpr double runaway = 1e6;
    static constexpr double unknown = -1.0;  // a norm that was not computed
    static constexpr bool at_once = requires { Geometry::moves_classes_at_once; };
    static constexpr bool adds = std::is_same_v<Geometry, Additive>;

    // Bounds on the weights and on the sums of the average, which grow with each step, at no cost. As
    // long as they are far below what can be kept no cell needs to be checked; else they are measured.
    // Whether a step is refused depends only on the cells, not on the bounds.

    void measure() {
        largest_w_ = geometry_.largest();
        largest_past_ = average_.largest();
    }
    bool fits(double far, double most) const {
        const double changes = geometry_.changes(largest_w_, far);
        return largest_w_ + far <= most && largest_past_ + average_.clock() * changes <= most;
    }
    /// The part that is the same for all classes.
    template <class Row>
    THRESHER_INLINE void begin_plan(const Row& x, double weight) {
        if (average_.on()) {
            average_.check_tick(weight);
            geometry_.check_tick(average_.counted(weight));
        }
        farthest_ = 0.0;
        geometry_.begin_plan(x);
    }
    /// Everything in a step for class k that may fail. `sqnorm` bounds ‖x‖², if it is known.
    template <class Row>
    THRESHER_INLINE void plan(const Row& x, std::size_t k, double step, double weight,
                              double sqnorm) {
        const Move move{step, gains_[k], weight, sqnorm};
        double far = geometry_.plan(x, k, move);
        if (!fits(far, 1e-10 * largest_kept)) {
            measure();
            far = geometry_.farthest(x, move);
            if (!fits(far, largest_kept)) refuse(x, weight, "a weight");
        }
        farthest_ = std::max(farthest_, far);
    }
    /// The same for all classes, by steps_ and gains_.
    template <class Row>
    void plan_classes(const Row& x, double weight, double sqnorm) {
        if constexpr (at_once) {
            const double *steps = steps_.data(), *gains = gains_.data();
            farthest_ = geometry_.plan_classes(x, steps, gains, weight, sqnorm);
            if (fits(farthest_, 1e-10 * largest_kept)) return;
            measure();
            farthest_ = geometry_.farthest_of_classes(x, steps, gains, weight);
            if (!fits(farthest_, largest_kept)) refuse(x, weight, "a weight");
        } else if constexpr (adds) {  // the largest step moves a weight farthest
            double most = 0.0;        // or NaN, if any step is
            for (std::size_t r = 0; r < geometry_.columns() && !std::isnan(most); ++r)
                if (!(std::abs(steps_[r]) <= most)) most = std::abs(steps_[r]);
            plan(x, 0, most, weight, sqnorm);
            geometry_.prepare_classes();
        } else {
            for (std::size_t r = 0; r < geometry_.columns(); ++r)
                if (steps_[r] != 0.0) plan(x, r, steps_[r], weight, sqnorm);
        }
    }
    template <class Row, class Observe>
    void observe(const Row& x, double weight, Observe calibrate) {
        next_calibration_ = calibration_;
        calibrate();
        if (!next_calibration_.is_finite()) refuse(x, weight, "the calibration");
    }
    template <class Row>
    [[noreturn]] static void refuse(const Row& x, double weight, const char* what) {
        const Feature most = largest_of(x);
        throw Fault(most.index, most.value, weight, what);
    }

    void resize() {
        scores_.resize(geometry_.columns());
        room_.resize(geometry_.columns());
        predicting_.resize(geometry_.columns());
        judged_.resize(geometry_.columns());
        gains_.resize(geometry_.columns());
    }

    template <class Row>
    THRESHER_INLINE void require_finite(const Row& x, const double* s) const {
        double sum = 0.0;
        for (std::size_t k = 0; k < geometry_.columns(); ++k)
            sum += s[k] - s[k];  // NaN if any is not
        if (!(sum == 0.0)) blame(x);
    }

    /// `judged`: x is the row predicted last, and nothing has changed since.
    template <class Row>
    THRESHER_INLINE const double* scores(const Row& x, bool judged = false) {
        if (judged) {
            std::copy_n(judged_.data(), geometry_.columns(), scores_.data());
        } else {
            geometry_.check(x);
            geometry_.scores(x, scores_.data());
        }
        require_finite(x, scores_.data());
        return scores_.data();
    }
    /// The predicting hypothesis's scores of the row just scored.
    template <class Row>
    const double* predicting_scores(const Row& x) {
        if (!average_.on()) return scores_.data();
        std::copy(scores_.begin(), scores_.end(), predicting_.begin());
        geometry_.average_scores(x, average_, predicting_.data(), room_.data());
        return predicting_.data();
    }

    /// By how much the best of two scores or more leads the next.
    static double best_lead(const double* s, std::size_t k) {
        double best = std::max(s[0], s[1]), next = std::min(s[0], s[1]);
        for (std::size_t r = 2; r < k; ++r) {
            next = std::max(next, std::min(best, s[r]));
            best = std::max(best, s[r]);
        }
        return best - next;
    }

    /// The scores of an example of class y, its strongest rival and the lead over it.
    struct Ranked {
        const double* scores;
        std::size_t y, rival;
        double lead, weight;
    };

    // Computes how far each class moves, into steps_ and gains_; returns whether any does. `sqnorm` is
    // filled in if it was needed.
    template <class Row>
    bool steps_of_classes(AgainstRival, const Row& x, const Ranked& at, double& sqnorm) {
        double step = 0.0;
        if (may_move(at.lead)) {
            if (options_.rule->uses_sqnorm) sqnorm = joint_sqnorm(x, at.y, at.rival);
            const double joint = std::max(0.0, sqnorm);
            step = step_for({at.lead, 1.0, joint, time(), at.weight, at.lead <= 0.0, 0.0}, at.y);
        }
        steps_.assign(geometry_.columns(), 0.0);
        steps_[at.y] = step;
        steps_[at.rival] = -step;
        gains_[at.rival] = gains_[at.y];
        return step != 0.0;
    }
    template <class Row>
    bool steps_of_classes(AgainstRest, const Row& x, const Ranked& at, double&) {
        const bool normed = options_.rule->uses_sqnorm;
        double sqnorm = normed ? sqnorm_of(x, 0) : 0.0;
        bool update = false;
        steps_.resize(geometry_.columns());
        for (std::size_t r = 0; r < steps_.size(); ++r) {
            const double sign = r == at.y ? 1.0 : -1.0, margin = sign * at.scores[r];
            if (Geometry::second_order && normed && may_move(margin)) sqnorm = sqnorm_of(x, r);
            steps_[r] =
                step_for({at.scores[r], sign, sqnorm, time(), at.weight, margin <= 0.0, 0.0}, r);
            update |= steps_[r] != 0.0;
        }
        return update;
    }
    template <class Row>
    bool steps_of_classes(BySoftmax, const Row& x, const Ranked& at, double& sqnorm) {
        sqnorm = sqnorm_of(x, at.y);
        // The rule's own step, for y against its rival, gives the gain, and checks that all is finite.
        step_for({at.lead, 1.0, sqnorm, time(), at.weight, at.lead <= 0.0, 0.0}, at.y);
        const std::size_t k = geometry_.columns();
        gains_.assign(k, gains_[at.y]);
        // A geometry of second order has the rate by the gain.
        const double rate = Geometry::second_order ? 1.0 : options_.rule->rate(time());
        return rules::softmax_steps(at.scores, k, at.y, rate * at.weight, steps_);
    }
    template <class Row>
    bool steps_of_classes(const rules::AllConstraints& all, const Row& x, const Ranked& at,
                          double& sqnorm) {
        sqnorm = sqnorm_of(x, at.y);
        return all.solve(at.scores, geometry_.columns(), at.y, sqnorm, at.weight, steps_);
    }

    /// ‖x‖² as class k measures it; if it overflowed, a rule would silently learn nothing.
    template <class Row>
    double sqnorm_of(const Row& x, std::size_t k) const {
        const double sqnorm = geometry_.sqnorm(x, k);
        const double used = spectrum_.on() ? sqnorm * sqnorm : sqnorm;  // its square is kept there
        if (!std::isfinite(used)) blame(x);
        return sqnorm;
    }

    /// ‖Φ(x,y) − Φ(x,rival)‖².
    template <class Row>
    double joint_sqnorm(const Row& x, std::size_t y, std::size_t rival) const {
        if constexpr (Geometry::second_order)
            return sqnorm_of(x, y) + sqnorm_of(x, rival);
        else
            return 2.0 * sqnorm_of(x, y);
    }

    /// The t of a learning rate.
    double time() const { return t_ + 1.0 - forgotten_; }

    /// Examples far on the right side need no norm, and no call of the rule.
    bool may_move(double margin) const { return !(margin > options_.rule->rests_above); }

    /// The rule's step for class k; its gain is kept until the step is written.
    double step_for(const View& v, std::size_t k) {
        const double step = options_.rule->step(v);
        if (!std::isfinite(step)) throw Fault(Fault::Kind::bad_step, -1, step);
        if constexpr (Geometry::second_order) {
            gains_[k] = options_.rule->gain(v, step);
            if (!std::isfinite(gains_[k])) throw Fault(Fault::Kind::bad_step, -1, gains_[k]);
        }
        return step;
    }

    /// The only way from a step to the weights.
    template <class Row>
    void write(const Row& x, std::size_t k, double step) {
        Unwatched nobody;
        const auto update = [&](auto& watch) {
            if constexpr (at_once)
                farthest_ = geometry_.update(x, k, step, gains_[k], watch);
            else if constexpr (Geometry::second_order)
                geometry_.update(x, k, step, gains_[k], watch);
            else
                geometry_.update(x, k, step, watch);
        };
        if (average_.on())
            update(average_);
        else
            update(nobody);
    }

    template <class Row>
    void write_classes(const Row& x) {
        if constexpr (at_once) {
            Unwatched nobody;
            const double *steps = steps_.data(), *gains = gains_.data();
            farthest_ = average_.on() ? geometry_.update_classes(x, steps, gains, average_)
                                      : geometry_.update_classes(x, steps, gains, nobody);
        } else {
            if constexpr (adds)
                if (moves_most()) return write_together(x);
            for (std::size_t r = 0; r < geometry_.columns(); ++r)
                if (steps_[r] != 0.0) write(x, r, steps_[r]);
        }
    }

    /// Whether more than half of many classes move.
    bool moves_most() const {
        const std::size_t k = geometry_.columns();
        std::size_t moving = 0;
        for (std::size_t r = 0; r < k; ++r) moving += steps_[r] != 0.0;
        return k > 2 && 2 * moving > k;
    }
    template <class Row>
    void write_together(const Row& x) {
        Unwatched nobody;
        if (average_.on())
            geometry_.update_classes(x, steps_.data(), average_);
        else
            geometry_.update_classes(x, steps_.data(), nobody);
    }

    THRESHER_INLINE void finish(double weight, bool mistake, bool update) {
        if (update) {
            largest_past_ += average_.clock() * geometry_.changes(largest_w_, farthest_);
            largest_w_ += farthest_;
        }
        geometry_.seen();
        t_ += 1.0;
        mistakes_ += mistake;
        updates_ += update;
        const double counted = average_.counted(weight);
        if (average_.tick(t_, weight)) {
            geometry_.tick(counted);
            if (average_.is_renewed()) [[unlikely]]
                renew_average();
        }
    }
    void renew_average() {
        if (const double factor = average_.due(); factor != 1.0) [[unlikely]] {
            average_.rescale(factor);
            geometry_.rescale_past(factor);
        }
        if (average_.is_restart_due()) [[unlikely]]
            average_.restart();
    }

    MachineOptions options_;
    Geometry geometry_;
    Average average_;
    Calibration calibration_, next_calibration_;
    Spectrum spectrum_;
    Ledger ledger_, next_ledger_;
    double t_ = 0.0, largest_target_ = 0.0;
    double forgotten_ = 0.0;                       // of t, where the learning rate depends on it
    double largest_w_ = 1.0, largest_past_ = 0.0;  // Winnow starts at 1
    double farthest_ = 0.0;                        // how far the planned step moves a weight
    std::uint64_t mistakes_ = 0, updates_ = 0, asked_ = 0;
    std::vector<double> scores_, room_, predicting_ = std::vector<double>(1), steps_,
                                        gains_ = std::vector<double>(1);
    std::vector<double> judged_ = std::vector<double>(1);  // scores of the row predicted last
};

}  // namespace thresher
