// What a finished node of a real target says about its rows: the Stats (weight, mean, squares), squares being the sum
// of w (y - mean)^2; of rates also the sum of w y ln y.
//
// Weights, w y and w y ln y are summed exactly (exact_sum.hpp), from the leaves to the root, so the mean is the nearest
// double or next to it. Squares are never negative, so nothing cancels when they are added up.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "hornbeam/stats/exact_sum.hpp"
#include "hornbeam/stats/fixed_point.hpp"

namespace hornbeam {

// Rows of a real target; those without weight take no part.
struct RealRows {
    std::span<const double> values;
    std::span<const double> weights;  // of one repetition; empty: all 1
    std::span<const i64> counts;      // repetitions; empty: all 1
    bool rates = false;

    i64 repetitions(std::size_t row) const { return counts.empty() ? 1 : std::max<i64>(counts[row], 0); }
    double weight_of_one(std::size_t row) const { return weights.empty() ? 1 : std::max(weights[row], 0.0); }
    double weight(std::size_t row) const { return weight_of_one(row) * static_cast<double>(repetitions(row)); }
    // visit(w) with numbers that add up to the weight of a row, which is exact however many repetitions there are.
    template <class Visit>
    void each_weight(std::size_t row, Visit&& visit) const {
        if (weights.empty()) return visit(Dyadic{repetitions(row), 0});
        const Dyadic one = dyadic(weight_of_one(row));
        if (counts.empty()) return visit(one);
        int at = 0;
        for (i64 left = repetitions(row); left > 0; left >>= kDigit, at += kDigit)
            if (const i64 digit = left & ((i64{1} << kDigit) - 1); digit != 0)
                visit(Dyadic{one.whole * digit, one.exponent + at});
    }
    // How many such numbers there are at most.
    std::size_t n_weights() const { return weights.empty() || counts.empty() ? 1 : 4; }
    double y_log_y(std::size_t row) const {
        const double y = values[row];
        return y > 0 ? y * std::log(y) : 0;
    }

  private:
    static constexpr int kDigit = 20;  // bits, so that a product of three fits 128
};

struct RealStats {
    i64 rows = 0;
    double weight = 0, mean = 0, squares = 0, logs = 0;
    double rest = 0;  // of the mean, beyond its double

    void write(double* stats, std::size_t width) const {
        const double all[4] = {weight, mean, squares, logs};
        std::copy(all, all + width, stats);
    }
};

// w d^2, also where w d is beyond the range of doubles.
inline double weighted_square(double w, double d) {
    const double once = w * d;
    if (std::fabs(once) > 1e-290 && std::fabs(once) < 1e290) return once * d;
    if (once == 0 && (w == 0 || d == 0)) return 0;
    int of_w = 0, of_d = 0;
    const double a = std::frexp(w, &of_w), b = std::frexp(d, &of_d);
    return std::isfinite(d) ? std::ldexp(a * b * b, of_w + 2 * of_d) : std::numeric_limits<double>::infinity();
}
inline double at_most_largest(double x) { return std::min(x, std::numeric_limits<double>::max()); }

// What the layout of exact sums follows from. Those of parts of the rows merge to that of all.
struct SumRanges {
    SumRange weight, first, log;
    std::size_t n = 0;

    void merge(const SumRanges& other) {
        weight.merge(other.weight);
        first.merge(other.first);
        log.merge(other.log);
        n += other.n;
    }
};

// Adds up the rows of leaves, and leaves to the nodes above them. The exact sums of a node are `words()` words.
class NodeTally {
  public:
    // `live`: the rows that any node may have.
    template <class Rows>
    NodeTally(const RealRows& rows, const Rows& live) : NodeTally(rows, ranges(rows, live)) {}
    NodeTally(const RealRows& rows, const SumRanges& of)
        : rows_(rows), weights_(of.weight, of.n), firsts_(of.first, of.n), logs_(of.log, of.n) {
        first_at_ = rows_.weights.empty() ? 0 : weights_.words();
        log_at_ = first_at_ + firsts_.words();
        words_ = log_at_ + (rows_.rates ? logs_.words() : 0);
    }
    template <class Rows>
    static SumRanges ranges(const RealRows& rows, const Rows& live) {
        SumRanges out;
        out.n = live.size() * rows.n_weights();
        for (std::size_t i = 0; i < live.size(); ++i) {
            const std::size_t r = live[i];
            rows.each_weight(r, [&](const Dyadic& w) {
                if (!rows.weights.empty()) out.weight.include(w);
                out.first.include(w * dyadic(rows.values[r]));
                if (rows.rates) out.log.include(w * dyadic(rows.y_log_y(r)));
            });
        }
        return out;
    }

