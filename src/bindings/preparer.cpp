// The steps that prepare rows, without a learner: from arrays to arrays, from examples by name to the
// same or to arrays. Examples by name are read by a recipe and named by a lexicon, as those of files are.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "errors.hpp"
#include "example_reader.hpp"
#include "hold.hpp"
#include "module.hpp"
#include "names.hpp"
#include "options.hpp"
#include "state_bytes.hpp"

using namespace nb::literals;

namespace thresher::bindings {

namespace {

class Preparer {
public:
    Preparer(nb::list written, nb::pointer_and_handle<Lexicon> lexicon, const nb::dict& recipe)
        : lexicon_(shared_or_new(lexicon)),
          names_(prepare::names_in(lexicon_)),
          example_(*lexicon_, parse::Wishes{}, recipe),
          fresh_(steps_of(written), false),
          steps_(fresh_) {
        if (ByRecipe::is_needed(recipe, *lexicon_)) by_recipe_ = ByRecipe::columns_of(recipe);
    }

    void grow(std::size_t features) {
        const Hold hold(lock_, For::changing);
        steps_.grow(features);
    }
    std::size_t features() {
        const Hold hold(lock_, For::reading);
        return steps_.inputs();
    }
    std::size_t outputs() {
        const Hold hold(lock_, For::reading);
        return steps_.outputs();
    }
    nb::list names() {
        const Hold hold(lock_, For::reading);
        nb::list out;
        for (std::size_t i = 0; i < steps_.outputs(); ++i) out.append(text(steps_.name(i, names_)));
        return out;
    }
    /// The columns of an array have these names.
    void set_names(nb::list names) {
        const Hold hold(lock_, For::changing);
        for (nb::handle name : names) lexicon_->names().find_or_add(text_of(name));
        steps_.grow(lexicon_->size());
    }
    /// The numbers of names, which are not added.
    nb::typed<nb::list, std::int64_t> ids(nb::list names) {
        const Hold hold(lock_, For::reading);
        nb::typed<nb::list, std::int64_t> out;
        for (nb::handle name : names) {
            const std::uint32_t id = lexicon_->find(text_of(name));
            out.append(id == Lexicon::none ? -1 : static_cast<std::int64_t>(id));
        }
        return out;
    }
    void meet_all() {
        const Hold hold(lock_, For::changing);
        telling(single, 0, [&] { steps_.meet_all(); });
    }

    void learn(nb::object x) {
        const ArrayRows batch = array_rows(x);
        const Hold hold(lock_, For::changing);
        each_row(batch, [&] { learned_row(); });
    }
    /// Starts of rows, numbers and values of what they hold.
    nb::tuple transform(nb::object x) {
        const ArrayRows batch = array_rows(x);
        const Hold hold(lock_, For::reading);
        Table table;
        each_row(batch, [&] { table.push(prepare::all_finite(steps_.map(row_, names_))); });
        return table.arrays();
    }
    /// The same for examples by name; with `learn`, names and products that are new get a number.
    nb::tuple transform_examples(nb::list examples, bool learn) {
        Table table;
        std::size_t i = 0;
        for (nb::handle x : examples)
            with_row(
                x, learn, [&](const prepare::Cells& made) { table.push(made); }, "example", i++);
        return table.arrays();
    }

    void learn_one(nb::handle x) {
        with_row(x, true, [](const prepare::Cells&) {});
    }
    nb::dict transform_one(nb::handle x) {
        // Without statistics a name determines its feature completely, seen before or not.
        std::vector<std::pair<std::string, double>> found;
        with_row(x, !steps_.has_statistics(), [&](const prepare::Cells& made) {
            for (std::size_t j = 0; j < made.size(); ++j)
                found.emplace_back(steps_.name(static_cast<std::size_t>(made.index[j]), names_),
                                   made.value[j]);
        });
        nb::dict out;
        for (const auto& [name, value] : found) {
            // A feature may have the name of a product: they add up, as in a row.
            const nb::object key = text(name);
            out[key] = (out.contains(key) ? nb::cast<double>(out[key]) : 0.0) + value;
        }
        return out;
    }

    nb::dict state() {
        const Hold hold(lock_, For::reading);
        nb::dict out = saved(steps_, "these steps");
        put_names(out, lexicon_->names(), std::min(lexicon_->names().size(), steps_.inputs()));
        return out;
    }
    void set_state(nb::dict from) {
        const Hold hold(lock_, For::changing);
        prepare::Steps loaded = fresh_;
        Vocabulary names = names_from(from);
        restore(loaded, from);
        if (names.size() > loaded.inputs())
            raise("ModelFileError", "there are more feature names than features");
        lexicon_->replace_names(std::move(names));
        example_.forget_names();
        steps_ = std::move(loaded);
    }

private:
    /// Compressed sparse rows that grow.
    struct Table {
        std::vector<std::int64_t> starts{0};
        std::vector<std::int32_t> index;
        std::vector<double> value;

