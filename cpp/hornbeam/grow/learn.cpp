#include "hornbeam/grow/learn.hpp"

#include "hornbeam/grow/learn_target.hpp"

namespace hornbeam {

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

namespace {

bool any_gap(const std::vector<ColumnView>& columns, const std::vector<u32>& rows) {
    return std::any_of(columns.begin(), columns.end(), [&](const ColumnView& column) {
        return std::any_of(rows.begin(), rows.end(), [&](u32 r) { return std::isnan(column.value(r)); });
    });
}

// The least and the largest weight of the rows that count, as far as it takes to tell them apart.
std::pair<double, double> weight_range(const std::vector<TablePart>& parts) {
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (const TablePart& part : parts)
        for (u32 r : part.rows) {
            low = std::min(low, part.target.weights[r]);
            high = std::max(high, part.target.weights[r]);
            if (low < high) return {low, high};  // that they differ is enough
        }
    return {low, high};
}

}  // namespace

TreeArrays learn(const std::vector<ColumnView>& columns, std::size_t n_rows, const TargetView& target, Plan plan,
                 const std::function<bool(double)>& progress, SharedCodes* codes, const PresortedColumns* presorted) {
    LearnState state{{columns, plan, {target.n_classes}, nullptr, n_rows}, plan, {}, 1.0, progress};
    state.growth.codes = codes;
    state.growth.presorted = presorted;
    state.parts.push_back({&columns, n_rows, target, target, live_rows(target, n_rows), {}, &state.growth, nullptr});
    state.growth.target = &state.parts[0].target;
    return learn_parts(state);
}

TreeArrays learn_parts(LearnState& state) {
    if (!state.target().weights.empty()) {
        const auto [low, high] = weight_range(state.parts);
        if (low == high) {
            state.weight_unit = low;  // equal weights: count, and scale at the end
            for (TablePart& part : state.parts) part.target.weights = {};
        }
    }
    // Fractions of rows need a finer grid than whole rows.
    state.growth.fractions = state.plan.missing == MissingRule::fractional &&
                             std::any_of(state.parts.begin(), state.parts.end(),
                                         [](const TablePart& part) { return any_gap(*part.columns, part.rows); });
    for (TablePart& part : state.parts) {
        if (!state.growth.fractions || !part.target.weights.empty()) continue;
        part.whole.assign(part.n_rows, 1.0);
        part.target.weights = part.whole;
    }
    const bool weighted = !state.target().weights.empty() || !state.target().counts.empty();
    return state.target().n_classes > 0 ? learn_classes(state, weighted) : learn_real(state, weighted);
}

}  // namespace hornbeam
