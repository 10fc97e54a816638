// Sequences of examples with named features, and the structured perceptron that tags them.
#include "core/sequence.hpp"

#include <nanobind/ndarray.h>

#include <memory>

#include "arrays.hpp"
#include "example_reader.hpp"
#include "hold.hpp"
#include "module.hpp"
#include "names.hpp"
#include "state_bytes.hpp"
#include "values.hpp"

using namespace nb::literals;

namespace thresher::bindings {

namespace {

class Sequences {
public:
    explicit Sequences(bool average)
        : average_(average), model_(average), example_(lexicon_, parse::Wishes{}, nb::dict()) {}

    std::size_t tags() {
        const Hold hold(lock_, For::reading);
        return model_.tags();
    }
    std::size_t features() {
        const Hold hold(lock_, For::reading);
        return model_.features();
    }
    void add_tag() {
        const Hold hold(lock_, For::changing);
        model_.add_tag();
    }

    /// A sequence that cannot be used leaves nothing, not even its names.
    bool learn(nb::handle sequence, ListOf<std::uint32_t> of_positions) {
        const auto tags = from_python<std::vector<std::uint32_t>>(of_positions);
        bool right = false;
        with_sequence(sequence, For::changing, [&] {
            if (tags.size() != start_.size() - 1)
                raise("InvalidInput", std::to_string(start_.size() - 1) + " positions have " +
                                          std::to_string(tags.size()) +
                                          " tags; expected a tag for each position.");
            model_.grow(lexicon_.size());
            right = model_.learn(positions(), tags);
        });
        return right;
    }

    nb::typed<nb::list, std::uint32_t> predict(nb::handle sequence) {
        std::vector<std::uint32_t> out;
        with_sequence(sequence, For::reading, [&] { model_.predict(positions(), out); });
        return list_of(out);
    }

    nb::list names() {
        const Hold hold(lock_, For::reading);
        nb::list out;
        for (std::size_t i = 0; i < model_.features(); ++i)
            out.append(name_of(lexicon_.names(), i));
        return out;
    }
    nb::ndarray<nb::numpy, double> words() {
        const Hold hold(lock_, For::reading);
        return table(model_.features(),
                     [&](std::size_t i, std::size_t k) { return model_.word(i, k); });
    }
    nb::ndarray<nb::numpy, double> pairs() {
        const Hold hold(lock_, For::reading);
        return table(model_.tags() + 1,
                     [&](std::size_t i, std::size_t k) { return model_.pair(i, k); });
    }
    nb::dict counters() {
        const Hold hold(lock_, For::reading);
        nb::dict out;
        out["sequences"] = model_.sequences();
        out["tokens"] = model_.tokens();
        out["mistakes"] = model_.mistakes();
        out["token_mistakes"] = model_.token_mistakes();
        return out;
    }

    nb::dict state() {
        const Hold hold(lock_, For::reading);
        nb::dict out = saved(model_, "this model");
        put_names(out, lexicon_.names(), model_.features());
        return out;
    }
    void set_state(nb::dict from) {
        const Hold hold(lock_, For::changing);
        Vocabulary names = names_from(from);
        SequenceModel loaded(average_);
        restore(loaded, from);
        if (names.size() != loaded.features())
            raise("ModelFileError", "the feature names do not fit the weights");
        model_ = std::move(loaded);
        lexicon_.replace_names(std::move(names));
        example_.forget_names();
    }

private:
    /// f() while the model is held, the sequence read. User code runs before.
    template <class F>
    void with_sequence(nb::handle sequence, For what, F f) {
        if (nb::isinstance<nb::str>(sequence) || nb::isinstance<nb::dict>(sequence))
            raise("InvalidInput", "found " + shown(sequence) +
                                      " as a sequence; expected a list of examples, each a dict, a "
                                      "list or a set of names.");
        const nb::list all(nb::borrow<nb::iterable>(sequence));
        std::vector<Given> given;
        for (nb::handle x : all) given.emplace_back(x);
        for (;;) {
            Given* not_plain = nullptr;
            {
                const Hold hold(lock_, what);
                const std::size_t names = lexicon_.size(), features = model_.features();
                try {
                    not_plain = read(given, what == For::changing);
                    if (!not_plain) return f();
                    take_back(names, features);
                } catch (const Fault& fault) {
                    model_.shrink(features);
                    try {
                        raise_fault(fault, single, lexicon_.names());
                    } catch (...) {
                        take_back(names, features);
                        throw;
                    }
                } catch (...) {
                    take_back(names, features);
                    throw;
                }
            }
            not_plain->make_plain();
        }
    }
    /// Null, or an example that has to be made plain first.
    Given* read(std::vector<Given>& given, bool learning) {
        start_.assign(1, 0);
        index_.clear();
        value_.clear();
        for (Given& x : given) {
            if (!example_.read(x, learning, 0)) return &x;
            for (std::size_t j = 0; j < example_.size(); ++j) {
                index_.push_back(static_cast<std::int32_t>(example_.feature(j)));
                value_.push_back(example_.value(j));
            }
            start_.push_back(index_.size());
        }
        return nullptr;
    }
    Positions positions() const { return {start_, index_, value_}; }

    void take_back(std::size_t names, std::size_t features) {
        model_.shrink(features);
        lexicon_.shrink(names);
        example_.forget_names();
    }

    template <class Cell>
    nb::ndarray<nb::numpy, double> table(std::size_t rows, Cell cell) {
        const std::size_t k = model_.tags();
        auto out = std::make_unique<double[]>(rows * k);
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < k; ++j) out[i * k + j] = cell(i, j);
        return owned(std::move(out), {rows, k});
    }

    Lock lock_;
    bool average_;
    Lexicon lexicon_;
    SequenceModel model_;
    ExampleReader example_;
    std::vector<std::size_t> start_;
    std::vector<std::int32_t> index_;
    std::vector<double> value_;
};

}  // namespace

void bind_sequence(nb::module_& m) {
    nb::class_<Sequences>(m, "Sequences", "A structured perceptron and the names of its features.")
        .def(nb::init<bool>(), "average"_a)
        .def_prop_ro("tags", &Sequences::tags)
        .def_prop_ro("features", &Sequences::features)
        .def("add_tag", &Sequences::add_tag)
        .def("learn", &Sequences::learn, "sequence"_a, "tags"_a)
        .def("predict", &Sequences::predict, "sequence"_a)
        .def("names", &Sequences::names, nb::sig("def names(self) -> list[str]"))
        .def("words", &Sequences::words,
             nb::sig("def words(self) -> numpy.typing.NDArray[numpy.float64]"))
        .def("pairs", &Sequences::pairs,
             nb::sig("def pairs(self) -> numpy.typing.NDArray[numpy.float64]"))
        .def("counters", &Sequences::counters, nb::sig("def counters(self) -> dict[str, int]"))
        .def("state", &Sequences::state, nb::sig("def state(self) -> dict[str, typing.Any]"))
        .def("set_state", &Sequences::set_state, "state"_a);
}

}  // namespace thresher::bindings
