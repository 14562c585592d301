// What one call of `learn` hands from function to function.
#pragma once

#include "hornbeam/grow/engine.hpp"
#include "hornbeam/grow/learn.hpp"

namespace hornbeam {

// What is known of the target of all rows that count before a tree grows.
struct TargetSummary {
    std::size_t n_rows = 0;
    double repetitions = 0, most = 1;  // of all rows, of one
    double lightest = std::numeric_limits<double>::infinity(), heaviest = 0;
};
TargetSummary summarize(const TargetView& target, const std::vector<u32>& rows);

// The rows of a table, or those of them that are here.
struct TablePart {
    const std::vector<ColumnView>* columns = nullptr;
    std::size_t n_rows = 0;
    TargetView original;  // as it came
    TargetView target;    // as growth sees it
    std::vector<u32> rows;
    std::vector<double> whole;  // what `target` may point to
    Growth* growth = nullptr;
    std::unique_ptr<RowLoops> loops;
};

struct LearnState {
    Growth growth;
    Plan& plan;  // what growth sees
    TablePart table;
    TargetSummary summary;
    const std::function<bool(double)>& progress;
    double weight_unit = 1;  // what one step of the weight lanes is worth
    // Sets the loops over the rows of a table, once the kind of target is known.
    std::function<void(TablePart&)> make_loops{};
    // Empty where the rows are in memory: where else they are, who adds up the nodes of the finished tree, and what is
    // done instead of growing a tree.
    std::function<std::unique_ptr<Engine>(Pool&)> make_engine{};
    std::function<void(TreeArrays&)> sum_nodes{};
    std::function<void()> instead{};

    const TargetView& target() const { return table.target; }
    std::size_t n_rows() const { return summary.n_rows; }
};

// A least weight is a share of the total until growth begins. Sums that differ from it by rounding alone are enough.
inline constexpr double kAlmostOne = 1 - 1e-12;

// The rows that count: positive weight, at least one repetition.
std::vector<u32> live_rows(const TargetView& target, std::size_t n_rows);

// The table is there, which of its rows count, and the summary of all rows.
TreeArrays learn_table(LearnState& state);
TreeArrays learn_classes(LearnState& state, bool weighted);
TreeArrays learn_real(LearnState& state, bool weighted);

// Rows and their repetitions.
inline double repetitions(const LearnState& state) {
    return state.target().counts.empty() ? static_cast<double>(state.n_rows()) : state.summary.repetitions;
}
// Whether no block holds more repetitions than a runner's tables have room for.
inline bool few_repetitions(const LearnState& state, std::size_t room) {
    const i64 most = std::min(static_cast<i64>(room / state.plan.block_rows), TwoRepeats::kMost);
    return state.summary.most <= static_cast<double>(most) && repetitions(state) < 2147483648.0;
}

// Decides which arrays flattening need not write.
inline void choose_arrays(LearnState& state, bool sums_later) {
    state.growth.sums_later = sums_later;
    state.growth.rows_from_stats = state.table.original.weights.empty() && !state.growth.fractions;
}

// Grows the tree; the loops of all parts are there.
TreeArrays grow_tree(LearnState& state);

}  // namespace hornbeam
