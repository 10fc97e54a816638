#include "by_recipe.hpp"

#include <nanobind/stl/string.h>

#include <cmath>

#include "errors.hpp"
#include "names.hpp"
#include "reading.hpp"

namespace thresher::bindings {

namespace {

std::set<std::string> set_of(const nb::dict& recipe, const char* key) {
    const std::vector<std::string> words = words_of(recipe, key);
    return {words.begin(), words.end()};
}

parse::Wishes wishes_for(bool unit, bool clip) {
    parse::Wishes wishes;
    wishes.need_labels = false;
    wishes.unit = unit;
    wishes.clip = clip;
    return wishes;
}

std::string string_of(nb::handle text) { return std::string(text_of(text)); }

bool is_sequence(nb::handle x) {
    return PyList_Check(x.ptr()) || PyTuple_Check(x.ptr()) || PyAnySet_Check(x.ptr());
}

}  // namespace

ByRecipe::ByRecipe(const nb::dict& recipe, bool unit, bool clip)
    : text_(set_of(recipe, "text")),
      categorical_(set_of(recipe, "categorical")),
      builder_(recipe_of(recipe), wishes_for(unit, clip)) {}

bool ByRecipe::is_needed(const nb::dict& recipe, const Lexicon& lexicon) {
    const parse::Recipe made = recipe_of(recipe);
    return lexicon.hashed() || lexicon.counts_names() || made.ngrams > 1 || !made.cross.empty() ||
           !words_of(recipe, "text").empty() || !words_of(recipe, "categorical").empty();
}

void ByRecipe::read(nb::handle x, Lexicon& lexicon, bool learning) {
    batch_.clear();
    builder_.begin(batch_, nullptr);
    try {
        if (PyDict_Check(x.ptr())) {
            read_dict(nb::borrow<nb::dict>(x));
        } else if (is_sequence(x)) {
            read_names(x, "");
        } else if (nb::hasattr(x, "items") && nb::hasattr(x, "keys")) {
            read_dict(nb::cast<nb::dict>(nb::module_::import_("builtins").attr("dict")(x)));
        } else {
            raise("InvalidInput",
                  "an example is a dict of named features, or a list or set of names; found " +
                      type_name_of(x) + ".");
        }
        builder_.end_row(0, nullptr, nullptr);
    } catch (const parse::Problem& problem) {
        raise("InvalidInput", problem.what + ".");
    }
    // An example without a label brings no names, and whoever learns this one has its label.
    if (learning) batch_.target.assign(1, 0.0);
    resolver_.resolve(batch_, {}, lexicon, learning, examples_);
    unseen_.clear();
    if (learning || examples_.unseen_count[0] == 0) return;
    for (std::size_t j = 0; j < batch_.index.size(); ++j) {
        std::string name = batch_.spelled(j);
        if (lexicon.find(name) == Lexicon::none)
            unseen_.emplace_back(std::move(name), batch_.value[j]);
    }
}

void ByRecipe::read_dict(const nb::dict& items) {
    // A copy: what __float__ or __str__ of a value does cannot change it.
    const nb::list pairs = items.items();
    for (nb::handle pair : pairs) {
        const nb::object key = pair[0], value = pair[1];
        if (value.is_none()) continue;
        read_item(spelled(key), value);
    }
}

void ByRecipe::read_item(const std::string& key, nb::handle value) {
    const std::string group = key + "=";
    if (PyUnicode_Check(value.ptr())) {
        if (text_.contains(key))
            words_.add(group, text_of(value), builder_);
        else
            builder_.name(group + string_of(value), 1.0);
    } else if (is_sequence(value)) {
        read_names(value, group);
    } else if (categorical_.contains(key) && !PyBool_Check(value.ptr())) {
        builder_.name(group + nb::cast<std::string>(nb::str(value)), 1.0);
    } else {
        const double v = PyFloat_AsDouble(value.ptr());
        if (v == -1.0 && PyErr_Occurred()) throw nb::python_error();
        if (!std::isfinite(v))
            raise("InvalidInput",
                  "feature '" + key + "': found " + shown(value) + "; expected a finite number.");
        builder_.name(key, v);
    }
}

void ByRecipe::read_names(nb::handle names, const std::string& group) {
    for (nb::handle name : nb::borrow<nb::iterable>(names)) builder_.word(group, spelled(name));
    builder_.end_words(group);
}

}  // namespace thresher::bindings
