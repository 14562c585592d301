// Aliases and the borrowed view of one column: the words every other file of the core uses.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "hornbeam/portable.hpp"

namespace hornbeam {

using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

enum class ColumnKind : u8 { numeric = 0, ordinal = 1, nominal = 2 };

// The same numbers as KINDS in tree.py.
enum class SplitKind : u8 { leaf = 0, threshold = 1, subset = 2, equals = 3, multiway = 4 };

// What training does with a missing value. `learn`: it joins the branch where that gains most; `branch`: it is a branch
// of its own. The others judge a split by its known rows alone, times their share; then a gap goes to every branch with
// the branch's share of its weight (fractional), to the heaviest branch (majority), or where the surrogates send it.
enum class MissingRule : u8 { learn = 0, branch = 1, fractional = 2, majority = 3, surrogates = 4 };
inline constexpr bool known_only(MissingRule rule) { return rule >= MissingRule::fractional; }

enum class ValueType : u8 { f32 = 0, f64 = 1, codes = 2 };

inline constexpr i32 kUnseenCode = -2;

// One column where the user has it. Nothing is copied; `stride` is in bytes.
struct ColumnView {
    const std::byte* data = nullptr;
    std::ptrdiff_t stride = 0;
    ValueType type = ValueType::f64;
    ColumnKind kind = ColumnKind::numeric;
    SplitKind split = SplitKind::threshold;
    i32 n_values = 0;  // size of the domain of a nominal or ordinal column

    template <class T>
    T raw(std::size_t row) const {
        T value;
        std::memcpy(&value, data + static_cast<std::ptrdiff_t>(row) * stride, sizeof(T));
        return value;
    }
    // The value as a double; NaN is missing, codes are themselves, -infinity is a category never seen (code -2).
    double value(std::size_t row) const {
        switch (type) {
            case ValueType::f32:
                return static_cast<double>(raw<float>(row));
            case ValueType::f64:
                return raw<double>(row);
            default: {
                const i32 code = raw<i32>(row);
                if (code == kUnseenCode) return -std::numeric_limits<double>::infinity();
                return code < 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(code);
            }
        }
    }
    bool is_numeric() const { return type != ValueType::codes; }
};

// Steps and mixes bits as splitmix64 does (Steele, Lea & Flood 2014). A stream of numbers is mix_bits(state +=
// kMixStep).
inline constexpr u64 kMixStep = 0x9E3779B97F4A7C15;
inline constexpr u64 kRootKey = kMixStep;  // of a tree: what its nodes draw follows from their keys
inline u64 mix_bits(u64 z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

// The same number with one zero: which of -0.0 and 0.0 a tree shows must not depend on the order of the rows.
inline double one_zero(double x) { return x + 0.0; }

// K7: the midpoint of two neighbouring values, safe from overflow and always below the upper one.
inline double midpoint(double low, double high) {
    double middle = low + (high - low) / 2;
    if (!std::isfinite(middle)) middle = low / 2 + high / 2;
    return middle >= high ? low : middle;
}

}  // namespace hornbeam