    std::size_t words() const { return words_; }
    // Those of the sums of weights, of w y and of w y ln y.
    std::array<std::size_t, 3> widths() const { return {first_at_, firsts_.words(), words_ - log_at_}; }

    // Some rows, each of which weighs something; `sums` are zeros before.
    RealStats leaf(std::span<const u32> rows, u64* sums) const {
        if (rows.empty()) return {};
        RealStats stats;
        stats.rows = add(rows, sums);
        if (rows.size() > 1) {
            summarize(sums, stats);
            const double largest = largest_square(rows, stats);
            stats.squares = squares(largest, stats.rows, fine_sum(rows, stats, largest));
            return stats;
        }
        stats.weight = rows_.weight(rows[0]);
        stats.mean = rows_.values[rows[0]] + 0.0;
        if (rows_.rates) stats.logs = logs_.scaled(sums + log_at_).value();
        return stats;
    }

    // The same step by step, for rows that are some of a leaf's. First their sums; returns their number.
    i64 add(std::span<const u32> rows, u64* sums) const {
        i64 n = 0;
        for (const u32 r : rows) {
            n += rows_.repetitions(r);
            rows_.each_weight(r, [&](const Dyadic& w) {
                if (!rows_.weights.empty()) weights_.add(sums, w);
                firsts_.add(sums + first_at_, w * dyadic(rows_.values[r]));
                if (rows_.rates) logs_.add(sums + log_at_, w * dyadic(rows_.y_log_y(r)));
            });
        }
        return n;
    }
    // All but the squares; the number of rows is known.
    void summarize(const u64* sums, RealStats& stats) const {
        const ScaledSum weight = rows_.weights.empty() ? ScaledSum::of_count(stats.rows) : weights_.scaled(sums);
        const Quotient mean = divide(firsts_.scaled(sums + first_at_), weight);
        stats.weight = weight.value();
        stats.mean = mean.value;
        stats.rest = mean.rest;
        if (rows_.rates) stats.logs = logs_.scaled(sums + log_at_).value();
    }
    // Then the largest square, and squares in integers whose unit depends on it, so that neither the order of the rows
    // matters nor whether a row is there several times or has repetitions.
    double largest_square(std::span<const u32> rows, const RealStats& stats) const {
        double largest = 0;
        for (const u32 r : rows) largest = std::max(largest, square(r, stats));
        return largest;
    }
    i128 fine_sum(std::span<const u32> rows, const RealStats& stats, double largest) const {
        i128 sum = 0;
        if (largest == 0 || std::isinf(largest)) return sum;
        const FineSum fine = fine_unit(largest, stats.rows);
        for (const u32 r : rows) sum += fine.whole(square(r, stats)) * rows_.repetitions(r);
        return sum;
    }
    static double squares(double largest, i64 n_rows, i128 sum) {
        if (largest == 0 || std::isinf(largest)) return at_most_largest(largest);
        return at_most_largest(fine_unit(largest, n_rows).value(sum));
    }

    // Adds the sums of one node to those of the node above it.
    void merge(u64* sums, const u64* part) const {
        if (!rows_.weights.empty()) weights_.merge(sums, part);
        firsts_.merge(sums + first_at_, part + first_at_);
        if (rows_.rates) logs_.merge(sums + log_at_, part + log_at_);
    }
    // The node above some others, whose sums were merged.
    RealStats above(std::span<const RealStats> parts, const u64* sums) const {
        RealStats stats;
        for (const RealStats& part : parts) stats.rows += part.rows;
        if (stats.rows == 0) return stats;
        summarize(sums, stats);
        for (const RealStats& part : parts) {
            if (part.rows == 0) continue;
            const double away = (part.mean - stats.mean) + (part.rest - stats.rest);
            stats.squares += part.squares + weighted_square(part.weight, away);
        }
        stats.squares = at_most_largest(stats.squares);
        return stats;
    }

  private:
    // Of a row with repetitions one of them.
    double square(std::size_t row, const RealStats& stats) const {
        return weighted_square(rows_.weight_of_one(row), (rows_.values[row] - stats.mean) - stats.rest);
    }
    static FineSum fine_unit(double largest, i64 n_rows) {
        const bool many = n_rows >> 32 != 0;  // repetitions: more than rows can be
        return FineSum(many ? largest * static_cast<double>(n_rows) : largest);
    }

    const RealRows& rows_;
    ExactSum weights_, firsts_, logs_;
    std::size_t first_at_ = 0, log_at_ = 0, words_ = 0;
};

// Rows in the leaves of a tree whose children come after their parents: the Stats of every node, `width` numbers each.
std::vector<double> stats_of_nodes(std::span<const i32> first_child, std::span<const i32> n_children,
                                   std::span<const i32> leaf, const RealRows& rows);

}  // namespace hornbeam
