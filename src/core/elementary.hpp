// exp, log, pow and their like as fixed sequences of IEEE operations. A libm chooses its own by the processor (with
// and without fused multiply-add) and changes from version to version; what is learned would change in its last bits.
//   exp, log, pow: error below 0.52 ulp (0.8 where the result is subnormal); log1p, sin, cos: 0.8; tanh: 2.
// The build forbids the compiler to fuse a product and a sum (-ffp-contract=off); sqrt, fmod and scalb are exact by
// their definition, and may come from anywhere.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "elementary_tables.hpp"

namespace thresher::fixed {

/// A number as the sum of two, the second below the last place of the first.
struct Sum {
    double high, low;
};

/// The first 26 bits of a number: products of two such are exact.
inline double front(double x) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~std::uint64_t{0x7ffffff});
}

/// 2^e·value for a value in [1, 2) and any e: may overflow or lose bits.
inline double scaled(double value, std::int64_t e) {
    return std::scalbn(value, static_cast<int>(e));
}

/// exp(x + rest) for |x| < 800, with a rest below the last place of x.
///   x = (128·e + i)·ln2/128 + r, |r| ≤ ln2/256:   exp(x) = 2^e·2^(i/128)·exp(r)
inline double exp_of_sum(double x, double rest) {
    constexpr double per_step = 0x1.71547652b82fep+7, step = 0x1.62e42ff000000p-8,
                     step_rest = -0x1.718432a1b0e26p-42;
    constexpr double to_whole = 0x1.8p52;  // added to a number, it leaves the nearest whole one
    const double shifted = x * per_step + to_whole, n = shifted - to_whole;
    const auto whole = std::bit_cast<std::uint64_t>(shifted);  // its last bits, modulo 2^51
    const double r = (x - n * step) + (rest - n * step_rest), r2 = r * r;
    const Power& power = powers[whole & 127];
    const double more =
        (power.rest + r) + r2 * ((0.5 + r * (1.0 / 6.0)) + r2 * (1.0 / 24.0 + r * (1.0 / 120.0)));
    if (std::abs(x) < 690.0) [[likely]] {
        const double scale = std::bit_cast<double>(std::bit_cast<std::uint64_t>(power.value) +
                                                   ((whole & ~127ULL) << 45));
        return scale + scale * more;
    }
    return scaled(power.value + power.value * more, static_cast<std::int64_t>(n) >> 7);
}

inline double exp(double x) {
    if (std::abs(x) < 800.0) [[likely]]
        return exp_of_sum(x, 0.0);
    return x > 0.0 ? std::numeric_limits<double>::infinity() : x < 0.0 ? 0.0 : x;
}

/// x = 2^k·z with z·inverse = 1 + r + rest, exactly: log x = k·ln2 − log(inverse) + log(1 + r + rest).
struct Reduced {
    double r, rest;    // |r| < 1/243
    double high, low;  // k·ln2 − log(inverse); exactly 0 if x is near 1
};

/// Positive and neither subnormal nor infinite nor NaN: one comparison for the usual case.
inline bool is_normal(double x) {
    constexpr std::uint64_t least = 1ULL << 52, infinite = 0x7ffULL << 52;
    return std::bit_cast<std::uint64_t>(x) - least < infinite - least;
}

/// Of 2^−moved·x, for a normal x > 0.
inline Reduced reduce_normal(double x, int moved) {
    constexpr std::int64_t first = 0x3fe6000000000000 - (1LL << 44);  // 1 is inside an interval
    constexpr double ln2 = 0x1.62e42fefa3800p-1, ln2_rest = 0x1.ef35793c76730p-45;
    const auto bits = std::bit_cast<std::int64_t>(x);
    const std::int64_t from_first = bits - first;
    const Logarithm& logarithm = logarithms[(from_first >> 45) & 127];
    const double z = std::bit_cast<double>(bits - (from_first & ~((1LL << 52) - 1)));
    const double z_front = front(z);
    const double n = static_cast<double>(static_cast<int>(from_first >> 52) - moved);
    const double a = z_front * logarithm.inverse - 1.0, b = (z - z_front) * logarithm.inverse;
    const double r = a + b;
    return {r, b - (r - a), n * ln2 + logarithm.high, n * ln2_rest + logarithm.low};
}

/// Of a finite x > 0.
inline Reduced reduce(double x) {
    return is_normal(x) ? reduce_normal(x, 0) : reduce_normal(x * 0x1p54, 54);
}

inline constexpr double largest = std::numeric_limits<double>::max();

/// Finite and above 0.
inline bool is_plain(double x) { return x > 0.0 && x <= largest; }

/// The logarithm of what is not.
inline double log_of_special(double x) {
    if (x == 0.0) return -std::numeric_limits<double>::infinity();
    if (x < 0.0 || std::isnan(x)) return std::numeric_limits<double>::quiet_NaN();
    return x;
}

/// (log(1 + r) − r + r²/2)/r³
inline double log_series(double r) {
    const double r2 = r * r;
    return (1.0 / 3.0 - r * 0.25) + r2 * ((0.2 - r * (1.0 / 6.0)) + r2 * (1.0 / 7.0 - r * 0.125));
}

inline double log_of_reduced(const Reduced& of) {
    const double r = of.r, r2 = r * r;
    const double high = of.high + r, low = (of.high - high) + r;
    return high + (low + (of.low + of.rest) + r2 * (r * log_series(r) - 0.5));
}

inline double log(double x) {
    if (is_normal(x)) [[likely]]
        return log_of_reduced(reduce_normal(x, 0));
    return is_plain(x) ? log_of_reduced(reduce(x)) : log_of_special(x);
}

