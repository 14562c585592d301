// Wide: doubles to integers of 128 bits and back, where the compiler would call a function for every number.
#pragma once

#include <bit>

#include "hornbeam/types.hpp"

namespace hornbeam {

// The nearest double, halves to even: what static_cast<double> gives. A sum of more than 63 bits is cut to its highest
// 63, and the last of them says whether anything was cut off.
inline double to_double(i128 x) {
    const auto narrow = static_cast<i64>(x);
    if (narrow == x) return static_cast<double>(narrow);
    const u128 size = x < 0 ? -static_cast<u128>(x) : static_cast<u128>(x);
    const u64 upper = static_cast<u64>(size >> 64);
    const int cut = upper == 0 ? 1 : 65 - std::countl_zero(upper);
    const bool more = (size & ((u128{1} << cut) - 1)) != 0;
    const auto top = static_cast<i64>(static_cast<u64>(size >> cut) | static_cast<u64>(more));
    const double magnitude = static_cast<double>(top) * std::bit_cast<double>(static_cast<u64>(1023 + cut) << 52);
    return x < 0 ? -magnitude : magnitude;
}

// The whole part of a finite number below 2^127 in size: what static_cast<i128> gives.
inline i128 to_wide(double x) {
    if (std::fabs(x) < 9223372036854775808.0) return static_cast<i64>(x);
    const u64 bits = std::bit_cast<u64>(x);
    const int shift = static_cast<int>(bits >> 52 & 0x7ff) - 1075;
    const u128 size = static_cast<u128>((bits & ((u64{1} << 52) - 1)) | u64{1} << 52) << shift;
    return x < 0 ? -static_cast<i128>(size) : static_cast<i128>(size);
}

}  // namespace hornbeam
