// SNoW (Roth 1998; Carlson, Cumby, Rosen & Roth 1999): a sparse network of linear threshold units, one per
// target, over an unbounded set of features.
//   link     a feature is linked to a target when it is active in an example of it; the link takes
//            part once that has happened `eligibility` times. Examples of other targets make no links
//   learn    the right target against its strongest rival, or (one_vs_rest) each against the rest
//   prune    a link that an update leaves with |weight| < prune is dropped
//   cap      before there are more than max_links, the least useful eighth is dropped: those with the
//            smallest |weight|·count, those not eligible yet first
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../calibration.hpp"
#include "../fault.hpp"
#include "../rows.hpp"
#include "links.hpp"
#include "nodes.hpp"

namespace thresher::snow {

class Network {
    /// What a link is worth, as `use_of` says it.
    struct Use {
        const Network& network;
        double operator()(std::size_t i, const Link& link) const { return network.use_of(i, link); }
    };

public:
    explicit Network(const Options& o) : o_(o), bayes_{o.smoothing}, calibration_(o.calibrate) {}

    /// Of two targets, the one that a single score is in favour of.
    std::size_t positive = 1;

    const Options& options() const { return o_; }
    std::size_t features() const { return links_.features(); }
    std::size_t targets() const { return nodes_.size(); }
    std::size_t links() const { return links_.size(); }
    Kind kind(std::size_t target) const { return nodes_[target].kind; }
    const Calibration& calibration() const { return calibration_; }
    double examples() const { return t_; }
    std::uint64_t mistakes() const { return mistakes_; }
    std::uint64_t updates() const { return updates_; }
    std::uint64_t clamped() const { return clamp_.count; }

    void grow(std::size_t features) {
        if (o_.uses_bayes && features > seen_.size()) seen_.resize(features, 0.0);
        links_.grow(features);
    }
    void shrink(std::size_t features) {
        links_.shrink(features);
        seen_.resize(std::min(features, seen_.size()));
    }

    /// New targets: there must be room for at least one link each.
    void check_room(std::size_t more) const {
        if (o_.max_links > 0 && nodes_.size() + more > o_.max_links)
            throw Fault(Fault::Kind::cap_too_small, -1, static_cast<double>(o_.max_links));
    }
    void add_target(Kind kind) {
        const double bias = kind == Kind::winnow ? o_.bias * o_.initial_weight : 0.0;
        const double past = o_.average.on ? clock_ * bias : 0.0;
        if (!(past <= largest_kept)) throw Fault(-1, 0.0, 1.0, "the averaged weights");
        nodes_.push_back({kind, bias, past});
    }
    void take_back_targets(std::size_t targets) {
        while (nodes_.size() > targets) nodes_.pop_back();
    }

    /// What is wrong with a row, before anything is kept of it.
    template <class Row>
    void check(const Row& x) const {
        if (o_.unit)
            check_unit(x);
        else if constexpr (!std::is_same_v<Row, SparseRow<loops::Ones>>)
            x.each([&](std::size_t, double v) {
                if (!std::isfinite(o_.uses_norm ? v * v : v)) blame(x);
            });
    }

    /// A score for each target, of the predicting hypothesis: the average if one is kept.
    template <class Row>
    void predict(const Row& x, double* out) const {
        if (o_.average.on && clock_ > 0.0)
            score(x, out, [c = clock_](const Link& l) { return l.weight - l.past / c; });
        else
            score(x, out, [](const Link& l) { return l.weight; });
        for (std::size_t t = 0; t < targets(); ++t) {
            out[t] += constant(t);
            if (!std::isfinite(out[t])) blame(x);
        }
    }

    /// One example of the targets `right`, which the network has; `fresh` of these are new.
    template <class Row>
    void learn(const Row& x, std::span<const std::size_t> right, std::size_t fresh, double weight) {
        online_scores(x);
        const bool mistake = fresh > 0 || is_mistake(right);
        const double size = o_.theta_is_given() ? 0.0 : size_of(x);
        const double far = check_numbers(x, right, weight);
        if (calibration_.on()) observe(x, right, fresh, weight);
        const std::optional<Links::Rank> dropped = make_room(x, right);
        // From here on nothing fails.
        if (calibration_.on()) calibration_ = next_calibration_;
        if (dropped) links_.drop_up_to(*dropped, Use{*this});
        bool update = link(x, right, weight);
        decide_steps(x, right, weight);
        for (const double step : steps_) update |= step != 0.0;
        move(x);
        if (dropped) links_.free_empty();
        t_ += 1.0;
        if (!o_.theta_is_given()) mean_size_ += (size - mean_size_) / t_;
        mistakes_ += mistake;
        updates_ += update;
        largest_ += far;
        largest_past_ += clock_ * far;
        if (o_.average.on && t_ > o_.average.burn_in) tick(weight);
    }