/// Such a logarithm to about 68 bits; `relative` if it is of x·(1 + relative), |relative| ≤ 2^−53.
template <class... Relative>
inline Sum log_sum(const Reduced& of, Relative... relative) {
    const double r = of.r, r_front = front(r), half = 0.5 * r_front * r_front;
    const double high = of.high + r, next = high - half;
    const double low = ((of.high - high) + r) + ((high - next) - half) -
                       0.5 * (r - r_front) * (r + r_front) + r * r * r * log_series(r) +
                       ((of.low + (of.rest - of.rest * r)) + ... + relative);
    const double sum = next + low;
    return {sum, low - (sum - next)};
}

/// log(1 + x)
inline double log1p(double x) {
    const double one = 1.0 + x;
    if (!is_plain(one)) [[unlikely]]
        return log_of_special(one);
    if (std::abs(x) < 0x1p-54) return x;
    const double lost = std::abs(x) < 1.0 ? x - (one - 1.0) : 1.0 - (one - x);
    const Sum sum = log_sum(reduce(one), lost / one);
    return sum.high + sum.low;
}

/// Where x is not a positive number, or y is infinite or not a number.
inline double special_power(double x, double y) {
    if (y == 0.0 || x == 1.0) return 1.0;
    if (!(x >= 0.0) || std::isnan(y)) return std::numeric_limits<double>::quiet_NaN();
    return (x > 1.0) == (y > 0.0) ? std::numeric_limits<double>::infinity() : 0.0;
}

/// x^y for x ≥ 0; a negative x has no power here.
inline double pow(double x, double y) {
    const bool usual = is_normal(x) && std::abs(y) <= largest;
    if (!usual && !(is_plain(x) && std::abs(y) <= largest)) [[unlikely]]
        return special_power(x, y);
    const Sum log = log_sum(usual ? reduce_normal(x, 0) : reduce(x));
    const double product = y * log.high;
    if (!(std::abs(product) < 800.0)) [[unlikely]]
        return exp(product);
    const double y_front = front(y), front_of_log = front(log.high);
    const double y_back = y - y_front, back_of_log = log.high - front_of_log;
    const double lost =
        ((y_front * front_of_log - product) + y_front * back_of_log + y_back * front_of_log) +
        y_back * back_of_log;
    return exp_of_sum(product, lost + y * log.low);
}

inline double tanh(double x) {
    const double size = std::abs(x);
    if (size >= 0.55) return std::copysign(1.0 - 2.0 / (exp(2.0 * size) + 1.0), x);
    const double square = x * x;  // a continued fraction (Lambert)
    double below = 15.0;
    for (double odd = 13.0; odd > 0.0; odd -= 2.0) below = odd + square / below;
    return x / below;
}

/// The least power of two that is not below x > 0; too large an x itself.
inline double power_of_two_from(double x) {
    if (!is_plain(x)) return x;
    int exponent = 0;
    const bool exact = std::frexp(x, &exponent) == 0.5;
    return std::scalbn(1.0, exact ? exponent - 1 : exponent);
}

/// The angle as n quarters of a turn and a rest of at most an eighth.
struct Angle {
    std::int64_t quarters;
    double r, rest;
};

/// Beyond 2^27, where an angle's last place is above 10^−8, by the double nearest to 2π.
inline Angle turned(double x) {
    if (!(std::abs(x) < 0x1p27)) x = std::fmod(x, 0x1.921fb54442d18p+2);
    if (std::isnan(x)) return {0, x, x};
    constexpr double quarter = 0x1.921fb50000000p+0, second = 0x1.110b460000000p-26,
                     third = 0x1.1a62633145c07p-54;
    constexpr double to_whole = 0x1.8p52;
    const double n = (x * 0x1.45f306dc9c883p-1 + to_whole) - to_whole;
    const double a = x - n * quarter, b = n * second, c = n * third;
    const double once = a - b, lost = (a - once) - b;
    const double r = once - c;
    return {static_cast<std::int64_t>(n), r, ((once - r) - c) + lost};
}

/// The sine or cosine of at most an eighth of a turn, by Taylor's series.
inline double sine_of_rest(double r, double rest) {
    const double s = r * r;
    double series = 1.0 / 355687428096000.0;  // 1/17!
    for (const double factor : {-1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0,
                                1.0 / 362880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0})
        series = factor + s * series;
    return r + (rest - 0.5 * s * rest + r * s * series);
}
inline double cosine_of_rest(double r, double rest) {
    const double s = r * r;
    double series = -1.0 / 6402373705728000.0;  // 1/18!
    for (const double factor : {1.0 / 20922789888000.0, -1.0 / 87178291200.0, 1.0 / 479001600.0,
                                -1.0 / 3628800.0, 1.0 / 40320.0, -1.0 / 720.0, 1.0 / 24.0})
        series = factor + s * series;
    const double half = 0.5 * s, high = 1.0 - half;
    return high + (((1.0 - high) - half) - r * rest + s * s * series);
}

inline double quarter_turned(const Angle& angle, std::int64_t quarters) {
    const std::int64_t n = (angle.quarters + quarters) & 3;
    const double v =
        n & 1 ? cosine_of_rest(angle.r, angle.rest) : sine_of_rest(angle.r, angle.rest);
    return n & 2 ? -v : v;
}
inline double sin(double x) { return quarter_turned(turned(x), 0); }
inline double cos(double x) { return quarter_turned(turned(x), 1); }

}  // namespace thresher::fixed
