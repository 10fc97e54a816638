#include "options.hpp"

#include "core/geometry/additive.hpp"
#include "core/geometry/balanced.hpp"
#include "core/geometry/diagonal.hpp"
#include "core/geometry/ftrl.hpp"
#include "core/geometry/multiplicative.hpp"
#include "core/geometry/negations.hpp"
#include "core/geometry/truncated.hpp"
#include "core/moments/lda.hpp"
#include "core/moments/least_squares.hpp"
#include "core/naive_bayes.hpp"
#include "core/rules/aggressive.hpp"
#include "core/rules/arow.hpp"
#include "core/rules/confidence_weighted.hpp"
#include "core/rules/custom.hpp"
#include "core/rules/lms.hpp"
#include "core/rules/logistic.hpp"
#include "core/rules/passive_aggressive.hpp"
#include "core/rules/perceptron.hpp"
#include "core/rules/winnow.hpp"
#include "core/snow/snow.hpp"
#include "errors.hpp"

namespace thresher::bindings {

namespace {

std::function<double(double)> rate_of(const Options& o, bool& calls_python) {
    nb::object rate = o.object("learning_rate");
    if (nb::isinstance<nb::str>(rate)) {
        const auto word = nb::cast<std::string>(rate);
        if (word == "1/t") return rules::inverse_rate();
        if (word == "1/sqrt(t)") return rules::inverse_root_rate();
        throw nb::value_error("unknown learning rate");
    }
    if (!PyCallable_Check(rate.ptr())) return rules::constant_rate(nb::cast<double>(rate));
    calls_python = true;
    return [rate](double t) {
        const nb::object eta = rate(static_cast<std::uint64_t>(t));
        const double value = PyFloat_AsDouble(eta.ptr());
        if (value == -1.0 && PyErr_Occurred()) {
            PyErr_Clear();
            raise("InvalidInput", "learning_rate returned " + shown(eta) + "; expected a number.");
        }
        return value;
    };
}

/// η(t) of a step that goes by the clock; none for AdaGrad.
std::function<double(double)> clock_of(const Options& o) {
    const std::string word = o.word("schedule");
    const double eta = o.real("learning_rate");
    if (word == "adagrad") return nullptr;
    if (word == "constant") return rules::constant_rate(eta);
    if (word == "1/t") return [eta](double t) { return eta / t; };
    if (word == "1/sqrt(t)") return [eta](double t) { return eta / std::sqrt(t); };
    throw nb::value_error("unknown step");
}

rules::Slack slack_of(const Options& o) {
    const std::string variant = o.word("variant");
    if (variant == "PA") return rules::Slack::none;
    if (variant == "PA-I") return rules::Slack::linear;
    if (variant == "PA-II") return rules::Slack::squared;
    throw nb::value_error("unknown variant");
}

std::unique_ptr<Rule> rule_of(const Options& o, bool& calls_python) {
    using namespace rules;
    const std::string rule = o.word("rule");
    if (rule == "perceptron")
        return make_rule(Perceptron{o.real("margin"), rate_of(o, calls_python)});
    if (rule == "aggressive") return make_rule(Aggressive{o.real("margin")});
    if (rule == "passive_aggressive")
        return make_rule(PassiveAggressive{slack_of(o), o.real("C"), o.real("margin")});
    if (rule == "passive_aggressive_regression")
        return make_rule(PassiveAggressiveRegression{slack_of(o), o.real("C"), o.real("epsilon")});
    if (rule == "arow") return make_rule(AROW{o.real("r")});
    if (rule == "confidence_weighted") return make_rule(ConfidenceWeighted{o.real("phi")});
    if (rule == "winnow") return make_rule(Winnow{o.real("margin")});
    if (rule == "logistic") return make_rule(Logistic{clock_of(o)});
    if (rule == "lms") return make_rule(LMS{o.real("eta"), o.flag("normalized")});
    if (rule == "compiled")
        return make_rule(
            compiled_rule(reinterpret_cast<CompiledRule>(o.get<std::uintptr_t>("address"))));
    if (rule == "python") {
        calls_python = true;
        nb::object step = o.object("step");
        return make_rule(Custom{[step](const View& v) {
            return nb::cast<double>(step(v.margin(), v.sqnorm, v.y, v.score, v.t, v.weight));
        }});
    }
    throw nb::value_error("unknown rule");
}

std::unique_ptr<Learner> snow_of(const Options& o) {
    snow::Options s;
    s.kind = static_cast<snow::Kind>(o.get<unsigned>("kind") % snow::kinds);
    s.uses_bayes = o.flag("uses_bayes");
    s.uses_norm = o.flag("uses_norm");
    s.unit = o.flag("unit");
    s.alpha = o.real("alpha");
    s.beta = o.real("beta");
    s.theta = o.real("theta");
    s.initial_weight = o.real("initial_weight");
    s.margin = o.real("margin");
    s.eta = o.real("eta");
    s.C = o.real("C");
    s.smoothing = o.real("smoothing");
    s.bias = o.flag("fit_intercept") ? 1.0 : 0.0;
    s.eligibility = o.get<std::uint32_t>("eligibility");
    s.prune = o.real("prune");
    s.max_links = o.get<std::size_t>("max_links");
    s.one_vs_rest = o.flag("one_vs_rest");
    s.multi_label = o.flag("multi_label");
    s.sigmoid = o.flag("sigmoid");
    s.average = o.flag("average");
    s.burn_in = o.real("burn_in");
    s.calibrate = o.flag("calibrate");
    return std::make_unique<snow::Snow>(s);
}

}  // namespace

std::unique_ptr<Learner> learner_of(const Options& o, bool& calls_python) {
    if (o.word("geometry") == "naive_bayes")
        return std::make_unique<NaiveBayes>(
            NaiveBayesOptions{o.flag("bernoulli"), o.real("alpha"), o.flag("fit_prior")});
    if (o.word("geometry") == "least_squares")
        return std::make_unique<LeastSquares>(
            LeastSquaresOptions{o.real("l2"), o.real("forgetting"), o.flag("fit_intercept")});
    if (o.word("geometry") == "lda")
        return std::make_unique<LDA>(LDAOptions{o.real("shrinkage"), o.flag("fit_prior")});
    if (o.word("geometry") == "snow") return snow_of(o);
    MachineOptions m;
    m.rule = rule_of(o, calls_python);
    m.average = o.flag("average");
    m.burn_in = o.real("burn_in");
    m.calibrate = o.flag("calibrate");
    m.estimate_curvature = o.flag("estimate_curvature");
    m.one_vs_rest = o.flag("one_vs_rest");
    m.softmax = o.flag("softmax");
    m.bias = o.flag("fit_intercept") ? o.real("intercept_scaling") : 0.0;
    if (o.flag("all_constraints"))
        m.all_constraints = rules::AllConstraints{o.real("C"), o.real("margin")};
    const bool regressor = o.flag("regressor");
    const std::string geometry = o.word("geometry");
    if (geometry == "additive")
        return std::make_unique<LearnerOf<Additive>>(Additive::Options{m.bias}, m, regressor);
    if (geometry == "diagonal")
        return std::make_unique<LearnerOf<Diagonal>>(Diagonal::Options{m.bias}, m, regressor);
    if (geometry == "ftrl")
        return std::make_unique<LearnerOf<Ftrl>>(
            Ftrl::Options{m.bias, o.word("schedule") == "adagrad", o.real("learning_rate"),
                          o.real("beta"), o.real("l1"), o.real("l2")},
            m, regressor);
    if (geometry == "truncated")
        return std::make_unique<LearnerOf<Truncated>>(
            Truncated::Options{m.bias, o.get<std::size_t>("keep"), o.real("l2")}, m, regressor);
    if (geometry == "balanced")
        return std::make_unique<LearnerOf<Balanced>>(
            Balanced::Options{o.real("alpha"), o.real("theta"), m.bias != 0.0}, m, regressor);
    const WinnowOptions w{o.real("alpha"), o.real("theta"), o.flag("eliminate"), o.real("floor")};
    if (geometry == "multiplicative")
        return std::make_unique<LearnerOf<Multiplicative>>(w, m, regressor);
    if (geometry == "negations") return std::make_unique<LearnerOf<Negations>>(w, m, regressor);
    throw nb::value_error("unknown geometry");
}

}  // namespace thresher::bindings
