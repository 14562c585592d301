// Exact sums: doubles, and products of two of them, added without any rounding, so that no order of adding matters.
//
// A sum is a whole number of a few 64-bit words, in units of a power of two. Both the unit and the number of words
// follow from the numbers that a table holds (SumRange): two words do for most tables, some sixty for any.
//
//   1.5 + 2^-70      unit 2^-70      word 1 | word 0 = 192 | 1
#pragma once

#include <algorithm>
#include <bit>
#include <span>

#include "hornbeam/stats/wide.hpp"

namespace hornbeam {

// whole * 2^exponent: any finite double, or the product of two.
struct Dyadic {
    i128 whole = 0;
    int exponent = 0;
};

inline Dyadic dyadic(double x) {
    const u64 bits = std::bit_cast<u64>(x);
    const int field = static_cast<int>(bits >> 52 & 0x7ff);
    i64 whole = static_cast<i64>(bits & ((u64{1} << 52) - 1));
    if (field > 0) whole |= i64{1} << 52;
    return {x < 0 ? -whole : whole, std::max(field, 1) - 1075};
}
inline Dyadic operator*(const Dyadic& a, const Dyadic& b) { return {a.whole * b.whole, a.exponent + b.exponent}; }

// x * 2^exponent.
inline double scale_by_power(double x, int exponent) {
    if (exponent > -850 && exponent < 850) return x * std::bit_cast<double>(static_cast<u64>(1023 + exponent) << 52);
    return std::ldexp(x, exponent);
}

// The digits that some numbers have, from the lowest to the highest.
class SumRange {
  public:
    SumRange() = default;
    SumRange(int lowest, int highest) : lowest_(lowest), highest_(highest) {}
    int lowest() const { return lowest_; }
    int highest() const { return highest_; }
    void include(const Dyadic& x) {
        if (x.whole == 0) return;
        const u128 size = x.whole < 0 ? -static_cast<u128>(x.whole) : static_cast<u128>(x.whole);
        const auto low = static_cast<u64>(size), high = static_cast<u64>(size >> 64);
        lowest_ = std::min(lowest_, x.exponent + (low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(high)));
        highest_ = std::max(highest_,
                            x.exponent + static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low)));
    }
    void merge(const SumRange& other) {
        lowest_ = std::min(lowest_, other.lowest_);
        highest_ = std::max(highest_, other.highest_);
    }
    int unit() const { return lowest_ < highest_ ? lowest_ : 0; }  // the exponent of one
    // Words for the sum of n of the numbers, its sign included.
    std::size_t words(std::size_t n) const {
        const int digits = lowest_ < highest_ ? highest_ - lowest_ : 0;
        return static_cast<std::size_t>(digits + static_cast<int>(std::bit_width(n)) + 1 + 63) / 64;
    }

  private:
    int lowest_ = std::numeric_limits<int>::max(), highest_ = std::numeric_limits<int>::min();
};

// A sum as two doubles: (high + low) * 2^exponent; high is the nearest double.
struct ScaledSum {
    double high = 0, low = 0;
    int exponent = 0;

    static ScaledSum of_count(i64 n) {
        const auto high = static_cast<double>(n);
        return {high, to_double(static_cast<i128>(n) - to_wide(high)), 0};
    }
    // The nearest double; the largest one for what is beyond the range of doubles.
    double value() const {
        const double largest = std::numeric_limits<double>::max();
        return std::clamp(scale_by_power(high, exponent), -largest, largest);
    }
};

// How the sums of one quantity are laid out. The words are the caller's, the least significant first.
class ExactSum {
  public:
    ExactSum() = default;
    ExactSum(const SumRange& range, std::size_t n) : unit_(range.unit()), words_(range.words(n)) {}

    std::size_t words() const { return words_; }

    // sum += x, which must lie in the range.
    void add(u64* sum, const Dyadic& x) const {
        if (x.whole == 0) return;
        i128 whole = x.whole;
        int shift = x.exponent - unit_;
        if (shift < 0) {  // digits below the unit are zeros
            whole >>= -shift;
            shift = 0;
        }
        const auto low = static_cast<u64>(whole), high = static_cast<u64>(static_cast<u128>(whole) >> 64);
        const u64 sign = whole < 0 ? ~u64{0} : 0;
        const int bit = shift % 64;
        const u64 parts[3] = {low << bit, bit == 0 ? high : high << bit | low >> (64 - bit),
                              bit == 0 ? sign : sign << bit | high >> (64 - bit)};
        const auto first = static_cast<std::size_t>(shift / 64);
        u64 carry = 0;
        for (std::size_t k = first; k < words_; ++k) add_word(sum[k], k - first < 3 ? parts[k - first] : sign, carry);
    }
    void merge(u64* sum, const u64* other) const {
        u64 carry = 0;
        for (std::size_t k = 0; k < words_; ++k) add_word(sum[k], other[k], carry);
    }
    ScaledSum scaled(const u64* sum) const {
        std::size_t first = 0, top = words_ - 1;
        while (first < words_ && sum[first] == 0) ++first;
        if (first == words_) return {};
        const bool negative = sum[top] >> 63 != 0;
        const auto size = [&](std::size_t k) {  // a word of the absolute value
            return !negative ? sum[k] : k > first ? ~sum[k] : k == first ? -sum[k] : 0;
        };
        while (size(top) == 0) --top;
        const u64 words[3] = {size(top), top > 0 ? size(top - 1) : 0, top > 1 ? size(top - 2) : 0};
        const int shift = std::countl_zero(words[0]);
        u128 digits = (static_cast<u128>(words[0]) << 64 | words[1]) << shift;
        if (shift > 0) digits |= words[2] >> (64 - shift);
        const bool more = (digits & 7) != 0 || words[2] << shift != 0 || first + 2 < top;
        const auto upper = static_cast<i128>(digits >> 3 | static_cast<u128>(more));  // 125 digits, the last one sticky
        const double high = to_double(upper), low = to_double(upper - to_wide(high));
        const int exponent = unit_ + 64 * (static_cast<int>(top) - 1) - shift + 3;
        return negative ? ScaledSum{-high, -low, exponent} : ScaledSum{high, low, exponent};
    }

  private:
    static void add_word(u64& to, u64 more, u64& carry) {
        const u128 total = static_cast<u128>(to) + more + carry;
        to = static_cast<u64>(total);
        carry = static_cast<u64>(total >> 64);
    }
    int unit_ = 0;
    std::size_t words_ = 1;
};

// value + rest is the quotient of two sums to some 100 digits, value the nearest double, never -0.
struct Quotient {
    double value = 0, rest = 0;
};
inline Quotient divide(const ScaledSum& a, const ScaledSum& b) {
    if (a.high == 0) return {};
    const double first = a.high / b.high;
    const double left = std::fma(-first, b.high, a.high) + (a.low - first * b.low);
    const double second = left / b.high, value = first + second;
    double rest = second - (value - first);
    constexpr double kDigits = 0x1p-98;  // what is below is rounding: a mean of equal numbers has no rest
    if (std::fabs(rest) < kDigits * std::fabs(value)) rest = 0;
    const int exponent = a.exponent - b.exponent;
    return {scale_by_power(value, exponent) + 0.0, scale_by_power(rest, exponent)};
}

}  // namespace hornbeam
