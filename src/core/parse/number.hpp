// Decimal text → numbers, eight digits at a time. Exact: what strtod would give, to the last bit.
// The text must be readable for `slack` bytes beyond its end (a chunk has such a margin), so that no
// load needs a check; what is there is never taken for part of a number.
#pragma once

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>

namespace thresher::parse {

constexpr std::size_t slack = 64;

namespace detail {

inline std::uint64_t eight_bytes(const char* p) {
    std::uint64_t v;
    std::memcpy(&v, p, 8);
    if constexpr (std::endian::native == std::endian::big) v = __builtin_bswap64(v);
    return v;
}

/// How many of the first eight bytes are digits, given the bytes XOR '0'.
inline unsigned digits_among(std::uint64_t t) {
    const std::uint64_t not_digit = (t | (t + 0x7676767676767676ull)) & 0x8080808080808080ull;
    return not_digit == 0 ? 8u : static_cast<unsigned>(std::countr_zero(not_digit)) >> 3;
}

/// The value of 1 ≤ n ≤ 8 digits at the beginning of t.
inline std::uint64_t value_of(std::uint64_t t, unsigned n) {
    t <<= (64 - 8 * n) & 63;  // leading zeros in front
    t = t * 10 + (t >> 8);
    t = (((t & 0x000000ff000000ffull) * 0x000f424000000064ull) +
         (((t >> 16) & 0x000000ff000000ffull) * 0x0000271000000001ull)) >>
        32;
    return t & 0xffffffffull;
}

inline constexpr std::uint64_t whole_power_of_ten[] = {1,      10,      100,      1000,     10000,
                                                       100000, 1000000, 10000000, 100000000};
inline constexpr double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

}  // namespace detail

/// Reads digits at p into n; returns where they end (beyond `end` if they run into what is there), or p
/// itself if there are none or too many for 64 bits.
inline const char* read_whole(const char* p, const char* end, std::uint64_t& n) {
    const std::uint64_t t = detail::eight_bytes(p) ^ 0x3030303030303030ull;
    const unsigned count = detail::digits_among(t);
    if (count < 8) {
        if (count > 0) n = detail::value_of(t, count);
        return p + count;
    }
    if (end - p < 8) return p + 8;
    const auto [stop, error] = std::from_chars(p, end, n);
    return error == std::errc() ? stop : p;
}

/// Whether a decimal that fits no double is too large for it (else it is too small).
inline bool is_huge(const char* p, const char* end) {
    long magnitude = 0;  // of the first significant digit, as a power of ten
    bool point = false, started = false;
    for (; p < end && (*p | 0x20) != 'e'; ++p) {
        if (*p == '.') {
            point = true;
        } else if (*p >= '0' && *p <= '9') {
            started |= *p != '0';
            magnitude += started && !point ? 1 : !started && point ? -1 : 0;
        }
    }
    long exponent = 0;
    if (p < end && std::from_chars(p + 1 + (p[1] == '+'), end, exponent).ec != std::errc())
        return p[1] != '-';
    return exponent > -magnitude;  // their sum may not fit
}

/// The general case: signs, exponents, many digits. `end` bounds the token.
/// A number too large for a double becomes an infinity, one too small becomes zero; "inf", "nan" and
/// the like are read as they are, for the caller to refuse.
inline const char* read_any_real(const char* p, const char* end, double& v) {
    const char* from = p + 1 < end && *p == '+' && p[1] != '-' ? p + 1 : p;
    const auto [stop, error] = std::from_chars(from, end, v);
    if (error == std::errc::invalid_argument) return p;
    if (error == std::errc::result_out_of_range) {
        v = is_huge(from, stop) ? std::numeric_limits<double>::infinity() : 0.0;
        if (*from == '-') v = -v;
    }
    return stop;
}

/// Reads a plain decimal at p into v: at most seven digits, or a point between at most seven on each
/// side. Returns where it ends, or p itself if there is something else.
/// A decimal of at most 15 digits is exact as one division (Clinger 1990).
inline const char* read_decimal(const char* p, const char* end, double& v) {
    const std::uint64_t t = detail::eight_bytes(p) ^ 0x3030303030303030ull;
    const unsigned whole = detail::digits_among(t);
    if (whole == 0 || whole == 8) return p;
    const std::uint64_t before = detail::value_of(t, whole);
    const char* q = p + whole;
    if (*q != '.') {
        if (q > end || (*q | 0x20) == 'e') return p;
        v = static_cast<double>(before);
        return q;
    }
    const std::uint64_t f = detail::eight_bytes(q + 1) ^ 0x3030303030303030ull;
    const unsigned count = detail::digits_among(f);
    q += 1 + count;
    if (count == 0 || count == 8 || (*q | 0x20) == 'e' || q > end) return p;
    const std::uint64_t digits =
        before * detail::whole_power_of_ten[count] + detail::value_of(f, count);
    v = static_cast<double>(static_cast<std::int64_t>(digits)) / detail::power_of_ten[count];
    return q;
}

/// Reads a real number at p into v; returns where it ends, or p itself if there is none.
inline const char* read_real(const char* p, const char* end, double& v) {
    const char* q = read_decimal(p, end, v);
    return q > p ? q : read_any_real(p, end, v);
}

}  // namespace thresher::parse
