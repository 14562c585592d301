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

// One of several targets: classes, or numbers where there are none.
struct OutputView {
    int n_classes = 0;
    std::span<const i32> codes;
    std::span<const double> values;
};

struct TargetView {
    int n_classes = 0;                   // 0: real
    std::span<const i32> codes;          // classes
    std::span<const double> values;      // real
    std::span<const double> weights;     // of one repetition of a row; empty: all 1
    std::span<const i64> counts;         // repetitions; empty: all 1
    std::span<const double> times = {};  // survival: how long each row was observed; values are events per exposure
    std::span<const OutputView> outputs = {};  // several targets at once, the first of which stands above

    i64 repetitions(std::size_t row) const { return counts.empty() ? 1 : counts[row]; }
    // Of all repetitions of a row, where there are weights.
    double weight(std::size_t row) const { return weights[row] * static_cast<double>(repetitions(row)); }
};

class SharedCodes;
class PresortedColumns;

// `progress(share)` is called on the caller's thread now and then; it returns true to stop. `codes`, `presorted`: those
// of the same columns, shared by several trees; null: the tree makes its own.
TreeArrays learn(const std::vector<ColumnView>& columns, std::size_t n_rows, const TargetView& target, Plan plan,
                 const std::function<bool(double)>& progress, SharedCodes* codes = nullptr,
                 const PresortedColumns* presorted = nullptr);

}  // namespace hornbeam
