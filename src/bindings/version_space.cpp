// Version spaces of boolean concepts for Python: an example is a row of bytes 0 or 1; the column of an
// example for a listed class is a row of 64-bit words.
#include "core/boolean/version_space.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "arrays.hpp"
#include "module.hpp"
#include "reading.hpp"

using namespace nb::literals;

namespace thresher::bindings {

namespace {

using namespace boolean;

ConceptValues columns_of(const nb::dict& shape) {
    const auto kind = from_python<std::string>(nb::object(shape["kind"]));
    if (kind == "listed") return ConceptValues(nb::cast<std::uint64_t>(shape["size"]));
    using Kind = ConceptClass::Kind;
    ConceptClass::Shape s{};
    constexpr std::pair<std::string_view, Kind> kinds[] = {{"subsets", Kind::subsets},
                                                           {"parities", Kind::parities},
                                                           {"signs", Kind::signs},
                                                           {"choices", Kind::choices}};
    const auto* const found =
        std::ranges::find(kinds, kind, &std::pair<std::string_view, Kind>::first);
    if (found == std::end(kinds)) throw nb::value_error(("no kind of class " + kind).c_str());
    s.kind = found->second;
    s.n = nb::cast<std::uint64_t>(shape["n"]);
    s.k = value_of<std::uint64_t>(shape, "k", 0);
    s.least = value_of<std::uint64_t>(shape, "least", 1);
    s.most = value_of<std::uint64_t>(shape, "most", 1);
    s.negated = value_of(shape, "negated", false);
    s.all_sizes = value_of(shape, "all_sizes", false);
    s.dual = value_of(shape, "dual", false);
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
        .def("alive", [](const VersionSpace& self) { return array_of(self.alive()); })
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
            [](Tally& self, const nb::object& x) {
                return array_of(self.votes(column_of(self, x)));
            },
            "x"_a)
        .def(
            "learn",
            [](Tally& self, const nb::object& x, bool value) {
                return self.learn(column_of(self, x), value);
            },
            "x"_a, "value"_a)
        .def("mistakes", [](const Tally& self) { return array_of(self.mistakes()); })
        .def(
            "set_mistakes",
            [](Tally& self, const Array1<std::uint32_t>& counts) {
                self.set_mistakes(numbers_of(counts), counts.shape(0));
            },
            "counts"_a.noconvert());
}

}  // namespace thresher::bindings
