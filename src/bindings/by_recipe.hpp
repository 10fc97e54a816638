// One example given by names for a model whose features are made by a recipe (words of texts, n-grams,
// crosses) or not simply numbered in order (hashing, a minimum count): read like a line of a file.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/lexicon.hpp"
#include "core/parse/jsonl.hpp"
#include "core/parse/words.hpp"
#include "core/resolve.hpp"
#include "given.hpp"

namespace nb = nanobind;

namespace thresher::bindings {

class ByRecipe {
public:
    ByRecipe(const nb::dict& recipe, const parse::Wishes& wishes);

    /// Whether the recipe does anything that ordinary reading does not.
    static bool is_needed(const nb::dict& recipe, const Lexicon& lexicon);
    static RecipeColumns columns_of(const nb::dict& recipe);

    void read(const std::vector<RecipeItem>& items, Lexicon& lexicon, bool learning);
    void read(const JsonText& json, Lexicon& lexicon, bool learning);
    /// f(name, value) for each feature, by no lexicon.
    void spell(const JsonText& json, const std::function<void(std::string, double)>& f);

    const Examples& examples() const { return examples_; }
    const std::vector<std::pair<std::string, double>>& unseen() const { return unseen_; }

private:
    void read_item(const RecipeItem& item);
    void parse(const JsonText& json);
    void resolve(Lexicon& lexicon, bool learning);

    RecipeColumns columns_;
    parse::Builder builder_;
    parse::JsonLines json_;
    parse::Words words_;
    parse::Batch batch_;
    Resolver resolver_;
    Examples examples_;
    std::vector<std::pair<std::string, double>> unseen_;
};

}  // namespace thresher::bindings
