// The only place that reads CPython's own structures. It does so for speed alone: each function has a second
// form by the public API, for the limited API and other interpreters.
#pragma once

#include <Python.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/prefetch.hpp"

#if defined(Py_LIMITED_API) || defined(PYPY_VERSION) || defined(GRAALVM_PYTHON)
#define THRESHER_PUBLIC_API_ONLY 1
#elif PY_VERSION_HEX >= 0x030b0000 && PY_VERSION_HEX < 0x030c0000
#define THRESHER_PYTHON_3_11 1
#endif

namespace thresher::bindings::interpreter {

/// The hash of a string, which it keeps once it was computed: as a key of a dict it always was.
inline std::uint64_t hash_of(PyObject* text) {
#ifndef THRESHER_PUBLIC_API_ONLY
    if (const Py_hash_t known = reinterpret_cast<PyASCIIObject*>(text)->hash; known != -1)
        return static_cast<std::uint64_t>(known);
#endif
    return static_cast<std::uint64_t>(PyObject_Hash(text));  // cannot fail for a string
}

/// The text of a string (exactly of that type) if it is ASCII, as names mostly are; else one whose data is
/// null. It lives as long as the string.
inline std::string_view ascii_of(PyObject* text) {
#ifndef THRESHER_PUBLIC_API_ONLY
    if (!PyUnicode_IS_COMPACT_ASCII(text)) return {};
    return {reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(text)),
            static_cast<std::size_t>(PyUnicode_GET_LENGTH(text))};
#else
    Py_ssize_t size = 0;
    const char* utf8 = PyUnicode_AsUTF8AndSize(text, &size);
    if (!utf8) PyErr_Clear();
    if (!utf8 || size != PyUnicode_GetLength(text)) return {};
    return {utf8, static_cast<std::size_t>(size)};
#endif
}

/// The value of a float (an object that is one).
inline double value_of(PyObject* number) {
#ifndef THRESHER_PUBLIC_API_ONLY
    return PyFloat_AS_DOUBLE(number);
#else
    return PyFloat_AsDouble(number);
#endif
}

/// A list's item, borrowed; i is below its size.
inline PyObject* item_of(PyObject* list, Py_ssize_t i) {
#ifndef THRESHER_PUBLIC_API_ONLY
    return PyList_GET_ITEM(list, i);
#else
    return PyList_GetItem(list, i);
#endif
}

/// The bound method of a function and an object, a new reference; null with an error set.
inline PyObject* bound_method(PyObject* function, PyObject* object) {
#ifndef THRESHER_PUBLIC_API_ONLY
    return PyMethod_New(function, object);
#else
    PyObject* types = PyImport_ImportModule("types");
    PyObject* type = types ? PyObject_GetAttrString(types, "MethodType") : nullptr;
    PyObject* made = type ? PyObject_CallFunctionObjArgs(type, function, object, nullptr) : nullptr;
    Py_XDECREF(type);
    Py_XDECREF(types);
    return made;
#endif
}

/// A number that changes with the content of a dict and that no other dict has: PEP 509, which ended
/// with Python 3.11. 0: not known.
inline std::uint64_t version_of(PyObject* x) {
#ifdef THRESHER_PYTHON_3_11
    if (PyDict_Check(x)) return reinterpret_cast<PyDictObject*>(x)->ma_version_tag;
#else
    (void)x;
#endif
    return 0;
}

/// The `__dict__` of an object, borrowed, where its content has a version; else null.
inline PyObject* attributes_with_version(PyObject* object) {
#ifdef THRESHER_PYTHON_3_11
    PyObject** const dict = _PyObject_GetDictPtr(object);
    return dict ? *dict : nullptr;
#else
    (void)object;
    return nullptr;
#endif
}

/// f(key, value) for each item of a dict; f runs no Python code.
template <class F>
inline void each_item(PyObject* x, F f) {
#ifdef THRESHER_PYTHON_3_11
    struct Keys {  // as in pycore_dict.h; a table of hashes follows, then the entries
        Py_ssize_t references;
        std::uint8_t log2_size, log2_index_bytes, kind;
        std::uint32_t version;
        Py_ssize_t usable, entries;
    };
    const auto* const dict = reinterpret_cast<PyDictObject*>(x);
    if (!dict->ma_values) {
        const auto* const keys = reinterpret_cast<const Keys*>(dict->ma_keys);
        const char* const end = reinterpret_cast<const char*>(keys + 1);
        const bool with_hash = keys->kind == 0;  // of a dict with keys that are no strings
        auto* entry = reinterpret_cast<PyObject* const*>(
            end + (std::size_t{1} << keys->log2_index_bytes) + (with_hash ? sizeof(Py_hash_t) : 0));
        for (Py_ssize_t i = 0; i < keys->entries; ++i, entry += with_hash ? 3 : 2)
            if (entry[1]) f(entry[0], entry[1]);  // none: it was deleted
        return;
    }
#endif
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(x, &at, &key, &value);) f(key, value);
}

/// Prefetch the memory of a dict's entries, which is about this long: the interpreter's own walk
/// waits for one cache line after the other. A wrong guess costs nothing.
inline void prefetch_dict(PyObject* x, std::size_t size) {
#ifndef THRESHER_PUBLIC_API_ONLY
    constexpr std::size_t entry = 16, most = 2048;
    const auto* keys = reinterpret_cast<const char*>(reinterpret_cast<PyDictObject*>(x)->ma_keys);
    for (std::size_t at = 0; at < std::min(most, size * (entry + 2)); at += 64)
        thresher::prefetch(keys + at);
#else
    (void)x, (void)size;
#endif
}

}  // namespace thresher::bindings::interpreter
