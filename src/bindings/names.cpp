#include "names.hpp"

#include "errors.hpp"
#include "values.hpp"

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
                  "feature name " +
                      from_python<std::string>(nb::steal(PyObject_ASCII(name.ptr()))) +
                      " is not valid text (a lone surrogate cannot be written as UTF-8).");
        raise("InvalidInput", "feature names are strings; found " + shown(name) + " of type " +
                                  type_name_of(name) + ".");
    }
    return {p, static_cast<std::size_t>(n)};
}

bool is_whole(nb::handle key) { return PyIndex_Check(key.ptr()) && !PyBool_Check(key.ptr()); }

std::string spelled(nb::handle key) {
    if (is_whole(key)) return from_python<std::string>(nb::str(key));
    const bool is_tuple = PyTuple_Check(key.ptr()) && nb::len(key) > 0;
    if (!is_tuple) return std::string(text_of(key));
    std::string name;
    const char* between = "";
    for (nb::handle word : nb::borrow<nb::tuple>(key)) {
        if (!PyUnicode_Check(word.ptr())) text_of(key);  // raises
        name.append(between).append(text_of(word));
        between = " ";
    }
    return name;
}

nb::object name_of(const Vocabulary& names, std::size_t i) {
    if (i < names.size()) return text(names.name(i));
    std::string unnamed("x");
    unnamed += std::to_string(i);
    return text(unnamed);
}

}  // namespace thresher::bindings
