#include "options.hpp"

#include "core/prepare/prepared.hpp"
#include "core/rules/aggressive.hpp"
#include "core/rules/arow.hpp"
#include "core/rules/confidence_weighted.hpp"
#include "core/rules/custom.hpp"
#include "core/rules/lms.hpp"
#include "core/rules/logistic.hpp"
#include "core/rules/passive_aggressive.hpp"
#include "core/rules/perceptron.hpp"
#include "core/rules/winnow.hpp"
#include "errors.hpp"
#include "learners.hpp"

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

}  // namespace

std::unique_ptr<Learner> learner_of(const Options& o, bool& calls_python) {
    const std::string geometry = o.word("geometry");
    if (auto learner = counting_learner(geometry, o)) return learner;
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
    if (auto learner = adding_learner(geometry, o, m)) return learner;
    if (auto learner = multiplying_learner(geometry, o, m)) return learner;
    throw nb::value_error("unknown geometry");
}

ClassWeights class_weights_of(const Options& o) {
    const std::string kind = o.word("class_weight");
    if (kind == "none") return ClassWeights();
    if (kind == "given") return ClassWeights(ClassWeights::Kind::given);
    if (kind == "balanced") return ClassWeights(ClassWeights::Kind::balanced);
    throw nb::value_error("unknown class weights");
}

std::vector<prepare::Written> steps_of(const nb::handle& written) {
    std::vector<prepare::Written> steps;
    for (nb::handle step : nb::cast<nb::list>(written)) {
        const auto parts = nb::cast<nb::tuple>(step);
        if (parts.size() != 4) throw nb::value_error("a step has four parts");
        steps.push_back({nb::cast<std::string>(parts[0]), nb::cast<std::size_t>(parts[1]),
                         nb::cast<double>(parts[2]), nb::cast<std::uint64_t>(parts[3])});
    }
    return steps;
}

void prepare_by(const Options& o, const std::shared_ptr<Lexicon>& lexicon,
                std::unique_ptr<Learner>& learner) {
    const auto steps = steps_of(o.object("prepare"));
    if (steps.empty()) return;
    const std::string domain = o.word("domain");
    const Domain taken = domain == "any"            ? Domain::any
                         : domain == "not negative" ? Domain::not_negative
                                                    : Domain::unit;
    learner = std::make_unique<Prepared>(std::move(learner), steps, taken, o.flag("prepared_unit"),
                                         lexicon);
}

}  // namespace thresher::bindings
