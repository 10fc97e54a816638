// The core's own exp, log, … for arrays: the same bits on every processor, also where Python needs them.
#include "core/elementary.hpp"

#include <nanobind/stl/string.h>

#include <map>
#include <string>

#include "arrays.hpp"
#include "module.hpp"

using namespace nb::literals;

namespace thresher::bindings {

namespace {

using Function = double (*)(double);

nb::ndarray<nb::numpy, double> applied(const std::string& name, const Array1<double>& x) {
    static const std::map<std::string, Function> functions{
        {"exp", fixed::exp},   {"log", fixed::log}, {"log1p", fixed::log1p},
        {"tanh", fixed::tanh}, {"sin", fixed::sin}, {"cos", fixed::cos},
    };
    const auto found = functions.find(name);
    if (found == functions.end()) throw nb::value_error("no such function");
    const double* from = numbers_of(x);
    auto out = std::make_unique<double[]>(x.shape(0));
    for (std::size_t i = 0; i < x.shape(0); ++i) out[i] = found->second(from[i]);
    return owned(std::move(out), {x.shape(0)});
}

}  // namespace

void bind_elementary(nb::module_& m) {
    m.def(
        "elementary", &applied, "name"_a, "x"_a,
        nb::sig("def elementary(name: str, x: numpy.typing.NDArray[numpy.float64]) -> "
                "numpy.typing.NDArray[numpy.float64]"),
        "exp, log, log1p, tanh, sin or cos of each number, with the same bits on every processor.");
    m.def("power", &fixed::pow, "x"_a, "y"_a,
          "x^y for x ≥ 0, with the same bits on every processor.");
}

}  // namespace thresher::bindings
