// What one call of `learn` hands from function to function.
#pragma once

#include "hornbeam/grow/learn.hpp"
#include "hornbeam/grow/row_loops.hpp"

namespace hornbeam {

struct LearnState {
    Growth growth;
    Plan& plan;                  // what growth sees
    const TargetView& target;    // as growth sees it
    const TargetView& original;  // as it came
    std::vector<u32> rows;
    double weight_unit;  // what one step of the weight lanes is worth
    const std::function<bool(double)>& progress;
};

// A least weight is a share of the total until growth begins. Sums that differ from it by rounding alone are enough.
inline constexpr double kAlmostOne = 1 - 1e-12;

TreeArrays learn_classes(LearnState& state, bool weighted);
TreeArrays learn_real(LearnState& state, bool weighted);

// Rows and their repetitions.
inline double repetitions(const LearnState& state) {
    if (state.target.counts.empty()) return static_cast<double>(state.rows.size());
    double sum = 0;
    for (u32 r : state.rows) sum += static_cast<double>(state.target.counts[r]);
    return sum;
}
// Whether no block holds more repetitions than a runner's tables have room for.
inline bool few_repetitions(const LearnState& state, std::size_t room) {
    i64 most = 1;
    for (u32 r : state.rows) most = std::max(most, state.target.counts[r]);
    return most <= std::min(static_cast<i64>(room / state.plan.block_rows), TwoRepeats::kMost) &&
           repetitions(state) < 2147483648.0;
}

// Decides which arrays flattening need not write.
inline void choose_arrays(LearnState& state, bool sums_later) {
    state.growth.sums_later = sums_later;
    state.growth.rows_from_stats = state.original.weights.empty() && !state.growth.fractions;
}

// Grows the tree of rows whose lanes sum to `totals`.
TreeArrays grow_tree(LearnState& state, RowLoops& loops, const std::vector<i64>& totals);

}  // namespace hornbeam
