// The folder density/ grows trees that estimate a density, without a target.
//
// Density trees: a box is cut until its rows lie evenly in it.
//
//   loss of a node      R(t) = -(w / W)^2 / V        w, W: weight of the node and of all rows; V: volume of its box
//   a cut               p = w_L / w, a = V_L / V     lowers the loss by |R(t)| (p - a)^2 / (a (1 - a))
//
// P. Ram & A. G. Gray: Density estimation trees, KDD 2011. Volume is length on numeric columns; on ordinal and nominal
// ones it counts values. Everything inside a node is relative to it, so no unit of a column overflows.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hornbeam/grow/plan.hpp"

namespace hornbeam {

// The root's side along one column: [low, high] of a numeric one, [-0.5, k - 0.5] of an ordinal one with k values,
// [0, k] of a nominal one.
struct DensityColumn {
    ColumnView view;
    double low = 0, high = 0;
};

struct DensityRows {
    std::size_t n = 0;
    std::span<const double> weights;  // repetitions included; empty: all 1
    std::span<const i64> counts;      // repetitions; empty: all 1
};

struct DensityPlan {
    Limits limits;
    double log_volume = 0;  // of the root; only min_gain needs it
    int n_threads = 1;
    std::size_t shared_rows = 65536;    // nodes above this size are worked on by all threads together
    std::size_t serial_cells = 100000;  // tables below this many cells are grown by one thread
};

// The grown tree: families of two lie together, after their parent.
struct DensityArrays {
    std::vector<std::int8_t> kind;
    std::vector<i32> first_child, column;
    std::vector<double> threshold, gap;
    std::vector<double> rise;       // what the cut lowers the loss by, over the loss itself: (p - a)^2 / (a (1 - a))
    std::vector<double> log_share;  // log of the volume over the root's
    std::vector<double> weight;
    std::vector<i64> n_rows, map_offset;
    std::vector<i32> map_code, map_branch;
    bool interrupted = false;
};

// `progress(share)` is called on the caller's thread now and then; it returns true to stop.
DensityArrays grow_density(const std::vector<DensityColumn>& columns, const DensityRows& rows, const DensityPlan& plan,
                           const std::function<bool(double)>& progress);

}  // namespace hornbeam
