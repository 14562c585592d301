#include "hornbeam/quantile/learn_quantile.hpp"

#include "hornbeam/quantile/run_ordered.hpp"
#include "hornbeam/quantile/search_quantile.hpp"
#include "hornbeam/stats/fixed_point.hpp"

namespace hornbeam {
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
    return weighted ? run_ordered<QuantileKind<i128>>(state, std::move(rows), std::move(carry))
                    : run_ordered<QuantileKind<i64>>(state, std::move(rows), std::move(carry));
}

}  // namespace hornbeam
