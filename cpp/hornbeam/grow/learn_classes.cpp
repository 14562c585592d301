// Class targets: labels, or weighted labels on the grid.
#include "hornbeam/grow/typed_row_loops.hpp"

namespace hornbeam {

namespace {

// What the rows carry: one(target, row) for each.
template <class O, class One>
TreeArrays run_rows(LearnState& state, const O& outcome, One&& one) {
    return run(state, outcome, [&](const TargetView& target, const std::vector<u32>& rows) {
        std::vector<typename O::Carry> carry(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) carry[i] = one(target, rows[i]);
        return carry;
    });
}

u32 label(const TargetView& target, u32 row) { return static_cast<u32>(target.codes[row]); }

}  // namespace

TreeArrays learn_classes(LearnState& state, bool weighted) {
    const int n_classes = state.target().n_classes;
    if (!weighted && n_classes == 2)
        return run_rows(state, TwoCounts{},
                        [](const TargetView& target, u32 row) { return static_cast<u8>(label(target, row)); });
    if (!weighted) return run_rows(state, Counts{n_classes}, label);
    const bool few = state.target().weights.empty() && few_repetitions(state, SmallNumbers::kSize - 1);
    if (few && n_classes == 2)
        return run_rows(state, TwoRepeats{}, [](const TargetView& target, u32 row) {
            return TwoRepeats::carry(target.codes[row], target.counts[row]);
        });
    if (few)
        return run_rows(state, Repeats{{n_classes}}, [](const TargetView& target, u32 row) {
            return Repeats::Carry{label(target, row), static_cast<u32>(target.counts[row])};
        });
    return run_rows(state, ClassWeights{n_classes},
                    [](const TargetView& target, u32 row) { return ClassWeights::Carry{label(target, row), 0, 0}; });
}

}  // namespace hornbeam
