// Exact Stats: the sums of a node whose weights lie too far apart for one grid, without any rounding.
//
// A weight, and w y of a real target, is a natural number in units of a power of two that suit the rows of the node.
// It is cut into pieces of 32 bits, each a lane of its own, which follow the lanes on the grid; so buckets add up, and
// partitions are searched, as everywhere else:
//
//   classes   [ lanes on the grid | w_0 | ... | w_{K-1} ]
//   real      [ lanes on the grid | w | w (y - lowest y) | where squares are asked for: w (y - lowest y)^2 ]
//   rates     the same with y itself
//
// Only the judge reads them: scores come from whole numbers, by formulas in which nothing cancels.
#pragma once

#include <string_view>
#include <vector>

#include "hornbeam/grow/learn.hpp"
#include "hornbeam/stats/grid.hpp"
#include "hornbeam/stats/natural.hpp"

namespace hornbeam {

class ExactStats {
  public:
    // Of the rows `id`, for lanes that begin with `layout`; scores are in units of the impurity of `grid`.
    ExactStats(const TargetView& target, const Criterion& criterion, Layout layout, const Grid& grid, const u32* id,
               std::size_t n);

    // The layout of lanes on the grid with those of this behind them.
    Layout layout() const;
    // Adds a row; the lanes on the grid are the caller's.
    void add_row(u32 row, i64* lanes) const;

    // Of all rows.
    double impurity() const { return impurity_.value(); }
    double mean() const { return mean_; }  // of a real target
    double sd() const { return sd_; }

    // Impurities and scores too small for doubles become 2^n times what they are, n >= 0.
    void enlarge();
    int enlarged() const { return enlarged_; }

    // How much less impure `parts` are than `total`, which they make up, by the weight of `whole`.
    double decrease(const i64* whole, const i64* total, const i64* const* parts, int n_parts) const;
    // The entropy in bits of the weights of the parts and of what `whole` has beside `total`.
    double information(const i64* whole, const i64* total, const i64* const* parts, int n_parts) const;
    double weight(const i64* lanes) const { return (weight_of(lanes).scaled() * weight_unit_).value(); }
    // The share of classes [first, last); the mean on the grid.
    double share(const i64* lanes, int first, int last) const;
    double mean(const i64* lanes) const;
    // Whether the share of classes [first, last), or the mean, is less in `a` than in `b`.
    bool less(const i64* a, const i64* b, int first, int last) const;

  private:
    enum class Kind : u8 { gini, entropy, root, error, variance, sd, poisson };

    Natural weight_of(const i64* lanes) const;
    Natural of_class(const i64* lanes, int k) const { return {lanes + base_ + k * weight_lanes_, weight_lanes_}; }
    Natural sum_of(const i64* lanes) const { return {lanes + base_ + weight_lanes_, sum_lanes_}; }
    Natural square_of(const i64* lanes) const { return {lanes + base_ + weight_lanes_ + sum_lanes_, square_lanes_}; }
    Natural of_classes(const i64* lanes, int first, int last) const;
    Natural row_weight(u32 row) const;
    Natural row_value(u32 row) const;

    // The weight of all classes but the heaviest.
    Natural mistakes(const i64* lanes) const;
    // Impurity times weight, of sums that need no cancelling formula (root, error, sd).
    Scaled potential(const i64* lanes) const;
    Scaled class_decrease(const i64* total, const i64* const* parts, int n_parts) const;
    Scaled sum_decrease(const i64* total, const i64* const* parts, int n_parts) const;
    void measure_classes(const std::vector<i64>& total);
    void measure_numbers(const u32* id, std::size_t n);

    const TargetView& target_;
    Kind kind_;
    Layout before_;
    int base_, n_classes_;
    int weight_exponent_ = 0, value_exponent_ = 0;  // of one unit
    Natural lowest_;                                // y, where it is the origin
    bool below_zero_ = false;                       // whether that is negative: then its size is added
    int weight_lanes_ = 0, sum_lanes_ = 0, square_lanes_ = 0;
    Scaled weight_unit_, score_unit_;
    Scaled impurity_;
    int enlarged_ = 0;
    double mean_ = 0, sd_ = 0;
    double origin_ = 0;  // the lowest y, and one unit of y, on the grid
    Scaled unit_;
};

}  // namespace hornbeam
