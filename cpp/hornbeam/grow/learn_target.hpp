// What one call of `learn` hands from function to function.
#pragma once

#include "hornbeam/grow/engine.hpp"
#include "hornbeam/grow/learn.hpp"

namespace hornbeam {

// A table, or one of several that together are the table.
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
    std::vector<TablePart> parts;
    double weight_unit;  // what one step of the weight lanes is worth
    const std::function<bool(double)>& progress;
    TablePart joined{};                                           // several tables: rows of theirs put together
    std::function<std::unique_ptr<Engine>(Pool&)> make_engine{};  // empty: the rows are in memory

    // Whether there are weights and repetitions all parts agree on.
    const TargetView& target() const { return parts[0].target; }
    std::size_t n_rows() const {
        std::size_t sum = 0;
        for (const TablePart& part : parts) sum += part.rows.size();
        return sum;
    }
};

// A least weight is a share of the total until growth begins. Sums that differ from it by rounding alone are enough.
inline constexpr double kAlmostOne = 1 - 1e-12;

// The rows that count: positive weight, at least one repetition.
std::vector<u32> live_rows(const TargetView& target, std::size_t n_rows);

// The parts are there, and which of their rows count.
TreeArrays learn_parts(LearnState& state);
TreeArrays learn_classes(LearnState& state, bool weighted);
TreeArrays learn_real(LearnState& state, bool weighted);

// Rows and their repetitions.
inline double repetitions(const LearnState& state) {
    if (state.target().counts.empty()) return static_cast<double>(state.n_rows());
    double sum = 0;
    for (const TablePart& part : state.parts)
        for (u32 r : part.rows) sum += static_cast<double>(part.target.counts[r]);
    return sum;
}
// Whether no block holds more repetitions than a runner's tables have room for.
inline bool few_repetitions(const LearnState& state, std::size_t room) {
    i64 most = 1;
    for (const TablePart& part : state.parts)
        for (u32 r : part.rows) most = std::max(most, part.target.counts[r]);
    return most <= std::min(static_cast<i64>(room / state.plan.block_rows), TwoRepeats::kMost) &&
           repetitions(state) < 2147483648.0;
}

// Decides which arrays flattening need not write.
inline void choose_arrays(LearnState& state, bool sums_later) {
    state.growth.sums_later = sums_later;
    state.growth.rows_from_stats = state.parts[0].original.weights.empty() && !state.growth.fractions;
}

// Grows the tree; the loops of all parts are there.
TreeArrays grow_tree(LearnState& state);

}  // namespace hornbeam
