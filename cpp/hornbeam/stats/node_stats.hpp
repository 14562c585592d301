// What a finished node of a real target says about its rows: the Stats (weight, mean, squares), squares being the sum
// of w (y - mean)^2; of rates also the sum of w y ln y.
//
// Weights, w y and w y ln y are summed exactly (exact_sum.hpp), from the leaves to the root, so the mean is the nearest
// double or next to it. Squares are never negative, so nothing cancels when they are added up.
#pragma once

#include <span>
#include <vector>

#include "hornbeam/stats/exact_sum.hpp"
#include "hornbeam/stats/fixed_point.hpp"

namespace hornbeam {

// Rows of a real target; those without weight take no part.
struct RealRows {
    std::span<const double> values;
    std::span<const double> weights;  // empty: the repetitions
    std::span<const i64> counts;      // empty: all 1
    bool rates = false;

    i64 repetitions(std::size_t row) const { return counts.empty() ? 1 : std::max<i64>(counts[row], 0); }
    double weight(std::size_t row) const {
        if (weights.empty()) return static_cast<double>(repetitions(row));
        return repetitions(row) > 0 ? std::max(weights[row], 0.0) : 0;
    }
    double y_log_y(std::size_t row) const {
        const double y = values[row];
        return y > 0 ? y * std::log(y) : 0;
    }
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

// Adds up the rows of leaves, and leaves to the nodes above them. The exact sums of a node are `words()` words.
class NodeTally {
  public:
    // `live`: the rows that any node may have.
    template <class Rows>
    NodeTally(const RealRows& rows, const Rows& live) : rows_(rows) {
        SumRange weight, first, log;
        for (std::size_t i = 0; i < live.size(); ++i) {
            const std::size_t r = live[i];
            const Dyadic w = weight_of(r);
            if (!rows_.weights.empty()) weight.include(w);
            first.include(w * dyadic(rows_.values[r]));
            if (rows_.rates) log.include(w * dyadic(rows_.y_log_y(r)));
        }
        weights_ = ExactSum(weight, live.size());
        firsts_ = ExactSum(first, live.size());
        logs_ = ExactSum(log, live.size());
        first_at_ = rows_.weights.empty() ? 0 : weights_.words();
        log_at_ = first_at_ + firsts_.words();
        words_ = log_at_ + (rows_.rates ? logs_.words() : 0);
    }

    std::size_t words() const { return words_; }

    // Some rows, each of which weighs something; `sums` are zeros before.
    RealStats leaf(std::span<const u32> rows, u64* sums) const {
        if (rows.empty()) return {};
        RealStats stats;
        for (const u32 r : rows) {
            const Dyadic w = weight_of(r);
            stats.rows += rows_.repetitions(r);
            if (!rows_.weights.empty()) weights_.add(sums, w);
            firsts_.add(sums + first_at_, w * dyadic(rows_.values[r]));
            if (rows_.rates) logs_.add(sums + log_at_, w * dyadic(rows_.y_log_y(r)));
        }
        if (rows.size() > 1) {
            summarize(sums, stats);
            stats.squares = squares(rows, stats);
            return stats;
        }
        stats.weight = rows_.weight(rows[0]);
        stats.mean = rows_.values[rows[0]] + 0.0;
        if (rows_.rates) stats.logs = logs_.scaled(sums + log_at_).value();
        return stats;
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
    Dyadic weight_of(std::size_t row) const {
        return rows_.weights.empty() ? Dyadic{rows_.repetitions(row), 0} : dyadic(rows_.weight(row));
    }
    void summarize(const u64* sums, RealStats& stats) const {
        const ScaledSum weight = rows_.weights.empty() ? ScaledSum::of_count(stats.rows) : weights_.scaled(sums);
        const Quotient mean = divide(firsts_.scaled(sums + first_at_), weight);
        stats.weight = weight.value();
        stats.mean = mean.value;
        stats.rest = mean.rest;
        if (rows_.rates) stats.logs = logs_.scaled(sums + log_at_).value();
    }
    // Of a row with repetitions one of them.
    double square(std::size_t row, const RealStats& stats) const {
        const double weight = rows_.weights.empty() ? 1 : rows_.weight(row);
        return weighted_square(weight, (rows_.values[row] - stats.mean) - stats.rest);
    }
    // In integers whose unit depends on the largest, so that neither the order of the rows matters nor whether a row is
    // there several times or has repetitions.
    double squares(std::span<const u32> rows, const RealStats& stats) const {
        double largest = 0;
        for (const u32 r : rows) largest = std::max(largest, square(r, stats));
        if (largest == 0 || std::isinf(largest)) return at_most_largest(largest);
        const bool many = stats.rows >> 32 != 0;  // repetitions: more than rows can be
        const FineSum fine(many ? largest * static_cast<double>(stats.rows) : largest);
        i128 sum = 0;
        for (const u32 r : rows)
            sum += fine.whole(square(r, stats)) * (rows_.weights.empty() ? rows_.repetitions(r) : 1);
        return at_most_largest(fine.value(sum));
    }

    const RealRows& rows_;
    ExactSum weights_, firsts_, logs_;
    std::size_t first_at_ = 0, log_at_ = 0, words_ = 0;
};

// Rows in the leaves of a tree whose children come after their parents: the Stats of every node, `width` numbers each.
std::vector<double> stats_of_nodes(std::span<const i32> first_child, std::span<const i32> n_children,
                                   std::span<const i32> leaf, const RealRows& rows);

}  // namespace hornbeam
