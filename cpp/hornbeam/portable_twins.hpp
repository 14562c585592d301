// Twins of what g++ and clang++ have built in, for compilers that do not: whole numbers of 128 bits, and vectors.
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace hornbeam::twin {

// A whole number of 128 bits, in two's complement if it has a sign. As with the types built in, only unsigned numbers
// may overflow, numbers of fewer bits convert by themselves, and shifts are by 0 to 127.
template <bool kSigned>
class Int128 {
    using Word = std::uint64_t;

  public:
    constexpr Int128() = default;
    template <std::integral T>
    constexpr Int128(T x) : low_(static_cast<Word>(x)) {
        if constexpr (std::is_signed_v<T>) high_ = x < 0 ? ~Word{0} : 0;
    }
    constexpr explicit Int128(Int128<!kSigned> x) : low_(static_cast<Word>(x)), high_(static_cast<Word>(x >> 64)) {}

    template <std::integral T>
    constexpr explicit operator T() const {
        if constexpr (std::is_same_v<T, bool>) {
            return (low_ | high_) != 0;
        } else {
            return static_cast<T>(low_);
        }
    }

    // The nearest double, halves to even: the highest 63 bits, the last of which says whether anything was cut off.
    constexpr explicit operator double() const {
        const Int128<false> whole(size(*this));
        const int cut = std::max(width(size(*this)) - 63, 0);
        const Word top = static_cast<Word>(whole >> cut) | (((whole >> cut) << cut) != whole ? 1 : 0);
        const double value = static_cast<double>(static_cast<std::int64_t>(top)) *
                             std::bit_cast<double>(static_cast<Word>(1023 + cut) << 52);
        return is_negative(*this) ? -value : value;
    }

    constexpr Int128 operator+() const { return *this; }
    constexpr Int128 operator-() const { return Int128(0) - *this; }
    constexpr Int128 operator~() const { return words(~high_, ~low_); }
    constexpr Int128& operator++() { return *this += 1; }
    constexpr Int128& operator--() { return *this -= 1; }
    constexpr Int128& operator+=(Int128 b) { return *this = *this + b; }
    constexpr Int128& operator-=(Int128 b) { return *this = *this - b; }
    constexpr Int128& operator*=(Int128 b) { return *this = *this * b; }
    constexpr Int128& operator/=(Int128 b) { return *this = *this / b; }
    constexpr Int128& operator%=(Int128 b) { return *this = *this % b; }
    constexpr Int128& operator&=(Int128 b) { return *this = *this & b; }
    constexpr Int128& operator|=(Int128 b) { return *this = *this | b; }
    constexpr Int128& operator^=(Int128 b) { return *this = *this ^ b; }
    constexpr Int128& operator<<=(int n) { return *this = *this << n; }
    constexpr Int128& operator>>=(int n) { return *this = *this >> n; }

    friend constexpr Int128 operator+(Int128 a, Int128 b) {
        const Word low = a.low_ + b.low_;
        return words(a.high_ + b.high_ + (low < a.low_ ? 1 : 0), low);
    }
    friend constexpr Int128 operator-(Int128 a, Int128 b) {
        return words(a.high_ - b.high_ - (a.low_ < b.low_ ? 1 : 0), a.low_ - b.low_);
    }
    friend constexpr Int128 operator*(Int128 a, Int128 b) {
        Int128 out = product(a.low_, b.low_);
        out.high_ += a.high_ * b.low_ + a.low_ * b.high_;
        return out;
    }
    // Towards zero; the remainder has the sign of a.
    friend constexpr Int128 operator/(Int128 a, Int128 b) {
        const Int128 quotient = divide(size(a), size(b)).first;
        return is_negative(a) != is_negative(b) ? -quotient : quotient;
    }
    friend constexpr Int128 operator%(Int128 a, Int128 b) {
        const Int128 rest = divide(size(a), size(b)).second;
        return is_negative(a) ? -rest : rest;
    }
    friend constexpr Int128 operator&(Int128 a, Int128 b) { return words(a.high_ & b.high_, a.low_ & b.low_); }
    friend constexpr Int128 operator|(Int128 a, Int128 b) { return words(a.high_ | b.high_, a.low_ | b.low_); }
    friend constexpr Int128 operator^(Int128 a, Int128 b) { return words(a.high_ ^ b.high_, a.low_ ^ b.low_); }
    friend constexpr Int128 operator<<(Int128 a, int n) {
        if (n == 0) return a;
        return n >= 64 ? words(a.low_ << (n - 64), 0) : words(a.high_ << n | a.low_ >> (64 - n), a.low_ << n);
    }
    friend constexpr Int128 operator>>(Int128 a, int n) {
        if (n == 0) return a;
        const Word sign = is_negative(a) ? ~Word{0} : 0;
        const Word moved = n >= 64 ? sign : a.high_ >> n | sign << (64 - n);
        if (n == 64) return words(sign, a.high_);
        return n > 64 ? words(sign, a.high_ >> (n - 64) | sign << (128 - n))
                      : words(moved, a.low_ >> n | a.high_ << (64 - n));
    }
    friend constexpr bool operator==(Int128 a, Int128 b) { return a.low_ == b.low_ && a.high_ == b.high_; }
    friend constexpr std::strong_ordering operator<=>(Int128 a, Int128 b) {
        constexpr Word flip = kSigned ? Word{1} << 63 : 0;  // the order of signed numbers is that of these
        return a.high_ != b.high_ ? (a.high_ ^ flip) <=> (b.high_ ^ flip) : a.low_ <=> b.low_;
    }

  private:
    static constexpr Int128 words(Word high, Word low) {
        Int128 out;
        out.high_ = high;
        out.low_ = low;
        return out;
    }
    static constexpr bool is_negative(Int128 a) { return kSigned && a.high_ >> 63 != 0; }
    static constexpr Int128 size(Int128 a) {
        return is_negative(a) ? -a : a;
    }  // of -2^127 its bits, read without a sign

    static constexpr Int128 product(Word a, Word b) {
        constexpr Word mask = 0xffffffff;
        const Word a0 = a & mask, a1 = a >> 32, b0 = b & mask, b1 = b >> 32;
        const Word low = a0 * b0, cross = a1 * b0 + (low >> 32), middle = a0 * b1 + (cross & mask);
        return words(a1 * b1 + (cross >> 32) + (middle >> 32), middle << 32 | (low & mask));
    }
    static constexpr int width(Int128 a) {
        return static_cast<int>(a.high_ != 0 ? 64 + std::bit_width(a.high_) : std::bit_width(a.low_));
    }
    // Quotient and remainder of numbers read without a sign; b is not 0.
    static constexpr std::pair<Int128, Int128> divide(Int128 a, Int128 b) {
        if (a.high_ == 0 && b.high_ == 0) return {words(0, a.low_ / b.low_), words(0, a.low_ % b.low_)};
        Int128 quotient;
        for (int n = width(a) - width(b); n >= 0; --n) {
            const Int128 shifted = b << n;
            const bool fits = shifted.high_ != a.high_ ? shifted.high_ < a.high_ : shifted.low_ <= a.low_;
            if (!fits) continue;
            a -= shifted;
            quotient |= Int128(1) << n;
        }
        return {quotient, a};
    }

    Word low_ = 0, high_ = 0;
};

// N numbers; arithmetic goes number by number, and a single number is the same for all.
template <class T, std::size_t N>
struct PlainVector {
    struct Numbers {
        T number[N];

        constexpr T& operator[](std::size_t i) { return number[i]; }
        constexpr const T& operator[](std::size_t i) const { return number[i]; }

        template <class Operation>
        static constexpr Numbers each(Operation operation) {
            Numbers out{};
            for (std::size_t i = 0; i < N; ++i) out.number[i] = operation(i);
            return out;
        }
        static constexpr Numbers all(T x) {
            return each([&](std::size_t) { return x; });
        }
        friend constexpr Numbers operator+(Numbers a, Numbers b) {
            return each([&](std::size_t i) { return a[i] + b[i]; });
        }
        friend constexpr Numbers operator-(Numbers a, Numbers b) {
            return each([&](std::size_t i) { return a[i] - b[i]; });
        }
        friend constexpr Numbers operator*(Numbers a, Numbers b) {
            return each([&](std::size_t i) { return a[i] * b[i]; });
        }
        friend constexpr Numbers operator/(Numbers a, Numbers b) {
            return each([&](std::size_t i) { return a[i] / b[i]; });
        }
        friend constexpr Numbers operator+(Numbers a, T b) { return a + all(b); }
        friend constexpr Numbers operator-(Numbers a, T b) { return a - all(b); }
        friend constexpr Numbers operator*(Numbers a, T b) { return a * all(b); }
        friend constexpr Numbers operator/(Numbers a, T b) { return a / all(b); }
        friend constexpr Numbers operator+(T a, Numbers b) { return all(a) + b; }
        friend constexpr Numbers operator-(T a, Numbers b) { return all(a) - b; }
        friend constexpr Numbers operator*(T a, Numbers b) { return all(a) * b; }
        friend constexpr Numbers operator/(T a, Numbers b) { return all(a) / b; }
        constexpr Numbers& operator+=(Numbers b) { return *this = *this + b; }
        constexpr Numbers& operator-=(Numbers b) { return *this = *this - b; }
        constexpr Numbers& operator*=(Numbers b) { return *this = *this * b; }
        constexpr Numbers& operator/=(Numbers b) { return *this = *this / b; }
    } x;
};

// std::from_chars of a whole text, a decimal number within the range of doubles.
bool parse_double(std::string_view text, double& out);

}  // namespace hornbeam::twin
