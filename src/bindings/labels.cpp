// Numeric labels to codes, fast.
#include "arrays.hpp"
#include "core/encode.hpp"
#include "module.hpp"
#include "values.hpp"

using namespace nb::literals;

namespace thresher::bindings {

namespace {

/// Codes of numeric labels, and all labels by code: the known ones, then the new ones.
template <class T>
nb::tuple encoded(const Array1<T>& y, ListOf<T> known) {
    auto labels = from_python<std::vector<T>>(known);
    auto codes = std::make_unique<std::int32_t[]>(y.shape(0));
    encode(numbers_of(y), y.shape(0), labels, codes.get());
    return nb::make_tuple(owned(std::move(codes), {y.shape(0)}), list_of(labels));
}

}  // namespace

void bind_labels(nb::module_& m) {
    m.def("encode", &encoded<std::int64_t>, "y"_a, "known"_a);
    m.def("encode", &encoded<double>, "y"_a, "known"_a);
}

}  // namespace thresher::bindings
