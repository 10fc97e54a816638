// An example as the caller gave it. Reading it may run user code (a __float__, an __iter__), which may do
// anything: empty the dict, call the very model that reads, wait for another thread. So whatever could run
// such code is converted first, with nothing held.
#pragma once

#include <nanobind/nanobind.h>

#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace nb = nanobind;

namespace thresher::bindings {

/// Columns that a recipe reads in its own way.
struct RecipeColumns {
    std::set<std::string> text, categorical, date, ignore;
};

/// None, or a number that is none.
struct Absent {};

/// One entry of an example that is read by a recipe: a number, a text, or a bag of names.
struct RecipeItem {
    std::string key, group;  // group: the prefix of its names, the key and =, or nothing
    std::variant<double, std::string, std::vector<std::string>, Absent> value;
};

/// An example as the text of a JSON object, which is parsed like a line of a file.
struct JsonText {
    std::string text;  // and `parse::slack` bytes
    std::size_t size;

    explicit JsonText(nb::bytes json);
};

class Given {
public:
    explicit Given(nb::handle x) : x_(x) {}

    nb::handle x() const { return x_; }

    /// Its entries, none of which runs any code; no value: a name in a list or a set.
    void make_plain();
    bool is_plain() const { return is_plain_; }
    const std::vector<std::pair<nb::object, nb::object>>& items() const { return items_; }
    bool may_repeat() const { return may_repeat_; }

    /// Its entries for a model whose features are made by a recipe.
    void make_plain(const RecipeColumns& columns);
    const std::vector<RecipeItem>& recipe_items() const { return recipe_items_; }

    /// Its text, if it was given as one and made plain.
    const JsonText* json() const { return json_; }

private:
    bool is_json();

    nb::handle x_;
    bool is_plain_ = false, may_repeat_ = false;
    std::vector<std::pair<nb::object, nb::object>> items_;
    std::vector<RecipeItem> recipe_items_;
    const JsonText* json_ = nullptr;
};

/// Whether reading such a key or value runs only code of the interpreter or of an extension.
bool is_plain_key(PyObject* key);
bool is_plain_value(PyObject* value);

/// A value as a number; infinite if it is an integer too large for a double.
double number_of(nb::handle key, nb::handle value);

}  // namespace thresher::bindings
