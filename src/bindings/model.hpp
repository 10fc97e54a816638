// A linear learner and the names of its features, as Python holds them.
//   model.cpp        features, labels, batches, what was learned
//   model_examples.cpp  batches read from files
//   model_one.cpp    one example at a time
//   model_picture.cpp  its weights, as a plot shows them
//   model_state.cpp  saving and loading
//   model_committee.cpp  the members of a committee
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "core/learner.hpp"
#include "core/lexicon.hpp"
#include "core/resolve.hpp"
#include "example_reader.hpp"
#include "hold.hpp"
#include "options.hpp"
#include "values.hpp"

namespace nb = nanobind;

namespace thresher {
class PreparedRows;
}

namespace thresher::bindings {

/// A facet that the learner must have for this call.
template <class Facet>
Facet& required(Facet* facet) {
    if (!facet) throw nb::value_error("this learner cannot do that");
    return *facet;
}

class Model {
public:
    using Doubles = nb::ndarray<nb::numpy, double>;

    Model(nb::dict options, nb::pointer_and_handle<Lexicon> lexicon, nb::dict recipe);

    /// Continues with other options; all or nothing.
    void set_options(nb::dict options);
    /// Raises ModelInUse where the caller was called by this very model.
    void require_idle() const { refuse_own_thread(lock_); }

    // -- features

    void grow(std::size_t features);
    /// The feature numbers of names; new ones are added.
    nb::typed<nb::list, std::uint32_t> ids(nb::list names);
    bool knows(nb::list names);
    std::size_t features();
    bool named();
    nb::list names();
    /// The names of what has weights: the features, or the prepared ones.
    nb::list weight_names();

    // -- labels

    /// Labels by code, the place of each in sorted order, and whether it looks like a negative one;
    /// `known` is returned with scores, so that the labels fit them. `by_order`: these are the labels
    /// that were learned, in that order; they get new codes.
    void set_labels(nb::list labels, ListOf<std::size_t> rank, ListOf<bool> looks_negative,
                    nb::object known, bool by_order);
    nb::object labels();
    /// How much an example of each label counts, by code, where classes have weights.
    void set_class_weights(ListOf<double> weights);
    /// By label: what a mistake costs, or which one's F1 is to be best.
    void set_costs(ListOf<double> costs);
    /// Where the scores of two classes are cut.
    double threshold();
    /// The kind of node that each label gets, by code.
    void set_kinds(ListOf<std::uint8_t> kinds);
    /// All labels can be played from now on.
    void meet_labels();
    nb::typed<nb::list, std::size_t> order();
    std::size_t positive();

    // -- batches

    /// What its arrays mean: see LessonArrays.
    void learn(nb::object x, nb::object codes, nb::object targets, nb::object weights,
               nb::object order, nb::object starts);
    /// One score per row, or one per class; or one per target, however many there are.
    Doubles decision(nb::object x, bool targets);
    Doubles probability(nb::object x);
    nb::tuple batch_epoch(nb::object x, nb::object codes, nb::object weights, double eta,
                          double divide);

    // -- examples from files

    nb::typed<nb::object, Lexicon> lexicon() const { return shared_with_python(lexicon_); }
    /// The examples of a batch, by the numbers that the lexicon gives their names.
    nb::typed<nb::object, Examples> resolve(parse::Batch& batch, ListOf<std::int32_t> codes,
                                            bool learning, std::size_t begin, std::size_t end,
                                            ListOf<std::int64_t> starts);
    /// Predict each example, then learn it; its names' numbers are those of this model's lexicon. The
    /// array `answers`, if there is one, gets the predictions of those that were learned.
    void learn_examples(const Examples& examples, std::size_t begin, std::size_t end,
                        Progress& progress, nb::object order, nb::object answers);
    /// The same for rows of an array, whose columns the model has room for.
    void learn_rows(nb::object x, nb::object codes, nb::object targets, nb::object weights,
                    std::size_t begin, std::size_t end, Progress& progress);
    /// What prepares its rows, to prepare some for this model and all that have seen the same; or None.
    nb::object preparation();
    /// The same for rows that were prepared for several models.
    void learn_prepared(const PreparedRows& rows, Progress& progress);
    /// The same as `decision` gives them.
    Doubles scores(const Examples& examples, bool targets);
    /// The label of each row, as its code, from scores as `scores` gives them.
    nb::ndarray<nb::numpy, std::int32_t> decisions(const Array2<double>& scores);
    /// The class of each row, as a place among the labels met, and those; no other thread in between.
    nb::tuple predict(nb::object x);
    /// Probabilities from scores as `scores` gives them.
    Doubles probabilities(const Array2<double>& scores, bool targets);
    /// Whether names without links may be forgotten while single examples are learned.
    void set_forgetting(bool on);
    /// Names that were read but not learned from are forgotten.
    void forget_unlearned();
    /// The same, and of the rows resolved last only the names in the first ones are counted.
    void take_back_resolved(std::size_t learned);

    /// Nothing learned, with the same options; names and labels keep their numbers.
    void start_over();
    /// Part of what makes it slow; false: it has nothing to forget.
    bool forget();

