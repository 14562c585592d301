// What one call of `learn` hands from function to function. The growth of each kind of target is compiled in a file of
// its own, because the templates take long to compile.
#pragma once

#include "hornbeam/grow/flatten.hpp"
#include "hornbeam/grow/grow.hpp"
#include "hornbeam/grow/node_sums.hpp"
#include "hornbeam/grow/regrid.hpp"
#include "hornbeam/grow/surrogates_of_tree.hpp"

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

// `carry`: what no grid decides, the labels of classes.
template <class O>
TreeArrays run(LearnState& state, const O& outcome, std::vector<typename O::Carry> carry) {
    std::vector<i64> totals(static_cast<std::size_t>(state.growth.layout.width()));
    Regridder<O>(state.growth, outcome)
        .set(state.growth.grid, state.rows.data(), carry.data(), carry.size(), totals.data());
    const double total_weight = static_cast<double>(state.growth.layout.weight(totals.data()));
    state.growth.total_weight = total_weight;
    state.weight_unit *= state.growth.grid.weight_unit;
    state.growth.weight_unit = state.weight_unit;
    state.plan.limits.min_weight_leaf *= total_weight * kAlmostOne;
    if (!state.growth.layout.classes())
        state.growth.root_sd = state.growth.grid.unit * std::sqrt(Moments(totals.data()).squares() / total_weight);
    state.plan.selection.n_cases = repetitions(state);
    state.plan.selection.case_weight = total_weight / state.plan.selection.n_cases;
    const std::size_t n = state.rows.size();
    const int threads =
        n * state.growth.columns.size() < state.growth.plan.serial_cells ? 1 : state.growth.plan.n_threads;
    std::function<std::size_t()> rows_done;
    double share = 0;  // stays where it was after the tree is grown
    Pool pool(threads, [&] {
        if (rows_done) share = static_cast<double>(rows_done()) / static_cast<double>(n);
        return state.progress && state.progress(share);
    });
    choose_arrays(state, !state.growth.fractions && (!state.growth.layout.classes() || !state.target.weights.empty()));
    std::vector<WeightedRow> weighted_rows;  // what surrogates are searched by
    if (state.growth.plan.missing == MissingRule::surrogates)
        for (std::size_t i = 0; i < n; ++i)
            weighted_rows.push_back({state.rows[i], outcome.weight(carry[i]), rows_of<O>(carry[i])});
    TreeArrays out;
    {
        Grower<O> grower(state.growth, outcome, std::move(state.rows), std::move(carry), pool);
        rows_done = [&grower] { return grower.rows_done(); };
        pool.check();  // before anything is grown: small tables are done before anybody asks again
        const Node* root = grower.run();
        rows_done = [n] { return n; };  // what follows has no share of its own
        grower.finish();
        out = Flattener(state.growth).run(root, grower.n_nodes());
    }
    if (!weighted_rows.empty())
        add_tree_surrogates(state.growth.columns, weighted_rows, state.growth.plan.surrogates, pool, out);
    out.interrupted = pool.left_work();
    if (state.growth.sums_later) sum_nodes(state.growth.columns, state.original, pool, out);
    if (state.growth.fractions && !state.growth.layout.classes())
        sum_divided_rows(state.growth.columns, state.original, pool, out);
    return out;
}

}  // namespace hornbeam
