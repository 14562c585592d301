// Outcomes: how a row adds to Stats. One struct for each kind of target that deserves its own inner loop.
//
//   Carry        what travels with a row id while rows are routed, so that tallies read it in order
//   words        64-bit words of one histogram bin; bins of two histograms add and subtract word by word
//   add          one row into one bin
//   lanes        a bin as Stats lanes (for Mean the wyy lanes are an upper bound, good enough for bounds)
//   row_lanes    one row's exact lanes, added to `out`
//   exact_bins   whether a bin's lanes are exact
//   weight       one row's weight
//   rows         how often one row counts
#pragma once

#include <concepts>

#include "hornbeam/stats/fixed_point.hpp"
#include "hornbeam/stats/stats.hpp"

namespace hornbeam {

// Two classes, no weights: both counts in one word, n in the low half and class 1 in the high half.
struct TwoCounts {
    using Carry = u8;

    static constexpr bool exact_bins = true;
    static i64 weight(Carry) { return 1; }
    int words() const { return 1; }
    static void add(u64* bin, Carry label) { *bin += 1 | (static_cast<u64>(label) << 32); }
    void lanes(const u64* bin, i64* out) const {
        const i64 n = static_cast<i64>(*bin & 0xffffffff), one = static_cast<i64>(*bin >> 32);
        out[0] = n - one;
        out[1] = one;
        out[2] = n;
    }
    static void row_lanes(Carry label, i64* out) {
        ++out[label];
        ++out[2];
    }
};

// How often a row counts.
template <class O>
i64 rows_of(const typename O::Carry& row) {
    if constexpr (requires { O::rows(row); }) {
        return O::rows(row);
    } else if constexpr (requires { row.n; }) {
        return row.n;
    } else {
        return 1;
    }
}

// The 32-bit counts inside the 64-bit words of a bin: a u32 may not be read through a pointer to u64, its bytes may.
inline u32 count_in_bin(const u64* bin, std::size_t k) {
    u32 count;
    std::memcpy(&count, reinterpret_cast<const std::byte*>(bin) + k * sizeof count, sizeof count);
    return count;
}
inline void add_in_bin(u64* bin, std::size_t k, u32 n) {
    const u32 count = count_in_bin(bin, k) + n;
    std::memcpy(reinterpret_cast<std::byte*>(bin) + k * sizeof count, &count, sizeof count);
}

// Any number of classes, no weights: one 32-bit count for each class.
struct Counts {
    using Carry = u32;
    int n_classes = 0;

    static constexpr bool exact_bins = true;
    static u32 label(Carry row) { return row; }
    static i64 rows(Carry) { return 1; }
    static i64 weight(Carry) { return 1; }
    int words() const { return (n_classes + 1) / 2; }
    static void add(u64* bin, Carry label) { add_in_bin(bin, label, 1); }
    void lanes(const u64* bin, i64* out) const {
        i64 n = 0;
        for (int k = 0; k < n_classes; ++k) n += out[k] = count_in_bin(bin, static_cast<std::size_t>(k));
        out[n_classes] = n;
    }
    void row_lanes(Carry label, i64* out) const {
        ++out[label];
        ++out[n_classes];
    }
};

// Two classes with repetitions, at most kMost of a row: both counts of a row in one word, as in a bin.
struct TwoRepeats {
    using Carry = u32;  // n in the low half, those of class 1 in the high half
    static constexpr i64 kMost = 0xffff;

    static constexpr bool exact_bins = true;
    static Carry carry(i32 label, i64 n) { return static_cast<u32>(n) | (label != 0 ? static_cast<u32>(n) << 16 : 0); }
    static i64 ones(Carry row) { return row >> 16; }
    static i64 rows(Carry row) { return row & 0xffff; }
    static i64 weight(Carry row) { return rows(row); }
    int words() const { return 1; }
    static void add(u64* bin, Carry row) { *bin += (row & 0xffff) | (static_cast<u64>(row >> 16) << 32); }
    void lanes(const u64* bin, i64* out) const { TwoCounts{}.lanes(bin, out); }
    static void row_lanes(Carry row, i64* out) {
        out[0] += rows(row) - ones(row);
        out[1] += ones(row);
        out[2] += rows(row);
    }
};

// Any number of classes with repetitions.
struct Repeats : Counts {
    struct Carry {
        u32 label;
        u32 n;
    };

