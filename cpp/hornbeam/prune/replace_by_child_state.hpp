// What all threads of `replace_by_children` share.
#pragma once

#include <atomic>
#include <functional>
#include <iterator>

#include "hornbeam/prune/current_tree.hpp"
#include "hornbeam/prune/leaf_rows.hpp"
#include "hornbeam/prune/node_costs.hpp"
#include "hornbeam/stats/node_stats.hpp"
#include "hornbeam/threads/pool.hpp"

namespace hornbeam {

// What all threads share: the tree, its rows, and what was decided about each node.
template <class Judge>
struct ReplacingState {
    ReplacingState(const ReplacingInput& input, const Judge& judge, Pool& pool)
        : in(input), judge(judge), n(input.share.size()), tree(input) {
        const std::size_t wide = judge.training_width(), held = judge.held_width();
        const std::function<void()> fills[] = {
            [&] { lay(0, in.training); },
            [&] { lay(1, in.held); },
            [&] { tally.assign(n * wide, 0.0); },
            [&] { sample.assign(n * held, 0.0); },
            [&] { out.raised.assign(n, std::numeric_limits<double>::infinity()); },
            [&] { out.n_rows.assign(in.n_rows.begin(), in.n_rows.end()); },
            [&] { above.assign(n, -1), out.child.assign(n, -1); },
            [&] { slot.assign(n, 0), out.action.assign(n, 0), out.refilled.assign(n, 0); },
            [&] { size.assign(n, 1), cost.assign(n, 0.0); },
            [&] { floor.assign(n, 0.0), out.keep_cost.assign(n, 0.0); },
            [&] { out.leaf.assign(n, 0.0), out.weight.assign(n, 0.0); },
        };
        pool.each(std::size(fills), [&](std::size_t i, int) { fills[i](); });
        std::atomic<bool> some{false};
        pool.each((n + kChunk - 1) / kChunk, [&](std::size_t chunk, int) {
            for (std::size_t v = chunk * kChunk; v < std::min(n, (chunk + 1) * kChunk); ++v)
                if (tree.is_leaf[v] && !fill(v, &tally[v * wide], &sample[v * held])) some = true;
        });
        has_empty_leaves = some;
    }

    const ReplacingInput& in;
    const Judge& judge;
    std::size_t n;
    CurrentTree tree;
    ReplacingOutput out;
    LeafRows rows[2];                   // training rows, held rows
    std::vector<double> tally, sample;  // what they add up to, at every node
    std::vector<i64> size;
    std::vector<double> cost;
    std::vector<double> floor;  // what the held rows below cost at the best answers of the leaves there are
    std::vector<i32> above;
    std::vector<u32> slot;          // of a leaf that a trial touched, among those it touched
    bool has_empty_leaves = false;  // whether some leaf has no training rows

  private:
    void lay(std::size_t which, const Sample& of_sample) {
        rows[which].fill(in.held_tree.first_child, in.held_tree.n_children, BranchOrder::descending,
                         {of_sample.row, of_sample.leaf, of_sample.weight});
    }

    static constexpr std::size_t kChunk = 1 << 14;

    // Adds up the rows of a leaf; whether it has training rows.
    bool fill(std::size_t leaf, double* training, double* held) {
        for (const Entry& entry : rows[0][leaf].rows())
            judge.add_training(static_cast<std::size_t>(entry.row), entry.weight, training);
        for (const Entry& entry : rows[1][leaf].rows())
            judge.add_held(static_cast<std::size_t>(entry.row), entry.weight, held);
        return judge.weight(training) > 0;
    }
};

// The Stats of nodes whose rows changed, summed exactly from the rows that came to rest below them.
inline void sum_exactly(ReplacingState<RealJudge>& state) {
    std::vector<std::size_t> leaves, stack;
    std::vector<double> weights, values;
    const i32 leaf = -1, none = 0;
    for (std::size_t v = 0; v < state.n; ++v) {
        if (!state.out.refilled[v]) continue;
        leaves.clear();
        weights.clear();
        values.clear();
        state.tree.leaves_below(v, stack, leaves);
        for (const std::size_t at : leaves)
            for (const Entry& entry : state.rows[0][at].rows()) {
                weights.push_back(entry.weight);
                values.push_back(state.judge.y.training[static_cast<std::size_t>(entry.row)]);
            }
        const std::vector<i32> here(values.size(), 0);
        const RealRows rows{values, weights, {}, false};
        const std::vector<double> stats = stats_of_nodes({&leaf, 1}, {&none, 1}, here, rows);
        std::copy(stats.begin(), stats.end(), &state.tally[v * 3]);
    }
}

}  // namespace hornbeam
