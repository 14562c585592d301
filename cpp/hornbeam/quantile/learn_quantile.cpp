#include "hornbeam/quantile/learn_quantile.hpp"

#include "hornbeam/quantile/grow_quantile.hpp"
#include "hornbeam/stats/fixed_point.hpp"

namespace hornbeam {
namespace {

template <class Sum>
TreeArrays run_quantile(Work& work, std::vector<u32> rows, std::vector<Sums::Carry> carry) {
    const std::size_t n = rows.size();
    const int threads = n * work.growth.columns.size() < work.growth.plan.serial_cells ? 1 : work.growth.plan.n_threads;
    std::function<std::size_t()> settled;
    Pool pool(threads, [&] {
        return work.progress && work.progress(settled ? static_cast<double>(settled()) / static_cast<double>(n) : 0.0);
    });
    leave_out(work, true);
    TreeArrays out;
    {
        QuantileGrower<Sum> grower(work.growth, std::move(rows), std::move(carry), pool);
        settled = [&grower] { return grower.settled(); };
        const Node* root = grower.run();
        settled = nullptr;
        work.growth.weight_unit = work.weight_unit;
        out = Flattener(work.growth).run(root, grower.n_nodes());
    }
    out.interrupted = pool.stopped();
    settle(work.growth.columns, work.original, pool, out);
    return out;
}

}  // namespace

TreeArrays learn_quantile(Work& work, int target_bits, bool weighted) {
    const TargetView& target = work.target;
    std::vector<u32> rows = std::move(work.rows);
    std::sort(rows.begin(), rows.end(), [&](u32 a, u32 b) {
        return target.values[a] != target.values[b] ? target.values[a] < target.values[b] : a < b;
    });
    const std::size_t n = rows.size();
    std::vector<double> live(n);
    for (std::size_t i = 0; i < n; ++i) live[i] = target.values[rows[i]];
    const TargetGrid grid(live, target_bits);
    const WeightGrid weights(target.weights, Bits(n).target_weight());
    std::vector<Sums::Carry> carry(n);
    i64 totals[7] = {};
    for (std::size_t i = 0; i < n; ++i) {
        const i64 count = target.counts.empty() ? 1 : target.counts[rows[i]];
        carry[i] = {grid(live[i]), count, target.weights.empty() ? count : weights(target.weights[rows[i]])};
        Sums::row_lanes(carry[i], totals);
    }
    if (!target.weights.empty()) work.weight_unit *= weights.unit;
    const Moments all(totals);
    work.growth.centre = grid.centre;
    work.growth.unit = grid.unit;
    work.growth.total_weight = static_cast<double>(all.w);
    work.growth.root_sd = grid.unit * std::sqrt(all.squares() / static_cast<double>(all.w));
    return weighted ? run_quantile<i128>(work, std::move(rows), std::move(carry))
                    : run_quantile<i64>(work, std::move(rows), std::move(carry));
}

}  // namespace hornbeam
