// A libFuzzer target for what model files hold: the state of a learner, changed in any way, is refused
// or makes a learner that predicts, learns and is saved like any other. The first byte of an input picks
// the learner, the second how much it has learned; the rest are changes of its state.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/geometry/balanced.hpp"
#include "core/geometry/diagonal.hpp"
#include "core/geometry/ftrl.hpp"
#include "core/geometry/negations.hpp"
#include "core/geometry/pnorm.hpp"
#include "core/geometry/scale_free.hpp"
#include "core/geometry/shifting.hpp"
#include "core/geometry/truncated.hpp"
#include "core/learner.hpp"
#include "core/moments/lda.hpp"
#include "core/moments/least_squares.hpp"
#include "core/naive_bayes.hpp"
#include "core/prepare/prepared.hpp"
#include "core/rules/arow.hpp"
#include "core/rules/lms.hpp"
#include "core/rules/passive_aggressive.hpp"
#include "core/rules/perceptron.hpp"
#include "core/rules/squared.hpp"
#include "core/rules/winnow.hpp"
#include "core/snow/snow.hpp"

using namespace thresher;

namespace {

void check(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

template <class R>
MachineOptions by(R rule, bool average, bool calibrate) {
    MachineOptions o;
    o.rule = make_rule(std::move(rule));
    o.average.on = average;
    o.calibrate = calibrate;
    return o;
}
rules::Perceptron perceptron() { return {0.1, rules::constant_rate(1.0)}; }

std::unique_ptr<Learner> prepared(const char* first, const char* second, bool unit) {
    auto inner = std::make_unique<LearnerOf<Additive>>(Additive::Options{},
                                                       by(perceptron(), true, true), false);
    std::vector<prepare::Written> steps{{first, 4, 0.5, 1}};
    if (*second) steps.push_back({second, 2, 0.0, 0});
    return std::make_unique<Prepared>(std::move(inner), Preparation(steps, Domain::any, unit),
                                      std::make_shared<Lexicon>());
}
std::unique_ptr<Learner> snow_of(snow::Kind kind, bool many) {
    snow::Options o;
    o.kind = kind;
    o.uses_bayes = kind == snow::Kind::naive_bayes;
    o.uses_norm = kind == snow::Kind::passive_aggressive;
    o.multi_label = o.one_vs_rest = o.sigmoid = many;
    o.average.on = o.calibrate = true;
    o.max_links = many ? 12 : 0;
    return std::make_unique<snow::Snow>(o);
}

struct Kind {
    std::unique_ptr<Learner> (*make)();
    bool regressor = false, sets = false;
};
const Kind kinds[] = {
    {[]() -> std::unique_ptr<Learner> {
        return std::make_unique<LearnerOf<Additive>>(Additive::Options{},
                                                     by(perceptron(), true, true), false);
    }},
    {[]() -> std::unique_ptr<Learner> {
         MachineOptions o = by(rules::LMS{}, true, false);
         o.estimate_curvature = true;
         return std::make_unique<LearnerOf<Additive>>(Additive::Options{}, o, true);
     },
     true},
    {[]() -> std::unique_ptr<Learner> {
        return std::make_unique<LearnerOf<Diagonal>>(Diagonal::Options{},
                                                     by(rules::AROW{}, true, true), false);
    }},
    {[]() -> std::unique_ptr<Learner> {
        MachineOptions o = by(rules::Logistic{}, true, false);
        o.many = BySoftmax();
        return std::make_unique<LearnerOf<Ftrl>>(
            Ftrl::Options{1.0, rules::Schedule::adagrad, 0.1, 1.0, {0.01, 0.01}}, o, false);
    }},
    {[]() -> std::unique_ptr<Learner> {
        return std::make_unique<LearnerOf<Truncated>>(Truncated::Options{1.0, 3, 0.1},
                                                      by(perceptron(), false, true), false);
    }},
    {[]() -> std::unique_ptr<Learner> {
        return std::make_unique<LearnerOf<Multiplicative>>(
            WinnowOptions{}, by(rules::Winnow{0.5}, true, true), false);
    }},
    {[]() -> std::unique_ptr<Learner> {
        return std::make_unique<LearnerOf<Balanced>>(Balanced::Options{},
                                                     by(rules::Winnow{0.5}, true, true), false);
    }},
    {[]() -> std::unique_ptr<Learner> {
        return std::make_unique<LearnerOf<Negations>>(WinnowOptions{},
                                                      by(rules::Winnow{0.5}, true, true), false);
    }},
    {[]() -> std::unique_ptr<Learner> {
        WinnowOptions o;
        o.eliminate = true;
        return std::make_unique<LearnerOf<Negations>>(o, by(rules::Winnow{0.0}, true, false),
                                                      false);
    }},
    {[]() -> std::unique_ptr<Learner> {
        return std::make_unique<NaiveBayes>(NaiveBayesOptions{});
    }},
    {[]() -> std::unique_ptr<Learner> {
        return std::make_unique<NaiveBayes>(NaiveBayesOptions{true, 0.5, true});
    }},
    {[]() -> std::unique_ptr<Learner> { return std::make_unique<LDA>(LDAOptions{0.1, true}); }},
    {[]() -> std::unique_ptr<Learner> {
         return std::make_unique<LeastSquares>(LeastSquaresOptions{0.5, 0.9, true});
     },
     true},
    {[] { return snow_of(snow::Kind::winnow, false); }},
    {[] { return snow_of(snow::Kind::naive_bayes, false); }},
    {[] { return snow_of(snow::Kind::passive_aggressive, true); }, false, true},
    {[] { return prepared("minmax", "conjunctions", true); }},
    {[] { return prepared("standard", "", false); }},
    {[] { return prepared("fourier", "", false); }},
    {[]() -> std::unique_ptr<Learner> {
        return std::make_unique<LearnerOf<PNorm>>(PNorm::Options{}, by(perceptron(), false, true),
                                                  false);
    }},
    {[]() -> std::unique_ptr<Learner> {
        MachineOptions o = by(perceptron(), true, true);
        o.asking = {0.5, 1};
        return std::make_unique<LearnerOf<Additive>>(Additive::Options{}, o, false);
    }},
    {[]() -> std::unique_ptr<Learner> {
        MachineOptions o = by(perceptron(), false, true);
        o.many = AgainstRest();
        return std::make_unique<LearnerOf<Shifting>>(Shifting::Options{1.0, 4.0}, o, false);
    }},
    {[]() -> std::unique_ptr<Learner> {
        MachineOptions o = by(rules::Logistic{rules::Schedule::scale_free, 0.5}, true, false);
        o.many = BySoftmax();
        return std::make_unique<LearnerOf<ScaleFree>>(ScaleFree::Options{}, o, false);
    }},
    {[]() -> std::unique_ptr<Learner> {
         MachineOptions o = by(rules::Squared{}, false, false);
         o.clip_predictions = true;
         return std::make_unique<LearnerOf<ScaleFree>>(ScaleFree::Options{1.0, true}, o, true);
     },
     true},
    {[]() -> std::unique_ptr<Learner> {
         return std::make_unique<LeastSquares>(LeastSquaresOptions{0.5, 0.9, true, true, true});
     },
     true},
    {[]() -> std::unique_ptr<Learner> {
        MachineOptions o = by(rules::Logistic{}, true, false);
        o.many = BySoftmax();
        return std::make_unique<LearnerOf<AdaGrad>>(AdaGrad::Options{}, o, false);
    }},
    {[]() -> std::unique_ptr<Learner> {
        MachineOptions o = by(rules::Descent{{rules::Schedule::inverse_root, 0.5}}, true, false);
        o.many = BySoftmax();
        return std::make_unique<LearnerOf<Additive>>(Additive::Options{}, o, false);
    }},
};

/// Some examples, always the same ones.
void learn(Learner& learner, const Kind& kind, std::size_t examples) {
    const std::size_t features = learner.features();
    for (std::size_t e = 0; e < examples; ++e) {
        std::vector<std::int32_t> index;
        std::vector<double> value;
        for (std::size_t i = 0; i < features; ++i)
            if ((i * 7 + e * 3) % 5 < 3) {
                index.push_back(static_cast<std::int32_t>(i));
                value.push_back(static_cast<double>((i + e) % 4 + 1) / 4.0);
            }
        const Rows row = OneRow<const double*>{{index.data(), value.data(), index.size()}};
        const std::int32_t codes[] = {static_cast<std::int32_t>(e % 4),
                                      static_cast<std::int32_t>((e + 1) % 4)};
        const std::int64_t starts[] = {0, static_cast<std::int64_t>(e % 3)};
        const double target = static_cast<double>(e % 5) - 2.0, weight = 1.0 + (e % 2);
        Lesson lesson;
        if (kind.regressor)
            lesson.targets = &target;
        else
            lesson.codes = codes;
        if (kind.sets) lesson.starts = starts;
        lesson.weights = &weight;
        try {
            learner.learn(row, lesson, 0, 1);
        } catch (const Fault&) {  // numbers that are too large
        }
    }
}

void announce(Learner& learner) { learner.announce({0, 1, 2, 3}, {true, false, false, false}); }

/// The bytes of an input, one after the other.
class Source {
public:
    Source(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
    bool empty() const { return at_ == end_; }
    std::size_t byte() { return at_ == end_ ? 0 : *at_++; }
    std::uint64_t word() {
        std::uint64_t w = 0;
        for (int i = 0; i < 8; ++i) w = w << 8 | byte();
        return w;
    }
    double real() {
        const double special[] = {
            0.0,   -0.0,   -1.0,   1.0,          3.0,
            1e300, -1e308, 5e-324, std::nan(""), std::numeric_limits<double>::infinity()};
        const std::size_t pick = byte();
        if (pick < std::size(special)) return special[pick];
        if (pick < 128) return static_cast<double>(byte()) / 4.0;
        const std::uint64_t w = word();
        double v;
        std::memcpy(&v, &w, sizeof v);
        return v;
    }
    std::uint64_t count() {
        const std::size_t pick = byte();
        return pick < 200 ? pick % 24 : word();
    }

private:
    const std::uint8_t *at_, *end_;
};

template <class Map>
auto nth(Map& map, std::size_t n) {
    return map.empty() ? map.end() : std::next(map.begin(), static_cast<long>(n % map.size()));
}

/// As many cells, in half as many rows.
void reshape(State& state, const std::string& cells) {
    const std::string matrix = cells.substr(0, cells.rfind('.'));
    const auto rows = state.counts.find(matrix + ".rows");
    const auto stride = state.counts.find(matrix + ".stride");
    if (rows == state.counts.end() || stride == state.counts.end()) return;
    rows->second /= 2;
    stride->second *= 2;
}

void change(State& state, Source& from) {
    switch (from.byte() % 8) {
        case 0:
        case 1:
            if (auto at = nth(state.counts, from.byte()); at != state.counts.end())
                at->second = from.count();
            break;
        case 2:
            if (auto at = nth(state.reals, from.byte()); at != state.reals.end())
                at->second = from.real();
            break;
        case 3:
        case 4:
            if (auto at = nth(state.arrays, from.byte());
                at != state.arrays.end() && !at->second.empty())
                at->second[from.byte() % at->second.size()] = from.real();
            break;
        case 5:
            if (auto at = nth(state.arrays, from.byte()); at != state.arrays.end())
                at->second.resize(from.byte() % 64, from.real());
            break;
        case 6:
            if (auto at = nth(state.arrays, from.byte()); at != state.arrays.end()) {
                if (auto other = nth(state.arrays, from.byte()); at != other)
                    std::swap(at->second, other->second);
                else
                    reshape(state, at->first);
            }
            break;
        default:
            if (auto at = nth(state.counts, from.byte()); at != state.counts.end())
                state.counts.erase(at);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Source from(data, size);
    const Kind& kind = kinds[from.byte() % std::size(kinds)];
    auto learner = kind.make();
    announce(*learner);
    learner->grow(4);
    learn(*learner, kind, from.byte() % 12);
    State state = learner->save();
    {
        auto same = kind.make();
        announce(*same);
        same->load(state);
        const State again = same->save();
        check(again.arrays == state.arrays && again.reals == state.reals &&
                  again.counts == state.counts,
              "what is saved and loaded is the same");
    }
    while (!from.empty()) change(state, from);
    auto loaded = kind.make();
    announce(*loaded);
    try {
        loaded->load(state);
    } catch (const BadState&) {
        return 0;
    }
    for (const std::size_t code : loaded->classes().order())
        if (code >= 4) return 0;  // the bindings refuse it: there is no such label
    if (loaded->features() > 1000 || loaded->columns() > 100) return 0;  // it would only take time
    learn(*loaded, kind, 3);
    loaded->grow(loaded->features() + 2);
    learn(*loaded, kind, 6);
    std::vector<double> scores(loaded->columns());
    const std::int32_t index[] = {0, 1};
    const double value[] = {0.5, 1.0};
    try {
        loaded->predict(OneRow<const double*>{{index, value, 2}}, 0, 1, scores.data());
        if (loaded->classes().size() > 1) loaded->classes().decide(scores.data());
    } catch (const Fault&) {
    }
    for (std::size_t i = 0; i < loaded->features(); ++i) (void)loaded->hypothesis();
    const State after = loaded->save();
    auto last = kind.make();
    announce(*last);
    last->load(after);
    return 0;
}
