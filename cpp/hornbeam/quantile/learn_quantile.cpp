#include "hornbeam/quantile/learn_quantile.hpp"

#include "hornbeam/grow/flatten.hpp"
#include "hornbeam/grow/node_sums.hpp"
#include "hornbeam/quantile/grow_quantile.hpp"
#include "hornbeam/stats/fixed_point.hpp"

namespace hornbeam {
namespace {

template <class Sum>
TreeArrays run_quantile(LearnState& state, std::vector<u32> rows, std::vector<Sums::Carry> carry) {
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
        QuantileGrower<Sum> grower(state.growth, std::move(rows), std::move(carry), pool);
        rows_done = [&grower] { return grower.rows_done(); };
        pool.check();
        const Node* root = grower.run();
        rows_done = nullptr;
        state.growth.weight_unit = state.weight_unit;
        out = flatten(state.growth, root, grower.n_nodes());
    }
    out.interrupted = pool.left_work();
    sum_nodes({&state.growth.columns, state.table.original}, *state.growth.plan.criterion, pool, out);
    return out;
}

}  // namespace

TreeArrays learn_quantile(LearnState& state, int target_bits, bool weighted) {
    const TargetView& target = state.target();
    std::vector<u32> rows = std::move(state.table.rows);
    std::sort(rows.begin(), rows.end(), [&](u32 a, u32 b) {
        return target.values[a] != target.values[b] ? target.values[a] < target.values[b] : a < b;
    });
    const std::size_t n = rows.size();
    std::vector<double> live(n), weight;
    for (std::size_t i = 0; i < n; ++i) live[i] = target.values[rows[i]];
    for (std::size_t i = 0; i < n && !target.weights.empty(); ++i) weight.push_back(target.weight(rows[i]));
    const TargetGrid grid(live.front(), live.back(), target_bits);  // they are sorted
    const WeightGrid weights(weight, Bits(n).ordered_weight());
    std::vector<Sums::Carry> carry(n);
    i64 totals[7] = {};
    for (std::size_t i = 0; i < n; ++i) {
        const i64 count = target.repetitions(rows[i]);
        carry[i] = {grid(live[i]), count, weight.empty() ? count : weights(weight[i])};
        Sums::row_lanes(carry[i], totals);
    }
    if (!weight.empty()) state.weight_unit *= weights.unit;
    const Moments all(totals);
    state.growth.grid.centre = grid.centre;
    state.growth.grid.unit = grid.unit;
    state.growth.total_weight = static_cast<double>(all.w);
    state.plan.limits.min_weight_leaf *= state.growth.total_weight * kAlmostOne;
    state.growth.root_sd = grid.unit * std::sqrt(all.squares() / static_cast<double>(all.w));
    return weighted ? run_quantile<i128>(state, std::move(rows), std::move(carry))
                    : run_quantile<i64>(state, std::move(rows), std::move(carry));
}

}  // namespace hornbeam
