// What the mix of several models needs of the core: the union of their names, and sums of second moments.
#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "core/moments/triangle.hpp"
#include "core/vocabulary.hpp"
#include "errors.hpp"
#include "module.hpp"
#include "state_bytes.hpp"

using namespace nb::literals;

namespace thresher::bindings {

namespace {

/// Names of several models, numbered as one machine would that reads them one after the other.
class NameUnion {
public:
    std::size_t size() const { return names_.size(); }

    /// The number of each name of a model, the names as its state holds them.
    nb::ndarray<nb::numpy, std::int64_t> add(const nb::bytes& text, const nb::bytes& name_ends) {
        const auto ends = numbers_from<std::uint64_t>(name_ends, "name_ends");
        auto out = std::make_unique<std::int64_t[]>(ends.size());
        each_name(text, ends, names_, [&](std::size_t i, std::string_view name, std::uint64_t h) {
            out[i] = names_.find_or_add(name, h);
        });
        return owned(std::move(out), {ends.size()});
    }

    nb::dict names() const {
        nb::dict out;
        put_names(out, names_, names_.size());
        return out;
    }

private:
    Vocabulary names_;
};

/// Adds the rows of another triangle, the columns of which have these places here.
void stack(Triangle& to, const nb::bytes& cells, const Array1<std::int64_t>& places) {
    const auto from = numbers_from<double>(cells, "cells");
    const std::size_t n = places.shape(0);
    const std::int64_t* at = numbers_of(places);
    if (from.size() != n * (n + 1) / 2)
        raise("ModelFileError", "the second moments do not fit their columns");
    for (std::size_t j = 0; j < n; ++j)
        if (at[j] < 0 || static_cast<std::size_t>(at[j]) >= to.columns())
            throw nb::index_error("no such column");
    std::vector<double> row(to.columns(), 0.0);
    const double* cell = from.data();
    for (std::size_t i = 0; i < n; ++i) {
        std::fill(row.begin(), row.end(), 0.0);
        for (std::size_t j = 0; j <= i; ++j) row[static_cast<std::size_t>(at[j])] = *cell++;
        to.add(row.data());
    }
}

void add_row(Triangle& to, const Array1<double>& x) {
    if (x.shape(0) != to.columns()) throw nb::value_error("a row of another length");
    std::vector<double> row(numbers_of(x), numbers_of(x) + x.shape(0));
    to.add(row.data());
}

nb::tuple triangle_state(const Triangle& triangle) {
    std::vector<double> sizes(triangle.columns());
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = triangle.size(i);
    return nb::make_tuple(bytes_of(triangle.cells().data(), triangle.cells().size()),
                          bytes_of(sizes.data(), sizes.size()));
}

}  // namespace

void bind_mixing(nb::module_& m) {
    nb::class_<NameUnion>(m, "NameUnion", "Names of several models, numbered one after the other.")
        .def(nb::init<>())
        .def("__len__", &NameUnion::size)
        .def("add", &NameUnion::add, "names"_a, "name_ends"_a,
             nb::sig("def add(self, names: bytes, name_ends: bytes) -> "
                     "numpy.typing.NDArray[numpy.int64]"))
        .def("names", &NameUnion::names, nb::sig("def names(self) -> dict[str, bytes]"));
    nb::class_<Triangle>(m, "Triangle", "Second moments of rows: L with LᵀL = Σ x·xᵀ.")
        .def(
            "__init__",
            [](Triangle* self, std::size_t columns) {
                if (columns > Triangle::most + 1) throw nb::value_error("too many columns");
                new (self) Triangle();
                self->grow(columns, 0.0);
            },
            "columns"_a)
        .def("stack", &stack, "cells"_a, "places"_a,
             nb::sig("def stack(self, cells: bytes, places: numpy.typing.NDArray[numpy.int64]) -> "
                     "None"))
        .def("add", &add_row, "x"_a,
             nb::sig("def add(self, x: numpy.typing.NDArray[numpy.float64]) -> None"))
        .def("state", &triangle_state, nb::sig("def state(self) -> tuple[bytes, bytes]"));
}

}  // namespace thresher::bindings
