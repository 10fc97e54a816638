// Python strings → ids, by the identity of the object.
#pragma once

#include <Python.h>

#include <cstdint>
#include <vector>

#include "core/vocabulary.hpp"

namespace thresher::bindings {

/// Ids of the names that recently came as Python strings: the same object comes again and again, and is
/// found without reading its text. The vocabulary reads the text of all the others. Bounded.
class RecentNames {
public:
    RecentNames() : groups_(least) {}
    RecentNames(const RecentNames&) = delete;
    RecentNames& operator=(const RecentNames&) = delete;
    ~RecentNames() { clear(); }

    std::uint32_t find(PyObject* name) const {
        const Group& g = groups_[place(name)];
        // Which of the five it is is unpredictable, so it is computed without a branch.
        unsigned at = 0;
        for (unsigned i = 1; i < ways; ++i) at += i * (g.name[i] == name);
        return g.name[at] == name ? g.id[at] : Vocabulary::none;
    }

    void prefetch(PyObject* name) const { __builtin_prefetch(&groups_[place(name)]); }

    /// How a name was kept: not at all, in a free slot, or in that of another name.
    enum class Kept { no, yes, instead };

    Kept remember(PyObject* name, std::uint32_t id) {
        if (Py_REFCNT(name) <= 1) return Kept::no;  // only its example has it: it dies with it
        if (2 * ++count_ > 5 * groups_.size() && groups_.size() < most) widen();
        Py_INCREF(name);
        return put(name, id) ? Kept::instead : Kept::yes;
    }

    void clear() {
        for (Group& g : groups_)
            for (PyObject*& name : g.name) Py_CLEAR(name);
        count_ = 0;
    }

private:
    static constexpr unsigned ways = 5;
    static constexpr std::size_t least = 64, most = std::size_t{1} << 16;

    struct alignas(64) Group {  // one cache line
        PyObject* name[ways] = {};
        std::uint32_t id[ways] = {};
    };

    std::size_t place(PyObject* name) const {
        const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(name));
        return static_cast<std::size_t>((address >> 4) * 0x9e3779b97f4a7c15ull >> 40) &
               (groups_.size() - 1);
    }

    /// Into a free slot, or else instead of another name; returns which.
    bool put(PyObject* name, std::uint32_t id) {
        Group& g = groups_[place(name)];
        unsigned i = 0;
        while (i < ways && g.name[i]) ++i;
        const bool full = i == ways;
        if (full) {
            i = id % ways;
            Py_DECREF(g.name[i]);
        }
        g.name[i] = name;
        g.id[i] = id;
        return full;
    }

    void widen() {
        std::vector<Group> before(groups_.size() * 2);
        std::swap(before, groups_);
        for (const Group& g : before)
            for (unsigned i = 0; i < ways; ++i)
                if (g.name[i]) put(g.name[i], g.id[i]);
    }

    std::vector<Group> groups_;
    std::size_t count_ = 0;  // names put in since the last clear
};

}  // namespace thresher::bindings
