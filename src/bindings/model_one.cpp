#include <algorithm>

#include "core/prepare/prepared.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "model.hpp"
#include "names.hpp"

namespace thresher::bindings {

template <class F>
auto Model::with_example(nb::handle x, For what, bool adds_names, F f) {
    Given given(x);
    if (by_recipe_) given.make_plain(*by_recipe_);
    for (;;) {
        {
            const Hold hold(lock_, what);
            Workspace& here = workspace(hold);
            const std::size_t known = names_.size();
            const std::size_t features = learner_->features();
            if (here.example.read(given, adds_names, features)) {
                if (what == For::reading && lexicon_->size() > features)
                    here.example.leave_out_from(features);
                return f(here, known);
            }
        }
        given.make_plain();
    }
}

/// f(here, learn): it is read once if all of its names are known. `learn(weight, lesson)` learns it.
template <class F>
auto Model::with_example_twice(nb::handle x, F f) {
    Given given(x);
    if (by_recipe_) given.make_plain(*by_recipe_);
    for (;;) {
        {
            const Hold hold(lock_, For::changing);
            Workspace& here = workspace(hold);
            const std::size_t known = names_.size(), features = learner_->features();
            if (here.example.read(given, false, features)) {
                if (lexicon_->size() > features) here.example.leave_out_from(features);
                return f(here, [&](double weight, const Lesson& lesson) {
                    if (weight != 0.0 && (by_recipe_ || !here.example.unseen().empty()))
                        here.example.read(given, true, features, true);
                    learn_example(here, known, lesson);
                });
            }
        }
        given.make_plain();
    }
}

/// All of the example that was read, or nothing: not even its names; `known` of them existed before.
void Model::learn_example(Workspace& here, std::size_t known, const Lesson& lesson) {
    const std::size_t features = learner_->features(), needed = lexicon_->size();
    try {
        if (needed > features) learner_->grow(needed);
        learner_->learn(here.example.rows(), lesson, 0, 1);
    } catch (const Fault& fault) {
        learner_->take_back(features);
        try {
            raise_fault(fault, single, names_);  // while the names it refers to still exist
        } catch (...) {
            take_back_names(known);
            throw;
        }
    } catch (...) {
        learner_->take_back(features);
        take_back_names(known);
        throw;
    }
    forget_unlinked();
}

void Model::set_forgetting(bool on) {
    const Hold hold(lock_, For::changing);
    forgets_ = on;
}

void Model::forget_unlinked() {
    if (!forgets_ || has_columns_ || lexicon_->hashed() || names_.size() != learner_->features())
        return;
    Forgetting* forgetting = learner_->facets().forgetting;
    const auto kept = forgetting ? forgetting->linked() : std::nullopt;
    if (!kept) return;
    Vocabulary names;
    for (const std::size_t i : *kept) names.find_or_add(names_.name(i));
    forgetting->keep_only(*kept);
    lexicon_->replace_names(std::move(names));
    forget_names();
}

const double* Model::scores_of(Workspace& here) {
    here.scores.resize(learner_->columns());
    const auto& unseen = here.example.unseen();
    double sum = 0.0;
    for (const auto& entry : unseen) sum += entry.second;
    const std::size_t count = unseen.size();
    telling(single, names_, [&] {
        learner_->predict_with(here.example.rows(), 0, 1, &sum, &count, here.scores.data());
    });
    return here.scores.data();
}

std::optional<std::int32_t> Model::code_of(nb::handle y) const {
    // A label is most often the very object that was seen first.
    const Py_ssize_t few = std::min<Py_ssize_t>(2, PyList_Size(labels_.ptr()));
    for (Py_ssize_t i = 0; i < few; ++i)
        if (interpreter::item_of(labels_.ptr(), i) == y.ptr()) return static_cast<std::int32_t>(i);
    PyObject* code = PyDict_GetItemWithError(codes_.ptr(), y.ptr());
    if (code) return nb::cast<std::int32_t>(nb::handle(code));
    if (PyErr_Occurred()) throw nb::python_error();
    return std::nullopt;
}

bool Model::learn_one(nb::handle x, nb::handle y, double weight) {
    for (;;) {
        // Its __eq__ may be the user's: the label is looked up with nothing held.
        const nb::dict codes = codes_;
        const std::optional<std::int32_t> code = code_of(y);
        if (!code) return false;
        const bool learned =
            with_example(x, For::changing, weight != 0.0, [&](Workspace& here, std::size_t known) {
                if (!codes_.is(codes)) {  // another thread brought labels meanwhile
                    take_back_names(known);
                    return false;
                }
                Lesson lesson{nullptr, &*code, nullptr, &weight};
                take_part(lesson);
                learn_example(here, known, lesson);
                return true;
            });
        if (learned) return true;
    }
}

void Model::learn_one_set(nb::handle x, ListOf<std::int32_t> labels, double weight) {
    const auto codes = from_python<std::vector<std::int32_t>>(labels);
    with_example(x, For::changing, weight != 0.0, [&](Workspace& here, std::size_t known) {
        check_codes(codes.data(), codes.size());
        const std::int64_t starts[] = {0, static_cast<std::int64_t>(codes.size())};
        learn_example(here, known, {nullptr, codes.data(), nullptr, &weight, starts});
    });
}

nb::typed<nb::list, double> Model::target_scores_one(nb::handle x) {
    return with_example(x, For::reading, false, [&](Workspace& here, std::size_t) {
        Targets& targets = required(learner_->facets().targets);
        std::vector<double> scores(learner_->classes().size());
        telling(single, names_,
                [&] { targets.predict_targets(here.example.rows(), 0, 1, scores.data()); });
        double sum = 0.0;
        for (const auto& entry : here.example.unseen()) sum += entry.second;
        for (std::size_t t = 0; t < scores.size(); ++t) scores[t] += targets.unseen_target(sum, t);
        return list_of(scores);
    });
}

void Model::learn_one_target(nb::handle x, double y, double weight) {
    with_example(x, For::changing, weight != 0.0, [&](Workspace& here, std::size_t known) {
        learn_example(here, known, {nullptr, nullptr, &y, &weight, nullptr});
    });
}

nb::object Model::scored_one(Workspace& here) {
    const double* s = scores_of(here);
    if (learner_->columns() == 1) return nb::float_(s[0]);
    nb::list out;
    for (std::size_t k = 0; k < learner_->columns(); ++k) out.append(s[k]);
    return out;
}

nb::object Model::predicted(Workspace& here) {
    const Classes& classes = learner_->classes();
    if (classes.empty()) return nb::none();
    return label(classes.code(classes.decide(scores_of(here))));
}

nb::object Model::score_one(nb::handle x) {
    return with_example(x, For::reading, false,
                        [&](Workspace& here, std::size_t) { return scored_one(here); });
}

nb::object Model::predict_one(nb::handle x) {
    return with_example(x, For::reading, false,
                        [&](Workspace& here, std::size_t) { return predicted(here); });
}

nb::object Model::predict_learn_one(nb::handle x, nb::handle y, double weight) {
    for (;;) {
        const nb::dict codes = codes_;
        const std::optional<std::int32_t> code = code_of(y);
        if (!code) return {};
        const nb::object answer = with_example_twice(x, [&](Workspace& here, auto learn) {
            if (!codes_.is(codes)) return nb::object();  // as in learn_one
            const nb::object found = predicted(here);
            Lesson lesson{nullptr, &*code, nullptr, &weight};
            take_part(lesson);
            learn(weight, lesson);
            return found;
        });
        if (answer.is_valid()) return answer;
    }
}

nb::object Model::predict_learn_one_target(nb::handle x, double y, double weight) {
    return with_example_twice(x, [&](Workspace& here, auto learn) {
        const nb::object found = scored_one(here);
        learn(weight, {nullptr, nullptr, &y, &weight, nullptr});
        return found;
    });
}

nb::typed<nb::list, double> Model::probability_one(nb::handle x) {
    return with_example(x, For::reading, false, [&](Workspace& here, std::size_t) {
        const double* s = scores_of(here);
        std::vector<double> p(s, s + learner_->columns());
        learner_->calibrate(p.data(), 1);
        return list_of(p);
    });
}

bool Model::asks_one(nb::handle x) {
    return with_example(x, For::reading, false, [&](Workspace& here, std::size_t) {
        PartlyTold& told = required(learner_->facets().partly_told);
        return telling(single, names_, [&] { return told.asks(here.example.rows()); });
    });
}

nb::object Model::play_one(nb::handle x) {
    return with_example(x, For::reading, false, [&](Workspace& here, std::size_t) -> nb::object {
        PartlyTold& told = required(learner_->facets().partly_told);
        const auto code = telling(single, names_, [&] { return told.play(here.example.rows()); });
        return code ? label(*code) : nb::none();
    });
}

nb::list Model::contributions(nb::handle x, std::size_t column) {
    return with_example(x, For::reading, false, [&](Workspace& here, std::size_t) {
        if (column >= learner_->columns()) throw nb::index_error("no such column");
        const ExampleReader& example = here.example;
        nb::list out;
        Prepared* prepared = learner_->facets().prepared;
        if (prepared && !prepared->is_affine()) {
            const auto [cells, unseen] = prepared->prepared(example.rows(), column);
            for (std::size_t j = 0; j < cells.size(); ++j) {
                const auto i = static_cast<std::size_t>(cells.index[j]);
                out.append(nb::make_tuple(text(prepared->weighted_name(i)),
                                          learner_->weight(i, column) * cells.value[j]));
            }
            if (unseen != 0.0) out.append(nb::make_tuple("(products never met)", unseen));
            return out;
        }
        for (std::size_t j = 0; j < example.size(); ++j) {
            const std::size_t i = example.feature(j);
            out.append(
                nb::make_tuple(name_of(names_, i), learner_->weight(i, column) * example.value(j)));
        }
        for (const auto& [name, value] : example.unseen())
            out.append(nb::make_tuple(text(name), learner_->unseen(value, 0, column)));
        return out;
    });
}

}  // namespace thresher::bindings
