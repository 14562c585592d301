// Real targets on the grid: centred, or rates.
#include "hornbeam/grow/learn_target.hpp"
#include "hornbeam/quantile/learn_quantile.hpp"
#include "hornbeam/stats/fixed_point.hpp"

namespace hornbeam {

namespace {

// Mean or MeanRepeats, with as many bits for the squares as the number of rows leaves.
template <class Outcome>
Outcome mean_outcome(const Bits& bits) {
    Outcome outcome;
    outcome.n_bits = bits.size;
    outcome.square_shift = std::max(0, 2 * (bits.plain_target() - 1) - (63 - 2 * bits.size));
    return outcome;
}

TreeArrays learn_rates(LearnState& state, std::span<const double> live, int target_bits) {
    const TargetView& target = state.target;
    const std::size_t n = live.size();
    const RateGrid grid(live, target_bits);
    state.growth.layout.rates = true;
    state.growth.unit = grid.unit;
    const WeightGrid weights(target.weights, Bits(n).target_weight());
    std::vector<Rates::Carry> carry(n);
    i64 totals[10] = {};
    for (std::size_t i = 0; i < n; ++i) {
        const u32 r = state.rows[i];
        const i64 count = target.counts.empty() ? 1 : target.counts[r];
        carry[i] = Rates::carry(grid(live[i]), count, target.weights.empty() ? count : weights(target.weights[r]));
        Rates::row_lanes(carry[i], totals);
    }
    if (!target.weights.empty()) state.weight_unit *= weights.unit;
    const Moments all(totals);
    const double total = static_cast<double>(all.w);
    return run(state, Rates{}, std::move(carry), total, grid.unit * std::sqrt(all.squares() / total));
}

}  // namespace

TreeArrays learn_real(LearnState& state, bool weighted) {
    const TargetView& target = state.target;
    const auto n = state.rows.size();
    std::vector<double> live(n);
    for (std::size_t i = 0; i < n; ++i) live[i] = target.values[state.rows[i]];
    const bool by_mean = state.growth.plan.criterion->name == "variance" && target.weights.empty();
    const bool plain = !weighted && by_mean,
               repeated = weighted && by_mean && few_repetitions(state, std::size_t{1} << 20);
    const Bits bits(target.weights.empty() ? static_cast<std::size_t>(repetitions(state)) : n);
    const int weighty = target.weights.empty() ? bits.counted_target() : bits.weighted_target();
    if (state.growth.plan.level > 0) return learn_quantile(state, weighted ? weighty : bits.plain_target(), weighted);
    if (state.growth.plan.criterion->name == "poisson") return learn_rates(state, live, weighty);
    const TargetGrid grid(live, by_mean                  ? bits.plain_target()  // whoever sums, the same grid
                                : target.weights.empty() ? bits.counted_target()
                                                         : bits.weighted_target());
    state.growth.centre = grid.centre;
    state.growth.unit = grid.unit;
    i64 totals[7] = {};
    if (plain) {
        const auto outcome = mean_outcome<Mean>(bits);
        std::vector<Mean::Carry> carry(n);
        for (std::size_t i = 0; i < n; ++i) {
            carry[i] = outcome.carry(grid(live[i]));
            Mean::row_lanes(carry[i], totals);
        }
        const double sd = grid.unit * std::sqrt(Moments(totals).squares() / static_cast<double>(n));
        live = {};
        return run(state, outcome, std::move(carry), static_cast<double>(n), sd);
    }
    if (repeated) {
        const auto outcome = mean_outcome<MeanRepeats>(bits);
        std::vector<MeanRepeats::Carry> carry(n);
        for (std::size_t i = 0; i < n; ++i) {
            carry[i] = outcome.carry(grid(live[i]), target.counts[state.rows[i]]);
            MeanRepeats::row_lanes(carry[i], totals);
        }
        const Moments all(totals);
        const double total = static_cast<double>(all.w);
        return run(state, outcome, std::move(carry), total, grid.unit * std::sqrt(all.squares() / total));
    }
    const WeightGrid weights(target.weights, bits.target_weight());
    std::vector<Sums::Carry> carry(n);
    for (std::size_t i = 0; i < n; ++i) {
        const u32 r = state.rows[i];
        const i32 count = target.counts.empty() ? 1 : static_cast<i32>(target.counts[r]);
        carry[i] = {grid(live[i]), count, target.weights.empty() ? count : weights(target.weights[r])};
        Sums::row_lanes(carry[i], totals);
    }
    if (!target.weights.empty()) state.weight_unit *= weights.unit;
    const Moments all(totals);
    const double total = static_cast<double>(all.w);
    return run(state, Sums{}, std::move(carry), total, grid.unit * std::sqrt(all.squares() / total));
}

}  // namespace hornbeam