    // -- one example

    /// False: the label is not known yet; set_labels first, then again.
    bool learn_one(nb::handle x, nb::handle y, double weight);
    /// An example with several labels, by their codes.
    void learn_one_set(nb::handle x, ListOf<std::int32_t> codes, double weight);
    nb::typed<nb::list, double> target_scores_one(nb::handle x);
    void learn_one_target(nb::handle x, double y, double weight);
    nb::object score_one(nb::handle x);
    nb::object predict_one(nb::handle x);
    /// What `predict_one` or `score_one` returns, and then the same as `learn_one` or
    /// `learn_one_target`, with no other thread in between; no object: the label is not known yet.
    nb::object predict_learn_one(nb::handle x, nb::handle y, double weight);
    nb::object predict_learn_one_target(nb::handle x, double y, double weight);
    nb::typed<nb::list, double> probability_one(nb::handle x);
    /// Whether a learner that is told few labels asks for this one.
    bool asks_one(nb::handle x);
    /// The label that a learner plays that is told only whether it is right; None before there is any.
    nb::object play_one(nb::handle x);
    /// (name, contribution) of each feature of x to the score of one column.
    nb::list contributions(nb::handle x, std::size_t column);

    // -- what was learned

    Doubles weights();
    nb::typed<nb::list, double> constants();
    /// The largest weights of the first columns by name, and the distribution of all weights.
    nb::dict picture(std::size_t top, std::size_t columns, std::size_t bins);
    /// The online hypothesis, never averaged, as bytes to compare.
    nb::bytes hypothesis();
    nb::dict counters();
    /// How the members of a committee have done.
    nb::dict committee();
    /// The state of a member, as if it had learned alone.
    nb::dict member_state(std::size_t i);
    bool keep_live();
    bool keep_replay(double target);
    /// What the ledger holds, or None.
    nb::object ledger();

    // -- state

    nb::dict state();
    /// The state, and the labels that belong to it.
    nb::tuple snapshot(bool views);
    void set_state(nb::dict from);

private:
    /// The working memory of one call: a re-entrant call has another.
    struct Workspace {
        ExampleReader example;
        std::vector<double> scores;
    };
    Workspace& workspace(const Hold& hold);
    /// f(room) while the model is held, the example read. User code runs before.
    template <class F>
    auto with_example(nb::handle x, For what, bool adds_names, F f);
    /// The same for an example that is predicted first: names that are new are added later, by
    /// `read_to_learn`.
    template <class F>
    auto with_example_twice(nb::handle x, F f);
    nb::object predicted(Workspace& here);
    nb::object scored_one(Workspace& here);

    template <class F>
    void in_blocks(std::size_t rows, std::size_t block, bool keep_gil, F f);
    For for_pass() const { return calls_python_ ? For::changing : For::passing; }
    void check_rows(const ArrayRows& batch) const;
    /// Predict, then learn; `counted` is what a row is called in errors.
    void learn_progressively(const Rows& rows, const Lesson& lesson,
                             const std::vector<std::size_t>& needed, std::size_t begin,
                             std::size_t end, Progress& progress, const char* counted);

    /// What weighs the classes of a lesson, and cuts their scores.
    void take_part(Lesson& lesson) {
        if (class_weights_.on()) lesson.class_weights = &class_weights_;
        if (threshold_.on()) lesson.threshold = &threshold_;
    }
    std::optional<std::int32_t> code_of(nb::handle y) const;
    nb::object label(std::size_t code) const;
    void learn_example(Workspace& room, std::size_t known, const Lesson& lesson);
    void forget_unlinked();
    void grow_learner(std::size_t features);
    /// Takes back the names from this number on.
    void take_back_names(std::size_t known, std::size_t rows = 0);
    void forget_names();
    void check_codes(const std::int32_t* codes, std::size_t n) const;
    void check_takes_sets() const;
    const double* scores_of(Workspace& room);
    State saved();
    nb::dict with_names(nb::dict state);
    /// What the options create: a learner, and what belongs to it.
    struct Made {
        std::unique_ptr<Learner> learner;
        ClassWeights class_weights;
        Threshold threshold;
        bool calls_python = false;
        parse::Wishes wishes;
    };
    Made made_of(const nb::dict& options) const;
    /// The same, continuing from a state.
    Made loaded(const nb::dict& options, const State& state);
    void take(Made now);

    Lock lock_;
    nb::dict options_, recipe_;
    bool calls_python_ = false;
    parse::Wishes wishes_;
    bool forgets_ = false, has_columns_ = false;
    std::unique_ptr<Learner> learner_;
    ClassWeights class_weights_;
    Threshold threshold_;
    std::shared_ptr<Lexicon> lexicon_;
    Vocabulary& names_;
    std::optional<RecipeColumns> by_recipe_;  // features are made by a recipe
    nb::dict codes_;
    nb::list labels_;
    nb::object known_labels_ = nb::none();
    std::vector<std::unique_ptr<Workspace>> workspaces_;
};

}  // namespace thresher::bindings
