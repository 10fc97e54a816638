// Names of features → consecutive ids, exact and unbounded: no two names ever share an id.
//
// One thread adds names, under the lock of its model; meanwhile parsing threads look names up in snapshots,
// without a lock. The contract:
//  · A record (what a name is) is written once, before any snapshot that covers it, and never moves.
//  · A slot of the table is one atomic word and is set once. A full table is replaced, never changed: a
//    snapshot keeps the one that it was taken with.
//  · A snapshot is handed from thread to thread with synchronisation (parse/known_names.hpp), so that what
//    was written before it was taken can be read.
//  · A snapshot covers the names that had a number when it was taken. A name numbered later is unknown to
//    it, even once the table shows it: a name must not become known in the middle of a row, whose repeats
//    are found by their ids.
//  · Names are forgotten (`shrink`) in place only if no snapshot was taken; otherwise records and table are
//    left to the snapshots, and the next name to be added begins new ones.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "huge_pages.hpp"
#include "prefetch.hpp"

namespace thresher {

/// A name of up to 15 bytes as it is, followed by zeros and, in the last byte, its size: one comparison
/// tells two of them apart. Of a longer name, where it is and how long.
class NameKey {
public:
    static constexpr std::size_t longest = 15;

    NameKey() = default;  // not initialised

    /// A name of up to `longest` bytes.
    static NameKey of(std::string_view s) {
        const std::size_t n = s.size();
        if constexpr (std::endian::native == std::endian::little) {
            if (n >= 8) {
                std::uint64_t head, end;  // they may overlap
                std::memcpy(&head, s.data(), 8);
                std::memcpy(&end, s.data() + n - 8, 8);
                return {head, end >> (8 * (longest - n)) >> 8 | std::uint64_t{n} << 56};
            }
            return {few_bytes(s.data(), n), std::uint64_t{n} << 56};
        }
        NameKey key{0, 0};
        std::memcpy(&key, s.data(), n);
        key.set_kind(static_cast<unsigned char>(n));
        return key;
    }
    /// The same where 16 bytes can be read at p.
    static NameKey at(const char* p, std::size_t n) {
        if constexpr (std::endian::native != std::endian::little) return of({p, n});
        static constexpr std::uint64_t first[] = {0,
                                                  0xff,
                                                  0xffff,
                                                  0xffffff,
                                                  0xffffffff,
                                                  0xffffffffff,
                                                  0xffffffffffff,
                                                  0xffffffffffffff,
                                                  0xffffffffffffffff};
        std::uint64_t head, tail;
        std::memcpy(&head, p, 8);
        std::memcpy(&tail, p + 8, 8);
        return {head & first[std::min<std::size_t>(n, 8)],
                (tail & first[n > 8 ? n - 8 : 0]) | std::uint64_t{n} << 56};
    }
    /// A longer name, elsewhere.
    static NameKey elsewhere(std::uint64_t where, std::uint32_t size) {
        NameKey key{where, 0};
        std::memcpy(&key.tail_, &size, sizeof size);
        key.set_kind(is_elsewhere);
        return key;
    }
    /// A name that is a number in decimal digits.
    static NameKey number(std::uint64_t n) {
        NameKey key{n, 0};
        key.set_kind(is_a_number);
        return key;
    }

    bool is_long() const { return kind() == is_elsewhere; }
    bool is_number() const { return kind() == is_a_number; }
    std::uint64_t where() const { return head_; }  // or the number
    std::uint32_t long_size() const {
        std::uint32_t size;
        std::memcpy(&size, &tail_, sizeof size);
        return size;
    }
    /// The bytes of a short name, valid as long as this object.
    std::string_view text() const { return {reinterpret_cast<const char*>(this), kind()}; }

    bool operator==(const NameKey&) const = default;

    /// Of a short name: a multiplication to 128 bits, folded, as in wyhash.
    std::uint64_t hash(std::uint64_t seed) const {
        __extension__ using Wide = unsigned __int128;
        const Wide product = static_cast<Wide>(head_ ^ seed) * (tail_ ^ 0xe7037ed1a0b428dbull);
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    }

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

private:
    static constexpr unsigned char is_elsewhere = 0xff, is_a_number = 0xfe;

    NameKey(std::uint64_t head, std::uint64_t tail) : head_(head), tail_(tail) {}

    unsigned char kind() const { return reinterpret_cast<const unsigned char*>(this)[15]; }
    void set_kind(unsigned char kind) { reinterpret_cast<unsigned char*>(this)[15] = kind; }