    double theta() const { return o_.theta_is_given() ? o_.theta : 0.5 * mean_size_; }

    /// The part of a target's score that no feature has.
    double constant(std::size_t t) const {
        const Node& node = nodes_[t];
        if (node.kind == Kind::naive_bayes) return bayes_.prior(node.mass, mass_);
        return averaged(node.bias, node.bias_past) - (node.additive() ? 0.0 : theta());
    }
    double weight(std::size_t feature, std::size_t t) const {
        const Link* link = links_.find(feature, t);
        const bool active = link && link->count >= o_.eligibility;
        if (nodes_[t].kind != Kind::naive_bayes)
            return active ? averaged(link->weight, link->past) : 0.0;
        return spread(t) + bayes_.unlinked(seen_[feature]) +
               (active ? bayes_.linked(link->weight, seen_[feature]) : 0.0);
    }
    /// What features add that were never seen, given the sum of their values.
    double unseen(double sum, std::size_t t) const {
        return nodes_[t].kind == Kind::naive_bayes ? sum * spread(t) : 0.0;
    }

    /// Whenever as many new features have come as there are links, and some more: the amortised cost
    /// is constant.
    std::optional<std::vector<std::size_t>> linked() const {
        if (features() < 2 * links_.size() + 1024) return std::nullopt;
        return links_.linked();
    }
    void keep_only(const std::vector<std::size_t>& kept) {
        links_.keep_only(kept);
        for (std::size_t i = 0; o_.uses_bayes && i < kept.size(); ++i) seen_[i] = seen_[kept[i]];
        if (o_.uses_bayes) seen_.resize(kept.size());
    }

    /// All current weights, for comparison.
    std::vector<double> hypothesis() const {
        std::vector<double> out;
        for (const Node& node : nodes_) out.push_back(node.bias);
        for (std::size_t i = 0; i < features(); ++i)
            for (const Link& link : links_.of(i)) {
                out.push_back(link.target);
                out.push_back(link.weight);
            }
        return out;
    }

    template <class Archive>
    void describe(Archive& a) {
        std::size_t targets = nodes_.size(), average = o_.average.on, bayes = o_.uses_bayes;
        a.count("targets", targets);
        a.count("average", average);
        a.count("bayes", bayes);
        a.count("positive", positive);
        a.require(positive <= 1 && (average != 0) == o_.average.on &&
                      (bayes != 0) == o_.uses_bayes && targets <= most_targets &&
                      (o_.max_links == 0 || targets <= o_.max_links),
                  "the targets and the options");
        std::vector<double> kind, bias, past, mass;
        for (const Node& node : nodes_) {
            kind.push_back(static_cast<double>(node.kind));
            bias.push_back(node.bias);
            past.push_back(node.bias_past);
            mass.push_back(node.mass);
        }
        a.cells("kinds", kind, targets, 1);
        a.cells("bias", bias, targets, 1);
        a.cells("bias_past", past, targets, 1);
        a.cells("mass", mass, targets, 1);
        if constexpr (Archive::loading) {
            nodes_.clear();
            for (std::size_t t = 0; t < targets; ++t) {
                a.require(kind[t] == 0.0 || kind[t] == 1.0 || kind[t] == 3.0 ||
                              (kind[t] == 2.0 && o_.uses_bayes),
                          "the kinds of the targets");
                nodes_.push_back(
                    {static_cast<Kind>(static_cast<int>(kind[t])), bias[t], past[t], mass[t]});
            }
        }
        links_.describe(a, targets);
        a.require(o_.max_links == 0 || links_.size() <= o_.max_links, "the links and max_links");
        a.cells("seen", seen_, o_.uses_bayes ? features() : 0, 1);
        a.real("all", mass_);
        a.real("clock", clock_);
        if (o_.average.decay < 1.0) {
            a.real("growth", growth_);
            a.require(growth_ >= 1.0 && growth_ <= Average::most_growth,
                      "the clock and its growth");
        }
        a.real("mean_size", mean_size_);
        a.real("examples", t_);
        a.count("mistakes", mistakes_);
        a.count("updates", updates_);
        a.count("clamped", clamp_.count);
        a.nested("calibration", calibration_);
        a.require(t_ >= 0.0 && t_ <= 0x1p53 && clock_ >= 0.0, "the counts");
        if constexpr (Archive::loading) measure();
    }

private:
    static constexpr std::size_t most_targets = std::size_t{1} << 24;

