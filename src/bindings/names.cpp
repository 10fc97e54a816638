#include "names.hpp"

#include <nanobind/stl/string.h>

#include "errors.hpp"

namespace thresher::bindings {

nb::object text(std::string_view s) {
    return nb::steal(
        PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "surrogateescape"));
}

std::string_view text_of(nb::handle name) {
    Py_ssize_t n = 0;
    const char* p = PyUnicode_AsUTF8AndSize(name.ptr(), &n);
    if (!p) {
        PyErr_Clear();
        if (PyUnicode_Check(name.ptr()))
            raise("InvalidInput",
                  "feature name " + nb::cast<std::string>(nb::steal(PyObject_ASCII(name.ptr()))) +
                      " is not valid text (a lone surrogate cannot be written as UTF-8).");
        raise("InvalidInput", "feature names are strings; found " + shown(name) + " of type " +
                                  type_name_of(name) + ".");
    }
    return {p, static_cast<std::size_t>(n)};
}

nb::object name_of(const Vocabulary& names, std::size_t i) {
    if (i < names.size()) return text(names.name(i));
    return nb::cast(std::string("x").append(std::to_string(i)));
}

}  // namespace thresher::bindings
