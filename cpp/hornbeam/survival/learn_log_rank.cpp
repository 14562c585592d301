#include "hornbeam/survival/learn_log_rank.hpp"

#include "hornbeam/quantile/run_ordered.hpp"
#include "hornbeam/survival/search_log_rank.hpp"

namespace hornbeam {

TreeArrays learn_log_rank(LearnState& state) {
    const TargetView& target = state.target();
    if (target.times.size() != target.values.size()) throw std::invalid_argument("the log-rank statistic needs times");
    std::vector<u32> rows = std::move(state.table.rows);
    const auto has_event = [&](u32 row) { return target.values[row] > 0; };
    std::sort(rows.begin(), rows.end(), [&](u32 a, u32 b) {
        if (target.times[a] != target.times[b]) return target.times[a] < target.times[b];
        return has_event(a) != has_event(b) ? has_event(a) : a < b;
    });
    const std::size_t n = rows.size();
    std::vector<Sums::Carry> carry(n);
    i64 number = 0, total = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (i > 0 && target.times[rows[i]] != target.times[rows[i - 1]]) ++number;
        const i64 count = target.repetitions(rows[i]);
        carry[i] = {LogRankNode::y_of(number, has_event(rows[i])), count, count};
        total += count;
    }
    state.growth.layout.rates = true;
    state.growth.total_weight = static_cast<double>(total);
    state.plan.limits.min_weight_leaf *= state.growth.total_weight * kAlmostOne;
    return run_ordered<LogRankKind>(state, std::move(rows), std::move(carry));
}

}  // namespace hornbeam
