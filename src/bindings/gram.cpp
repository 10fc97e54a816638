// Kernel values between sparse rows, for the kernel perceptrons.
#include "core/gram.hpp"

#include <string>

#include "arrays.hpp"
#include "module.hpp"
#include "values.hpp"

using namespace nb::literals;

namespace thresher::bindings {

namespace {

gram::Sparse sparse_of(const nb::tuple& rows) {
    if (rows.size() != 4) throw nb::value_error("expected four parts");
    const auto starts = nb::cast<Array1<std::int64_t>>(rows[0]);
    const auto index = nb::cast<Array1<std::int32_t>>(rows[1]);
    const auto values = nb::cast<Array1<double>>(rows[2]);
    if (starts.shape(0) == 0 || index.shape(0) != values.shape(0))
        throw nb::value_error("arrays of different lengths");
    gram::Sparse sparse{numbers_of(starts),  numbers_of(index), numbers_of(values),
                        starts.shape(0) - 1, index.shape(0),    nb::cast<std::size_t>(rows[3])};
    sparse.check();
    return sparse;
}

gram::Kernel kernel_of(const std::string& kind, double gamma, double coef0, std::uint32_t degree) {
    using gram::Kind;
    if (kind == "linear") return {Kind::linear, gamma, coef0, degree};
    if (kind == "polynomial") return {Kind::polynomial, gamma, coef0, degree};
    if (kind == "rbf") return {Kind::rbf, gamma, coef0, degree};
    if (kind == "sigmoid") return {Kind::sigmoid, gamma, coef0, degree};
    throw nb::value_error(("no kernel " + kind).c_str());
}

}  // namespace

void bind_gram(nb::module_& m) {
    m.def(
        "kernel_values",
        [](nb::str kind, double gamma, double coef0, std::uint32_t degree, const nb::tuple& a,
           const nb::tuple& b) {
            const auto kernel = kernel_of(from_python<std::string>(kind), gamma, coef0, degree);
            const auto x = sparse_of(a), z = sparse_of(b);
            auto out = std::make_unique<double[]>(x.rows * z.rows);
            {
                nb::gil_scoped_release release;
                gram::values(kernel, x, z, out.get());
            }
            return owned(std::move(out), {x.rows, z.rows});
        },
        "kind"_a, "gamma"_a, "coef0"_a, "degree"_a, "a"_a, "b"_a,
        "K of each row of a against each row of b; rows are (starts, columns, values, width).");
    m.def(
        "combine",
        [](const Array2<double>& K, const Array1<std::int64_t>& column,
           const Array2<double>& coefficient) {
            const std::size_t supports = column.shape(0), classes = coefficient.shape(1);
            if (coefficient.shape(0) != supports)
                throw nb::value_error("arrays of different lengths");
            const auto* columns = numbers_of(column);
            for (std::size_t j = 0; j < supports; ++j)
                if (columns[j] < 0 || static_cast<std::size_t>(columns[j]) >= K.shape(1))
                    throw nb::value_error("a column that does not exist");
            auto out = std::make_unique<double[]>(K.shape(0) * classes);
            gram::combine(numbers_of(K), K.shape(0), K.shape(1), columns, numbers_of(coefficient),
                          supports, classes, out.get());
            return owned(std::move(out), {K.shape(0), classes});
        },
        "K"_a, "column"_a, "coefficient"_a,
        "Sums over support vectors: some columns of K, times their coefficients.");
}

}  // namespace thresher::bindings