    /// As in average.hpp: the mean of all hypotheses, or one that fades.
    void tick(double weight) {
        clock_ += weight * growth_;
        growth_ /= o_.average.decay;
        if (growth_ <= Average::most_growth) return;
        clock_ /= growth_;
        for (Node& node : nodes_) node.bias_past /= growth_;
        for (std::size_t i = 0; i < features(); ++i)
            for (Link& link : links_.of(i)) link.past /= growth_;
        growth_ = 1.0;
    }
    double averaged(double weight, double past) const {
        return o_.average.on && clock_ > 0.0 ? weight - past / clock_ : weight;
    }
    double spread(std::size_t t) const { return bayes_.spread(nodes_[t].mass, mass_); }

    /// Σ over the links of the active features; naive Bayes counts features without a link as well.
    template <class Row, class WeightOf>
    void score(const Row& x, double* out, WeightOf weight_of) const {
        std::fill(out, out + targets(), 0.0);
        if (!o_.uses_bayes) {
            x.each([&](std::size_t i, double v) {
                for (const Link& link : links_.of(i))
                    if (link.count >= o_.eligibility) out[link.target] += v * weight_of(link);
            });
            return;
        }
        double unlinked = 0.0, sum = 0.0;
        x.each([&](std::size_t i, double v) {
            unlinked += v * bayes_.unlinked(seen_[i]);
            sum += v;
            for (const Link& link : links_.of(i))
                if (link.count >= o_.eligibility)
                    out[link.target] += v * (nodes_[link.target].kind == Kind::naive_bayes
                                                 ? bayes_.linked(link.weight, seen_[i])
                                                 : weight_of(link));
        });
        for (std::size_t t = 0; t < targets(); ++t)
            if (nodes_[t].kind == Kind::naive_bayes) out[t] += unlinked + sum * spread(t);
    }

    template <class Row>
    void online_scores(const Row& x) {
        scores_.resize(targets());
        score(x, scores_.data(), [](const Link& l) { return l.weight; });
        for (std::size_t t = 0; t < targets(); ++t) {
            const Node& node = nodes_[t];
            scores_[t] += node.kind == Kind::naive_bayes
                              ? bayes_.prior(node.mass, mass_)
                              : node.bias - (node.additive() ? 0.0 : theta());
            if (!std::isfinite(scores_[t])) blame(x);
        }
    }

    static bool among(std::span<const std::size_t> right, std::size_t t) {
        return std::find(right.begin(), right.end(), t) != right.end();
    }

    bool is_mistake(std::span<const std::size_t> right) const {
        if (o_.multi_label) {
            for (std::size_t t = 0; t < targets(); ++t)
                if ((scores_[t] >= 0.0) != among(right, t)) return true;
            return false;
        }
        const std::size_t rival = rival_of(right[0]);
        return rival < targets() && scores_[right[0]] <= scores_[rival];
    }
    /// The strongest of the others; on a tie the one that appeared first.
    std::size_t rival_of(std::size_t y) const {
        std::size_t best = targets();
        for (std::size_t t = 0; t < targets(); ++t)
            if (t != y && (best == targets() || scores_[t] > scores_[best])) best = t;
        return best;
    }

    /// What the calibration learns from it, to be kept later. A third target restarts it.
    template <class Row>
    void observe(const Row& x, std::span<const std::size_t> right, std::size_t fresh,
                 double weight) {
        std::vector<double> s(targets());
        predict(x, s.data());
        Calibration& next = next_calibration_;
        next = calibration_;
        if (!o_.multi_label && targets() == 3 && fresh > 0) next.restart();
        if (!o_.multi_label && targets() == 2)
            next.observe(s[positive] - s[1 - positive], right[0] == positive ? 1.0 : -1.0, weight);
        else if (o_.multi_label || (o_.sigmoid && targets() >= 3))
            for (std::size_t t = 0; t < targets(); ++t)
                next.observe(s[t], among(right, t) ? 1.0 : -1.0, weight);
        else if (targets() >= 3)
            next.observe(s.data(), targets(), right[0], weight);
        if (!next.is_finite()) refuse(x, weight, "the calibration");
    }

    // As in machine.hpp: bounds on all weights, and on the sums of their averages.

