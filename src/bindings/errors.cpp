#include "errors.hpp"

#include <nanobind/stl/string.h>

#include <cmath>

#include "names.hpp"

namespace thresher::bindings {

void raise(const char* type, const std::string& message) {
    nb::object error = nb::module_::import_("thresher.errors").attr(type);
    PyErr_SetObject(error.ptr(), nb::cast(message).ptr());
    throw nb::python_error();
}

std::string shown(nb::handle h) { return nb::cast<std::string>(nb::repr(h)); }

std::string type_name_of(nb::handle h) {
    return nb::cast<std::string>(nb::handle(h.type()).attr("__name__"));
}

namespace {

std::string number(double v) {
    if (std::isnan(v)) return "NaN";
    return shown(nb::float_(v));
}

}  // namespace

void raise_fault(const Fault& fault, std::string where, const Vocabulary& names) {
    if (fault.feature >= 0 && fault.kind != Fault::Kind::bad_index) {
        const auto i = static_cast<std::size_t>(fault.feature);
        where += "feature " + shown(name_of(names, i)) + ": ";
    }
    const std::string found = "found " + number(fault.value);
    switch (fault.kind) {
        case Fault::Kind::not_finite:
            raise("InvalidInput", where + found +
                                      "; expected a finite number (no NaN, no inf). Drop or "
                                      "impute such values first.");
        case Fault::Kind::outside_unit:
            raise("InvalidInput",
                  where + found + (fault.value < 0 ? " (Negative values in data)" : "") +
                      "; Winnow takes values in [0, 1]. Scale or binarise the data, pass "
                      "clip=True, or use BalancedWinnow, which takes any real value.");
        case Fault::Kind::negative:
            raise("InvalidInput", where + found +
                                      " (Negative values in data passed to NaiveBayes); it takes "
                                      "counts, 0 or more. Use kind='bernoulli', which looks at "
                                      "whether a value is above 0.");
        case Fault::Kind::bad_index:
            raise("InvalidInput", where + "column number " + std::to_string(fault.feature) +
                                      " does not exist in this matrix.");
        case Fault::Kind::bad_row_bounds:
            raise("InvalidInput", where +
                                      "the row pointers of the sparse matrix do not fit "
                                      "its arrays.");
        case Fault::Kind::overflow:
            raise("InvalidInput", where +
                                      "the score or the norm overflows a double (inf): "
                                      "values this large need scaling.");
        case Fault::Kind::unkept:
            raise("InvalidInput",
                  where + (fault.feature < 0 ? "found an example" : found) +
                      (fault.weight == 1.0 ? "" : " with sample_weight " + number(fault.weight)) +
                      "; learning from it would make " + fault.what_grows +
                      " too large to be kept (beyond 1e300). Scale the values or the weights down. "
                      "Nothing of this example was learned.");
        case Fault::Kind::bad_step:
            raise("InvalidInput", where + "the update rule returned " + number(fault.value) +
                                      "; expected a finite step.");
        case Fault::Kind::diverged:
            raise("DivergenceError",
                  where + "the weights diverge: the residual grew to " + number(fault.value) +
                      ". The weights before this example are kept. Use a smaller learning rate "
                      "(lms_stability(X).eta_max is the largest stable one), "
                      "learning_rate='auto', or normalized=True.");
        case Fault::Kind::bad_target:
            raise("InvalidInput", where + "target y is " + number(fault.value) +
                                      "; expected a finite number (no NaN, no inf).");
        case Fault::Kind::bad_weight:
            raise("InvalidInput", where + "sample_weight is " + number(fault.value) +
                                      "; expected a finite number ≥ 0.");
        case Fault::Kind::below_zero:
            raise("InvalidInput", where + found +
                                      " (Negative values in data); Winnow takes values in [0, 1], "
                                      "and maxabs or unit bring only values of 0 or more there. "
                                      "Use prepare='minmax', or BalancedWinnow.");
        case Fault::Kind::many_products:
            raise("InvalidInput",
                  where + std::to_string(std::llround(fault.value)) +
                      " features have more than 10,000,000 products of this degree. Use a smaller "
                      "degree, fewer features, or fourier(1000), whose size you choose.");
        case Fault::Kind::cap_too_small:
            raise("InvalidInput", where + "max_links=" + std::to_string(std::llround(fault.value)) +
                                      " is too small: there is a class more than that, and each "
                                      "needs one link at least. Use a larger max_links, or None.");
        case Fault::Kind::too_wide:
            raise("InvalidInput", where + std::to_string(std::llround(fault.value)) +
                                      " features; expected at most 10,000, for this learner keeps "
                                      "a number for each pair of them. Use LMS for numbers or "
                                      "LogisticRegression for labels, which keep one for each, or "
                                      "read files with max_features=10000.");
    }
    throw nb::value_error("unknown fault");
}

}  // namespace thresher::bindings
