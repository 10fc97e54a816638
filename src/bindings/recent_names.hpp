// Python strings → ids, by the interpreter's own hash.
#pragma once

#include <Python.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/vocabulary.hpp"

namespace thresher::bindings {

/// Ids of the names that came as Python strings of late, found by the interpreter's own hash: about
/// ten times faster than reading the text, which the vocabulary does for all the others. Bounded.
class RecentNames {
public:
    RecentNames() = default;
    RecentNames(const RecentNames&) = delete;
    RecentNames& operator=(const RecentNames&) = delete;
    ~RecentNames() { clear(); }

    std::uint32_t find(PyObject* name) const {
        if (groups_.empty()) return Vocabulary::none;
        const Py_hash_t hash = hash_of(name);
        const Slot* slot = group(hash).slots;
        // Which of the four it is cannot be predicted, so it is computed without a branch.
        const std::size_t at =
            1 * (slot[1].name == name) + 2 * (slot[2].name == name) + 3 * (slot[3].name == name);
        if (slot[at].name == name) return slot[at].id;
        for (unsigned i = 0; i < ways; ++i)
            if (slot[i].hash == tag(hash) && slot[i].name &&
                PyUnicode_Compare(slot[i].name, name) == 0)
                return slot[i].id;
        return Vocabulary::none;
    }

    void remember(PyObject* name, std::uint32_t id, std::size_t vocabulary) {
        if (groups_.size() < most && groups_.size() * ways < vocabulary + vocabulary / 4) widen();
        Py_INCREF(name);
        put(name, hash_of(name), id);
    }

    void clear() {
        for (Group& g : groups_)
            for (Slot& slot : g.slots) Py_XDECREF(slot.name);
        groups_.clear();
    }

private:
    static constexpr unsigned ways = 4;
    static constexpr std::size_t least = 64, most = 16384;

    struct Slot {
        PyObject* name = nullptr;
        std::uint32_t hash = 0, id = Vocabulary::none;
    };
    struct alignas(64) Group {  // one cache line
        Slot slots[ways];
    };

    /// A string that has been a key of a dict knows its hash already.
    static Py_hash_t hash_of(PyObject* name) {
        const Py_hash_t known = reinterpret_cast<PyASCIIObject*>(name)->hash;
        return known != -1 ? known : PyObject_Hash(name);
    }
    static std::uint32_t tag(Py_hash_t hash) { return static_cast<std::uint32_t>(hash >> 32); }
    const Group& group(Py_hash_t hash) const {
        return groups_[static_cast<std::size_t>(hash) & (groups_.size() - 1)];
    }

    /// Into a free slot, or in place of another name.
    void put(PyObject* name, Py_hash_t hash, std::uint32_t id) {
        Slot* slot = const_cast<Group&>(group(hash)).slots;
        unsigned i = 0;
        while (i + 1 < ways && slot[i].name) ++i;
        if (slot[i].name) i = tag(hash) & (ways - 1);
        Py_XDECREF(slot[i].name);
        slot[i] = {name, tag(hash), id};
    }

    void widen() {
        std::vector<Group> before(std::max(least, groups_.size() * 2));
        std::swap(before, groups_);
        for (const Group& g : before)
            for (const Slot& slot : g.slots)
                if (slot.name) put(slot.name, hash_of(slot.name), slot.id);
    }

    std::vector<Group> groups_;
};

}  // namespace thresher::bindings
