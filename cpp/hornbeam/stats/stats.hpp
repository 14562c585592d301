// The folder stats/ adds rows up: how each kind of target becomes Stats, histograms of codes, buckets of a column.
//
// Stats: what a node is. A short vector of 64-bit integers, its lanes; groups merge by adding lanes, siblings by
// subtracting them, and since integers add without rounding no order of adding changes anything.
//
//   classes   [ w_0 ... w_{K-1} | n ]                      K+1 lanes
//   real      [ n | w | wy low, high | wyy low, mid, high ]  7 lanes
//   rates     the same, then [ w y ln y low, mid, high ]     10 lanes
//
// Weights and centred targets come here on a power-of-two grid (fixed_point.hpp). A product of them has more than 64
// bits, so it is cut into pieces of 32 bits; each piece is a lane of its own and adds like any other. The last bits of
// y^2 are cut off: w y^2 would not fit, and a node whose spread comes near them gets a grid of its own (grid.hpp).
#pragma once

#include "hornbeam/stats/wide.hpp"

namespace hornbeam {

// The weight of a group of classes.
inline i64 class_weight(const i64* lanes, int n_classes) {
    i64 sum = 0;
    for (int k = 0; k < n_classes; ++k) sum += lanes[k];
    return sum;
}

class ExactStats;

// How the lanes of one growth are laid out.
struct Layout {
    int n_classes = 0;                  // 0: real
    bool rates = false;                 // real, not negative, not centred
    int extra = 0;                      // lanes behind the others, where a node is judged by exact sums
    const ExactStats* exact = nullptr;  // whoever reads those

    bool classes() const { return n_classes > 0; }
    int width() const { return (classes() ? n_classes + 1 : rates ? 10 : 7) + extra; }
    i64 rows(const i64* lanes) const { return classes() ? lanes[n_classes] : lanes[0]; }
    i64 weight(const i64* lanes) const { return classes() ? class_weight(lanes, n_classes) : lanes[1]; }
};

inline void add_lanes(i64* out, const i64* lanes, int width) {
    for (int j = 0; j < width; ++j) out[j] += lanes[j];
}
inline void subtract_lanes(i64* out, const i64* lanes, int width) {
    for (int j = 0; j < width; ++j) out[j] -= lanes[j];
}

constexpr int kSquareShift = 14;
// y^2 in steps of 2^kSquareShift, rounded down.
inline i128 cut_square(i64 y) { return (static_cast<i128>(y) * y) >> kSquareShift; }

// The sums of a real target, put together from their pieces.
struct Moments {
    i64 n, w;
    i128 wy, wyy;  // wyy: in steps of 2^kSquareShift

    explicit Moments(const i64* lanes)
        : n(lanes[0]),
          w(lanes[1]),
          wy((static_cast<i128>(lanes[3]) << 32) + lanes[2]),
          wyy((static_cast<i128>(lanes[6]) << 64) + (static_cast<i128>(lanes[5]) << 32) + lanes[4]) {}

    // One row: weight w, target y, counted n times.
    static void set(i64* lanes, i64 n, i64 w, i64 y) {
        const i128 wy = static_cast<i128>(w) * y, wyy = w * cut_square(y);
        constexpr i128 mask = 0xffffffff;
        lanes[0] = n;
        lanes[1] = w;
        lanes[2] = static_cast<i64>(wy & mask);
        lanes[3] = static_cast<i64>(wy >> 32);
        lanes[4] = static_cast<i64>(wyy & mask);
        lanes[5] = static_cast<i64>((wyy >> 32) & mask);
        lanes[6] = static_cast<i64>(wyy >> 64);
    }

    i64 rounded_mean() const {
        if (w == 0) return 0;
        const auto narrow = static_cast<i64>(wy);  // as a rule; 64 bits divide much faster
        return narrow == wy ? narrow / w : static_cast<i64>(wy / w);
    }

    // Sum of w (y - mean)^2, never above it. Shifting by the rounded mean m in integers first leaves nothing to cancel:
    // with wy = m w + rest it is wyy - m^2 w - 2 m rest - rest^2 / w.
    double squares() const {
        if (w == 0) return 0;
        const i64 m = rounded_mean();
        const i128 m_square = static_cast<i128>(m) * m;
        constexpr i64 mask = (i64{1} << kSquareShift) - 1;
        const double weight = static_cast<double>(w), rest = to_double(wy - static_cast<i128>(m) * w);
        const double about = to_double(wyy - (m_square >> kSquareShift) * w) * static_cast<double>(mask + 1);
        const double low_bits = static_cast<double>(static_cast<i64>(m_square) & mask);
        const double sum = about - low_bits * weight - 2 * static_cast<double>(m) * rest - rest * rest / weight;
        return sum > 0 ? sum : 0;
    }
};

// The sum of w y ln y of a group of rates; and one row's, in pieces.
inline i128 log_sum(const i64* lanes) {
    return (static_cast<i128>(lanes[9]) << 64) + (static_cast<i128>(lanes[8]) << 32) + lanes[7];
}
inline void set_log(i64* lanes, i64 w, i64 log) {
    const i128 sum = static_cast<i128>(w) * log;
    constexpr i128 mask = 0xffffffff;
    lanes[7] = static_cast<i64>(sum & mask);
    lanes[8] = static_cast<i64>((sum >> 32) & mask);
    lanes[9] = static_cast<i64>(sum >> 64);
}

}  // namespace hornbeam
