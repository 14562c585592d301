// Real targets on the grid: centred, or rates.
#include "hornbeam/grow/typed_row_loops.hpp"
#include "hornbeam/quantile/learn_quantile.hpp"
#include "hornbeam/survival/learn_log_rank.hpp"

namespace hornbeam {

namespace {

// The grid decides what rows carry.
template <class O>
TreeArrays run_real(LearnState& state, const O& outcome) {
    return run(state, outcome, [](const TargetView&, const std::vector<u32>& rows) {
        return std::vector<typename O::Carry>(rows.size());
    });
}

// Mean or MeanRepeats.
template <class Outcome>
TreeArrays run_mean(LearnState& state, const Bits& bits) {
    Outcome outcome;
    outcome.n_bits = bits.size;
    outcome.square_shift = Mean::square_shift_of(bits);
    return run_real(state, outcome);
}

}  // namespace

TreeArrays learn_real(LearnState& state, bool weighted) {
    const TargetView& target = state.target();
    const std::size_t n = state.n_rows();
    const bool by_mean = state.growth.plan.criterion->name == "variance" && target.weights.empty();
    const Bits bits(target.weights.empty() ? static_cast<std::size_t>(repetitions(state)) : n);
    if (state.growth.plan.level > 0) {
        const int ordered = target.weights.empty() ? bits.counted_target() : bits.ordered_target();
        return learn_quantile(state, weighted ? ordered : bits.plain_target(), weighted);
    }
    if (state.growth.plan.criterion == &kLogRankCriterion) return learn_log_rank(state);
    if (state.growth.plan.criterion->rates) {
        state.growth.layout.rates = true;
        return run_real(state, Rates{});
    }
    if (!weighted && by_mean) return run_mean<Mean>(state, bits);
    if (by_mean && few_repetitions(state, std::size_t{1} << 20)) return run_mean<MeanRepeats>(state, bits);
    return run_real(state, Sums{});
}

}  // namespace hornbeam
