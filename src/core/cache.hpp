// Examples to bytes and back, for the passes after the first: as small as their values allow, in the
// byte order of this machine, only for this process.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>

#include "resolve.hpp"

namespace thresher {

namespace detail {

struct CacheHead {
    std::uint64_t rows, cells;
    std::uint8_t plain, single, targets, weights, sets;
};

template <class T>
void put(std::string& out, const T* from, std::size_t n) {
    out.append(reinterpret_cast<const char*>(from), n * sizeof(T));
}

class CacheCursor {
public:
    explicit CacheCursor(const std::string& bytes) : bytes_(bytes) {}
    template <class T>
    void take(T* to, std::size_t n) {
        if (n > (bytes_.size() - at_) / sizeof(T)) throw std::runtime_error("the cache is damaged");
        if (n > 0) std::memcpy(to, bytes_.data() + at_, n * sizeof(T));
        at_ += n * sizeof(T);
    }
    template <class T>
    void take(std::vector<T>& to, std::size_t n) {
        if (n > bytes_.size()) throw std::runtime_error("the cache is damaged");
        to.resize(n);
        take(to.data(), n);
    }

private:
    const std::string& bytes_;
    std::size_t at_ = 0;
};

/// Whether float32 represents all values exactly.
inline bool fit_single(const double* v, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        if (static_cast<double>(static_cast<float>(v[i])) != v[i]) return false;
    return true;
}

}  // namespace detail

/// The first rows; the size comes before them.
inline std::string to_bytes(const Examples& e, std::size_t rows) {
    const auto cells = static_cast<std::size_t>(e.start[rows]);
    detail::CacheHead head{};
    head.rows = rows;
    head.cells = cells;
    head.plain = e.plain;
    head.single = !e.plain && detail::fit_single(e.value.data(), cells);
    head.targets = !e.targets.empty();
    head.weights = !e.weights.empty();
    head.sets = !e.label_start.empty();
    std::string out(sizeof(std::uint64_t), '\0');
    detail::put(out, &head, 1);
    for (std::size_t i = 0; i < rows; ++i) {
        const auto length = static_cast<std::uint32_t>(e.start[i + 1] - e.start[i]);
        detail::put(out, &length, 1);
    }
    detail::put(out, e.index.data(), cells);
    if (head.single) {
        for (std::size_t j = 0; j < cells; ++j) {
            const auto v = static_cast<float>(e.value[j]);
            detail::put(out, &v, 1);
        }
    } else if (!head.plain) {
        detail::put(out, e.value.data(), cells);
    }
    detail::put(out, e.needed.data(), rows);
    if (head.sets) detail::put(out, e.label_start.data(), rows + 1);
    if (head.targets)
        detail::put(out, e.targets.data(), rows);
    else
        detail::put(out, e.codes.data(),
                    head.sets ? static_cast<std::size_t>(e.label_start[rows]) : rows);
    if (head.weights) detail::put(out, e.weights.data(), rows);
    const std::uint64_t size = out.size() - sizeof size;
    std::memcpy(out.data(), &size, sizeof size);
    return out;
}

inline void from_bytes(const std::string& bytes, Examples& e) {
    detail::CacheCursor from(bytes);
    detail::CacheHead head;
    from.take(&head, 1);
    const auto rows = static_cast<std::size_t>(head.rows);
    const auto cells = static_cast<std::size_t>(head.cells);
    std::vector<std::uint32_t> lengths;
    from.take(lengths, rows);
    e.start.assign(1, 0);
    for (const std::uint32_t length : lengths) e.start.push_back(e.start.back() + length);
    if (e.start.back() != static_cast<std::int64_t>(cells))
        throw std::runtime_error("the cache is damaged");
    std::vector<std::int32_t> index;
    from.take(index, cells);
    e.index.append(index.data(), cells);
    e.plain = head.plain;
    std::vector<double> value;
    if (head.single) {
        std::vector<float> single;
        from.take(single, cells);
        value.assign(single.begin(), single.end());
    } else if (!head.plain) {
        from.take(value, cells);
    }
    e.value.append(value.data(), value.size());
    from.take(e.needed, rows);
    std::size_t codes = rows;
    if (head.sets) {
        from.take(e.label_start, rows + 1);
        if (e.label_start[0] != 0 || !std::is_sorted(e.label_start.begin(), e.label_start.end()))
            throw std::runtime_error("the cache is damaged");
        codes = static_cast<std::size_t>(e.label_start[rows]);
    }
    if (head.targets)
        from.take(e.targets, rows);
    else
        from.take(e.codes, codes);
    if (head.weights) from.take(e.weights, rows);
}

}  // namespace thresher
