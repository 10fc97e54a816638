#include "model.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/prepare/prepared.hpp"
#include "errors.hpp"
#include "module.hpp"
#include "names.hpp"
#include "options.hpp"

using namespace nb::literals;

namespace thresher::bindings {

namespace {

void check_width(std::size_t features) {
    if (features >= 0x7fffffffu)
        raise("InvalidInput", "X has " + std::to_string(features) +
                                  " columns; expected fewer than 2^31 - 1. Use feature names "
                                  "(learn_one with dicts) for an unbounded feature space.");
}

}  // namespace

Model::Model(nb::dict options, nb::pointer_and_handle<Lexicon> lexicon, nb::dict recipe)
    : options_(std::move(options)),
      recipe_(std::move(recipe)),
      lexicon_(shared_or_new(lexicon)),
      names_(lexicon_->names()) {
    take(made_of(options_));
    if (ByRecipe::is_needed(recipe_, *lexicon_)) by_recipe_ = ByRecipe::columns_of(recipe_);
}

Model::Made Model::made_of(const nb::dict& options) const {
    OptionReader o(options);
    Made made;
    made.learner = learner_of(o, lexicon_);
    made.class_weights = class_weights_of(o);
    made.threshold = threshold_of(o);
    made.calls_python = o.calls_python();
    made.wishes.unit = o.has("domain") && o.get<std::string>("domain") == "unit";
    made.wishes.clip = o.has("clip") && o.get<bool>("clip");
    made.wishes.once = o.has("once") && o.get<bool>("once");
    o.finish();
    return made;
}

Model::Made Model::loaded(const nb::dict& options, const State& state) {
    Made now = made_of(options);
    now.learner->announce_as(learner_->classes());
    if (Targets* targets = learner_->facets().targets)
        now.learner->facets().targets->kinds = targets->kinds;
    try {
        now.learner->load(state);
        Loader loader(state, "class_weights.");
        now.class_weights.describe(loader);
        Loader of_threshold(state, "threshold.");
        now.threshold.describe(of_threshold);
        now.learner->cut_at(now.threshold.cut());
    } catch (const BadState& bad) {
        raise("ModelFileError", bad.what());
    }
    return now;
}

void Model::take(Made now) {
    learner_ = std::move(now.learner);
    class_weights_ = std::move(now.class_weights);
    threshold_ = std::move(now.threshold);
    calls_python_ = now.calls_python;
    wishes_ = now.wishes;
}

void Model::start_over() {
    const Hold hold(lock_, For::changing);
    Made now = made_of(options_);
    now.learner->announce_as(learner_->classes());
    now.learner->grow(learner_->features());
    if (Targets* targets = learner_->facets().targets)
        now.learner->facets().targets->kinds = targets->kinds;
    workspaces_.clear();
    take(std::move(now));
}

bool Model::forget() {
    const Hold hold(lock_, For::changing);
    Fading* fading = learner_->facets().fading;
    if (!fading) return false;
    const bool settles = fading->settles();
    fading->forget();
    return settles;
}

void Model::set_options(nb::dict options) {
    const Hold hold(lock_, For::changing);
    Made now = loaded(options, saved());
    workspaces_.clear();
    take(std::move(now));
    options_ = std::move(options);
}

Model::Workspace& Model::workspace(const Hold& hold) {
    while (workspaces_.size() <= hold.depth())
        workspaces_.push_back(std::unique_ptr<Workspace>(
            new Workspace{ExampleReader(*lexicon_, wishes_, recipe_), {}}));
    return *workspaces_[hold.depth()];
}

void Model::grow(std::size_t features) {
    const Hold hold(lock_, For::changing);
    check_width(features);
    grow_learner(features);
    has_columns_ = true;
}

void Model::grow_learner(std::size_t features) {
    try {
        learner_->grow(features);
    } catch (const Fault& fault) {
        raise_fault(fault, single, names_);
    }
}

void Model::take_back_names(std::size_t known, std::size_t rows) {
    const bool fewer = names_.size() > known;
    lexicon_->take_back(known, rows);
    if (fewer) forget_names();
}

void Model::forget_names() {
    for (const auto& room : workspaces_) room->example.forget_names();
}

nb::typed<nb::list, std::uint32_t> Model::ids(nb::list names) {
    const Hold hold(lock_, For::changing);
    for (nb::handle name : names) text_of(name);  // all must be usable before any is added
    nb::typed<nb::list, std::uint32_t> out;
    const std::size_t known = names_.size();
    lexicon_->mark();
    try {
        for (nb::handle name : names) out.append(names_.find_or_add(text_of(name)));
        grow_learner(names_.size());
    } catch (...) {
        take_back_names(known);
        throw;
    }
    return out;
}

bool Model::knows(nb::list names) {
    const Hold hold(lock_, For::reading);
    for (nb::handle name : names)
        if (names_.find(text_of(name)) == Vocabulary::none) return false;
    return true;
}

std::size_t Model::features() {
    const Hold hold(lock_, For::reading);
    return learner_->features();
}

bool Model::named() {
    const Hold hold(lock_, For::reading);
    return names_.size() > 0;
}

nb::list Model::names() {
    const Hold hold(lock_, For::reading);
    nb::list out;
    for (std::size_t i = 0; i < learner_->features(); ++i) out.append(name_of(names_, i));
    return out;
}

nb::list Model::weight_names() {
    const Hold hold(lock_, For::reading);
    const Prepared* prepared = learner_->facets().prepared;
    if (!prepared) return names();
    nb::list out;
    for (std::size_t i = 0; i < prepared->weighted(); ++i)
        out.append(text(prepared->weighted_name(i)));
    return out;
}

void Model::set_labels(nb::list labels, ListOf<std::size_t> ranks, ListOf<bool> negative,
                       nb::object known, bool by_order) {
    auto rank = from_python<std::vector<std::size_t>>(ranks);
    auto looks_negative = from_python<std::vector<bool>>(negative);
    if (labels.size() != rank.size() || labels.size() != looks_negative.size())
        throw nb::value_error("labels and ranks differ");
    nb::dict codes;
    for (std::size_t i = 0; i < labels.size(); ++i) codes[labels[i]] = i;
    // What was there before is released once nothing is held any more.
    const Hold hold(lock_, For::changing);
    const auto& order = learner_->classes().order();
    if (by_order) {
        if (labels.size() != order.size()) throw nb::value_error("labels that were not learned");
        class_weights_.number_by(order);
        learner_->number_by_order();
    }
    for (const std::size_t code : order)
        if (code >= labels.size()) throw nb::value_error("labels that were learned are missing");
    learner_->announce(std::move(rank), std::move(looks_negative));
    std::swap(labels_, labels);
    std::swap(codes_, codes);
    std::swap(known_labels_, known);
}

nb::object Model::labels() {
    const Hold hold(lock_, For::reading);
    return known_labels_;
}

nb::object Model::label(std::size_t code) const {
    if (code >= labels_.size()) throw nb::index_error("a label that was never announced");
    return labels_[code];
}

void Model::set_costs(ListOf<double> costs) {
    auto by_code = from_python<std::vector<double>>(costs);
    const Hold hold(lock_, For::changing);
    threshold_.give(std::move(by_code));
}

double Model::threshold() {
    const Hold hold(lock_, For::reading);
    return learner_->classes().size() == 2 ? threshold_.cut() : 0.0;
}

void Model::set_class_weights(ListOf<double> weights) {
    auto by_code = from_python<std::vector<double>>(weights);
    const Hold hold(lock_, For::changing);
    class_weights_.give(std::move(by_code));
}

void Model::set_kinds(ListOf<std::uint8_t> kinds) {
    auto by_code = from_python<std::vector<std::uint8_t>>(kinds);
    const Hold hold(lock_, For::changing);
    required(learner_->facets().targets).kinds = std::move(by_code);
}

void Model::check_codes(const std::int32_t* codes, std::size_t n) const {
    for (std::size_t i = 0; i < n; ++i)
        if (codes[i] < 0 || static_cast<std::size_t>(codes[i]) >= learner_->classes().announced())
            throw nb::value_error("a label code that was never announced");
}

void Model::meet_labels() {
    const Hold hold(lock_, For::changing);
    learner_->meet_announced();
}

nb::typed<nb::list, std::size_t> Model::order() {
    const Hold hold(lock_, For::reading);
    return list_of(learner_->classes().order());
}

std::size_t Model::positive() {
    const Hold hold(lock_, For::reading);
    return learner_->classes().shown_positive();
}

/// The whole pass in blocks: the interpreter is free meanwhile, and Ctrl-C is checked in between.
template <class F>
void Model::in_blocks(std::size_t rows, std::size_t block, bool keep_gil, F f) {
    telling("row", names_, [&] {
        for (std::size_t begin = 0; begin < rows; begin += block) {
            const std::size_t end = std::min(rows, begin + block);
            if (keep_gil) {
                f(begin, end);
            } else {
                const Apart apart;
                f(begin, end);
            }
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
        }
    });
}

void Model::check_rows(const ArrayRows& batch) const {
    if (batch.cols > learner_->features())
        throw nb::value_error("more columns than the model has features");
}

void Model::learn(nb::object x, nb::object codes, nb::object targets, nb::object weights,
                  nb::object order, nb::object starts) {
    const ArrayRows batch = array_rows(x);
    LessonArrays arrays(batch.size, codes, targets, weights, order, starts);
    const Hold hold(lock_, for_pass());
    take_part(arrays.lesson);
    check_rows(batch);
    if (arrays.lesson.starts) {
        check_takes_sets();
        check_codes(arrays.lesson.codes, arrays.labels);
    }
    in_blocks(arrays.rows, batch.block, calls_python_, [&](std::size_t begin, std::size_t end) {
        learner_->learn(*batch.rows, arrays.lesson, begin, end);
    });
}

void Model::check_takes_sets() const {
    const Targets* targets = learner_->facets().targets;
    if (!targets || !targets->takes_sets()) throw nb::value_error("sets of labels");
}

Model::Doubles Model::decision(nb::object x, bool targets) {
    const ArrayRows batch = array_rows(x);
    const Hold hold(lock_, For::reading);
    check_rows(batch);
    const std::size_t k = targets ? learner_->classes().size() : learner_->columns();
    auto out = std::make_unique<double[]>(batch.size * k);
    in_blocks(batch.size, batch.block, false, [&](std::size_t begin, std::size_t end) {
        double* to = out.get() + begin * k;
        if (targets)
            required(learner_->facets().targets).predict_targets(*batch.rows, begin, end, to);
        else
            learner_->predict(*batch.rows, begin, end, to);
    });
    return owned(std::move(out), {batch.size, k});
}

Model::Doubles Model::probability(nb::object x) {
    const Hold hold(lock_, For::reading);
    auto scores = decision(std::move(x), false);
    learner_->calibrate(static_cast<double*>(scores.data()), scores.shape(0));
    return scores;
}

nb::tuple Model::batch_epoch(nb::object x, nb::object codes, nb::object weights, double eta,
                             double divide) {
    const ArrayRows batch = array_rows(x);
    const LessonArrays arrays(batch.size, codes, nb::none(), weights);
    const Hold hold(lock_, For::passing);
    check_rows(batch);
    Epochs& epochs = required(learner_->facets().epochs);
    BatchEpoch epoch;
    in_blocks(1, 1, false, [&](std::size_t, std::size_t) {
        epoch = epochs.batch_epoch(*batch.rows, arrays.lesson, eta, divide);
    });
    return nb::make_tuple(epoch.mistakes, epoch.norm);
}

Model::Doubles Model::weights() {
    const Hold hold(lock_, For::reading);
    const Prepared* prepared = learner_->facets().prepared;
    const std::size_t k = learner_->columns();
    const std::size_t n = prepared ? prepared->weighted() : learner_->features();
    auto out = std::make_unique<double[]>(k * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < k; ++c) out[c * n + i] = learner_->weight(i, c);
    return owned(std::move(out), {k, n});
}

nb::typed<nb::list, double> Model::constants() {
    const Hold hold(lock_, For::reading);
    nb::typed<nb::list, double> out;
    for (std::size_t c = 0; c < learner_->columns(); ++c) out.append(learner_->constant(c));
    return out;
}

nb::bytes Model::hypothesis() {
    const Hold hold(lock_, For::reading);
    std::vector<double> cells = learner_->hypothesis();
    for (double& c : cells) c += 0.0;  // −0 becomes 0: they behave alike
    return nb::bytes(reinterpret_cast<const char*>(cells.data()), cells.size() * sizeof(double));
}

nb::dict Model::counters() {
    const Hold hold(lock_, For::reading);
    nb::dict out;
    const Counts counts = learner_->counts();
    out["examples"] = counts.examples;
    out["mistakes"] = counts.mistakes;
    out["updates"] = counts.updates;
    out["clamped"] = counts.clamped;
    out["links"] = counts.links;
    out["asked"] = counts.asked;
    return out;
}

bool Model::keep_live() {
    const Hold hold(lock_, For::changing);
    Ledgers* ledgers = learner_->facets().ledgers;
    return ledgers && ledgers->keep_live();
}

bool Model::keep_replay(double target) {
    const Hold hold(lock_, For::changing);
    if (!(target > 0.0)) throw nb::value_error("a target that is not positive");
    Ledgers* ledgers = learner_->facets().ledgers;
    return ledgers && ledgers->keep_replay(target);
}

nb::object Model::ledger() {
    const Hold hold(lock_, For::reading);
    const Ledgers* ledgers = learner_->facets().ledgers;
    const Ledger* ledger = ledgers ? ledgers->ledger() : nullptr;
    if (!ledger) return nb::none();
    nb::dict out;
    out["R"] = ledger->R();
    out["norm"] = ledger->norm();
    out["steps"] = ledger->steps();
    out["squared_loss"] = ledger->squared_loss();
    out["least_margin"] = ledger->least_margin();
    out["survived"] = ledger->survived();
    out["shortest"] = ledger->shortest();
    out["promotions"] = ledger->promotions();
    out["demotions"] = ledger->demotions();
    return out;
}

void bind_model(nb::module_& m) {
    nb::class_<Model>(m, "Model", "A linear learner and the names of its features.")
        .def(nb::init<nb::dict, nb::pointer_and_handle<Lexicon>, nb::dict>(), "options"_a,
             "lexicon"_a.none() = nb::none(), "recipe"_a = nb::dict())
        .def("set_options", &Model::set_options, "options"_a)
        .def("require_idle", &Model::require_idle)
        .def_prop_ro("lexicon", &Model::lexicon)
        .def("resolve", &Model::resolve, "batch"_a, "codes"_a, "learning"_a, "begin"_a = 0,
             "end"_a = std::numeric_limits<std::size_t>::max(), "starts"_a = nb::tuple())
        .def("grow", &Model::grow, "features"_a)
        .def_prop_ro("features", &Model::features)
        .def_prop_ro("named", &Model::named)
        .def("names", &Model::names, nb::sig("def names(self) -> list[str]"))
        .def("weight_names", &Model::weight_names, nb::sig("def weight_names(self) -> list[str]"))
        .def("ids", &Model::ids, "names"_a)
        .def("knows", &Model::knows, "names"_a)
        .def("set_labels", &Model::set_labels, "labels"_a, "rank"_a, "looks_negative"_a,
             "known"_a = nb::none(), "by_order"_a = false)
        .def("set_class_weights", &Model::set_class_weights, "weights"_a)
        .def("set_costs", &Model::set_costs, "costs"_a)
        .def("threshold", &Model::threshold)
        .def_prop_ro("labels", &Model::labels, nb::sig("def labels(self) -> typing.Any"))
        .def("set_kinds", &Model::set_kinds, "kinds"_a)
        .def("meet_labels", &Model::meet_labels)
        .def("order", &Model::order)
        .def("positive", &Model::positive)
        .def("learn", &Model::learn, "x"_a, "codes"_a.none(), "targets"_a.none(),
             "weights"_a.none(), "order"_a.none(), "starts"_a.none() = nb::none())
        .def("preparation", &Model::preparation,
             nb::sig("def preparation(self) -> SharedPreparation | None"))
        .def("learn_prepared", &Model::learn_prepared, "rows"_a, "progress"_a)
        .def("decision", &Model::decision, "x"_a, "targets"_a = false,
             nb::sig("def decision(self, x: object, targets: bool = False) -> "
                     "numpy.typing.NDArray[numpy.float64]"))
        .def("probability", &Model::probability, "x"_a,
             nb::sig("def probability(self, x: object) -> numpy.typing.NDArray[numpy.float64]"))
        .def("batch_epoch", &Model::batch_epoch, "x"_a, "codes"_a, "weights"_a.none(), "eta"_a,
             "divide"_a)
        .def("learn_examples", &Model::learn_examples, "examples"_a, "begin"_a, "end"_a,
             "progress"_a, "order"_a.none() = nb::none(), "answers"_a.none() = nb::none(),
             "`answers`, if given, gets what was predicted for each example before it was learned: "
             "a number, or the code of a label (-1: there was none).")
        .def("learn_rows", &Model::learn_rows, "x"_a, "codes"_a.none(), "targets"_a.none(),
             "weights"_a.none(), "begin"_a, "end"_a, "progress"_a)
        .def("scores", &Model::scores, "examples"_a, "targets"_a = false,
             nb::sig("def scores(self, examples: Examples, targets: bool = False) -> "
                     "numpy.typing.NDArray[numpy.float64]"))
        .def("predict", &Model::predict, "x"_a,
             nb::sig("def predict(self, x: object) -> tuple[numpy.typing.NDArray[numpy.int32], "
                     "list[object]]"))
        .def("decisions", &Model::decisions, "scores"_a,
             nb::sig("def decisions(self, scores: object) -> numpy.typing.NDArray[numpy.int32]"))
        .def("probabilities", &Model::probabilities, "scores"_a, "targets"_a = false,
             nb::sig("def probabilities(self, scores: object, targets: bool = False) -> "
                     "numpy.typing.NDArray[numpy.float64]"))
        .def("take_back_resolved", &Model::take_back_resolved, "learned"_a)
        .def("set_forgetting", &Model::set_forgetting, "on"_a)
        .def("forget_unlearned", &Model::forget_unlearned)
        .def("start_over", &Model::start_over)
        .def("forget", &Model::forget)
        // Without names for their arguments calls are dispatched faster, and these are the hot ones.
        .def("learn_one", &Model::learn_one)
        .def("learn_one_target", &Model::learn_one_target)
        .def("score_one", &Model::score_one,
             nb::sig("def score_one(self, x: object, /) -> typing.Any"))
        .def("predict_one", &Model::predict_one,
             nb::sig("def predict_one(self, x: object, /) -> typing.Any"))
        .def("learn_one_set", &Model::learn_one_set)
        .def("target_scores_one", &Model::target_scores_one)
        .def("probability_one", &Model::probability_one)
        .def("asks_one", &Model::asks_one)
        .def("play_one", &Model::play_one,
             nb::sig("def play_one(self, x: object, /) -> typing.Any"))
        .def("contributions", &Model::contributions, "x"_a.none(), "column"_a,
             nb::sig("def contributions(self, x: object, column: int) -> list[tuple[str, float]]"))
        .def("weights", &Model::weights,
             nb::sig("def weights(self) -> numpy.typing.NDArray[numpy.float64]"))
        .def("constants", &Model::constants)
        .def("picture", &Model::picture, "top"_a, "columns"_a, "bins"_a,
             nb::sig("def picture(self, top: int, columns: int, bins: int) -> "
                     "dict[str, typing.Any]"))
        .def("hypothesis", &Model::hypothesis)
        .def("counters", &Model::counters, nb::sig("def counters(self) -> dict[str, int]"))
        .def("committee", &Model::committee,
             nb::sig("def committee(self) -> dict[str, typing.Any]"))
        .def("member_state", &Model::member_state, "i"_a,
             nb::sig("def member_state(self, i: int) -> dict[str, typing.Any]"))
        .def("keep_live", &Model::keep_live)
        .def("keep_replay", &Model::keep_replay, "target"_a)
        .def("ledger", &Model::ledger, nb::sig("def ledger(self) -> dict[str, typing.Any] | None"))
        .def("state", &Model::state, nb::sig("def state(self) -> dict[str, typing.Any]"))
        .def("snapshot", &Model::snapshot, "views"_a = false,
             nb::sig("def snapshot(self, views: bool = False) -> tuple[dict[str, typing.Any], "
                     "typing.Any]"))
        .def("set_state", &Model::set_state, "state"_a);
}

}  // namespace thresher::bindings