    void measure() {
        largest_ = largest_past_ = 0.0;
        const auto see = [&](const Node& node, double weight, double past) {
            if (node.kind == Kind::naive_bayes) return;  // counts, no more than all weight
            largest_ = std::max(largest_, std::abs(weight));
            largest_past_ = std::max(largest_past_, std::abs(past));
        };
        for (const Node& node : nodes_) see(node, node.bias, node.bias_past);
        for (std::size_t i = 0; i < features(); ++i)
            for (const Link& l : links_.of(i)) see(nodes_[l.target], l.weight, l.past);
    }
    bool fits(double far, double most) const {
        return largest_ + far <= most && largest_past_ + clock_ * far <= most;
    }
    template <class Row>
    [[noreturn]] static void refuse(const Row& x, double weight, const char* what) {
        const Feature most = largest_of(x);
        throw Fault(most.index, most.value, weight, what);
    }
    /// Checks that all numbers after this example can be kept; a bound on how far a weight moves.
    template <class Row>
    double check_numbers(const Row& x, std::span<const std::size_t> right, double weight) {
        if (o_.average.on) checked_sum(clock_, weight * growth_);
        if (o_.uses_bayes) checked_sum(mass_, weight);
        for (const std::size_t t : right) checked_sum(nodes_[t].mass, weight);
        const double square = x.sqnorm();
        if (o_.uses_norm && !(2.0 * (square + o_.bias) <= largest_kept)) blame(x);
        // No step is longer than this, and Winnow's weights are clamped to their range; a link starts
        // with the initial weight. With a bias, ‖x‖² is at least 1.
        double largest_score = o_.bias > 0.0 ? 0.0 : std::numeric_limits<double>::infinity();
        for (const double s : scores_) largest_score = std::max(largest_score, std::abs(s));
        const double aggressive = std::min(o_.C * weight, 1.0 + 2.0 * largest_score);
        const double step =
            std::max(weight * std::max(1.0, o_.eta), o_.uses_norm ? aggressive : 0.0);
        const double begins = Clamp::highest + o_.initial_weight;
        double far = begins + step * std::max(1.0, std::sqrt(square));
        if (!fits(far, 1e-10 * largest_kept)) {
            measure();
            far = begins + step * std::max(1.0, std::abs(largest_of(x).value));
            if (!fits(far, largest_kept)) refuse(x, weight, "a weight");
        }
        return far;
    }
    /// Σ x, whose mean determines Winnow's threshold if none was given.
    template <class Row>
    double size_of(const Row& x) const {
        double size = 0.0;
        x.each([&](std::size_t, double v) { size += v; });
        if (!(std::abs(size) <= largest_kept)) refuse(x, 1.0, "the mean of the examples' sums");
        return size;
    }

    /// Links the active features to the right targets. Returns whether anything changed.
    template <class Row>
    bool link(const Row& x, std::span<const std::size_t> right, double weight) {
        bool changed = false;
        if (o_.uses_bayes) {
            mass_ += weight;
            x.each([&](std::size_t i, double v) { seen_[i] += weight * v; });
            changed = true;
        }
        for (const std::size_t t : right) {
            Node& node = nodes_[t];
            node.mass += weight;
            each_to_link(x, [&](std::size_t i, double v) {
                if (v == 0.0) return;
                Link* at = links_.find(i, t);
                if (!at && (o_.max_links == 0 || links_.size() < o_.max_links)) {
                    at = &links_.add(i, t);
                    changed = true;
                }
                if (!at) return;
                at->occur();
                if (node.kind == Kind::naive_bayes) {
                    at->weight += weight * v;
                } else if (node.kind == Kind::winnow && at->count == o_.eligibility) {
                    change(*at, o_.initial_weight);
                    changed = true;
                }
            });
        }
        return changed;
    }

    /// In the order of the features if there may not be room for all: which of them are linked must
    /// not depend on the order in which an example names them.
    template <class Row, class F>
    void each_to_link(const Row& x, F f) {
        if (o_.max_links == 0) return x.each(f);
        in_order_.clear();
        x.each([&](std::size_t i, double v) { in_order_.emplace_back(i, v); });
        std::sort(in_order_.begin(), in_order_.end());
        for (const auto& [i, v] : in_order_) f(i, v);
    }

