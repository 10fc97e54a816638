#include "options.hpp"

#include "core/experts/committee.hpp"
#include "core/prepare/prepared.hpp"
#include "core/rules/aggressive.hpp"
#include "core/rules/arow.hpp"
#include "core/rules/confidence_weighted.hpp"
#include "core/rules/custom.hpp"
#include "core/rules/lms.hpp"
#include "core/rules/logistic.hpp"
#include "core/rules/passive_aggressive.hpp"
#include "core/rules/perceptron.hpp"
#include "core/rules/squared.hpp"
#include "core/rules/winnow.hpp"
#include "errors.hpp"
#include "learners.hpp"

namespace thresher::bindings {

void OptionReader::averaging(const char* name, Averaging& to) {
    const auto given = get<nb::object>(name);
    if (nb::isinstance<nb::bool_>(given)) {
        to.on = nb::cast<bool>(given);
    } else if (nb::isinstance<nb::float_>(given)) {
        to.on = true;
        to.decay = nb::cast<double>(given);
        if (!(to.decay > 0.0 && to.decay < 1.0)) throw nb::value_error("unknown average");
    } else {
        to.on = to.tail = true;
        if (from_python<std::string>(given) != "tail") throw nb::value_error("unknown average");
    }
}

void OptionReader::rate(const char* name, std::function<double(double)>& to) {
    const auto rate = get<nb::object>(name);
    if (nb::isinstance<nb::str>(rate)) {
        const auto word = from_python<std::string>(rate);
        if (word != "1/t" && word != "1/sqrt(t)") throw nb::value_error("unknown learning rate");
        to = word == "1/t" ? rules::inverse_rate() : rules::inverse_root_rate();
    } else if (!PyCallable_Check(rate.ptr())) {
        to = rules::constant_rate(nb::cast<double>(rate));
    } else {
        calls_python_ = true;
        to = [rate](double t) {
            const nb::object eta = rate(static_cast<std::uint64_t>(t));
            const double value = PyFloat_AsDouble(eta.ptr());
            if (value == -1.0 && PyErr_Occurred()) {
                PyErr_Clear();
                raise("InvalidInput",
                      "learning_rate returned " + shown(eta) + "; expected a number.");
            }
            return value;
        };
    }
}

void OptionReader::step(const char* name, std::function<double(const View&)>& to) {
    calls_python_ = true;
    to = [step = get<nb::object>(name)](const View& v) {
        return nb::cast<double>(step(v.margin(), v.sqnorm, v.y, v.score, v.t, v.weight));
    };
}

void OptionReader::finish() const {
    for (const auto& [name, value] : dict_)
        if (const auto word = from_python<std::string>(name); !read_.contains(word))
            throw nb::value_error(("the core knows no option " + word).c_str());
}

namespace {

template <class R>
std::unique_ptr<Rule> rule(OptionReader& o) {
    return make_rule(o.read<R>());
}

std::unique_ptr<Rule> compiled_rule(OptionReader& o) {
    const auto address = o.get<std::uintptr_t>("address");
    return make_rule(rules::compiled_rule(reinterpret_cast<rules::CompiledRule>(address)));
}

/// The only list of rules.
constexpr struct {
    const char* name;
    std::unique_ptr<Rule> (*make)(OptionReader&);
} all_rules[] = {
    {"perceptron", rule<rules::Perceptron>},
    {"aggressive", rule<rules::Aggressive>},
    {"passive-aggressive", rule<rules::PassiveAggressive>},
    {"passive-aggressive-regression", rule<rules::PassiveAggressiveRegression>},
    {"arow", rule<rules::AROW>},
    {"confidence-weighted", rule<rules::ConfidenceWeighted>},
    {"winnow", rule<rules::Winnow>},
    {"logistic", rule<rules::Logistic>},
    {"descent", rule<rules::Descent>},
    {"lms", rule<rules::LMS>},
    {"squared", rule<rules::Squared>},
    {"compiled", compiled_rule},
    {"python", rule<rules::Custom>},
};

std::unique_ptr<Rule> rule_of(OptionReader& o) {
    const auto name = o.get<std::string>("rule");
    for (const auto& entry : all_rules)
        if (name == entry.name) return entry.make(o);
    throw nb::value_error("unknown rule");
}

/// A committee of learners, each with options as if it were alone, and those of a member.
std::unique_ptr<Learner> committee_of(OptionReader& o, bool regressor,
                                      const std::shared_ptr<Lexicon>& lexicon) {
    std::vector<std::pair<std::unique_ptr<Learner>, MemberOptions>> members;
    for (nb::handle options : o.get<nb::list>("members")) {
        OptionReader of_member(nb::cast<nb::dict>(options));
        const auto on = of_member.read<MemberOptions>();
        members.emplace_back(learner_of(of_member, lexicon), on);
        if (of_member.has("domain")) of_member.get<std::string>("domain");  // the learner checks it
        if (of_member.calls_python()) throw nb::value_error("a member that calls Python");
        of_member.finish();
    }
    if (members.empty()) throw nb::value_error("a committee without members");
    return std::make_unique<Committee>(o.read<CommitteeOptions>(), regressor, std::move(members));
}

std::unique_ptr<Learner> unprepared_learner(OptionReader& o,
                                            const std::shared_ptr<Lexicon>& lexicon) {
    const auto geometry = o.get<std::string>("geometry");
    const bool regressor = o.get<std::string>("task") == "regress";
    if (geometry == "committee") return committee_of(o, regressor, lexicon);
    if (auto learner = counting_learner(geometry, o)) return learner;
    auto machine = o.read<MachineOptions>();
    machine.rule = rule_of(o);
    if (auto learner = adding_learner(geometry, o, machine, regressor)) return learner;
    if (auto learner = multiplying_learner(geometry, o, machine, regressor)) return learner;
    throw nb::value_error("unknown geometry");
}

}  // namespace

std::unique_ptr<Learner> learner_of(OptionReader& o, const std::shared_ptr<Lexicon>& lexicon) {
    auto learner = unprepared_learner(o, lexicon);
    if (!o.has("prepare")) return learner;
    const auto steps = steps_of(o.get<nb::object>("prepare"));
    if (steps.empty()) return learner;
    Domain domain = Domain::any;
    const bool unit = o.has("domain");  // the learner takes values in [0, 1]
    if (unit) o.word("domain", domain, domains);
    return std::make_unique<Prepared>(std::move(learner), Preparation(steps, domain, unit),
                                      lexicon);
}

ClassWeights class_weights_of(OptionReader& o) {
    if (!o.has("class_weight") || o.get<nb::object>("class_weight").is_none())
        return ClassWeights();
    auto kind = ClassWeights::Kind::none;
    o.word("class_weight", kind, {"none", "given", "balanced"});
    return ClassWeights(kind);
}

Threshold threshold_of(OptionReader& o) {
    if (!o.has("threshold") || o.get<nb::object>("threshold").is_none()) return Threshold();
    auto kind = Threshold::Kind::none;
    o.word("threshold", kind, {"none", "f1", "balanced", "cost"});
    return Threshold(kind);
}

std::vector<prepare::Written> steps_of(const nb::handle& written) {
    std::vector<prepare::Written> steps;
    for (nb::handle step : nb::cast<nb::list>(written)) {
        const auto parts = nb::cast<nb::tuple>(step);
        if (parts.size() != 4) throw nb::value_error("a step has four parts");
        steps.push_back({from_python<std::string>(nb::object(parts[0])),
                         nb::cast<std::size_t>(parts[1]), nb::cast<double>(parts[2]),
                         nb::cast<std::uint64_t>(parts[3])});
    }
    return steps;
}

}  // namespace thresher::bindings
