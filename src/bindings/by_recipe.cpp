#include "by_recipe.hpp"

#include <algorithm>
#include <iterator>

#include "errors.hpp"
#include "reading.hpp"

namespace thresher::bindings {

namespace {

std::set<std::string> set_of(const nb::dict& recipe, const char* key) {
    const std::vector<std::string> words = words_of(recipe, key);
    return {words.begin(), words.end()};
}

parse::Wishes without_label(parse::Wishes wishes) {
    wishes.need_labels = false;
    return wishes;
}

}  // namespace

ByRecipe::ByRecipe(const nb::dict& recipe, const parse::Wishes& wishes)
    : columns_(columns_of(recipe)), builder_(recipe_of(recipe), without_label(wishes)) {}

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
    // An example without a label adds no names, and the caller that learns this one has its label.
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
