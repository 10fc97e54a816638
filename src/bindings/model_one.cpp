#include <nanobind/stl/string.h>

#include <algorithm>

#include "core/prepare/prepared.hpp"
#include "errors.hpp"
#include "model.hpp"
#include "names.hpp"

namespace thresher::bindings {

void Model::learn_example(nb::handle x, double weight, const std::int32_t* code,
                          const double* target, const std::int64_t* starts) {
    const std::size_t features = learner_->features(), known = names_.size();
    example_.read(x, weight != 0.0, features);
    const Lesson lesson{nullptr, code, target, &weight, starts, class_weights()};
    try {
        learner_->grow(lexicon_->size());
        learner_->learn(example_.rows(), lesson, 0, 1);
    } catch (const Fault& fault) {
        const bool traceless = learner_->take_back(features);
        try {
            raise_fault(fault, "", names_);  // while the names it speaks of are there
        } catch (...) {
            if (traceless) take_back_names(known);
            throw;
        }
    }
    forget_unlinked();
}

void Model::set_forgetting(bool on) {
    const Hold hold(owner_);
    forgets_ = on;
}

void Model::forget_unlinked() {
    if (!forgets_ || has_columns_ || lexicon_->hashed() || names_.size() != learner_->features())
        return;
    const auto kept = learner_->forget_unlinked();
    if (!kept) return;
    Vocabulary names;
    for (const std::size_t i : *kept) names.find_or_add(names_.name(i));
    lexicon_->replace_names(std::move(names));
    example_.forget_names();
}

const double* Model::scores_of(nb::handle x) {
    example_.read(x, false, learner_->features());
    scores_.resize(learner_->columns());
    try {
        learner_->predict(example_.rows(), 0, 1, scores_.data());
    } catch (const Fault& fault) {
        raise_fault(fault, "", names_);
    }
    if (!example_.unseen().empty()) {
        double sum = 0.0;
        for (const auto& entry : example_.unseen()) sum += entry.second;
        for (std::size_t k = 0; k < scores_.size(); ++k)
            scores_[k] += learner_->unseen(sum, example_.unseen().size(), k);
    }
    return scores_.data();
}

std::optional<std::int32_t> Model::code_of(nb::handle y) const {
    // One of two labels is most often the very object that came first.
    const Py_ssize_t few = std::min<Py_ssize_t>(2, PyList_GET_SIZE(labels_.ptr()));
    for (Py_ssize_t i = 0; i < few; ++i)
        if (PyList_GET_ITEM(labels_.ptr(), i) == y.ptr()) return static_cast<std::int32_t>(i);
    PyObject* code = PyDict_GetItemWithError(codes_.ptr(), y.ptr());
    if (code) return nb::cast<std::int32_t>(nb::handle(code));
    if (PyErr_Occurred()) throw nb::python_error();
    return std::nullopt;
}

bool Model::learn_one(nb::handle x, nb::handle y, double weight) {
    const Hold hold(owner_);
    const std::optional<std::int32_t> code = code_of(y);
    if (code) learn_example(x, weight, &*code, nullptr);
    return code.has_value();
}

void Model::learn_one_set(nb::handle x, const std::vector<std::int32_t>& codes, double weight) {
    const Hold hold(owner_);
    check_codes(codes.data(), codes.size());
    const std::int64_t starts[] = {0, static_cast<std::int64_t>(codes.size())};
    learn_example(x, weight, codes.data(), nullptr, starts);
}

std::vector<double> Model::target_scores_one(nb::handle x) {
    const Hold hold(owner_);
    example_.read(x, false, learner_->features());
    std::vector<double> scores(learner_->order().size());
    try {
        learner_->predict_targets(example_.rows(), 0, 1, scores.data());
    } catch (const Fault& fault) {
        raise_fault(fault, "", names_);
    }
    double sum = 0.0;
    for (const auto& entry : example_.unseen()) sum += entry.second;
    for (std::size_t t = 0; t < scores.size(); ++t) scores[t] += learner_->unseen_target(sum, t);
    return scores;
}

void Model::learn_one_target(nb::handle x, double y, double weight) {
    const Hold hold(owner_);
    learn_example(x, weight, nullptr, &y);
}

nb::object Model::score_one(nb::handle x) {
    const Hold hold(owner_);
    const double* s = scores_of(x);
    if (learner_->columns() == 1) return nb::float_(s[0]);
    nb::list out;
    for (std::size_t k = 0; k < learner_->columns(); ++k) out.append(s[k]);
    return out;
}

nb::object Model::predict_one(nb::handle x) {
    const Hold hold(owner_);
    const auto& order = learner_->order();
    if (order.empty()) return nb::none();
    const double* s = scores_of(x);
    if (order.size() == 1) return labels_[order[0]];
    std::size_t best = 0;
    if (order.size() == 2) {
        best = s[0] >= 0.0 ? learner_->positive() : 1 - learner_->positive();
    } else {
        for (std::size_t k = 1; k < order.size(); ++k)
            if (s[k] > s[best] ||
                (s[k] == s[best] && learner_->rank[order[k]] < learner_->rank[order[best]]))
                best = k;
    }
    return labels_[order[best]];
}

std::vector<double> Model::probability_one(nb::handle x) {
    const Hold hold(owner_);
    const double* s = scores_of(x);
    std::vector<double> p(s, s + learner_->columns());
    learner_->calibrate(p.data(), 1);
    return p;
}

nb::list Model::contributions(nb::handle x, std::size_t column) {
    const Hold hold(owner_);
    if (column >= learner_->columns()) throw nb::index_error("no such column");
    example_.read(x, false, learner_->features());
    nb::list out;
    Prepared* prepared = learner_->prepared();
    if (prepared && !prepared->is_affine()) {
        const auto [cells, unseen] = prepared->prepared(example_.rows(), column);
        for (std::size_t j = 0; j < cells.size(); ++j) {
            const auto i = static_cast<std::size_t>(cells.index[j]);
            out.append(nb::make_tuple(text(prepared->weighted_name(i)),
                                      learner_->weight(i, column) * cells.value[j]));
        }
        if (unseen != 0.0) out.append(nb::make_tuple("(products never met)", unseen));
        return out;
    }
    for (std::size_t j = 0; j < example_.size(); ++j) {
        const std::size_t i = example_.feature(j);
        out.append(
            nb::make_tuple(name_of(names_, i), learner_->weight(i, column) * example_.value(j)));
    }
    for (const auto& [name, value] : example_.unseen())
        out.append(nb::make_tuple(text(name), learner_->unseen(value, 0, column)));
    return out;
}

}  // namespace thresher::bindings