    std::uint64_t head_, tail_;  // the bytes in the order of memory
};
static_assert(sizeof(NameKey) == 16);

class Vocabulary {
    /// By id, in blocks that double in size and never move.
    class Records {
    public:
        const NameKey& operator[](std::size_t id) const {
            const std::size_t n = id + first, block = block_of(n);
            return blocks_[block][n - (first << block)];
        }
        std::string_view name(std::size_t id) const {
            const NameKey& key = (*this)[id];
            if (!key.is_long()) return key.text();
            return {reinterpret_cast<const char*>(static_cast<std::uintptr_t>(key.where())),
                    key.long_size()};
        }

        /// Writes record `id`; if there is no memory, nothing has changed.
        void write(std::size_t id, std::string_view name) {
            const std::size_t n = id + first, block = block_of(n);
            if (!blocks_[block]) {
                blocks_[block].reset(new NameKey[first << block]);
                prefer_huge_pages(blocks_[block].get(), (first << block) * sizeof(NameKey));
            }
            blocks_[block][n - (first << block)] =
                name.size() <= NameKey::longest ? NameKey::of(name) : kept(name);
        }
        /// Forgets the last record.
        void pop(std::size_t id) {
            const NameKey& key = (*this)[id];
            if (!key.is_long()) return;
            Block& last = texts_.back();
            last.used -= key.long_size();
            text_bytes_ -= key.long_size();
            if (last.used == 0) texts_.pop_back();
        }
        std::size_t text_bytes() const { return text_bytes_; }

    private:
        static constexpr std::size_t first = 1024, text_block = std::size_t{1} << 16;
        struct Block {
            std::unique_ptr<char[]> text;
            std::size_t used, room;
        };

        static std::size_t block_of(std::size_t n) {
            return static_cast<std::size_t>(std::bit_width(n)) - std::bit_width(first);
        }
        NameKey kept(std::string_view name) {
            if (texts_.empty() || texts_.back().room - texts_.back().used < name.size()) {
                const std::size_t room = std::max(text_block, name.size());
                texts_.reserve(texts_.size() + 1);
                texts_.push_back({std::unique_ptr<char[]>(new char[room]), 0, room});
            }
            Block& last = texts_.back();
            char* const to = last.text.get() + last.used;
            std::memcpy(to, name.data(), name.size());
            last.used += name.size();
            text_bytes_ += name.size();
            return NameKey::elsewhere(reinterpret_cast<std::uintptr_t>(to),
                                      static_cast<std::uint32_t>(name.size()));
        }

        std::array<std::unique_ptr<NameKey[]>, 22> blocks_;  // for more than 2^32 records
        std::vector<Block> texts_;                           // only for the thread that adds
        std::size_t text_bytes_ = 0;
    };

    /// Open addressing. A slot of 32 bits is 0, or the id + 1 in as many bits as the table's size needs and
    /// bits of the hash in the others: names are at most 3/4 of the slots.
    class Table {
    public:
        explicit Table(std::size_t slots)
            : mask_(slots - 1), slots_(static_cast<Slot*>(::operator new(slots * sizeof(Slot)))) {
            prefer_huge_pages(slots_.get(), slots * sizeof(Slot));
            std::uninitialized_value_construct_n(slots_.get(), slots);
        }
        std::size_t size() const { return mask_ + 1; }
        std::size_t bytes() const { return size() * sizeof(Slot); }
        std::uint32_t operator[](std::size_t i) const {
            return slots_[i & mask_].load(std::memory_order_relaxed);
        }
        void set(std::size_t i, std::uint32_t slot) {
            slots_[i & mask_].store(slot, std::memory_order_relaxed);
        }
        std::size_t place(std::uint64_t h) const { return static_cast<std::size_t>(h) & mask_; }
        void prefetch(std::uint64_t h) const { thresher::prefetch(&slots_[place(h)]); }

        /// The first place from that of `h` on which is free.
        std::size_t free_place(std::uint64_t h) const {
            std::size_t i = place(h);
            while ((*this)[i] != 0) i = (i + 1) & mask_;
            return i;
        }
        std::uint32_t slot(std::uint64_t h, std::size_t id) const {
            return (high(h) & ~ids()) | static_cast<std::uint32_t>(id + 1);
        }
        std::uint32_t id_in(std::uint32_t slot) const { return (slot & ids()) - 1; }
        /// Whether a slot that is not free may be that of a name with this hash.
        bool may_be(std::uint32_t slot, std::uint64_t h) const {
            return ((slot ^ high(h)) & ~ids()) == 0;
        }

    private:
        using Slot = std::atomic<std::uint32_t>;
        struct Free {
            void operator()(Slot* slots) const { ::operator delete(slots); }
        };
        static std::uint32_t high(std::uint64_t h) { return static_cast<std::uint32_t>(h >> 32); }
        std::uint32_t ids() const { return static_cast<std::uint32_t>(mask_); }

