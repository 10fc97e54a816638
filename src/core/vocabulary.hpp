// Names of features → consecutive ids, exact and unbounded: no two names ever share an id.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace thresher {

class Vocabulary {
public:
    static constexpr std::uint32_t none = 0xffffffffu;

    std::size_t size() const { return ends_.size(); }
    std::size_t bytes() const {
        return text_.capacity() + ends_.capacity() * sizeof(ends_[0]) +
               table_.capacity() * sizeof(Slot);
    }

    std::string_view name(std::size_t id) const {
        const std::size_t begin = id == 0 ? 0 : ends_[id - 1];
        return std::string_view(text_).substr(begin, ends_[id] - begin);
    }

    std::uint32_t find(std::string_view name) const { return find(name, hash(name)); }
    std::uint32_t find(std::string_view name, std::uint64_t h) const {
        return table_.empty() ? none : table_[place(name, h)].id;
    }

    std::uint32_t find_or_add(std::string_view name) { return find_or_add(name, hash(name)); }
    std::uint32_t find_or_add(std::string_view name, std::uint64_t h) {
        if ((ends_.size() + 1) * 4 > table_.size() * 3)
            fill(table_.empty() ? 64 : table_.size() * 2);
        Slot& slot = table_[place(name, h)];
        if (slot.id == none) {
            if (ends_.size() >= largest) throw std::length_error("more than 2^31 feature names");
            if (name.size() > 0xffffffffu) throw std::length_error("a name of more than 4 GiB");
            ends_.push_back(text_.size() + name.size());
            try {
                text_.append(name);
            } catch (...) {  // no memory: the name is not added
                ends_.pop_back();
                throw;
            }
            slot = {h, static_cast<std::uint32_t>(ends_.size() - 1),
                    static_cast<std::uint32_t>(name.size())};
        }
        return slot.id;
    }

    /// So that the table does not have to grow on the way to this many names.
    void make_room(std::size_t names) {
        std::size_t slots = 64;
        while ((names + 1) * 4 > slots * 3) slots *= 2;
        if (slots > table_.size()) fill(slots);
    }

    /// A name with this hash will be looked up soon.
    void prefetch(std::uint64_t h) const {
        if (!table_.empty())
            __builtin_prefetch(&table_[static_cast<std::size_t>(h) & (table_.size() - 1)]);
    }

    /// Forget all but the first names. It cannot fail: it is called when memory has run out.
    void shrink(std::size_t names) {
        while (ends_.size() > names) {
            const std::string_view last = name(ends_.size() - 1);
            remove(place(last, hash(last)));
            ends_.pop_back();
        }
        text_.resize(names == 0 ? 0 : ends_[names - 1]);
    }

    /// Eight bytes at a time; with a new seed in each process, so that no file can target one bucket.
    static std::uint64_t hash(std::string_view s) {
        static const std::uint64_t seed = std::random_device{}() * 0x9e3779b97f4a7c15ull | 1;
        return hash(s, seed);
    }
    static std::uint64_t hash(std::string_view s, std::uint64_t seed) {
        std::uint64_t h = seed ^ (s.size() * 0x9e3779b97f4a7c15ull);
        const char* p = s.data();
        std::size_t n = s.size();
        for (; n > 8; p += 8, n -= 8) {
            std::uint64_t word;
            std::memcpy(&word, p, 8);
            h = mix(h ^ word) * 0x9fb21c651e98df25ull;
        }
        return mix(mix(h ^ few_bytes(p, n)) * 0x9fb21c651e98df25ull);
    }
    /// Different names of the same size up to this have different hashes: each step above is invertible.
    static constexpr std::size_t hashed_exactly = 8;

    /// At most eight bytes as a number, the first byte lowest.
    static std::uint64_t few_bytes(const char* p, std::size_t n) {
        if (n >= 4 && std::endian::native == std::endian::little) {
            std::uint32_t first, last;  // they may overlap
            std::memcpy(&first, p, 4);
            std::memcpy(&last, p + n - 4, 4);
            return first | std::uint64_t{last} << (8 * (n - 4));
        }
        std::uint64_t number = 0;
        for (std::size_t i = 0; i < n; ++i)
            number |= std::uint64_t{static_cast<unsigned char>(p[i])} << (8 * i);
        return number;
    }

    const std::string& text() const { return text_; }
    const std::vector<std::uint64_t>& ends() const { return ends_; }

private:
    // Ids are gathered as signed 32-bit numbers, and the row of the bias comes before them.
    static constexpr std::size_t largest = 0x7ffffffeu;

    /// Everything about a short name, so that its text, elsewhere in memory, is not read.
    struct Slot {
        std::uint64_t hash = 0;
        std::uint32_t id = none;
        std::uint32_t size = 0;
    };

    bool holds(const Slot& slot, std::string_view text, std::uint64_t h) const {
        return slot.hash == h && slot.size == text.size() &&
               (text.size() <= hashed_exactly || name(slot.id) == text);
    }

    /// The slot of `name`, or the free slot where it would go.
    std::size_t place(std::string_view text, std::uint64_t h) const {
        const std::size_t mask = table_.size() - 1;
        std::size_t i = static_cast<std::size_t>(h) & mask;
        while (table_[i].id != none && !holds(table_[i], text, h)) i = (i + 1) & mask;
        return i;
    }

    /// Frees a slot; later ones that would no longer be found move up (Knuth, 6.4, algorithm R).
    void remove(std::size_t free) {
        const std::size_t mask = table_.size() - 1;
        for (std::size_t i = (free + 1) & mask; table_[i].id != none; i = (i + 1) & mask) {
            const std::size_t wanted = static_cast<std::size_t>(table_[i].hash) & mask;
            if (((i - wanted) & mask) < ((i - free) & mask))
                continue;  // its way does not lead here
            table_[free] = table_[i];
            free = i;
        }
        table_[free] = Slot{};
    }

    void fill(std::size_t slots) {
        std::vector<Slot> before(slots);
        std::swap(before, table_);
        for (const Slot& slot : before) {
            if (slot.id == none) continue;
            std::size_t i = static_cast<std::size_t>(slot.hash) & (slots - 1);
            while (table_[i].id != none) i = (i + 1) & (slots - 1);
            table_[i] = slot;
        }
    }

    static std::uint64_t mix(std::uint64_t h) {
        h ^= h >> 32;
        h *= 0xd6e8feb86659fd93ull;
        h ^= h >> 29;
        return h;
    }

    std::string text_;
    std::vector<std::uint64_t> ends_;
    std::vector<Slot> table_;
};

}  // namespace thresher
