// The door of the core: columns, target and plan in, arrays of a tree out.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "plan.hpp"

namespace hornbeam {

struct TargetView {
    int n_classes = 0;                // 0: real
    std::span<const i32> codes;       // classes
    std::span<const double> values;   // real
    std::span<const double> weights;  // empty: all 1
    std::span<const i64> counts;      // empty: all 1
};

// A grown tree as arrays: children contiguous and after their parent, the root first.
struct TreeArrays {
    std::vector<std::int8_t> kind;
    std::vector<i32> first_child, n_children, column, missing, absent, label;
    std::vector<double> threshold, gap, gain, impurity, stats;
    std::vector<i64> n_rows, map_offset;
    std::vector<i32> map_code, map_branch;
    int width = 0;
    double centre = 0;
    bool interrupted = false;
};

// `progress(share)` is called on the caller's thread now and then; it returns true to stop.
TreeArrays learn(const std::vector<ColumnView>& columns, std::size_t n_rows, const TargetView& target, Plan plan,
                 const std::function<bool(double)>& progress);

}  // namespace hornbeam
