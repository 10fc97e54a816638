#include "by_recipe.hpp"

#include <algorithm>
#include <iterator>

#include "errors.hpp"
#include "names.hpp"
#include "reading.hpp"

using namespace nb::literals;

namespace thresher::bindings {

namespace {

std::set<std::string> set_of(const nb::dict& recipe, const char* key) {
    const std::vector<std::string> words = words_of(recipe, key);
    return {words.begin(), words.end()};
}

/// Every key is a feature: the label comes by itself.
parse::FormatOptions json_options(const nb::dict& recipe) {
    parse::FormatOptions o;
    o.text = words_of(recipe, "text");
    o.categorical = words_of(recipe, "categorical");
    return o;
}

[[noreturn]] void raise_in(const JsonText& json, const parse::Problem& problem) {
    const std::string_view before(json.text.data(),
                                  static_cast<std::size_t>(problem.at - json.text.data()));
    const std::size_t line = before.rfind('\n') + 1;  // 0 if there is none
    const auto is_first_byte = [](char c) { return (c & 0xc0) != 0x80; };
    const nb::module_ errors = nb::module_::import_("thresher.errors");
    const nb::object error = errors.attr("InvalidInput")(
        text(problem.what),
        "where"_a = errors.attr("Where")(
            "line"_a = 1 + std::count(before.begin(), before.end(), '\n'),
            "column"_a = 1 + std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line),
                                           before.end(), is_first_byte)));
    PyErr_SetObject(error.type().ptr(), error.ptr());
    throw nb::python_error();
}

parse::Wishes without_label(parse::Wishes wishes) {
    wishes.need_labels = false;
    return wishes;
}

}  // namespace

ByRecipe::ByRecipe(const nb::dict& recipe, const parse::Wishes& wishes)
    : columns_(columns_of(recipe)),
      builder_(recipe_of(recipe), without_label(wishes)),
      json_(json_options(recipe)) {}

RecipeColumns ByRecipe::columns_of(const nb::dict& recipe) {
    return {set_of(recipe, "text"), set_of(recipe, "categorical"), set_of(recipe, "date"),
            set_of(recipe, "ignore")};
}

bool ByRecipe::is_needed(const nb::dict& recipe, const Lexicon& lexicon) {
    const parse::Recipe made = recipe_of(recipe);
    constexpr const char* special[] = {"text", "categorical", "date", "ignore"};
    return lexicon.hashed() || lexicon.counts_names() || made.reads_words() ||
           !made.cross.empty() || made.missing != parse::Recipe::Missing::zero ||
           std::any_of(std::begin(special), std::end(special),
                       [&](const char* columns) { return !words_of(recipe, columns).empty(); });
}

void ByRecipe::read(const std::vector<RecipeItem>& items, Lexicon& lexicon, bool learning) {
    batch_.clear();
    builder_.begin(batch_, nullptr);
    try {
        for (const RecipeItem& item : items) read_item(item);
        builder_.end_row(0, nullptr, nullptr);
    } catch (const parse::Problem& problem) {
        raise("InvalidInput", problem.what + ".");
    }
    resolve(lexicon, learning);
}

void ByRecipe::read(const JsonText& json, Lexicon& lexicon, bool learning) {
    parse(json);
    resolve(lexicon, learning);
}

void ByRecipe::spell(const JsonText& json, const std::function<void(std::string, double)>& f) {
    parse(json);
    batch_.name_numbers();
    for (std::size_t j = 0; j < batch_.index.size(); ++j) f(batch_.spelled(j), batch_.value_of(j));
}

void ByRecipe::parse(const JsonText& json) {
    batch_.clear();
    const char *begin = json.text.data(), *const end = begin + json.size;
    builder_.begin(batch_, begin);
    try {
        if (const char* fault = parse::first_no_text(begin, end); fault < end)
            throw parse::no_text(fault);
        json_.record(begin, end, builder_);
        builder_.end_row(0, end, end);
    } catch (const parse::Problem& problem) {
        raise_in(json, problem);
    }
}

void ByRecipe::resolve(Lexicon& lexicon, bool learning) {
    // An example without a label adds no names, and the caller that learns this one has its label.
    if (learning) batch_.target.assign(1, 0.0);
    resolver_.resolve(batch_, {}, lexicon, learning, examples_);
    unseen_.clear();
    if (learning || examples_.unseen_count[0] == 0) return;
    for (std::size_t j = 0; j < batch_.index.size(); ++j) {
        std::string name = batch_.spelled(j);
        if (lexicon.find(name) == Lexicon::none)
            unseen_.emplace_back(std::move(name), batch_.value_of(j));
    }
}

void ByRecipe::read_item(const RecipeItem& item) {
    if (const auto* text = std::get_if<std::string>(&item.value)) {
        if (columns_.date.contains(item.key))
            builder_.date(item.key, *text, nullptr);
        else if (columns_.text.contains(item.key))
            words_.add(item.group, *text, builder_);
        else
            builder_.name(item.group + *text, 1.0);
    } else if (const auto* names = std::get_if<std::vector<std::string>>(&item.value)) {
        for (const std::string& name : *names) builder_.word(item.group, name);
        builder_.end_words(item.group);
    } else if (std::holds_alternative<Absent>(item.value)) {
        if (!columns_.text.contains(item.key)) builder_.missing(item.key);
    } else {
        builder_.name(item.key, std::get<double>(item.value));
    }
}

}  // namespace thresher::bindings
