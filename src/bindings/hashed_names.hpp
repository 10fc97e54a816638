// Python strings → ids, by the hash that each string keeps and by its bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/vocabulary.hpp"

namespace thresher::bindings {

/// Ids of names that came lately, for strings that are new objects each time, as `json.loads` makes them. The
/// interpreter has computed their hashes (with a seed of its own, so that no input can target one place); the
/// vocabulary, which has its own, would compute another. Bounded: it starts over when it is full.
class HashedNames {
public:
    HashedNames() : slots_(least) {}

    std::uint32_t find(std::uint64_t hash, std::string_view text, const Vocabulary& names) const {
        const Slot wanted(hash, text);
        for (std::size_t i = place(hash); slots_[i].id != Vocabulary::none; i = after(i))
            if (slots_[i].is_like(wanted) &&
                (text.size() <= Slot::kept || names.name(slots_[i].id) == text))
                return slots_[i].id;
        return Vocabulary::none;
    }

    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[place(hash)]); }

    /// A name that `find` has not found.
    void keep(std::uint64_t hash, std::string_view text, std::uint32_t id) {
        if (2 * (count_ + 1) > slots_.size()) make_room();
        Slot slot(hash, text);
        slot.id = id;
        put(slot);
        ++count_;
    }

    void clear() {
        if (count_ == 0) return;
        std::fill(slots_.begin(), slots_.end(), Slot{});
        count_ = 0;
    }

private:
    static constexpr std::size_t least = 64, most = std::size_t{1} << 17;

    struct alignas(32) Slot {
        static constexpr std::size_t kept = 16;  // bytes of text: shorter names are all here

        Slot() = default;
        Slot(std::uint64_t h, std::string_view text)
            : hash(h),
              first(NameKey::few_bytes(text.data(), std::min<std::size_t>(8, text.size()))),
              size(static_cast<std::uint32_t>(text.size())) {
            if (text.size() > 8) std::memcpy(&last, text.data() + text.size() - 8, 8);
        }
        bool is_like(const Slot& other) const {
            return hash == other.hash && size == other.size && first == other.first &&
                   last == other.last;
        }

        std::uint64_t hash = 0, first = 0, last = 0;
        std::uint32_t size = 0, id = Vocabulary::none;
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
