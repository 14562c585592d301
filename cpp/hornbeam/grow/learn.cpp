#include "hornbeam/grow/learn.hpp"

#include "hornbeam/grow/learn_target.hpp"
#include "hornbeam/outputs/learn_outputs.hpp"

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

}  // namespace

TargetSummary summarize(const TargetView& target, const std::vector<u32>& rows) {
    TargetSummary out;
    out.n_rows = rows.size();
    for (std::size_t i = 0; i < rows.size() && !target.counts.empty(); ++i) {
        const auto count = static_cast<double>(target.counts[rows[i]]);
        out.repetitions += count;
        out.most = std::max(out.most, count);
    }
    for (std::size_t i = 0; i < rows.size() && !target.weights.empty(); ++i) {
        out.lightest = std::min(out.lightest, target.weights[rows[i]]);
        out.heaviest = std::max(out.heaviest, target.weights[rows[i]]);
    }
    return out;
}

TreeArrays learn(const std::vector<ColumnView>& columns, std::size_t n_rows, const TargetView& target, Plan plan,
                 const std::function<bool(double)>& progress, SharedCodes* codes, const PresortedColumns* presorted) {
    LearnState state{{columns, plan, {target.n_classes}, nullptr, n_rows},
                     plan,
                     {&columns, n_rows, target, target, live_rows(target, n_rows), {}, nullptr, nullptr},
                     {},
                     progress};
    state.growth.codes = codes;
    state.growth.presorted = presorted;
    state.summary = summarize(target, state.table.rows);
    return learn_table(state);
}

TreeArrays learn_table(LearnState& state) {
    TablePart& table = state.table;
    table.growth = &state.growth;
    state.growth.target = &table.target;
    if (!table.target.weights.empty() && state.summary.lightest == state.summary.heaviest) {
        state.weight_unit = state.summary.lightest;  // equal weights: count, and scale at the end
        table.target.weights = {};
    }
    // Fractions of rows need a finer grid than whole rows.
    state.growth.fractions = state.plan.missing == MissingRule::fractional && any_gap(*table.columns, table.rows);
    if (state.growth.fractions && table.target.weights.empty()) {
        table.whole.assign(table.n_rows, 1.0);
        table.target.weights = table.whole;
    }
    if (!state.target().outputs.empty()) return learn_outputs(state);
    const bool weighted = !state.target().weights.empty() || !state.target().counts.empty();
    return state.target().n_classes > 0 ? learn_classes(state, weighted) : learn_real(state, weighted);
}

}  // namespace hornbeam
