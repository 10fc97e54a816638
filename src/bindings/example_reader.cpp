#include "example_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/merge.hpp"
#include "core/prefetch.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "names.hpp"

namespace thresher::bindings {

namespace {

/// The common types of numbers; false: another type.
bool is_common_number(PyObject* value, double& v) {
    if (!value) {
        v = 1.0;
    } else if (PyFloat_CheckExact(value)) {
        v = interpreter::value_of(value);
    } else {
        if (!PyLong_CheckExact(value)) return false;
        v = PyLong_AsDouble(value);
        if (v == -1.0 && PyErr_Occurred()) return PyErr_Clear(), false;
    }
    return true;
}

}  // namespace

void ExampleReader::take(const ByRecipe& reader) {
    const Examples& one = reader.examples();
    make_room(one.index.size());
    count_ = one.index.size();
    std::copy_n(one.index.data(), count_, index_.begin());
    if (one.plain)
        std::fill_n(value_.begin(), count_, 1.0);
    else
        std::copy_n(one.value.data(), count_, value_.begin());
    plain_ = one.plain;
    unseen_ = reader.unseen();
}

void ExampleReader::read_json(const JsonText& json, bool learning) {
    std::optional<ByRecipe>& reader = by_recipe_ ? by_recipe_ : by_json_;
    if (!reader) reader.emplace(recipe_, wishes_);
    if (!by_column_) {
        reader->read(json, lexicon_, learning);
        return take(*reader);
    }
    reader->spell(json, [&](std::string name, double v) {
        make_room(count_ + 1);
        put_column(text(name), v);
    });
    merge_repeats();
}

/// False: it must be made plain first.
bool ExampleReader::read_by_recipe(const Given& given, bool learning, std::size_t columns) {
    if (!given.is_plain()) return false;
    version_ = 0;
    begin(learning, columns);
    if (given.json()) {
        read_json(*given.json(), learning);
    } else {
        by_recipe_->read(given.recipe_items(), lexicon_, learning);
        take(*by_recipe_);
    }
    return true;
}

void ExampleReader::begin(bool add_names, std::size_t columns) {
    count_ = 0;
    unseen_.clear();
    plain_ = true;
    may_repeat_ = false;
    add_names_ = add_names;
    columns_ = columns;
    by_column_ = !by_recipe_ && names_.size() == 0 && columns > 0;
}

bool ExampleReader::read(const Given& given, bool add_names, std::size_t columns,
                         bool was_read_last) {
    const std::size_t known = names_.size();
    lexicon_.mark();
    if (by_recipe_ || given.json()) {
        try {
            return read_by_recipe(given, add_names, columns);
        } catch (...) {
            take_back_names(known);
            throw;
        }
    }
    PyObject* const x = given.x().ptr();
    const std::uint64_t version = given.is_plain() ? 0 : interpreter::version_of(x);
    // learn_one with the dict that predict_one has just read
    const bool again = (version != 0 && version == version_) ||
                       (was_read_last && !given.is_plain() && PyDict_Check(x));
    if (again && (unseen_.empty() || (!add_names && known == known_))) return true;
    version_ = 0;
    begin(add_names, columns);
    try {
        const nb::object keep = again ? nb::borrow(given.x()) : gather(given);
        if (!keep.is_valid()) return false;
        if (!again) look_up();
        if (!read_items()) {
            take_back_names(known);
            return false;
        }
        if (may_repeat_) merge_repeats();
        known_ = names_.size();
        if (!by_column_) version_ = version;
    } catch (...) {
        take_back_names(known);
        throw;
    }
    return true;
}

void ExampleReader::leave_out_from(std::size_t features) {
    std::size_t kept = 0;
    for (std::size_t j = 0; j < count_; ++j) {
        const auto i = static_cast<std::size_t>(index_[j]);
        if (i < features) {
            index_[kept] = index_[j];
            value_[kept++] = value_[j];
        } else {
            unseen_.emplace_back(text_of(name_of(names_, i)), value_[j]);
        }
    }
    if (kept < count_) version_ = 0;  // it must be read again
    count_ = kept;
}

void ExampleReader::take_back_names(std::size_t known) {
    const bool fewer = names_.size() > known;
    lexicon_.take_back(known);
    if (fewer) forget_names();
}

nb::object ExampleReader::gather(const Given& given) {
    PyObject* const x = given.x().ptr();
    if (given.is_plain()) {
        gather_plain(given);
        return nb::borrow(given.x());
    }
    if (PyDict_Check(x)) {
        gather_dict(x);
        return nb::borrow(x);
    }
    if (!PyList_CheckExact(x) && !PyTuple_CheckExact(x) && !PyAnySet_CheckExact(x)) return {};
    may_repeat_ = !PyAnySet_Check(x);
    nb::object names = nb::steal(PySequence_List(x));
    if (!names.is_valid()) throw nb::python_error();
    gather_names(names.ptr(), nb::len(names));
    return names;
}

void ExampleReader::gather_plain(const Given& given) {
    make_room(given.items().size());
    may_repeat_ = given.may_repeat();
    n_ = 0;
    for (const auto& [key, value] : given.items()) items_[n_++] = {key.ptr(), value.ptr()};
}

void ExampleReader::gather_dict(PyObject* x) {
    const auto size = static_cast<std::size_t>(PyDict_Size(x));
    make_room(size);
    interpreter::prefetch_dict(x, size);
    Item* item = items_.data();
    interpreter::each_item(x, [&](PyObject* key, PyObject* value) {
        thresher::prefetch(key);
        thresher::prefetch(value);
        *item++ = {key, value};
    });
    n_ = static_cast<std::size_t>(item - items_.data());
}

void ExampleReader::gather_names(PyObject* list, std::size_t n) {
    make_room(n);
    for (std::size_t j = 0; j < n; ++j) {
        PyObject* const name = interpreter::item_of(list, static_cast<Py_ssize_t>(j));
        thresher::prefetch(name);
        items_[j] = {name, nullptr};
    }
    n_ = n;
}

/// Room for n items and n features: an item makes at most one.
void ExampleReader::make_room(std::size_t n) {
    if (n < items_.size()) return;
    n += n / 2 + 16;
    ids_.resize(n);
    index_.resize(n);
    value_.resize(n);
    items_.resize(n);  // last: its size says how much room there is
}

THRESHER_INLINE std::uint32_t ExampleReader::find_by_hash(PyObject* key) const {
    if (!PyUnicode_CheckExact(key)) return Vocabulary::none;
    const std::string_view text = interpreter::ascii_of(key);
    if (!text.data()) return Vocabulary::none;
    return hashed_.find(interpreter::hash_of(key), text, names_);
}

/// The ids of the names that are found without the vocabulary.
void ExampleReader::look_up() {
    if (by_column_) {
        std::fill_n(ids_.begin(), n_, Vocabulary::none);
        return;
    }
    const Item* const items = items_.data();
    if (hashed_.is_large())
        for (std::size_t j = 0; j < n_; ++j)
            if (PyUnicode_CheckExact(items[j].key))
                hashed_.prefetch(interpreter::hash_of(items[j].key));
    std::uint32_t* const ids = ids_.data();
    for (std::size_t j = 0, n = n_; j < n; ++j) ids[j] = find_by_hash(items[j].key);
}

bool ExampleReader::read_items() {
    for (std::size_t j = 0; (j = read_usual_items(j)) < n_; ++j) {
        const auto [key, value] = items_[j];
        if (read_new_name(j)) continue;
        if (!is_plain_key(key) || !is_plain_value(value)) return false;
        put_item(key, value);
    }
    return true;
}

/// The j-th, if all about it is usual but that its id is not known; false: nothing was read.
bool ExampleReader::read_new_name(std::size_t j) {
    const auto [key, value] = items_[j];
    double v;
    if (by_column_ || ids_[j] != Vocabulary::none || !PyUnicode_CheckExact(key) ||
        !is_common_number(value, v) || !usual().has(v))
        return false;
    const std::string_view name = interpreter::ascii_of(key);
    if (!name.data()) return false;
    const std::uint32_t id = add_names_ ? names_.find_or_add(name) : names_.find(name);
    if (id == Vocabulary::none) {
        unseen_.emplace_back(name, v);
        return true;
    }
    append(id, v);
    ids_[j] = id;
    if (!may_repeat_ || find_by_hash(key) == Vocabulary::none)
        hashed_.keep(interpreter::hash_of(key), name, id);
    return true;
}

/// From the j-th on; returns the first that is not usual: its id is not known, or its value is no number in
/// the range.
std::size_t ExampleReader::read_usual_items(std::size_t j) {
    const Range range = usual();
    const Item* const items = items_.data();
    const std::uint32_t* const ids = ids_.data();
    std::int32_t* const index = index_.data();
    double* const values = value_.data();
    std::size_t count = count_;
    bool plain = plain_;
    for (const std::size_t n = n_; j < n; ++j) {
        double v;
        if (ids[j] == Vocabulary::none || !is_common_number(items[j].value, v) || !range.has(v))
            break;
        index[count] = static_cast<std::int32_t>(ids[j]);
        values[count] = v;
        count += v != 0.0;
        plain &= v == 1.0;
    }
    count_ = count;
    plain_ = plain;
    return j;
}

void ExampleReader::put_item(nb::handle key, nb::handle value) {
    if (!value.is_valid()) return put_key(key, 1.0);
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
    const double v = number_of(key, value);
    if (!std::isnan(v)) put_key(key, v);  // else it is missing, as None is
}

std::string_view ExampleReader::key_text(nb::handle key) {
    if (PyUnicode_Check(key.ptr())) return text_of(key);
    may_repeat_ = true;
    key_ = spelled(key);
    return key_;
}

void ExampleReader::put_key(nb::handle key, double v) {
    if (by_column_) return put_column(key, v);
    put_name(key_text(key), v);
}

void ExampleReader::put_name(std::string_view name, double v) {
    const std::uint32_t id = add_names_ ? names_.find_or_add(name) : names_.find(name);
    if (id == Vocabulary::none)
        unseen_.emplace_back(std::string(name), usable(v, [&] { return text(name); }));
    else
        put(id, v);
}

/// The model was trained on arrays without names: a column number, or its name x0, x1, …
void ExampleReader::put_column(nb::handle key, double v) {
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
        raise_about(key, "this model was trained on arrays without names",
                    "a column number 0 to " + std::to_string(n - 1) + " or a name x0 to x" +
                        std::to_string(n - 1));
    may_repeat_ = true;
    put(static_cast<std::uint32_t>(column), v);
}

void ExampleReader::put(std::uint32_t id, double v) {
    append(id, usable(v, [&] { return name_of(names_, id); }));
}

template <class Name>
double ExampleReader::usable(double v, Name name) const {
    if (!std::isfinite(v)) refuse_value(name(), v, Fault::Kind::not_finite);
    if (!wishes_.unit || (v >= 0.0 && v <= 1.0)) return v;
    if (!wishes_.clip) refuse_value(name(), v, Fault::Kind::outside_unit);
    return std::min(1.0, std::max(0.0, v));
}

void ExampleReader::refuse_value(nb::handle name, double v, Fault::Kind kind) const {
    raise_fault(Fault(kind, -1, v), single, nb::borrow(name));
}

/// A name given twice counts twice: its values add up, at the position of its first occurrence; or (once)
/// it is there or not.
void ExampleReader::merge_repeats() {
    count_ = thresher::merge_repeats(
        index_, 0, count_, in_row_,
        [&](std::size_t to, std::size_t from) { value_[to] = value_[from]; },
        [&](std::size_t at, std::size_t j) {
            value_[at] = wishes_.together(value_[at], value_[j]);
            plain_ &= value_[at] == 1.0;
        });
    if (wishes_.unit)
        for (std::size_t j = 0; j < count_; ++j)
            value_[j] = usable(
                value_[j], [&] { return name_of(names_, static_cast<std::size_t>(index_[j])); });
    if (!unseen_.empty()) merge_unseen();
}

void ExampleReader::merge_unseen() {
    std::sort(unseen_.begin(), unseen_.end());
    std::size_t kept = 0;
    for (std::size_t j = 1; j < unseen_.size(); ++j) {
        if (unseen_[kept].first == unseen_[j].first)
            unseen_[kept].second = wishes_.together(unseen_[kept].second, unseen_[j].second);
        else
            unseen_[++kept] = unseen_[j];
    }
    unseen_.resize(kept + 1);
    for (auto& one : unseen_) one.second = usable(one.second, [&] { return text(one.first); });
}

}  // namespace thresher::bindings
