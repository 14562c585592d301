// Grow: from the kind of target to the arrays of the grown tree (grower.hpp).
#include <memory>

#include "hornbeam/grow/flatten.hpp"
#include "hornbeam/grow/grower.hpp"
#include "hornbeam/grow/learn_target.hpp"
#include "hornbeam/grow/memory_engine.hpp"
#include "hornbeam/grow/node_sums.hpp"
#include "hornbeam/grow/surrogates_of_tree.hpp"

namespace hornbeam {
namespace {

// Makes the whole table one block, where it is not better divided. A block that grows best first grows to the end
// before any node of it is chosen; and its runners have tables for so many rows and repetitions.
void grow_as_block(LearnState& state, std::size_t n_rows) {
    constexpr double kMost = 0xffff;
    if (state.plan.limits.best_first()) return;
    if (state.plan.selection.n_cases >= kMost && !state.plan.random_cuts) return;
    state.plan.block_rows = std::max(state.plan.block_rows, static_cast<u32>(n_rows));
}

// The grid of the root and the lanes of all rows on it.
std::vector<i64> set_root(Growth& growth, Engine& engine) {
    std::vector<i64> totals(static_cast<std::size_t>(growth.layout.width()));
    const Place root = engine.root();
    const TargetRange range = engine.range(root);
    engine.regrid(root, range, growth.grid, totals.data());
    set_least(growth, totals.data(), growth.grid);
    growth.grid.uneven = is_uneven(growth, range, growth.grid, totals.data(),
                                   [&](double mean) { return engine.fourth_powers(root, mean); });
    return totals;
}

// What the plan says in shares of the whole, in units of the lanes.
void set_units(LearnState& state, Engine& engine, const std::vector<i64>& totals) {
    const double total_weight = static_cast<double>(state.growth.layout.weight(totals.data()));
    state.growth.total_weight = total_weight;
    state.weight_unit *= state.growth.grid.weight_unit;
    state.growth.weight_unit = state.weight_unit;
    state.plan.limits.min_weight_leaf *= total_weight * kAlmostOne;
    const Criterion& criterion = *state.plan.criterion;
    state.growth.root_impurity = criterion.potential(totals.data(), state.growth.layout.n_classes) / total_weight;
    if (!state.growth.layout.classes())
        state.growth.root_sd = state.growth.grid.unit * std::sqrt(Moments(totals.data()).squares() / total_weight);
    if (state.growth.grid.uneven) {
        const Rows all = engine.rows(engine.root());
        const ExactStats exact(*state.growth.target, criterion, state.growth.layout, state.growth.grid, all.id, all.n);
        state.growth.root_impurity = exact.impurity();
        state.growth.root_sd = exact.sd();
    }
    state.plan.selection.n_cases = static_cast<double>(state.growth.layout.rows(totals.data()));
    state.plan.selection.case_weight = total_weight / state.plan.selection.n_cases;
}

}  // namespace

TreeArrays grow_tree(LearnState& state) {
    const std::size_t n = state.n_rows(), n_cells = n * state.growth.columns.size();
    const int threads = n_cells < state.plan.serial_cells ? 1 : state.plan.n_threads;
    std::function<std::size_t()> rows_done;
    double share = 0;  // stays where it was after the tree is grown
    Pool pool(threads, [&] {
        if (rows_done) share = static_cast<double>(rows_done()) / static_cast<double>(n);
        return state.progress && state.progress(share);
    });
    choose_arrays(state,
                  !state.growth.fractions && (!state.growth.layout.classes() || !state.target().weights.empty()));
    TablePart& table = state.table;
    TreeArrays out;
    std::vector<WeightedRow> weighted_rows;  // what surrogates are searched by
    {
        const std::unique_ptr<Engine> rows_of_all =
            state.make_engine ? state.make_engine(pool)
                              : std::make_unique<MemoryEngine>(state.growth, *table.loops, std::move(table.rows), pool);
        Engine& engine = *rows_of_all;
        const std::vector<i64> totals = set_root(state.growth, engine);
        set_units(state, engine, totals);
        const bool whole = n_cells <= state.plan.block_cells || (state.plan.random_cuts && state.plan.block_cells > 0);
        if (threads == 1 && whole) grow_as_block(state, n);
        if (state.growth.plan.missing == MissingRule::surrogates) {
            const Rows all = engine.rows(engine.root());
            for (std::size_t i = 0; i < n; ++i)
                weighted_rows.push_back({all.id[i], table.loops->weight(all, i), table.loops->rows(all, i),
                                         state.growth.grid.uneven ? table.target.weights[all.id[i]] : 0});
        }
        Grower grower(state.growth, engine, pool);
        rows_done = [&grower] { return grower.rows_done(); };
        pool.check();  // before anything is grown: small tables are done before anybody asks again
        const Node* root = grower.run(totals);
        rows_done = [n] { return n; };  // what follows has no share of its own
        grower.finish();
        out = flatten(state.growth, root, grower.n_nodes());
    }
    const std::vector<ColumnView>& columns = state.growth.columns;
    if (!weighted_rows.empty()) add_tree_surrogates(columns, weighted_rows, state.growth.plan.surrogates, pool, out);
    out.interrupted = pool.left_work();
    if (state.growth.sums_later && state.sum_nodes)
        state.sum_nodes(out);
    else if (state.growth.sums_later)
        sum_nodes({table.columns, table.original}, *state.plan.criterion, pool, out);
    if (state.growth.fractions && !state.growth.layout.classes()) sum_divided_rows(columns, table.original, pool, out);
    return out;
}

}  // namespace hornbeam