        std::size_t mask_;
        std::unique_ptr<Slot[], Free> slots_;
    };

public:
    static constexpr std::uint32_t none = 0xffffffffu;

    /// The names that had a number at one moment, for other threads to look up.
    class Snapshot {
    public:
        std::size_t size() const { return size_; }
        std::string_view name(std::size_t id) const { return records_->name(id); }
        void prefetch(std::uint64_t h) const { table_->prefetch(h); }

        /// The id of a name; `none`: it is unknown, or was then.
        std::uint32_t find(std::string_view name, std::uint64_t h) const {
            return searched(*table_, *records_, size_, name, h);
        }
        struct Candidate {
            const NameKey* record;
            std::uint32_t id;
        };
        /// In two steps for many names at once: which name it can be by its hash (or `none`) …
        Candidate candidate(std::uint64_t h) const {
            for (std::size_t i = table_->place(h);; ++i) {
                const std::uint32_t slot = (*table_)[i];
                if (slot == 0) return {nullptr, none};
                const std::uint32_t id = table_->id_in(slot);
                if (table_->may_be(slot, h) && id < size_) {
                    const NameKey* const record = &(*records_)[id];
                    thresher::prefetch(record);
                    return {record, id};
                }
            }
        }
        /// … and whether it is that one.
        std::uint32_t find(const NameKey& key, std::uint64_t h, const Candidate& one) const {
            if (one.id == none || *one.record == key) return one.id;
            return find(key.text(), h);
        }

        /// Whether all ids of this snapshot are those of this vocabulary.
        bool holds_for(const Vocabulary& names) const {
            return records_ == names.records_ && size_ <= names.size();
        }

    private:
        friend class Vocabulary;
        std::shared_ptr<const Records> records_;
        std::shared_ptr<const Table> table_;
        std::size_t size_ = 0;
    };

    Vocabulary() = default;
    Vocabulary(Vocabulary&&) = default;
    Vocabulary& operator=(Vocabulary&&) = default;
    Vocabulary(const Vocabulary&) = delete;
    Vocabulary& operator=(const Vocabulary&) = delete;

    std::size_t size() const { return size_; }
    /// Of a name of up to 15 bytes: 16 for itself, and 4 for each of 4/3 to 8/3 slots.
    std::size_t bytes() const {
        return size_ * sizeof(NameKey) + (records_ ? records_->text_bytes() : 0) +
               (table_ ? table_->bytes() : 0);
    }

    /// Valid as long as the name is known.
    std::string_view name(std::size_t id) const { return records_->name(id); }

    std::uint32_t find(std::string_view name) const { return find(name, hash(name)); }
    std::uint32_t find(std::string_view name, std::uint64_t h) const {
        return size_ > 0 ? searched(*table_, *records_, size_, name, h) : none;
    }

    std::uint32_t find_or_add(std::string_view name) { return find_or_add(name, hash(name)); }
    std::uint32_t find_or_add(std::string_view name, std::uint64_t h) {
        if (const std::uint32_t id = find(name, h); id != none) return id;
        if (size_ >= largest) throw std::length_error("more than 2^31 feature names");
        if (name.size() > 0xffffffffu) throw std::length_error("a name of more than 4 GiB");
        if (forgot_ || !records_) begin_records();
        if (!table_ || (size_ + 1) * 4 > table_->size() * 3)
            fill(table_ ? table_->size() * 2 : least);
        records_->write(size_, name);
        table_->set(table_->free_place(h), table_->slot(h, size_));
        return static_cast<std::uint32_t>(size_++);
    }

    /// So that the table does not have to grow on the way to this many names.
    void make_room(std::size_t names) {
        std::size_t slots = least;
        while ((names + 1) * 4 > slots * 3) slots *= 2;
        if (!table_ || slots > table_->size()) fill(slots);
    }

    /// A name with this hash will be looked up soon.
    void prefetch(std::uint64_t h) const {
        if (table_) table_->prefetch(h);
    }

    /// Forget all but the first names. It cannot fail: it is called when memory has run out.
    void shrink(std::size_t names) {
        if (names >= size_) return;
        forgot_ |= lent_;
        for (; !forgot_ && size_ > names; --size_) {
            remove(place_of(size_ - 1));
            records_->pop(size_ - 1);
        }
        size_ = names;
    }

