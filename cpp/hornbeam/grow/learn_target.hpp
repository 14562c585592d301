// Work: one call of `learn` on its way through the kinds of targets; each kind's growth is compiled in a file of its
// own.
#pragma once

#include "hornbeam/grow/flatten.hpp"
#include "hornbeam/grow/grow.hpp"
#include "hornbeam/grow/node_sums.hpp"
#include "hornbeam/grow/surrogates_of_tree.hpp"

namespace hornbeam {

struct Work {
    Growth growth;
    Plan& plan;                  // what growth sees
    const TargetView& target;    // as growth sees it
    const TargetView& original;  // as it came
    std::vector<u32> rows;
    double weight_unit;  // what one step of the weight lanes is worth
    const std::function<bool(double)>& progress;
    bool fractions = false;  // rows may be divided among branches
};

TreeArrays learn_classes(Work& work, bool weighted);
TreeArrays learn_real(Work& work, bool weighted);

// Rows and their repetitions.
inline double repetitions(const Work& work) {
    if (work.target.counts.empty()) return static_cast<double>(work.rows.size());
    double sum = 0;
    for (u32 r : work.rows) sum += static_cast<double>(work.target.counts[r]);
    return sum;
}
// Whether no block holds more repetitions than a runner's tables have room for.
inline bool few_repetitions(const Work& work, std::size_t room) {
    i64 most = 1;
    for (u32 r : work.rows) most = std::max(most, work.target.counts[r]);
    return most <= std::min(static_cast<i64>(room / work.plan.block_rows), TwoRepeats::kMost) &&
           repetitions(work) < 2147483648.0;
}

// What flattening need not write.
inline void leave_out(Work& work, bool settles) {
    work.growth.settles = settles;
    work.growth.rows_follow = work.original.weights.empty() && !work.fractions;
}

template <class O>
TreeArrays run(Work& work, const O& outcome, std::vector<typename O::Carry> carry, double total_weight,
               double root_sd) {
    work.growth.total_weight = total_weight;
    work.growth.weight_unit = work.weight_unit;
    work.plan.selection.n_cases = repetitions(work);
    work.plan.selection.case_weight = total_weight / work.plan.selection.n_cases;
    work.growth.root_sd = root_sd;
    const std::size_t n = work.rows.size();
    const int threads = n * work.growth.columns.size() < work.growth.plan.serial_cells ? 1 : work.growth.plan.n_threads;
    std::function<std::size_t()> settled;
    double share = 0;  // stays where it was while a grown tree is settled
    Pool pool(threads, [&] {
        if (settled) share = static_cast<double>(settled()) / static_cast<double>(n);
        return work.progress && work.progress(share);
    });
    const bool one_leaf = !work.fractions && work.growth.plan.missing != MissingRule::surrogates;
    leave_out(work, one_leaf && (!work.growth.layout.classes() || !work.target.weights.empty()));
    std::vector<Weighed> seen;  // what surrogates are found by
    if (work.growth.plan.missing == MissingRule::surrogates)
        for (std::size_t i = 0; i < n; ++i) seen.push_back({work.rows[i], outcome.weight(carry[i])});
    TreeArrays out;
    {
        Grower<O> grower(work.growth, outcome, std::move(work.rows), std::move(carry), pool);
        settled = [&grower] { return grower.settled(); };
        const Node* root = grower.run();
        settled = [n] { return n; };  // what follows has no share of its own
        grower.finish();
        out = Flattener(work.growth).run(root, grower.n_nodes());
    }
    if (!seen.empty()) imitate(work.growth.columns, seen, work.growth.plan.surrogates, pool, out);
    out.interrupted = pool.stopped();
    if (work.growth.settles) settle(work.growth.columns, work.original, pool, out);
    return out;
}

}  // namespace hornbeam
