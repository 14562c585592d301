// Grows a tree by an OrderedGrower, and makes arrays of it.
#pragma once

#include "hornbeam/grow/flatten.hpp"
#include "hornbeam/grow/learn_target.hpp"
#include "hornbeam/grow/node_sums.hpp"
#include "hornbeam/quantile/ordered_grower.hpp"

namespace hornbeam {

// `rows`: in the order of y, as `carry` is; `blank`: what every node begins as; `sum_up(pool, tree)` adds up the nodes
// of the finished tree.
template <class Kind, class SumUp>
TreeArrays run_ordered(LearnState& state, std::vector<u32> rows, std::vector<Sums::Carry> carry,
                       const typename Kind::Node& blank, SumUp&& sum_up) {
    const std::size_t n = rows.size();
    const int threads =
        n * state.growth.columns.size() < state.growth.plan.serial_cells ? 1 : state.growth.plan.n_threads;
    std::function<std::size_t()> rows_done;
    Pool pool(threads, [&] {
        return state.progress &&
               state.progress(rows_done ? static_cast<double>(rows_done()) / static_cast<double>(n) : 0.0);
    });
    choose_arrays(state, true);
    TreeArrays out;
    {
        OrderedGrower<Kind> grower(state.growth, std::move(rows), std::move(carry), pool, blank);
        rows_done = [&grower] { return grower.rows_done(); };
        pool.check();
        const Node* root = grower.run();
        rows_done = nullptr;
        state.growth.weight_unit = state.weight_unit;
        out = flatten(state.growth, root, grower.n_nodes());
    }
    out.interrupted = pool.left_work();
    sum_up(pool, out);
    return out;
}
template <class Kind>
TreeArrays run_ordered(LearnState& state, std::vector<u32> rows, std::vector<Sums::Carry> carry) {
    return run_ordered<Kind>(state, std::move(rows), std::move(carry), {}, [&](Pool& pool, TreeArrays& tree) {
        sum_nodes({&state.growth.columns, state.table.original}, *state.growth.plan.criterion, pool, tree);
    });
}

}  // namespace hornbeam