    /// What is known now; null if that is nothing.
    std::shared_ptr<const Snapshot> snapshot() {
        if (size_ == 0 || forgot_) return nullptr;
        auto made = std::make_shared<Snapshot>();
        made->records_ = records_;
        made->table_ = table_;
        made->size_ = size_;
        lent_ = true;
        return made;
    }

    /// With a new seed in each process, so that no file can target one slot.
    static std::uint64_t hash(std::string_view s) {
        return s.size() <= NameKey::longest ? hash(NameKey::of(s)) : hash(s, seed);
    }
    static std::uint64_t hash(const NameKey& short_name) { return short_name.hash(seed); }

    /// Eight bytes at a time, the same in every process: such hashes are written to files.
    static std::uint64_t hash(std::string_view s, std::uint64_t from) {
        std::uint64_t h = from ^ (s.size() * 0x9e3779b97f4a7c15ull);
        const char* p = s.data();
        std::size_t n = s.size();
        for (; n > 8; p += 8, n -= 8) {
            std::uint64_t word;
            std::memcpy(&word, p, 8);
            h = mix(h ^ word) * 0x9fb21c651e98df25ull;
        }
        return mix(mix(h ^ NameKey::few_bytes(p, n)) * 0x9fb21c651e98df25ull);
    }

private:
    // Ids are gathered as signed 32-bit numbers, and the row of the bias comes before them.
    static constexpr std::size_t largest = 0x7ffffffeu, least = 64;

    inline static const std::uint64_t seed = std::random_device{}() * 0x9e3779b97f4a7c15ull | 1;

    static std::uint32_t searched(const Table& table, const Records& records, std::size_t size,
                                  std::string_view name, std::uint64_t h) {
        const bool is_short = name.size() <= NameKey::longest;
        const NameKey key = is_short ? NameKey::of(name) : NameKey::elsewhere(0, 0);
        for (std::size_t i = table.place(h);; ++i) {
            const std::uint32_t slot = table[i];
            if (slot == 0) return none;
            const std::uint32_t id = table.id_in(slot);
            if (!table.may_be(slot, h) || id >= size) continue;
            if (is_short ? records[id] == key : records.name(id) == name) return id;
        }
    }

    std::uint64_t hash_of(std::size_t id) const {
        const NameKey& key = (*records_)[id];
        return key.is_long() ? hash(records_->name(id)) : hash(key);
    }
    /// The slot of a name that has one.
    std::size_t place_of(std::size_t id) const {
        const std::uint64_t h = hash_of(id);
        std::size_t i = table_->place(h);
        while (table_->id_in((*table_)[i]) != id) ++i;
        return table_->place(i);
    }

    /// Frees a slot; later ones that would no longer be found move up (Knuth, 6.4, algorithm R).
    void remove(std::size_t free) {
        Table& table = *table_;
        for (std::size_t i = table.place(free + 1); table[i] != 0; i = table.place(i + 1)) {
            const std::size_t wanted = table.place(hash_of(table.id_in(table[i])));
            if (table.place(i - wanted) < table.place(i - free)) continue;  // its way is not here
            table.set(free, table[i]);
            free = i;
        }
        table.set(free, 0);
    }

    /// Another table, of this size.
    void fill(std::size_t slots) {
        constexpr std::size_t ahead = 16;
        auto made = std::make_shared<Table>(slots);
        std::uint64_t hashes[ahead];
        for (std::size_t begin = 0; begin < size_; begin += ahead) {
            const std::size_t end = std::min(size_, begin + ahead);
            for (std::size_t id = begin; id < end; ++id)
                made->prefetch(hashes[id - begin] = hash_of(id));
            for (std::size_t id = begin; id < end; ++id) {
                const std::uint64_t h = hashes[id - begin];
                made->set(made->free_place(h), made->slot(h, id));
            }
        }
        table_ = std::move(made);
    }

    /// Own records and an own table with the names that there are.
    void begin_records() {
        auto made = std::make_shared<Records>();
        for (std::size_t id = 0; id < size_; ++id) made->write(id, name(id));
        if (table_) {
            std::swap(made, records_);
            try {
                fill(table_->size());
            } catch (...) {
                std::swap(made, records_);
                throw;
            }
        } else {
            records_ = std::move(made);
        }
        lent_ = forgot_ = false;
    }

    static std::uint64_t mix(std::uint64_t h) {
        h ^= h >> 32;
        h *= 0xd6e8feb86659fd93ull;
        h ^= h >> 29;
        return h;
    }

    std::shared_ptr<Records> records_;
    std::shared_ptr<Table> table_;
    std::size_t size_ = 0;
    bool lent_ = false;    // to a snapshot
    bool forgot_ = false;  // after it was lent: the table has names from `size_` on
};

}  // namespace thresher
