// One example given by names for a model whose features are made by a recipe (words of texts, n-grams,
// crosses) or numbered in another way than one by one (hashing, a least count): read as a line of a file is.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include "core/lexicon.hpp"
#include "core/parse/words.hpp"
#include "core/resolve.hpp"
#include "given.hpp"

namespace nb = nanobind;

namespace thresher::bindings {

class ByRecipe {
public:
    ByRecipe(const nb::dict& recipe, const parse::Wishes& wishes);

    /// Whether there is anything that the ordinary way would not do.
    static bool is_needed(const nb::dict& recipe, const Lexicon& lexicon);
    static RecipeColumns columns_of(const nb::dict& recipe);

    void read(const std::vector<RecipeItem>& items, Lexicon& lexicon, bool learning);

    const Examples& examples() const { return examples_; }
    const std::vector<std::pair<std::string, double>>& unseen() const { return unseen_; }

private:
    void read_item(const RecipeItem& item);

    RecipeColumns columns_;
    parse::Builder builder_;
    parse::Words words_;
    parse::Batch batch_;
    Resolver resolver_;
    Examples examples_;
    std::vector<std::pair<std::string, double>> unseen_;
};

}  // namespace thresher::bindings
