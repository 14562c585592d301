// Class targets: labels, or weighted labels on the grid.
#include "hornbeam/grow/typed_row_loops.hpp"

namespace hornbeam {

TreeArrays learn_classes(LearnState& state, bool weighted) {
    const TargetView& target = state.target;
    const auto n = state.rows.size();
    if (!weighted && target.n_classes == 2) {
        std::vector<u8> labels(n);
        for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<u8>(target.codes[state.rows[i]]);
        return run(state, TwoCounts{}, std::move(labels));
    }
    if (!weighted) {
        std::vector<u32> labels(n);
        for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<u32>(target.codes[state.rows[i]]);
        return run(state, Counts{target.n_classes}, std::move(labels));
    }
    const bool few = target.weights.empty() && few_repetitions(state, SmallNumbers::kSize - 1);
    if (few && target.n_classes == 2) {
        std::vector<TwoRepeats::Carry> carry(n);
        for (std::size_t i = 0; i < n; ++i) {
            const u32 r = state.rows[i];
            carry[i] = TwoRepeats::carry(target.codes[r], target.counts[r]);
        }
        return run(state, TwoRepeats{}, std::move(carry));
    }
    if (few) {
        std::vector<Repeats::Carry> carry(n);
        for (std::size_t i = 0; i < n; ++i) {
            const u32 r = state.rows[i];
            carry[i] = {static_cast<u32>(target.codes[r]), static_cast<u32>(target.counts[r])};
        }
        return run(state, Repeats{{target.n_classes}}, std::move(carry));
    }
    std::vector<ClassWeights::Carry> carry(n);
    for (std::size_t i = 0; i < n; ++i) carry[i].label = static_cast<u32>(target.codes[state.rows[i]]);
    return run(state, ClassWeights{target.n_classes}, std::move(carry));
}

}  // namespace hornbeam
