#include "hornbeam/grow/learn.hpp"

#include "hornbeam/grow/learn_target.hpp"

namespace hornbeam {
namespace {

// The rows that count: positive weight, at least one repetition.
std::vector<u32> live_rows(const TargetView& target, std::size_t n_rows) {
    std::vector<u32> rows;
    rows.reserve(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) {
        if (!target.weights.empty() && !(target.weights[i] > 0)) continue;
        if (!target.counts.empty() && target.counts[i] <= 0) continue;
        rows.push_back(static_cast<u32>(i));
    }
    return rows;
}

bool any_gap(const std::vector<ColumnView>& columns, const std::vector<u32>& rows) {
    return std::any_of(columns.begin(), columns.end(), [&](const ColumnView& column) {
        return std::any_of(rows.begin(), rows.end(), [&](u32 r) { return std::isnan(column.value(r)); });
    });
}

bool all_equal(std::span<const double> weights, const std::vector<u32>& rows) {
    return std::all_of(rows.begin(), rows.end(), [&](u32 r) { return weights[r] == weights[rows[0]]; });
}

}  // namespace

TreeArrays learn(const std::vector<ColumnView>& columns, std::size_t n_rows, const TargetView& target, Plan plan,
                 const std::function<bool(double)>& progress, SharedCodes* codes, const PresortedColumns* presorted) {
    TargetView used = target;
    LearnState state{{columns, plan, {target.n_classes}, &used, n_rows},
                     plan,
                     used,
                     target,
                     live_rows(target, n_rows),
                     1.0,
                     progress};
    state.growth.codes = codes;
    state.growth.presorted = presorted;
    if (!used.weights.empty() && used.counts.empty() && all_equal(used.weights, state.rows)) {
        state.weight_unit = used.weights[state.rows[0]];  // equal weights: count, and scale at the end
        used.weights = {};
    }
    std::vector<double> whole;  // fractions of rows need a finer grid than whole rows
    if (plan.missing == MissingRule::fractional && any_gap(columns, state.rows)) {
        state.growth.fractions = true;
        if (used.weights.empty()) {
            whole.assign(n_rows, 1.0);
            for (std::size_t i = 0; i < n_rows && !used.counts.empty(); ++i)
                whole[i] = static_cast<double>(used.counts[i]);
            used.weights = whole;
        }
    }
    const bool weighted = !used.weights.empty() || !used.counts.empty();
    return target.n_classes > 0 ? learn_classes(state, weighted) : learn_real(state, weighted);
}

}  // namespace hornbeam
