// Sparse matrices by columns, as the core reads them: by rows.
#include "core/by_rows.hpp"

#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "hold.hpp"
#include "module.hpp"

using namespace nb::literals;

namespace thresher::bindings {

namespace {

/// The three arrays, or None if those given do not fit together.
template <class V, class Index, class Values>
nb::object by_rows(const Columns<Index, Values>& from) {
    ByRows<V> to;
    {
        const Apart apart;
        if (!to_rows(from, to)) return nb::none();
    }
    nb::object values = nb::none();
    if (to.value) values = nb::cast(owned(std::move(to.value), {to.nonzeros}));
    return nb::make_tuple(owned(std::move(to.start), {from.rows + 1}),
                          owned(std::move(to.index), {to.nonzeros}), values);
}

template <class Index>
nb::object by_rows(const Array1<std::int64_t>& start, const Array1<Index>& index,
                   const nb::object& values, std::size_t rows) {
    const std::size_t columns = start.shape(0) - 1;
    if (values.is_none())
        return by_rows<double>(Columns<Index, loops::Ones>{
            numbers_of(start), numbers_of(index), {}, rows, columns, index.shape(0)});
    if (Array1<float> f; nb::try_cast(values, f, false)) {
        if (f.shape(0) != index.shape(0)) return nb::none();
        return by_rows<float>(Columns<Index, const float*>{
            numbers_of(start), numbers_of(index), numbers_of(f), rows, columns, index.shape(0)});
    }
    const auto d = nb::cast<Array1<double>>(values);
    if (d.shape(0) != index.shape(0)) return nb::none();
    return by_rows<double>(Columns<Index, const double*>{
        numbers_of(start), numbers_of(index), numbers_of(d), rows, columns, index.shape(0)});
}

}  // namespace

void bind_by_rows(nb::module_& m) {
    m.def(
        "by_rows",
        [](const Array1<std::int64_t>& start, nb::object index, nb::object values,
           std::size_t rows) -> nb::object {
            if (start.shape(0) == 0) return nb::none();
            if (Array1<std::int64_t> wide; nb::try_cast(index, wide, false))
                return by_rows(start, wide, values, rows);
            return by_rows(start, nb::cast<Array1<std::int32_t>>(index), values, rows);
        },
        "start"_a, "index"_a, "values"_a.none(), "rows"_a,
        "A sparse matrix by columns as (row starts, column numbers, values or None); None if its "
        "arrays do not fit together.");
}

}  // namespace thresher::bindings
