// Class targets: labels, or weighted labels on the grid.
#include "hornbeam/grow/learn_target.hpp"
#include "hornbeam/stats/fixed_point.hpp"

namespace hornbeam {

TreeArrays learn_classes(LearnState& state, bool weighted) {
    const TargetView& target = state.target;
    const auto n = state.rows.size();
    if (!weighted && target.n_classes == 2) {
        std::vector<u8> labels(n);
        for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<u8>(target.codes[state.rows[i]]);
        return run(state, TwoCounts{}, std::move(labels), static_cast<double>(n), 0);
    }
    if (!weighted) {
        std::vector<u32> labels(n);
        for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<u32>(target.codes[state.rows[i]]);
        return run(state, Counts{target.n_classes}, std::move(labels), static_cast<double>(n), 0);
    }
    const bool few = target.weights.empty() && few_repetitions(state, SmallNumbers::kSize - 1);
    if (few && target.n_classes == 2) {
        std::vector<TwoRepeats::Carry> carry(n);
        for (std::size_t i = 0; i < n; ++i) {
            const u32 r = state.rows[i];
            carry[i] = TwoRepeats::carry(target.codes[r], target.counts[r]);
        }
        return run(state, TwoRepeats{}, std::move(carry), repetitions(state), 0);
    }
    if (few) {
        std::vector<Repeats::Carry> carry(n);
        for (std::size_t i = 0; i < n; ++i) {
            const u32 r = state.rows[i];
            carry[i] = {static_cast<u32>(target.codes[r]), static_cast<u32>(target.counts[r])};
        }
        return run(state, Repeats{{target.n_classes}}, std::move(carry), repetitions(state), 0);
    }
    const WeightGrid grid(target.weights, Bits(n).class_weight());
    std::vector<ClassWeights::Carry> carry(n);
    i64 total = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const u32 r = state.rows[i];
        const i32 count = target.counts.empty() ? 1 : static_cast<i32>(target.counts[r]);
        carry[i] = {static_cast<u32>(target.codes[r]), count, target.weights.empty() ? count : grid(target.weights[r])};
        total += carry[i].w;
    }
    if (!target.weights.empty()) state.weight_unit *= grid.unit;
    return run(state, ClassWeights{target.n_classes}, std::move(carry), static_cast<double>(total), 0);
}

}  // namespace hornbeam