    static u32 label(const Carry& row) { return row.label; }
    static i64 rows(const Carry& row) { return row.n; }
    static i64 weight(const Carry& row) { return row.n; }
    static void add(u64* bin, const Carry& row) { add_in_bin(bin, row.label, row.n); }
    void row_lanes(const Carry& row, i64* out) const {
        out[row.label] += row.n;
        out[n_classes] += row.n;
    }
};

// Classes with weights, or with very many repetitions.
struct ClassWeights {
    struct Carry {
        u32 label;
        i32 n;
        i64 w;
    };
    int n_classes = 0;

    static constexpr bool exact_bins = true;
    static i64 weight(const Carry& row) { return row.w; }
    int words() const { return n_classes + 1; }
    void add(u64* bin, const Carry& row) const {
        bin[row.label] += static_cast<u64>(row.w);
        bin[n_classes] += static_cast<u64>(row.n);
    }
    void lanes(const u64* bin, i64* out) const {
        std::memcpy(out, bin, sizeof(u64) * static_cast<std::size_t>(n_classes + 1));
    }
    void row_lanes(const Carry& row, i64* out) const {
        out[row.label] += row.w;
        out[n_classes] += row.n;
    }
};

// Adds n rows that sum to y and yy, in steps of 2^kSquareShift, to the lanes of a real target.
inline void add_mean(i64* out, i64 n, i64 y, i128 yy) {
    constexpr u64 mask = 0xffffffff;
    const u64 low = static_cast<u64>(yy);
    out[0] += n;
    out[1] += n;
    out[2] += static_cast<i64>(static_cast<u64>(y) & mask);
    out[3] += y >> 32;
    out[4] += static_cast<i64>(low & mask);
    out[5] += static_cast<i64>(low >> 32);
    out[6] += static_cast<i64>(yy >> 64);
}

// A real target without weights, judged by variance: the sum of y, and in one word n and a rounded-up y^2 that serves
// only to bound what a cut inside a bin could gain.
struct Mean {
    struct Carry {
        i64 y;
    };
    int n_bits = 24;       // low bits of the word that hold n
    int square_shift = 0;  // y^2 >> shift, rounded up, is what is summed

    // For a table of this size; squares get as many bits as the number of rows leaves.
    static int square_shift_of(const Bits& bits) {
        return std::max(0, 2 * (bits.plain_target() - 1) - (63 - 2 * bits.size));
    }

    static constexpr bool exact_bins = false;
    static i64 rows(const Carry&) { return 1; }
    static i64 weight(const Carry&) { return 1; }
    int words() const { return 2; }
    void add(u64* bin, const Carry& row) const {
        bin[0] += static_cast<u64>(row.y);
        bin[1] += one_and_square(row.y);
    }
    void lanes(const u64* bin, i64* out) const {
        const i128 y = static_cast<i64>(bin[0]);
        const i128 squares =
            ((static_cast<i128>(bin[1] >> n_bits) << square_shift) + ((i128{1} << kSquareShift) - 1)) >> kSquareShift;
        out[0] = out[1] = static_cast<i64>(bin[1] & ((u64{1} << n_bits) - 1));
        out[2] = static_cast<i64>(y & 0xffffffff);
        out[3] = static_cast<i64>(y >> 32);
        out[4] = static_cast<i64>(squares & 0xffffffff);
        out[5] = static_cast<i64>((squares >> 32) & 0xffffffff);
        out[6] = static_cast<i64>(squares >> 64);
    }
    static void row_lanes(const Carry& row, i64* out) { add_mean(out, 1, row.y, cut_square(row.y)); }
    u64 one_and_square(i64 y) const {
        const i128 square = static_cast<i128>(y) * y;
        const i128 rounded = (square + ((i128{1} << square_shift) - 1)) >> square_shift;
        return (static_cast<u64>(rounded) << n_bits) | 1;
    }
};

// The same with repetitions: n copies of a row add what they would one by one.
struct MeanRepeats : Mean {
    struct Carry {
        i64 y;
        i64 n;
    };

