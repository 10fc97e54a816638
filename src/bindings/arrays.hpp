// NumPy arrays as rows of a batch, with their labels and weights.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/learner.hpp"

namespace nb = nanobind;

namespace thresher::bindings {

template <class T>
using Array1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// The numbers of an array, which must be aligned.
template <class Array>
auto numbers_of(const Array& a) {
    const auto* p = a.data();
    if (reinterpret_cast<std::uintptr_t>(p) % alignof(decltype(*p)) != 0)
        throw nb::value_error("the array is not aligned");
    return p;
}

/// Rows of a batch, and the arrays they are views of.
struct ArrayRows {
    std::vector<nb::object> keep;
    std::optional<Rows> rows;
    std::size_t size = 0, cols = 0, block = 1;
};

/// A dense array, or a tuple (row starts, column numbers, values or None, number of columns).
ArrayRows array_rows(nb::handle x);

template <class T>
const T* data_or_null(const nb::object& o, std::size_t size, std::optional<Array1<T>>& keep) {
    if (o.is_none()) return nullptr;
    keep = nb::cast<Array1<T>>(o);
    if (keep->shape(0) != size) throw nb::value_error("arrays of different lengths");
    return numbers_of(*keep);
}

/// Labels or targets, weights and the order of the rows of a batch. Where rows have sets of labels, those of
/// row i are codes[starts[i]] to codes[starts[i + 1] − 1].
struct LessonArrays {
    LessonArrays(std::size_t size, const nb::object& codes, const nb::object& targets,
                 const nb::object& weights, const nb::object& order = nb::none(),
                 const nb::object& starts = nb::none())
        : rows(order.is_none() ? size : nb::cast<Array1<std::int64_t>>(order).shape(0)),
          labels(starts.is_none() ? size : nb::cast<Array1<std::int32_t>>(codes).shape(0)) {
        lesson.codes = data_or_null(codes, labels, codes_);
        lesson.targets = data_or_null(targets, size, targets_);
        lesson.weights = data_or_null(weights, size, weights_);
        lesson.order = data_or_null(order, rows, order_);
        lesson.starts = data_or_null(starts, size + 1, starts_);
        if (!lesson.codes && !lesson.targets) throw nb::value_error("neither labels nor targets");
        if (lesson.starts) check_sets(size);
    }

    Lesson lesson;
    std::size_t rows, labels;  // how many are learned, and have codes

private:
    void check_sets(std::size_t size) const {
        if (lesson.starts[0] != 0 || lesson.starts[size] != static_cast<std::int64_t>(labels) ||
            !std::is_sorted(lesson.starts, lesson.starts + size + 1))
            throw nb::value_error("the labels of the rows do not fit together");
        for (std::size_t i = 0; lesson.order && i < rows; ++i)
            if (lesson.order[i] < 0 || static_cast<std::size_t>(lesson.order[i]) >= size)
                throw nb::index_error("no such row");
    }

    std::optional<Array1<std::int32_t>> codes_;
    std::optional<Array1<double>> targets_, weights_;
    std::optional<Array1<std::int64_t>> order_, starts_;
};

/// Numbers that Python owns from here on.
template <class T>
nb::ndarray<nb::numpy, T> owned(std::unique_ptr<T[]> data,
                                std::initializer_list<std::size_t> shape) {
    T* p = data.release();
    nb::capsule owner(p, [](void* q) noexcept { delete[] static_cast<T*>(q); });
    return nb::ndarray<nb::numpy, T>(p, shape, owner);
}

/// A copy of numbers, which Python owns.
template <class Numbers>
auto array_of(const Numbers& from) {
    using T = std::remove_cvref_t<decltype(from[0])>;
    auto copy = std::make_unique<T[]>(from.size());
    std::copy(from.data(), from.data() + from.size(), copy.get());
    return owned(std::move(copy), {from.size()});
}

}  // namespace thresher::bindings
