// One example by name as names and values, for learners that number names themselves: read by the same
// code as for the models of the core, with the same errors.
#include <nanobind/nanobind.h>

#include <vector>

#include "example_reader.hpp"
#include "module.hpp"
#include "names.hpp"

using namespace nb::literals;

namespace thresher::bindings {

namespace {

/// Each name once, in order of appearance; also those whose value is 0.
nb::list named_cells(nb::handle x, const nb::dict& recipe, bool once) {
    Lexicon lexicon;
    parse::Wishes wishes;
    wishes.once = once;
    ExampleReader example(lexicon, wishes, recipe);
    Given given(x);
    if (ByRecipe::is_needed(recipe, lexicon)) given.make_plain(ByRecipe::columns_of(recipe));
    if (!example.read(given, true, 0)) {
        given.make_plain();
        example.read(given, true, 0);
    }
    std::vector<double> value(lexicon.size(), 0.0);
    for (std::size_t j = 0; j < example.size(); ++j) value[example.feature(j)] = example.value(j);
    nb::list out;
    for (std::size_t i = 0; i < value.size(); ++i)
        out.append(nb::make_tuple(name_of(lexicon.names(), i), value[i]));
    return out;
}

}  // namespace

void bind_named_cells(nb::module_& m) {
    nb::class_<JsonText>(m, "JsonText",
                         "An example as the text of a JSON object, wherever one by name is taken.")
        .def(nb::init<nb::bytes>(), "json"_a);
    m.def("named_cells", &named_cells, "x"_a.none(), "recipe"_a = nb::dict(), "once"_a = false,
          nb::sig("def named_cells(x: object, recipe: dict[str, object] = {}, once: bool = False) "
                  "-> list[tuple[str, float]]"),
          "The features of an example by name. A name given twice counts twice, or with `once` "
          "once.");
}

}  // namespace thresher::bindings
