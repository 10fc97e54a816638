#include "example.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "errors.hpp"
#include "names.hpp"

namespace thresher::bindings {

namespace {

/// What Python has just refused to make a double of.
double not_a_double(nb::handle key, nb::handle value) {
    const bool too_large = PyErr_ExceptionMatches(PyExc_OverflowError);
    if (!too_large && !PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
    PyErr_Clear();
    if (too_large) return HUGE_VAL;  // a whole number, perhaps too long even to print
    raise("InvalidInput", "feature " + shown(key) + ": found " + shown(value) + " of type " +
                              type_name_of(value) +
                              "; expected a number, a boolean, a string or None.");
}

/// Also NumPy's integers, but no truth value.
bool is_whole(nb::handle h) { return PyIndex_Check(h.ptr()) && !PyBool_Check(h.ptr()); }

}  // namespace

void Example::read(nb::handle x, bool add_names, std::size_t columns) {
    count_ = 0;
    unseen_.clear();
    plain_ = true;
    may_repeat_ = false;
    add_names_ = add_names;
    columns_ = columns;
    const std::size_t known = names_.size();
    by_column_ = known == 0 && columns > 0;
    try {
        read_any(x);
        if (may_repeat_) merge_repeats();
    } catch (...) {
        if (names_.size() > known) {
            names_.shrink(known);
            recent_.clear();
        }
        throw;
    }
}

void Example::read_any(nb::handle x) {
    if (PyDict_Check(x.ptr())) {
        read_items(x);
    } else if (PyList_Check(x.ptr()) || PyTuple_Check(x.ptr()) || PyAnySet_Check(x.ptr())) {
        may_repeat_ = !PyAnySet_Check(x.ptr());
        for (nb::handle name : nb::borrow<nb::iterable>(x)) put_key(name, 1.0);
    } else if (nb::hasattr(x, "items") && nb::hasattr(x, "keys")) {
        nb::dict items = nb::cast<nb::dict>(nb::module_::import_("builtins").attr("dict")(x));
        read_items(items);
    } else {
        raise("InvalidInput",
              "an example is a dict of named features, or a list or set of names; found " +
                  type_name_of(x) +
                  (PyUnicode_Check(x.ptr()) ? " (split the text into words first)." : "."));
    }
}

void Example::read_items(nb::handle items) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    const bool any_number = !by_column_ && !unit_;
    while (PyDict_Next(items.ptr(), &at, &key, &value)) {
        // The common case in few instructions: a name met of late with an ordinary number.
        if (PyFloat_CheckExact(value) && PyUnicode_CheckExact(key) && any_number) {
            const double v = PyFloat_AS_DOUBLE(value);
            const std::uint32_t id = recent_.find(key);
            if (id != Vocabulary::none && std::isfinite(v)) {
                append(id, v);
                continue;
            }
        }
        put_item(key, value);
    }
}

void Example::put_item(nb::handle key, nb::handle value) {
    if (value.is_none()) return;
    if (PyUnicode_Check(value.ptr())) {
        std::string name(key_text(key));
        name += '=';
        name += text_of(value);
        may_repeat_ = true;
        if (by_column_)
            put_column(text(name), 1.0);
        else
            put_name(name, 1.0);
        return;
    }
    // A __float__ written in Python may do anything, even empty the dict.
    const nb::object keep_key = nb::borrow(key), keep_value = nb::borrow(value);
    double v = PyFloat_AsDouble(value.ptr());
    if (v == -1.0 && PyErr_Occurred()) v = not_a_double(key, value);
    put_key(key, v);
}

/// A key as a name: text as it is, a whole number as its digits.
std::string_view Example::key_text(nb::handle key) {
    if (PyUnicode_Check(key.ptr())) return text_of(key);
    if (!is_whole(key)) text_of(key);  // raises
    may_repeat_ = true;
    key_ = nb::cast<std::string>(nb::str(key));
    return key_;
}

void Example::put_key(nb::handle key, double v) {
    if (by_column_) return put_column(key, v);
    if (!PyUnicode_CheckExact(key.ptr())) return void(put_name(key_text(key), v));
    std::uint32_t id = recent_.find(key.ptr());
    if (id != Vocabulary::none) return put(id, v);
    id = put_name(text_of(key), v);
    if (id != Vocabulary::none) recent_.remember(key.ptr(), id, names_.size());
}

std::uint32_t Example::put_name(std::string_view name, double v) {
    const std::uint32_t id = add_names_ ? names_.find_or_add(name) : names_.find(name);
    if (id == Vocabulary::none)
        unseen_.emplace_back(std::string(name), usable(v, [&] { return text(name); }));
    else
        put(id, v);
    return id;
}

/// The model was trained on arrays without names: a column number, or its name x0, x1, …
void Example::put_column(nb::handle key, double v) {
    std::int64_t column = -1;
    if (is_whole(key)) {
        column = PyNumber_AsSsize_t(key.ptr(), nullptr);
        if (column == -1 && PyErr_Occurred()) PyErr_Clear();
    } else if (PyUnicode_Check(key.ptr())) {
        const std::string_view s = text_of(key);
        if (s.size() > 1 && s[0] == 'x') {
            const auto [end, error] = std::from_chars(s.data() + 1, s.data() + s.size(), column);
            if (error != std::errc() || end != s.data() + s.size()) column = -1;
        }
    }
    const std::size_t n = columns_;
    if (column < 0 || static_cast<std::size_t>(column) >= n)
        raise("InvalidInput",
              "feature " + shown(key) +
                  ": this model was trained on arrays without names; expected a column number "
                  "0 to " +
                  std::to_string(n - 1) + " or a name x0 to x" + std::to_string(n - 1) + ".");
    may_repeat_ = true;
    put(static_cast<std::uint32_t>(column), v);
}

void Example::put(std::uint32_t id, double v) {
    append(id, usable(v, [&] { return name_of(names_, id); }));
}

void Example::append(std::uint32_t id, double v) {
    if (count_ == index_.size()) {
        index_.resize(2 * count_ + 64);
        value_.resize(2 * count_ + 64);
    }
    index_[count_] = static_cast<std::int32_t>(id);
    value_[count_] = v;
    count_ += v != 0.0;
    plain_ &= v == 1.0;
}

template <class Name>
double Example::usable(double v, Name name) const {
    if (!std::isfinite(v)) refuse_value(name(), v, Fault::Kind::not_finite);
    if (!unit_ || (v >= 0.0 && v <= 1.0)) return v;
    if (!clip_) refuse_value(name(), v, Fault::Kind::outside_unit);
    return std::min(1.0, std::max(0.0, v));
}

void Example::refuse_value(nb::handle name, double v, Fault::Kind kind) const {
    raise_fault(Fault(kind, -1, v), "feature " + shown(name) + ": ", names_);
}

/// A name given twice counts twice: its values add up, in the place where it came first.
void Example::merge_repeats() {
    mark_.resize(std::max(columns_, names_.size()), 0);
    std::size_t kept = 0;
    for (std::size_t j = 0; j < count_; ++j) {
        std::uint32_t& mark = mark_[static_cast<std::size_t>(index_[j])];
        if (mark == 0) {
            index_[kept] = index_[j];
            value_[kept] = value_[j];
            mark = static_cast<std::uint32_t>(++kept);
        } else {
            value_[mark - 1] += value_[j];
            plain_ = false;
        }
    }
    count_ = kept;
    for (std::size_t j = 0; j < kept; ++j) mark_[static_cast<std::size_t>(index_[j])] = 0;
    if (unit_)
        for (std::size_t j = 0; j < kept; ++j)
            value_[j] = usable(
                value_[j], [&] { return name_of(names_, static_cast<std::size_t>(index_[j])); });
    if (!unseen_.empty()) merge_unseen();
}

void Example::merge_unseen() {
    std::sort(unseen_.begin(), unseen_.end());
    std::size_t kept = 0;
    for (std::size_t j = 1; j < unseen_.size(); ++j) {
        if (unseen_[kept].first == unseen_[j].first)
            unseen_[kept].second += unseen_[j].second;
        else
            unseen_[++kept] = unseen_[j];
    }
    unseen_.resize(kept + 1);
    for (auto& [name, value] : unseen_) value = usable(value, [&] { return text(name); });
}

}  // namespace thresher::bindings
