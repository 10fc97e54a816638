// Version spaces of boolean concepts for Python: an example is a row of bytes 0 or 1; the column of an
// example for a listed class is a row of 64-bit words.
#include "core/boolean/version_space.hpp"

#include <memory>
#include <string>

#include "arrays.hpp"
#include "module.hpp"
#include "values.hpp"

using namespace nb::literals;

namespace thresher::bindings {

namespace {

using namespace boolean;

template <class T>
T entry(const nb::dict& shape, const char* key, T otherwise) {
    return shape.contains(key) ? nb::cast<T>(shape[key]) : otherwise;
}

ConceptValues columns_of(const nb::dict& shape) {
    const auto kind = from_python<std::string>(nb::object(shape["kind"]));
    if (kind == "listed") return ConceptValues(nb::cast<std::uint64_t>(shape["size"]));
    using Kind = ConceptClass::Kind;
    ConceptClass::Shape s{};
    if (kind == "subsets")
        s.kind = Kind::subsets;
    else if (kind == "parities")
        s.kind = Kind::parities;
    else if (kind == "signs")
        s.kind = Kind::signs;
    else if (kind == "choices")
        s.kind = Kind::choices;
    else
        throw nb::value_error(("no kind of class " + kind).c_str());
    s.n = nb::cast<std::uint64_t>(shape["n"]);
    s.k = entry<std::uint64_t>(shape, "k", 0);
    s.least = entry<std::uint64_t>(shape, "least", 1);
    s.most = entry<std::uint64_t>(shape, "most", 1);
    s.negated = entry(shape, "negated", false);
    s.all_sizes = entry(shape, "all_sizes", false);
    s.dual = entry(shape, "dual", false);
    return ConceptValues(ConceptClass(s));
}

/// The column of an example, or the column itself.
template <class Space>
const Word* column_of(Space& space, const nb::object& x) {
    Array1<std::uint8_t> bytes;
    if (nb::try_cast(x, bytes, false)) return space.columns().of(numbers_of(bytes), bytes.shape(0));
    const auto words = nb::cast<Array1<Word>>(x, false);
    return space.columns().given(numbers_of(words), words.shape(0));
}

template <class T>
nb::ndarray<nb::numpy, T> copied(const std::vector<T>& values) {
    auto data = std::make_unique<T[]>(values.size());
    std::copy(values.begin(), values.end(), data.get());
    return owned(std::move(data), {values.size()});
}

}  // namespace

void bind_version_space(nb::module_& m) {
    nb::class_<VersionSpace>(m, "VersionSpace")
        .def(
            "__init__",
            [](VersionSpace* self, const nb::dict& shape) {
                new (self) VersionSpace(columns_of(shape));
            },
            "shape"_a)
        .def_prop_ro("size", &VersionSpace::size)
        .def(
            "vote",
            [](VersionSpace& self, const nb::object& x) { return self.vote(column_of(self, x)); },
            "x"_a)
        .def(
            "keep",
            [](VersionSpace& self, const nb::object& x, bool value) {
                return self.keep(column_of(self, x), value);
            },
            "x"_a, "value"_a)
        .def("select", &VersionSpace::select, "rank"_a)
        .def("alive", [](const VersionSpace& self) { return copied(self.alive()); })
        .def(
            "set_alive",
            [](VersionSpace& self, const Array1<Word>& words) {
                self.set_alive(numbers_of(words), words.shape(0));
            },
            "words"_a.noconvert());

    nb::class_<Tally>(m, "Tally")
        .def(
            "__init__",
            [](Tally* self, const nb::dict& shape) { new (self) Tally(columns_of(shape)); },
            "shape"_a)
        .def_prop_ro("size", &Tally::size)
        .def_prop_ro("lowest", &Tally::lowest)
        .def_prop_ro("best", &Tally::best)
        .def(
            "votes",
            [](Tally& self, const nb::object& x) { return copied(self.votes(column_of(self, x))); },
            "x"_a)
        .def(
            "learn",
            [](Tally& self, const nb::object& x, bool value) {
                return self.learn(column_of(self, x), value);
            },
            "x"_a, "value"_a)
        .def("mistakes", [](const Tally& self) { return copied(self.mistakes()); })
        .def(
            "set_mistakes",
            [](Tally& self, const Array1<std::uint32_t>& counts) {
                self.set_mistakes(numbers_of(counts), counts.shape(0));
            },
            "counts"_a.noconvert());
}

}  // namespace thresher::bindings
