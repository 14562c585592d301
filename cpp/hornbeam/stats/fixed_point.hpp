// Fixed point: weights and targets rounded once, to a power-of-two grid that depends on the data alone, so that sums
// are integers. Splits are chosen on this grid. What a finished node says is summed again on a far finer one (FineSum).
#pragma once

#include <algorithm>
#include <bit>
#include <span>

#include "hornbeam/stats/wide.hpp"

namespace hornbeam {

// As many bits as leave room for n of them: class weights and plain targets in a sum of 64 bits; for weighted targets
// the sum of w y^2 must fit 128.
struct Bits {
    int size;
    explicit Bits(std::size_t n) : size(static_cast<int>(std::bit_width(n))) {}
    int class_weight() const { return std::min(52, 62 - size); }
    int plain_target() const { return std::min(52, 62 - size); }
    int counted_target() const { return std::min(52, (122 - size) / 2); }
    int weighted_target() const { return std::min(36, 62 - size); }
    int target_weight() const { return std::min(52, 126 - 2 * weighted_target() - size); }
};

// The grid for positive numbers up to `largest` in `bits` bits: value = integer * unit, unit a power of two.
inline double grid_unit(double largest, int bits) {
    if (!(largest > 0)) return 1;
    return std::ldexp(1.0, std::max(std::ilogb(largest) + 1 - bits, -1021));
}

struct WeightGrid {
    double unit = 1;

    WeightGrid(double largest, int bits) : unit(grid_unit(largest, bits)) {}
    WeightGrid(std::span<const double> weights, int bits)
        : WeightGrid(weights.empty() ? 0 : *std::max_element(weights.begin(), weights.end()), bits) {}
    // Positive weights stay positive.
    i64 operator()(double weight) const {
        return weight > 0 ? std::max<i64>(1, static_cast<i64>(std::nearbyint(weight / unit))) : 0;
    }
};

struct TargetGrid {
    double centre = 0, unit = 1;

    // The centre is the middle of the range.
    TargetGrid(std::span<const double> values, int bits) {
        if (values.empty()) return;
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        centre = *low + (*high - *low) / 2;
        if (!std::isfinite(centre)) centre = *low / 2 + *high / 2;
        const double reach = std::max(*high - centre, centre - *low);
        unit = grid_unit(reach, bits - 1);
    }
    i64 operator()(double value) const { return static_cast<i64>(std::nearbyint((value - centre) / unit)); }
};

// The grid of numbers that are not negative, not centred; positive ones stay positive.
struct RateGrid {
    double unit = 1;

    RateGrid(std::span<const double> values, int bits)
        : unit(grid_unit(values.empty() ? 0 : *std::max_element(values.begin(), values.end()), bits - 1)) {}
    i64 operator()(double value) const {
        return value > 0 ? std::max<i64>(1, static_cast<i64>(std::nearbyint(value / unit))) : 0;
    }
};

// Sums doubles exactly enough and in any order: each is cut off far below the last digit of the largest.
class FineSum {
  public:
    explicit FineSum(double largest) {
        const int shift = 90 - exponent(largest);
        scale_[0] = std::ldexp(1.0, shift / 2);
        scale_[1] = std::ldexp(1.0, shift - shift / 2);
        for (int i = 0; i < 2; ++i) back_[i] = 1 / scale_[i];  // powers of two: exact
    }
    // A square beyond the range of doubles counts as nothing.
    i128 whole(double value) const { return std::isfinite(value) ? to_wide(value * scale_[0] * scale_[1]) : 0; }
    double value(i128 sum) const { return to_double(sum) * back_[0] * back_[1]; }

  private:
    static int exponent(double largest) { return largest > 0 ? std::clamp(std::ilogb(largest), -1074, 1023) : 0; }
    double scale_[2], back_[2];  // in two steps, since one would overflow for the smallest numbers
};

}  // namespace hornbeam
