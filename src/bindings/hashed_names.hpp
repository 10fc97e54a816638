// Python strings → ids, by the hash that each string keeps and by its bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/prefetch.hpp"
#include "core/vocabulary.hpp"

namespace thresher::bindings {

/// Ids of names that came lately. The interpreter has computed the hashes of a dict's keys (with a seed of its
/// own, so that no input can target one place); the vocabulary, which has its own, would compute another.
/// Bounded: it starts over when it is full.
class HashedNames {
public:
    HashedNames() : slots_(least) {}

    std::uint32_t find(std::uint64_t hash, std::string_view text, const Vocabulary& names) const {
        const Slot* const slots = slots_.data();
        for (std::size_t i = place(hash); slots[i].id != Vocabulary::none; i = after(i))
            if (slots[i].hash == hash && slots[i].has(text, names)) return slots[i].id;
        return Vocabulary::none;
    }

    /// Too large for the first caches of a processor, so that prefetching pays.
    bool is_large() const { return slots_.size() > 4096; }
    void prefetch(std::uint64_t hash) const { thresher::prefetch(&slots_[place(hash)]); }

    /// A name that `find` has not found.
    void keep(std::uint64_t hash, std::string_view text, std::uint32_t id) {
        if (text.size() > 0xffffffffu) return;
        if (2 * (count_ + 1) > slots_.size()) make_room();
        Slot slot{hash, id, static_cast<std::uint32_t>(text.size()), {}};
        if (text.size() <= sizeof slot.text) std::memcpy(slot.text, text.data(), text.size());
        put(slot);
        ++count_;
    }

    void clear() {
        if (count_ == 0) return;
        std::fill(slots_.begin(), slots_.end(), Slot{});
        count_ = 0;
    }

private:
    static constexpr std::size_t least = 64, most = std::size_t{1} << 19;

    struct alignas(32) Slot {
        std::uint64_t hash = 0;
        std::uint32_t id = Vocabulary::none, size = 0;
        char text[16] = {};  // of a name that fits

        bool has(std::string_view name, const Vocabulary& names) const {
            const std::size_t n = name.size();
            if (n != size) return false;
            if (n > sizeof text) return names.name(id) == name;
            // The first and the last bytes, which may overlap.
            if (n >= 8) return equal<8>(text, name.data(), n);
            if (n >= 4) return equal<4>(text, name.data(), n);
            return n == 0 ||
                   (text[0] == name[0] && text[n / 2] == name[n / 2] && text[n - 1] == name[n - 1]);
        }
        template <std::size_t width>
        static bool equal(const char* a, const char* b, std::size_t n) {
            return std::memcmp(a, b, width) == 0 &&
                   std::memcmp(a + n - width, b + n - width, width) == 0;
        }
    };

    std::size_t place(std::uint64_t hash) const {
        return static_cast<std::size_t>(hash) & (slots_.size() - 1);
    }
    std::size_t after(std::size_t i) const { return (i + 1) & (slots_.size() - 1); }

    void put(const Slot& slot) {
        std::size_t i = place(slot.hash);
        while (slots_[i].id != Vocabulary::none) i = after(i);
        slots_[i] = slot;
    }
    void make_room() {
        if (slots_.size() >= most) return clear();
        std::vector<Slot> before(slots_.size() * 2);
        std::swap(before, slots_);
        for (const Slot& slot : before)
            if (slot.id != Vocabulary::none) put(slot);
    }

    std::vector<Slot> slots_;
    std::size_t count_ = 0;
};

}  // namespace thresher::bindings