    static i64 rows(const Carry& row) { return row.n; }
    static i64 weight(const Carry& row) { return row.n; }
    void add(u64* bin, const Carry& row) const {
        bin[0] += static_cast<u64>(row.y * row.n);
        bin[1] += one_and_square(row.y) * static_cast<u64>(row.n);  // both halves at once
    }
    static void row_lanes(const Carry& row, i64* out) {
        add_mean(out, row.n, row.y * row.n, cut_square(row.y) * row.n);
    }
};

// A real target with weights, very many repetitions, or a criterion that needs the squares.
struct Sums {
    struct Carry {
        i64 y;
        i64 n;
        i64 w;
    };

    static constexpr bool exact_bins = true;
    static i64 weight(const Carry& row) { return row.w; }
    int words() const { return 7; }
    static void add(u64* bin, const Carry& row) {
        i64 lanes[7];
        Moments::set(lanes, row.n, row.w, row.y);
        for (int j = 0; j < 7; ++j) bin[j] += static_cast<u64>(lanes[j]);
    }
    void lanes(const u64* bin, i64* out) const { std::memcpy(out, bin, 7 * sizeof(u64)); }
    static void row_lanes(const Carry& row, i64* out) {
        i64 lanes[7];
        Moments::set(lanes, row.n, row.w, row.y);
        add_lanes(out, lanes, 7);
    }
};

// A rate: a real target of at least 0 with y ln y beside it (Poisson).
struct Rates {
    struct Carry {
        i64 y;
        i64 n;
        i64 w;
        i64 log;
    };

    static constexpr bool exact_bins = true;
    static i64 weight(const Carry& row) { return row.w; }
    int words() const { return 10; }
    static void add(u64* bin, const Carry& row) {
        i64 lanes[10];
        set(lanes, row);
        for (int j = 0; j < 10; ++j) bin[j] += static_cast<u64>(lanes[j]);
    }
    void lanes(const u64* bin, i64* out) const { std::memcpy(out, bin, 10 * sizeof(u64)); }
    static void row_lanes(const Carry& row, i64* out) {
        i64 lanes[10];
        set(lanes, row);
        add_lanes(out, lanes, 10);
    }
    static Carry carry(i64 y, i64 n, i64 w) {
        const double value = static_cast<double>(y);
        return {y, n, w, y > 1 ? static_cast<i64>(std::nearbyint(value * std::log(value))) : 0};
    }

  private:
    static void set(i64* lanes, const Carry& row) {
        Moments::set(lanes, row.n, row.w, row.y);
        set_log(lanes, row.w, row.log);
    }
};

// Adds rows to lanes: one by one, or, where lanes are pieces of longer sums, all at once in the end.
template <class O>
class LaneSum {
  public:
    LaneSum(const O& outcome, i64* out) : outcome_(outcome), out_(out) {}
    void add(const typename O::Carry& row) { outcome_.row_lanes(row, out_); }

  private:
    const O& outcome_;
    i64* out_;
};

template <class O>
    requires std::derived_from<O, Mean>
class LaneSum<O> {
  public:
    LaneSum(const O&, i64* out) : out_(out) {}
    ~LaneSum() { add_mean(out_, n_, y_, yy_); }
    LaneSum(const LaneSum&) = delete;
    LaneSum& operator=(const LaneSum&) = delete;
    void add(const typename O::Carry& row) {
        const i64 n = O::rows(row), sum = row.y * n;
        n_ += n;
        y_ += sum;  // any sum of y fits 64 bits
        yy_ += cut_square(row.y) * n;
    }

  private:
    i64* out_;
    i64 n_ = 0, y_ = 0;
    i128 yy_ = 0;
};

}  // namespace hornbeam
