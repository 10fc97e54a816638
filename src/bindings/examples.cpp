// Names to numbers: the lexicon, and the examples of a batch as a model reads them.
#include "core/examples.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "module.hpp"

using namespace nb::literals;

namespace thresher::bindings {

namespace {

std::shared_ptr<Examples> resolve(Lexicon& lexicon, const parse::Batch& batch,
                                  const std::vector<std::int32_t>& codes, bool learning) {
    auto out = std::make_shared<Examples>();
    nb::gil_scoped_release release;
    static thread_local Resolver resolver;
    resolver.resolve(batch, codes, lexicon, learning, *out);
    return out;
}

}  // namespace

void bind_examples(nb::module_& m) {
    nb::class_<Lexicon>(m, "Lexicon", "Names of features and their numbers.")
        .def(
            "__init__",
            [](Lexicon* self, unsigned hash_bits, unsigned min_count) {
                new (self) Lexicon({hash_bits, min_count});
            },
            "hash_bits"_a = 0, "min_count"_a = 1)
        .def("__len__", &Lexicon::size)
        .def_prop_ro("memory", &Lexicon::bytes)
        .def_prop_ro("hash_bits", [](const Lexicon& x) { return x.options().hash_bits; })
        .def_prop_ro("min_count", [](const Lexicon& x) { return x.options().min_count; })
        .def("resolve", &resolve, "batch"_a, "codes"_a, "learning"_a,
             "The examples of a batch, the label texts of which have these codes.");
    nb::class_<Examples>(m, "Examples", "Examples whose features have their final numbers.")
        .def(nb::init<>())
        .def("__len__", &Examples::size)
        .def(
            "append",
            [](Examples& self, const Examples& from, std::size_t begin, std::size_t end) {
                if (begin > end || end > from.size()) throw nb::index_error("no such rows");
                self.append(from, begin, end);
            },
            "examples"_a, "begin"_a, "end"_a);
    nb::class_<Score>(m, "Score", "How examples were predicted before they were learned.")
        .def_rw("examples", &Score::examples)
        .def_rw("weight", &Score::weight)
        .def_rw("loss", &Score::loss);
    nb::class_<Progress>(m, "Progress", "Progressive validation: predict, then learn.")
        .def(nb::init<>())
        .def_ro("learned", &Progress::learned)
        .def_ro("held_out", &Progress::held_out)
        .def_rw("unlabelled", &Progress::unlabelled)
        .def_rw("hold_out_every", &Progress::hold_out_every)
        .def_rw("position", &Progress::position);
}

}  // namespace thresher::bindings
