// A state of the core as Python holds it: dicts of bytes, numbers and counts, and the names of features.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/huge_pages.hpp"
#include "core/state.hpp"
#include "core/vocabulary.hpp"
#include "errors.hpp"
#include "values.hpp"

namespace nb = nanobind;

namespace thresher::bindings {

template <class T>
nb::bytes bytes_of(const T* p, std::size_t n) {
    return nb::bytes(reinterpret_cast<const char*>(p), n * sizeof(T));
}

/// Numbers as they are in memory, in this machine's byte order.
template <class T>
std::vector<T> numbers_from(const nb::handle& bytes, const char* what) {
    const auto b = nb::cast<nb::bytes>(bytes);
    if (b.size() % sizeof(T) != 0)
        raise("ModelFileError", std::string(what) + " is not a whole number of cells");
    std::vector<T> out(b.size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), b.c_str(), b.size());
    return out;
}

/// f(i, name, hash) for each name of a state. Where each name will be looked up is fetched early: tables of
/// many names are in no cache.
template <class F>
void each_name(const nb::bytes& text, const std::vector<std::uint64_t>& ends,
               const Vocabulary& soon, F f) {
    constexpr std::size_t ahead = 16;
    std::uint64_t hashes[ahead];
    const auto begin_of = [&](std::size_t i) { return i == 0 ? 0 : ends[i - 1]; };
    const auto name = [&](std::size_t i) {
        return std::string_view(text.c_str() + begin_of(i),
                                static_cast<std::size_t>(ends[i] - begin_of(i)));
    };
    for (std::size_t i = 0; i < ends.size(); ++i)
        if (ends[i] < begin_of(i) || ends[i] > text.size())
            raise("ModelFileError", "the table of feature names does not fit its text");
    for (std::size_t block = 0; block < ends.size(); block += ahead) {
        const std::size_t end = std::min(ends.size(), block + ahead);
        for (std::size_t i = block; i < end; ++i)
            soon.prefetch(hashes[i - block] = Vocabulary::hash(name(i)));
        for (std::size_t i = block; i < end; ++i) f(i, name(i), hashes[i - block]);
    }
}

inline Vocabulary names_from(const nb::dict& from) {
    const auto text = nb::cast<nb::bytes>(from["names"]);
    const auto ends = numbers_from<std::uint64_t>(from["name_ends"], "name_ends");
    Vocabulary v;
    v.make_room(ends.size());
    each_name(text, ends, v,
              [&](std::size_t, std::string_view name, std::uint64_t h) { v.find_or_add(name, h); });
    if ((ends.empty() ? 0 : ends.back()) != text.size() || v.size() != ends.size())
        raise("ModelFileError", "the table of feature names is damaged");
    return v;
}

/// The first n names.
inline void put_names(nb::dict& out, const Vocabulary& names, std::size_t n) {
    const auto new_bytes = [](std::size_t size) {
        auto made =
            nb::steal<nb::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
        if (!made.is_valid()) throw nb::python_error();
        prefer_huge_pages(PyBytes_AsString(made.ptr()), size);
        return made;
    };
    const nb::bytes ends = new_bytes(n * sizeof(std::uint64_t));
    char* to = PyBytes_AsString(ends.ptr());
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < n; ++i, to += sizeof end) {
        end += names.name(i).size();
        std::memcpy(to, &end, sizeof end);
    }
    const nb::bytes text = new_bytes(static_cast<std::size_t>(end));
    to = PyBytes_AsString(text.ptr());
    for (std::size_t i = 0; i < n; ++i) {
        const std::string_view name = names.name(i);
        std::memcpy(to, name.data(), name.size());
        to += name.size();
    }
    out["names"] = text;
    out["name_ends"] = ends;
}

/// Numbers that Python reads without a copy and owns from here on.
inline nb::object view_of(std::vector<double> numbers) {
    auto* const kept = new std::vector<double>(std::move(numbers));
    const nb::capsule owner(kept,
                            [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    return nb::cast(
        nb::ndarray<nb::memview, double, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

/// The arrays as bytes or, for one who reads them once, as views of memory without a copy.
inline nb::dict dict_of(State state, bool views = false) {
    nb::dict arrays, reals, counts, out;
    for (auto& [name, cells] : state.arrays) {
        if (views && !cells.empty())
            arrays[name.c_str()] = view_of(std::move(cells));
        else
            arrays[name.c_str()] = bytes_of(cells.data(), cells.size());
    }
    for (const auto& [name, v] : state.reals) reals[name.c_str()] = v;
    for (const auto& [name, v] : state.counts) counts[name.c_str()] = v;
    out["arrays"] = arrays;
    out["reals"] = reals;
    out["counts"] = counts;
    return out;
}

inline State state_from(const nb::dict& from) {
    State state;
    for (auto [name, cells] : nb::cast<nb::dict>(from["arrays"])) {
        const auto key = from_python<std::string>(name);
        state.arrays[key] = numbers_from<double>(cells, key.c_str());
    }
    for (auto [name, v] : nb::cast<nb::dict>(from["reals"]))
        state.reals[from_python<std::string>(name)] = nb::cast<double>(v);
    for (auto [name, v] : nb::cast<nb::dict>(from["counts"]))
        state.counts[from_python<std::string>(name)] = nb::cast<std::uint64_t>(v);
    return state;
}

/// What a part describes, saved.
template <class Part>
nb::dict saved(Part& part, const char* what) {
    State state;
    try {
        Saver saver(state);
        part.describe(saver);
    } catch (const BadState& bad) {
        raise("ModelFileError", std::string(what) + " cannot be saved: " + bad.what());
    }
    return dict_of(state);
}

/// What a part describes, from what was saved.
template <class Part>
void restore(Part& part, const nb::dict& from) {
    const State state = state_from(from);
    try {
        Loader loader(state);
        part.describe(loader);
    } catch (const BadState& bad) {
        raise("ModelFileError", bad.what());
    }
}

}  // namespace thresher::bindings
