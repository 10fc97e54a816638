// Strings, lists and shared objects between Python and the core. nanobind's own conversions (nanobind/stl)
// allocate and are noexcept: if memory runs out there, the process ends. These throw, which becomes a
// MemoryError, so nanobind's are used nowhere.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace thresher::bindings {

/// A list, or any iterable, of values that the core knows as T.
template <class T>
using ListOf = nb::typed<nb::iterable, T>;

template <class T>
void convert(nb::handle from, T& to) {
    to = nb::cast<T>(from);
}
inline void convert(nb::handle from, std::string& to) {
    Py_ssize_t n = 0;
    const char* p = PyUnicode_AsUTF8AndSize(from.ptr(), &n);
    if (!p) throw nb::python_error();
    to.assign(p, static_cast<std::size_t>(n));
}
template <class A, class B>
void convert(nb::handle from, std::pair<A, B>& to) {
    convert(nb::object(from[0]), to.first);
    convert(nb::object(from[1]), to.second);
}
template <class T>
void convert(nb::handle from, std::vector<T>& to) {
    for (nb::handle item : from) {
        T value{};
        convert(item, value);
        to.push_back(std::move(value));
    }
}

template <class T>
T from_python(nb::handle from) {
    T to{};
    convert(from, to);
    return to;
}

template <class T>
nb::typed<nb::list, T> list_of(const std::vector<T>& values) {
    nb::typed<nb::list, T> out;
    for (const T value : values) out.append(value);
    return out;
}

/// An object that Python owns, which lives as long as it is shared; a new one instead of None.
template <class T>
std::shared_ptr<T> shared_or_new(nb::pointer_and_handle<T> given) {
    if (!given.p) return std::make_shared<T>();
    return {given.p, [kept = nb::borrow(given.h)](T*) {}};
}

/// An object that the core made, shared with Python.
template <class T>
nb::typed<nb::object, T> shared_with_python(std::shared_ptr<T> object) {
    if (nb::object known = nb::find(*object); known.is_valid()) return known;
    T* const it = object.get();
    auto share = std::make_unique<std::shared_ptr<T>>(std::move(object));
    const nb::capsule owner(share.get(),
                            [](void* p) noexcept { delete static_cast<std::shared_ptr<T>*>(p); });
    share.release();
    return nb::inst_reference(nb::type<T>(), it, owner);
}

}  // namespace thresher::bindings
