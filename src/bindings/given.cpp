#include "given.hpp"

#include <cmath>

#include "core/parse/number.hpp"
#include "errors.hpp"
#include "names.hpp"
#include "values.hpp"

namespace thresher::bindings {

namespace {

/// An instance of a class that was, or might have been, written in Python.
bool is_made_in_python(PyObject* o) {
    return (PyType_GetFlags(Py_TYPE(o)) & Py_TPFLAGS_HEAPTYPE) != 0;
}

bool is_names(nb::handle x) {
    return PyList_Check(x.ptr()) || PyTuple_Check(x.ptr()) || PyAnySet_Check(x.ptr());
}

nb::list list_of(nb::handle x) {
    nb::object list = nb::steal(PySequence_List(x.ptr()));
    if (!list.is_valid()) throw nb::python_error();
    return nb::borrow<nb::list>(list);
}

/// The (key, value) pairs of a dict, or of what can be converted to one; no list if neither.
nb::object pairs_of(nb::handle x) {
    if (PyDict_Check(x.ptr())) return nb::steal(PyDict_Items(x.ptr()));
    if (!nb::hasattr(x, "items") || !nb::hasattr(x, "keys")) return {};
    return nb::steal(PyDict_Items(nb::module_::import_("builtins").attr("dict")(x).ptr()));
}

nb::object plain_key(nb::handle key) {
    if (is_plain_key(key.ptr())) return nb::borrow(key);
    if (!is_whole(key)) return text(spelled(key));  // raises, unless it is a tuple of words
    nb::object number = nb::steal(PyNumber_Index(key.ptr()));
    if (!number.is_valid()) throw nb::python_error();
    return nb::int_(number);
}

nb::object plain_value(nb::handle key, nb::handle value) {
    if (is_plain_value(value.ptr())) return nb::borrow(value);
    return nb::float_(number_of(key, value));
}

[[noreturn]] void refuse_example(nb::handle x) {
    raise("InvalidInput",
          "an example is a dict of named features, or a list or set of names; found " +
              type_name_of(x) +
              (PyUnicode_Check(x.ptr()) ? " (split the text into words first)." : "."));
}

/// As in a table: None, NaN, and pandas' NaT, which is no date.
bool is_absent(nb::handle value) {
    if (value.is_none()) return true;
    if (PyFloat_Check(value.ptr())) return std::isnan(PyFloat_AsDouble(value.ptr()));
    return is_made_in_python(value.ptr()) ? false : type_name_of(value) == "NaTType";
}

std::string string_of(nb::handle text) { return std::string(text_of(text)); }

std::vector<std::string> strings_of(nb::handle names) {
    std::vector<std::string> out;
    for (nb::handle name : list_of(names)) out.push_back(spelled(name));
    return out;
}

}  // namespace

bool is_plain_key(PyObject* key) {
    return PyUnicode_Check(key) || PyLong_CheckExact(key) || !is_made_in_python(key);
}

bool is_plain_value(PyObject* value) {
    return !value || PyFloat_Check(value) || PyUnicode_Check(value) || !is_made_in_python(value);
}

double number_of(nb::handle key, nb::handle value) {
    const double v = PyFloat_AsDouble(value.ptr());
    if (v != -1.0 || !PyErr_Occurred()) return v;
    const bool too_large = PyErr_ExceptionMatches(PyExc_OverflowError);
    if (!too_large && !PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
    PyErr_Clear();
    if (too_large) return HUGE_VAL;  // an integer, perhaps too long even to print
    raise_about(key, "found " + shown(value) + " of type " + type_name_of(value),
                "a number, a boolean, a string or None");
}

JsonText::JsonText(nb::bytes json) : text(json.c_str(), json.size()), size(json.size()) {
    text.append(parse::slack, '\n');
}

/// An instance is immutable, and the caller keeps it.
bool Given::is_json() {
    if (nb::isinstance<JsonText>(x_) && nb::inst_ready(x_)) json_ = nb::inst_ptr<JsonText>(x_);
    return is_plain_ = json_ != nullptr;
}

void Given::make_plain() {
    if (is_json()) return;
    items_.clear();
    may_repeat_ = PyList_Check(x_.ptr()) || PyTuple_Check(x_.ptr());
    if (is_names(x_)) {
        for (nb::handle name : list_of(x_)) items_.emplace_back(plain_key(name), nb::object());
    } else if (const nb::object pairs = pairs_of(x_); pairs.is_valid()) {
        for (nb::handle pair : nb::borrow<nb::list>(pairs)) {
            const nb::object key = pair[0], value = pair[1];
            items_.emplace_back(plain_key(key), plain_value(key, value));
        }
    } else {
        refuse_example(x_);
    }
    is_plain_ = true;
}

void Given::make_plain(const RecipeColumns& columns) {
    if (is_json()) return;
    recipe_items_.clear();
    const auto add = [&](const std::string& key, nb::handle value) {
        RecipeItem item{key, key + "=", 0.0};
        if (PyUnicode_Check(value.ptr())) {
            item.value = string_of(value);
        } else if (is_names(value)) {
            item.value = strings_of(value);
        } else if (is_absent(value)) {
            item.value = Absent{};
        } else if (columns.date.contains(key)) {
            item.value = from_python<std::string>(nb::str(value));
        } else if (columns.categorical.contains(key) && !PyBool_Check(value.ptr())) {
            item.value = from_python<std::string>(nb::str(value));
        } else {
            const double v = number_of(text(key), value);
            if (!std::isfinite(v))
                raise_fault(Fault(Fault::Kind::not_finite, -1, v), single, text(key));
            item.value = v;
        }
        recipe_items_.push_back(std::move(item));
    };
    if (is_names(x_)) {
        recipe_items_.push_back({"", "", strings_of(x_)});
    } else if (const nb::object pairs = pairs_of(x_); pairs.is_valid()) {
        for (nb::handle pair : nb::borrow<nb::list>(pairs)) {
            const nb::object key = pair[0], value = pair[1];
            const std::string name = spelled(key);
            if (!columns.ignore.contains(name)) add(name, value);
        }
    } else {
        refuse_example(x_);
    }
    is_plain_ = true;
}

}  // namespace thresher::bindings