    /// Memory for everything that learning the example needs, so that it cannot fail halfway; and if
    /// there would be too many links, up to which they are to be dropped.
    template <class Row>
    std::optional<Links::Rank> make_room(const Row& x, std::span<const std::size_t> right) {
        thresher::make_room(steps_, targets());
        if (o_.max_links > 0) thresher::make_room(in_order_, x.n);
        std::size_t wanted = links_.size();
        x.each([&](std::size_t i, double v) {
            if (v == 0.0) return;
            std::size_t more = 0;
            for (const std::size_t t : right) more += !links_.find(i, t);
            links_.make_room(i, more);
            wanted += more;
        });
        if (o_.max_links == 0 || wanted <= o_.max_links || links_.size() == 0) return std::nullopt;
        const std::size_t eighth = std::max<std::size_t>(1, o_.max_links / 8);
        return links_.least(std::max(wanted - o_.max_links, eighth), Use{*this});
    }
    double use_of(std::size_t feature, const Link& link) const {
        if (link.count < o_.eligibility) return 0.0;
        const double w = nodes_[link.target].kind == Kind::naive_bayes
                             ? bayes_.linked(link.weight, seen_[feature])
                             : link.weight;
        return std::abs(w) * static_cast<double>(link.count);
    }

    template <class Row>
    void decide_steps(const Row& x, std::span<const std::size_t> right, double weight) {
        steps_.assign(targets(), 0.0);
        if (o_.multi_label || o_.one_vs_rest) {
            for (std::size_t t = 0; t < targets(); ++t) {
                const double sign = among(right, t) ? 1.0 : -1.0, s = scores_[t];
                steps_[t] = step_of(o_, nodes_[t].kind, sign, sign * s, (s >= 0.0) != (sign > 0.0),
                                    weight, [&] { return sqnorm(x, t); });
            }
            return;
        }
        const std::size_t y = right[0], rival = rival_of(y);
        if (rival == targets()) return;
        const double lead = scores_[y] - scores_[rival];
        const auto joint = [&] { return sqnorm(x, y) + sqnorm(x, rival); };
        steps_[y] = step_of(o_, nodes_[y].kind, 1.0, lead, lead <= 0.0, weight, joint);
        steps_[rival] = step_of(o_, nodes_[rival].kind, -1.0, lead, lead <= 0.0, weight, joint);
    }

    /// ‖x‖² over what the target sees: its linked features, and the bias.
    template <class Row>
    double sqnorm(const Row& x, std::size_t t) const {
        double sum = o_.bias * o_.bias;
        x.each([&](std::size_t i, double v) {
            const Link* link = links_.find(i, t);
            if (link && link->count >= o_.eligibility) sum += v * v;
        });
        if (!std::isfinite(sum)) blame(x);
        return sum;
    }

    template <class Row>
    void move(const Row& x) {
        bool any = false;
        for (std::size_t t = 0; t < targets(); ++t) {
            any |= steps_[t] != 0.0;
            Node& node = nodes_[t];
            if (steps_[t] == 0.0 || o_.bias == 0.0) continue;
            const double bias = moved(node.kind, node.bias, steps_[t], o_.bias);
            if (o_.average.on) node.bias_past += clock_ * (bias - node.bias);
            node.bias = bias;
        }
        if (!any) return;
        x.each([&](std::size_t i, double v) {
            if (v == 0.0) return;
            bool useless = false;
            for (Link& link : links_.of(i)) {
                const double step = steps_[link.target];
                if (step == 0.0 || link.count < o_.eligibility) continue;
                change(link, moved(nodes_[link.target].kind, link.weight, step, v));
                useless |= std::abs(link.weight) < o_.prune;
            }
            if (useless)
                links_.drop_if(i, [&](const Link& link) {
                    return steps_[link.target] != 0.0 && link.count >= o_.eligibility &&
                           std::abs(link.weight) < o_.prune;
                });
        });
    }
    double moved(Kind kind, double w, double step, double v) {
        if (kind != Kind::winnow) return w + step * v;
        return clamp_(w * power(step > 0.0 ? o_.alpha : o_.beta, std::abs(step) * v));
    }
    void change(Link& link, double weight) {
        if (o_.average.on) link.past += clock_ * (weight - link.weight);
        link.weight = weight;
    }

    Options o_;
    Bayes bayes_;
    Calibration calibration_, next_calibration_;
    Clamp clamp_;
    Links links_;
    std::vector<Node> nodes_;
    std::vector<double> seen_;  // how much of each feature came, whatever the target (naive Bayes)
    double growth_ = 1.0;       // of the average's clock
    double mass_ = 0.0, clock_ = 0.0, mean_size_ = 0.0, t_ = 0.0;
    std::uint64_t mistakes_ = 0, updates_ = 0;
    double largest_ = 0.0, largest_past_ = 0.0;
    std::vector<double> scores_, steps_;
    std::vector<std::pair<std::size_t, double>> in_order_;
};

}  // namespace thresher::snow
