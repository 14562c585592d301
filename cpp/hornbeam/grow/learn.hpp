// The folder grow/ grows a tree: large nodes by histograms, small ones in blocks of sorted lists, the smallest as sets
// of bits; missing values, surrogates, the order of growth, and the finished tree as arrays.
//
// `learn` is where the core is entered: columns, target and plan in, arrays of a tree out.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hornbeam/grow/plan.hpp"
#include "hornbeam/grow/tree_arrays.hpp"

namespace hornbeam {

struct TargetView {
    int n_classes = 0;                // 0: real
    std::span<const i32> codes;       // classes
    std::span<const double> values;   // real
    std::span<const double> weights;  // empty: all 1
    std::span<const i64> counts;      // empty: all 1
};

class SharedCodes;
class PresortedColumns;

// `progress(share)` is called on the caller's thread now and then; it returns true to stop. `codes`, `presorted`: those
// of the same columns, shared by several trees; null: the tree makes its own.
TreeArrays learn(const std::vector<ColumnView>& columns, std::size_t n_rows, const TargetView& target, Plan plan,
                 const std::function<bool(double)>& progress, SharedCodes* codes = nullptr,
                 const PresortedColumns* presorted = nullptr);

}  // namespace hornbeam
