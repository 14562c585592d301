// Fixed point: weights and targets rounded once, to a power-of-two grid that depends on the data alone, so that sums
// are integers. Splits are chosen on this grid. What a finished node says is summed again on a far finer one (FineSum).
#pragma once

#include <algorithm>
#include <bit>
#include <span>

#include "hornbeam/stats/wide.hpp"

namespace hornbeam {

// As many bits as leave room for n of them: class weights and plain targets in a sum of 64 bits; for targets that are
// summed with weights, w y must fit 95 bits and w y^2, cut off, 127 (stats.hpp). Where the order of weighted targets
// is all that counts (quantiles), y is coarser and weights are finer.
struct Bits {
    int size;
    explicit Bits(std::size_t n) : size(static_cast<int>(std::bit_width(n))) {}
    int class_weight() const { return std::min(52, 62 - size); }
    int plain_target() const { return std::min(52, 62 - size); }
    int counted_target() const { return std::min(52, (122 - size) / 2); }
    int summed_target() const { return 45; }
    int summed_weight() const { return 51 - size; }
    int ordered_target() const { return std::min(36, 62 - size); }
    int ordered_weight() const { return std::min(52, 126 - 2 * ordered_target() - size); }
};

// The grid for positive numbers up to `largest` in `bits` bits: value = integer * unit, unit a power of two.
inline double grid_unit(double largest, int bits) {
    if (!(largest > 0)) return 1;
    return std::ldexp(1.0, std::max(std::ilogb(largest) + 1 - bits, -1074));
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
    TargetGrid(double low, double high, int bits) {
        centre = low + (high - low) / 2;
        if (!std::isfinite(centre)) centre = low / 2 + high / 2;
        const double reach = std::max(high - centre, centre - low);
        unit = grid_unit(reach, bits - 1);
        if (reach > 0) more_ = std::ldexp(unit, bits - 2 - std::ilogb(reach));
    }
    i64 operator()(double value) const { return static_cast<i64>(std::nearbyint((value - centre) / unit * more_)); }
    double step() const { return unit / more_; }

  private:
    double more_ = 1;  // steps of the smallest numbers, which no double holds, are spread over all bits
};

// The grid of numbers that are not negative, not centred; positive ones stay positive.
struct RateGrid {
    double unit = 1;

    RateGrid(double largest, int bits) : unit(grid_unit(largest, bits - 1)) {}
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
