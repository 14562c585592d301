// The threshold between two neighbouring values that people read most easily.
//
// Both values are read as the shortest decimals that name them in their own type. Their midpoint stays where it has at
// most four significant digits or is half of a whole number. Otherwise the threshold is the shortest decimal in the
// middle half of the margin, and of several the one nearest the middle (the lower of two equally near ones).
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "hornbeam/types.hpp"

namespace hornbeam {

// digits * 10^exponent
struct Decimal {
    i128 digits = 0;
    int exponent = 0;
};

// The shortest decimal that reads back as the same number.
template <class T>
Decimal shortest_decimal(T value) {
    char text[40] = {};  // zeros end the exponent's digits
    const char* end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
    Decimal out;
    const char* at = text;
    const bool negative = *at == '-';
    at += negative;
    for (; at != end && *at != 'e'; ++at) {
        if (*at == '.') continue;
        out.digits = out.digits * 10 + (*at - '0');
        if (at != text + negative) --out.exponent;  // a digit behind the point
    }
    out.exponent += std::atoi(at + 1);
    if (negative) out.digits = -out.digits;
    if (out.digits == 0) out.exponent = 0;
    while (out.digits != 0 && out.digits % 10 == 0) {
        out.digits /= 10;
        ++out.exponent;
    }
    return out;
}

inline double to_number(Decimal x) {
    char text[64];
    char* at = text;
    const bool negative = x.digits < 0;
    char digits[48];
    int n = 0;
    for (i128 rest = negative ? -x.digits : x.digits; rest != 0 || n == 0; rest /= 10)
        digits[n++] = static_cast<char>('0' + static_cast<int>(rest % 10));
    if (negative) *at++ = '-';
    while (n > 0) *at++ = digits[--n];
    *at++ = 'e';
    at = std::to_chars(at, text + sizeof text, x.exponent).ptr;
    double out = 0;
    parse_double({text, static_cast<std::size_t>(at - text)}, out);  // 0 if it is nearer than any other double
    return out;
}

inline double middle_of(double low, double high) {
    const double middle = low / 2 + high / 2;  // the sum could overflow
    return middle >= low && middle < high ? middle : low;
}

namespace round_detail {

constexpr int kMostShift = 18;  // decimal places by which digits are moved: all products below stay within 128 bits
constexpr int kMostPower = 38;

struct PowersOfTen {
    i128 power[kMostPower + 1] = {1};
    constexpr PowersOfTen() {
        for (int n = 1; n <= kMostPower; ++n) power[n] = 10 * power[n - 1];
    }
};
inline constexpr PowersOfTen kPowers;
inline i128 power_of_ten(int n) { return kPowers.power[n]; }

// The largest power of ten not above x, which is positive, as its exponent.
inline int exponent_of(i128 x) {
    auto n = static_cast<int>(std::log10(static_cast<double>(x)));  // may be off by one
    while (n > 0 && power_of_ten(n) > x) --n;
    while (n < kMostPower && power_of_ten(n + 1) <= x) ++n;
    return n;
}

// The digits in units of 10^exponent. What does not fit is cut off, downwards, and `cut` says so.
inline i128 in_units(Decimal x, int exponent, bool& cut) {
    if (x.digits == 0) return 0;
    if (x.exponent >= exponent) return x.digits * power_of_ten(x.exponent - exponent);
    cut = true;
    const int shift = exponent - x.exponent;
    const i128 whole = shift > kMostPower ? 0 : x.digits / power_of_ten(shift);
    return x.digits < 0 ? whole - 1 : whole;
}

inline bool has_few_digits(i128 x) {
    if (x == 0) return true;
    const int n = exponent_of(x < 0 ? -x : x);
    return n < 4 || x % power_of_ten(n - 3) == 0;
}

// The multiple of `step` nearest to x, of two the lower unless x is in truth a little `more`.
inline i128 nearest_multiple(i128 x, i128 step, bool more) {
    i128 below = x / step;
    if (below * step > x) --below;
    const i128 rest = x - below * step;
    return (rest > step - rest || (more && rest == step - rest) ? below + 1 : below) * step;
}

// 10^-22 to 10^22: powers of ten that doubles hold exactly, and their inverses by division.
struct ExactPowers {
    double power[23] = {1};
    constexpr ExactPowers() {
        for (int n = 1; n <= 22; ++n) power[n] = 10 * power[n - 1];
    }
    // k * 10^n, rounded once.
    double scaled(double k, int n) const { return n >= 0 ? k * power[n] : k / power[-n]; }
    // The largest n with 10^n <= x, for x between 10^-20 and 10^20.
    int exponent(double x) const {
        const int n = static_cast<int>(std::floor(std::ilogb(x) * 0.30102999566398120));  // exact, or one too few
        return scaled(1, n + 1) <= x ? n + 1 : n;
    }
};
inline constexpr ExactPowers kExact;

// The same as below by doubles, for margins where no rounding of theirs can matter, as most margins are; NaN for the
// others.
inline double round_by_doubles(double low, double high, bool single) {
    constexpr double kUnsure = std::numeric_limits<double>::quiet_NaN();
    const double width = high - low, middle = low + width / 2, size = std::max(std::fabs(low), std::fabs(high));
    const double off = size * (single ? 1.2e-7 : 4e-16);  // the values as decimals differ from doubles by less
    if (!(off < 1e-4 * width) || size > 1e15 || std::fabs(middle) < 1e-15 || width < 1e-15) return kUnsure;
    const auto is_near = [](double x, double slack) { return std::fabs(x - std::nearbyint(x)) <= slack; };
    const int digits = kExact.exponent(std::fabs(middle)) - 3;
    if (is_near(kExact.scaled(middle, -digits), 1e-9 + kExact.scaled(off, -digits)) ||
        is_near(2 * middle, 1e-9 + 2 * off))
        return kUnsure;
    const double half = width / 4;  // of the middle half
    if (std::fabs(middle) < half + off + 1e-9 * width)
        return std::fabs(middle) < half - off - 1e-9 * width ? 0 : kUnsure;
    const int power = kExact.exponent(2 * half);
    const double lead = kExact.scaled(2 * half, -power);
    if (lead < 1 + 1e-6 || lead > 10 - 1e-6) return kUnsure;
    for (const int n : {power + 1, power}) {
        const double unit = kExact.scaled(1, n), steps = kExact.scaled(middle, -n), nearest = std::nearbyint(steps);
        const double distance = std::fabs(steps - nearest) * unit, slack = off + 1e-9 * width;
        if (std::fabs(nearest) > 1e15 || (n == power && is_near(steps - 0.5, 1e-9 + slack / unit))) return kUnsure;
        if (std::fabs(distance - half) <= slack) return kUnsure;
        if (distance < half) return kExact.scaled(nearest, n);
    }
    return kUnsure;
}

}  // namespace round_detail

// `low` <= threshold < `high`. `single`: the values are of 32 bits. `middle_only`: the midpoint of the two decimals,
// whatever its digits.
inline double round_threshold(double low, double high, bool single, bool middle_only) {
    using namespace round_detail;
    if (!(low < high) || !std::isfinite(low) || !std::isfinite(high)) return middle_of(low, high);
    if (!middle_only) {
        const double quick = round_by_doubles(low, high, single);
        if (!std::isnan(quick)) return quick;
    }
    Decimal first = single ? shortest_decimal(static_cast<float>(low)) : shortest_decimal(low);
    Decimal second = single ? shortest_decimal(static_cast<float>(high)) : shortest_decimal(high);
    if (first.digits == 0) first.exponent = second.exponent;
    if (second.digits == 0) second.exponent = first.exponent;
    const auto [small, large] = std::minmax(first.exponent, second.exponent);
    const int exponent = std::max(small, large - kMostShift);
    bool cut = false;
    const i128 a = in_units(first, exponent, cut), b = in_units(second, exponent, cut);
    // In units of a hundredth, quarters of the margin are whole numbers.
    const i128 middle = 50 * (a + b), lowest = 25 * (3 * a + b), highest = 25 * (a + 3 * b);
    const auto checked = [&](i128 hundredths) {
        const double t = to_number({hundredths, exponent - 2});
        return t >= low && t < high ? t : middle_of(low, high);
    };
    const bool is_half = small >= 0 || (!cut && -exponent <= kMostPower && (a + b) % power_of_ten(-exponent) == 0);
    if (middle_only || is_half || (!cut && has_few_digits(middle))) return checked(middle);
    if (lowest <= 0 && highest >= 0) return checked(0);
    // At most one multiple of the next power of ten above the width lies inside; if one does, it is the shortest.
    const int power = exponent_of(highest - lowest);
    const i128 wide = nearest_multiple(middle, power_of_ten(std::min(power + 1, kMostPower)), cut);
    if (wide >= lowest && wide <= highest) return checked(wide);
    return checked(nearest_multiple(middle, power_of_ten(power), cut));
}

}  // namespace hornbeam