        void push(const prepare::Cells& row) {
            index.insert(index.end(), row.index.begin(), row.index.end());
            value.insert(value.end(), row.value.begin(), row.value.end());
            starts.push_back(static_cast<std::int64_t>(index.size()));
        }
        nb::tuple arrays() const {
            return nb::make_tuple(array_of(starts), array_of(index), array_of(value));
        }
    };

    template <class F>
    void telling(const char* counted, std::size_t number, F f) {
        try {
            f();
        } catch (Fault& fault) {
            fault.row = number;
            raise_fault(fault, counted, lexicon_->names());
        }
    }

    template <class F>
    void each_row(const ArrayRows& batch, F f) {
        if (batch.cols > steps_.inputs())
            throw nb::value_error("more columns than there are names");
        for (std::size_t i = 0; i < batch.size; ++i) {
            telling("row", i, [&] {
                std::visit([&](const auto& rows) { prepare::collect(rows, i, scratch_, row_); },
                           *batch.rows);
                f();
            });
            if (i % 1024 == 1023 && PyErr_CheckSignals() != 0) throw nb::python_error();
        }
    }

    /// f(the prepared example) while the steps are held. User code runs before. An example that cannot
    /// be used leaves nothing.
    template <class F>
    void with_row(nb::handle x, bool learn, F f, const char* counted = single,
                  std::size_t number = 0) {
        Given given(x);
        if (by_recipe_) given.make_plain(*by_recipe_);
        for (;;) {
            {
                const Hold hold(lock_, learn ? For::changing : For::reading);
                const std::size_t names = lexicon_->names().size(), inputs = steps_.inputs();
                try {
                    if (example_.read(given, learn, lexicon_->size() ? 0 : inputs)) {
                        telling(counted, number, [&] { f(made_of_example(learn)); });
                        return;
                    }
                } catch (...) {
                    steps_.shrink(inputs);
                    lexicon_->shrink(names);
                    example_.forget_names();
                    throw;
                }
            }
            given.make_plain();
        }
    }
    const prepare::Cells& made_of_example(bool learn) {
        steps_.grow(lexicon_->size());
        const Rows one = example_.rows();
        std::visit([&](const auto& rows) { prepare::collect(rows, 0, scratch_, row_); }, one);
        return learn ? learned_row() : prepare::all_finite(steps_.map(row_, names_));
    }
    const prepare::Cells& learned_row() {
        const prepare::Cells& made = steps_.learn(row_, names_);
        try {
            return prepare::all_finite(made);
        } catch (...) {
            steps_.undo();
            throw;
        }
    }

    Lock lock_;
    std::optional<RecipeColumns> by_recipe_;
    std::shared_ptr<Lexicon> lexicon_;
    prepare::Names names_;
    ExampleReader example_;
    prepare::Steps fresh_, steps_;
    Scratch scratch_;
    prepare::Cells row_;
};

}  // namespace

void bind_preparer(nb::module_& m) {
    nb::class_<Preparer>(m, "Preparer", "Steps that prepare rows, without a learner.")
        .def(nb::init<nb::list, nb::pointer_and_handle<Lexicon>, nb::dict>(), "steps"_a,
             "lexicon"_a.none() = nb::none(), "recipe"_a = nb::dict())
        .def("grow", &Preparer::grow, "features"_a)
        .def_prop_ro("features", &Preparer::features)
        .def_prop_ro("outputs", &Preparer::outputs)
        .def("names", &Preparer::names, nb::sig("def names(self) -> list[str]"))
        .def("set_names", &Preparer::set_names, "names"_a)
        .def("ids", &Preparer::ids, "names"_a)
        .def("meet_all", &Preparer::meet_all)
        .def("learn", &Preparer::learn, "x"_a)
        .def("transform", &Preparer::transform, "x"_a,
             nb::sig("def transform(self, x: object) -> tuple[typing.Any, typing.Any, typing.Any]"))
        .def("transform_examples", &Preparer::transform_examples, "examples"_a, "learn"_a,
             nb::sig("def transform_examples(self, examples: list[typing.Any], learn: bool) -> "
                     "tuple[typing.Any, typing.Any, typing.Any]"))
        .def("learn_one", &Preparer::learn_one, "x"_a)
        .def("transform_one", &Preparer::transform_one, "x"_a,
             nb::sig("def transform_one(self, x: object) -> dict[str, float]"))
        .def("state", &Preparer::state, nb::sig("def state(self) -> dict[str, typing.Any]"))
        .def("set_state", &Preparer::set_state, "state"_a);
}

}  // namespace thresher::bindings
