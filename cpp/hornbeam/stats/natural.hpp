// Naturals: whole numbers of up to kMost words, never negative; and doubles with an exponent of their own (Scaled).
//
// A score of exact sums is a quotient of products of them. The products are whole numbers and their differences lose
// nothing; what is left are a few terms of one sign, for which the digits of a double do, whatever its exponent.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "hornbeam/stats/wide.hpp"

namespace hornbeam {

// digits * 2^exponent, the digits in [1/2, 1) or 0.
struct Scaled {
    double digits = 0;
    i64 exponent = 0;

    Scaled() = default;
    explicit Scaled(double x, i64 times = 0) {
        int own = 0;
        digits = std::frexp(x, &own);
        exponent = digits == 0 ? 0 : own + times;
    }
    double value() const { return std::ldexp(digits, static_cast<int>(std::clamp<i64>(exponent, -5000, 5000))); }
    bool positive() const { return digits > 0; }
    double log() const { return std::log(digits) + static_cast<double>(exponent) * 0.693147180559945309417232121458; }
    Scaled operator-() const { return Scaled(-digits, exponent); }
};
inline Scaled operator*(const Scaled& a, const Scaled& b) {
    return Scaled(a.digits * b.digits, a.exponent + b.exponent);
}
inline Scaled operator/(const Scaled& a, const Scaled& b) {
    return Scaled(a.digits / b.digits, a.exponent - b.exponent);
}
inline Scaled operator+(const Scaled& a, const Scaled& b) {
    if (a.digits == 0 || b.digits == 0) return a.digits == 0 ? b : a;
    const i64 most = std::max(a.exponent, b.exponent);
    const auto at = [&](const Scaled& x) { return Scaled{x.digits, x.exponent - most}.value(); };
    return Scaled(at(a) + at(b), most);
}
inline Scaled operator-(const Scaled& a, const Scaled& b) { return a + -b; }
inline Scaled sqrt(const Scaled& a) {
    const i64 odd = a.exponent & 1;
    return Scaled(std::sqrt(std::ldexp(a.digits, static_cast<int>(odd))), (a.exponent - odd) / 2);
}

class Natural {
  public:
    // The longest there are: weights and targets over the whole range of doubles take 34 words each, the product of w
    // and w y^2 four times as many, and a word for the number of rows.
    static constexpr int kMost = 144;

    Natural() = default;
    Natural(const Natural& other) : n_(other.n_) { std::copy_n(other.word_, n_, word_); }
    Natural& operator=(const Natural& other) {
        n_ = other.n_;
        std::copy_n(other.word_, n_, word_);
        return *this;
    }
    // whole * 2^shift.
    Natural(u64 whole, int shift) {
        if (whole == 0) return;
        const int first = shift / 64, bit = shift % 64;
        std::fill_n(word_, first, 0);
        word_[first] = whole << bit;
        word_[first + 1] = bit == 0 ? 0 : whole >> (64 - bit);
        n_ = first + 2;
        trim();
    }
    // The sum whose pieces of 32 bits are lanes, none of them negative.
    Natural(const i64* lanes, int n_lanes) {
        u128 carry = 0;
        for (int i = 0; i < n_lanes; i += 2) {
            carry += static_cast<u128>(static_cast<u64>(lanes[i]));
            if (i + 1 < n_lanes) carry += static_cast<u128>(static_cast<u64>(lanes[i + 1])) << 32;
            word_[n_++] = static_cast<u64>(carry);
            carry >>= 64;
        }
        if (carry != 0) word_[n_++] = static_cast<u64>(carry);
        trim();
    }
    // Adds the pieces to lanes.
    void add_to(i64* lanes) const {
        for (int i = 0; i < n_; ++i) {
            lanes[2 * i] += static_cast<i64>(word_[i] & 0xffffffff);
            if (const u64 high = word_[i] >> 32; high != 0) lanes[2 * i + 1] += static_cast<i64>(high);
        }
    }

    bool zero() const { return n_ == 0; }
    bool operator<(const Natural& other) const {
        if (n_ != other.n_) return n_ < other.n_;
        for (int i = n_ - 1; i >= 0; --i)
            if (word_[i] != other.word_[i]) return word_[i] < other.word_[i];
        return false;
    }
    Natural& operator+=(const Natural& other) {
        while (n_ < other.n_) word_[n_++] = 0;
        u64 carry = 0;
        for (int i = 0; i < n_ && (i < other.n_ || carry != 0); ++i) {
            const u128 sum = static_cast<u128>(word_[i]) + (i < other.n_ ? other.word_[i] : 0) + carry;
            word_[i] = static_cast<u64>(sum);
            carry = static_cast<u64>(sum >> 64);
        }
        if (carry != 0) word_[n_++] = carry;
        return *this;
    }
    // `other` is not larger.
    Natural& operator-=(const Natural& other) {
        u64 borrow = 0;
        for (int i = 0; i < n_ && (i < other.n_ || borrow != 0); ++i) {
            const u128 difference = static_cast<u128>(word_[i]) - (i < other.n_ ? other.word_[i] : 0) - borrow;
            word_[i] = static_cast<u64>(difference);
            borrow = static_cast<u64>(difference >> 64) & 1;
        }
        trim();
        return *this;
    }
    friend Natural operator+(Natural a, const Natural& b) { return a += b; }
    friend Natural operator-(Natural a, const Natural& b) { return a -= b; }
    friend Natural operator*(const Natural& a, const Natural& b) {
        Natural out;
        out.n_ = a.n_ + b.n_;
        std::fill_n(out.word_, out.n_, 0);
        for (int i = 0; i < a.n_; ++i) {
            if (a.word_[i] == 0) continue;
            u64 carry = 0;
            for (int j = 0; j < b.n_; ++j) {
                const u128 sum = static_cast<u128>(a.word_[i]) * b.word_[j] + out.word_[i + j] + carry;
                out.word_[i + j] = static_cast<u64>(sum);
                carry = static_cast<u64>(sum >> 64);
            }
            out.word_[i + b.n_] = carry;
        }
        out.trim();
        return out;
    }

    Scaled scaled() const {
        if (n_ == 0) return {};
        const int shift = std::countl_zero(word_[n_ - 1]);
        u64 top = word_[n_ - 1] << shift;
        if (shift > 0 && n_ > 1) top |= word_[n_ - 2] >> (64 - shift);
        return Scaled(static_cast<double>(top), 64 * static_cast<i64>(n_ - 1) - shift);
    }

  private:
    void trim() {
        while (n_ > 0 && word_[n_ - 1] == 0) --n_;
    }
    int n_ = 0;
    u64 word_[kMost];
};

// a b - c d.
inline Scaled cross_difference(const Natural& a, const Natural& b, const Natural& c, const Natural& d) {
    const Natural first = a * b, second = c * d;
    return first < second ? -(second - first).scaled() : (first - second).scaled();
}

}  // namespace hornbeam
