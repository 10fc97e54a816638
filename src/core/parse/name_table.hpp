// Names → their places in a batch: a hash table for text, a direct table for numbers.
#pragma once

#include <algorithm>
#include <bit>

#include "../vocabulary.hpp"
#include "batch.hpp"

namespace thresher::parse {

class NameTable {
public:
    /// Start with the names of another batch.
    void begin(Names& names) {
        names_ = &names;
        slots_.assign(slots_.size(), 0);
        used_ = 0;
        if (++batch_ == 0) {  // once in four billion batches
            by_number_.clear();
            batch_ = 1;
        }
    }

    std::int32_t number(std::uint64_t n) {
        if (n < by_number_.size() && by_number_[n].batch == batch_) return by_number_[n].id;
        return new_number(n);
    }

    std::int32_t text(std::string_view s) {
        std::uint64_t n;
        if (is_plain_number(s, n)) return number(n);
        const std::uint64_t h = Vocabulary::hash(s);
        if (s.size() <= NameKey::longest) return short_text(NameKey::of(s), h);
        std::size_t i = place(h);
        for (; slots_[i] != 0; i = next(i)) {
            const std::size_t id = slots_[i] - 1;
            if ((*names_)[id].hash == h && (*names_)[id].key.is_long() && names_->text(id) == s)
                return static_cast<std::int32_t>(id);
        }
        names_->add_long(s, h);
        return put(i);
    }
    /// The same for a short name that is no number.
    std::int32_t short_text(const NameKey& key, std::uint64_t h) {
        std::size_t i = place(h);
        for (; slots_[i] != 0; i = next(i))
            if ((*names_)[slots_[i] - 1].key == key)
                return static_cast<std::int32_t>(slots_[i] - 1);
        names_->add_short(key, h);
        return put(i);
    }
    void prefetch(std::uint64_t h) const { thresher::prefetch(&slots_[place(h)]); }

    /// Forgets all names but the first n.
    void shrink(std::size_t n) {
        while (names_->size() > n) {
            const std::size_t last = names_->size() - 1;
            if (is_direct(last)) {
                by_number_[names_->number(last)].batch = 0;
            } else {
                slots_[slot_of(last)] = 0;  // nothing was put after it since: no search passes here
                --used_;
            }
            names_->shrink(last);
        }
    }

    /// Digits without leading zeros: a number with only one spelling.
    static bool is_plain_number(std::string_view s, std::uint64_t& n) {
        if (s.empty() || s.size() > 18 || s[0] < '0' || s[0] > '9' || (s[0] == '0' && s.size() > 1))
            return false;
        n = 0;
        for (const char c : s) {
            if (c < '0' || c > '9') return false;
            n = n * 10 + static_cast<std::uint64_t>(c - '0');
        }
        return true;
    }

private:
    static constexpr std::size_t direct = std::size_t{1} << 22;  // numbers below have a slot each
    struct Direct {
        std::uint32_t batch = 0;  // the one that it holds for
        std::int32_t id = 0;
    };

    static std::uint64_t mixed(std::uint64_t n) { return (n ^ (n >> 29)) * 0x9e3779b97f4a7c15ull; }
    std::size_t place(std::uint64_t h) const {
        return static_cast<std::size_t>(h >> 20) & (slots_.size() - 1);
    }

    std::size_t next(std::size_t i) const { return (i + 1) & (slots_.size() - 1); }

    std::int32_t new_number(std::uint64_t n) {
        if (n < direct) {
            if (n >= by_number_.size()) {
                const auto room = std::bit_ceil(static_cast<std::size_t>(n) + 1);
                by_number_.resize(std::max<std::size_t>(1024, room));
            }
            names_->add_number(n);
            by_number_[n] = {batch_, static_cast<std::int32_t>(names_->size() - 1)};
            return by_number_[n].id;
        }
        std::size_t i = place(mixed(n));
        for (; slots_[i] != 0; i = next(i))
            if (names_->is_number(slots_[i] - 1) && names_->number(slots_[i] - 1) == n)
                return static_cast<std::int32_t>(slots_[i] - 1);
        names_->add_number(n);
        return put(i);
    }

    /// The name just added belongs in slot i.
    std::int32_t put(std::size_t i) {
        slots_[i] = static_cast<std::uint32_t>(names_->size());
        if (++used_ * 2 > slots_.size()) widen();
        return static_cast<std::int32_t>(names_->size() - 1);
    }

    void widen() {
        slots_.assign(slots_.size() * 2, 0);
        used_ = 0;
        for (std::size_t id = 0; id < names_->size(); ++id) {
            if (is_direct(id)) continue;
            std::size_t i = first_place(id);
            while (slots_[i] != 0) i = next(i);
            slots_[i] = static_cast<std::uint32_t>(id + 1);
            ++used_;
        }
    }

    bool is_direct(std::size_t id) const {
        return names_->is_number(id) && names_->number(id) < direct;
    }
    std::size_t first_place(std::size_t id) const {
        return place(names_->is_number(id) ? mixed(names_->number(id)) : (*names_)[id].hash);
    }
    std::size_t slot_of(std::size_t id) const {
        std::size_t i = first_place(id);
        while (slots_[i] != id + 1) i = next(i);
        return i;
    }

    Names* names_ = nullptr;
    std::vector<std::uint32_t> slots_ =
        std::vector<std::uint32_t>(1024);  // place in the batch + 1; 0 is free
    std::vector<Direct> by_number_;
    std::uint32_t batch_ = 0;
    std::size_t used_ = 0;
};

}  // namespace thresher::parse
