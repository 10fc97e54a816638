#include "arrays.hpp"

#include <algorithm>

namespace thresher::bindings {

namespace {

/// Column numbers of 32 or 64 bits.
struct Indices {
    const std::int32_t* narrow = nullptr;
    const std::int64_t* wide = nullptr;
    std::size_t count = 0;

    explicit Indices(nb::handle x) {
        if (Array1<std::int64_t> w; nb::try_cast(x, w, false)) {
            wide = numbers_of(w);
            count = w.shape(0);
        } else {
            const auto n = nb::cast<Array1<std::int32_t>>(x);
            narrow = numbers_of(n);
            count = n.shape(0);
        }
    }
};

template <class Values>
SparseRows<Values> sparse_rows(const Array1<std::int64_t>& start, const Indices& index,
                               Values value, std::size_t cols) {
    return {numbers_of(start), index.narrow, value, start.shape(0) - 1, cols,
            index.count,       index.wide};
}

}  // namespace

ArrayRows array_rows(nb::handle x) {
    ArrayRows batch;
    if (nb::isinstance<nb::tuple>(x)) {
        nb::tuple parts = nb::borrow<nb::tuple>(x);
        if (parts.size() != 4) throw nb::value_error("expected four parts");
        const auto start = nb::cast<Array1<std::int64_t>>(parts[0]);
        const Indices index(parts[1]);
        if (start.shape(0) == 0) throw nb::value_error("row starts are empty");
        batch.cols = nb::cast<std::size_t>(parts[3]);
        if (parts[2].is_none()) {
            batch.rows = sparse_rows(start, index, loops::Ones{}, batch.cols);
        } else if (Array1<float> f; nb::try_cast(parts[2], f, false)) {
            if (f.shape(0) != index.count) throw nb::value_error("values and indices differ");
            batch.rows = sparse_rows(start, index, numbers_of(f), batch.cols);
        } else {
            const auto d = nb::cast<Array1<double>>(parts[2]);
            if (d.shape(0) != index.count) throw nb::value_error("values and indices differ");
            batch.rows = sparse_rows(start, index, numbers_of(d), batch.cols);
        }
        batch.keep.push_back(std::move(parts));
        batch.size = start.shape(0) - 1;
        batch.block = 16384;
    } else {
        if (Array2<float> f; nb::try_cast(x, f, false)) {
            batch.cols = f.shape(1);
            batch.size = f.shape(0);
            batch.rows = DenseRows<float>{numbers_of(f), batch.size, batch.cols};
        } else {
            const auto d = nb::cast<Array2<double>>(x);
            batch.cols = d.shape(1);
            batch.size = d.shape(0);
            batch.rows = DenseRows<double>{numbers_of(d), batch.size, batch.cols};
        }
        batch.keep.push_back(nb::borrow(x));
        batch.block = std::max<std::size_t>(1, (std::size_t{1} << 21) / (batch.cols + 1));
    }
    return batch;
}

}  // namespace thresher::bindings
