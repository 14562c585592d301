// Trees by the log-rank statistic: a sweep says what the definition says of any set of rows, and a tree grows to the
// end whatever its columns are.

#include "hornbeam/grow/learn.hpp"
#include "hornbeam/survival/search_log_rank.hpp"
#include "tests/check.hpp"
#include "tests/random.hpp"

namespace hornbeam {
namespace {

using testing::Random;

struct Patient {
    i64 time, n;
    bool event, chosen;
};

// (observed - expected)^2 / variance, time by time.
double by_definition(const std::vector<Patient>& rows) {
    double away = 0, variance = 0;
    for (i64 time = 0; time <= 12; ++time) {
        double at_risk = 0, died = 0, own = 0, own_died = 0;
        for (const Patient& row : rows) {
            const auto n = static_cast<double>(row.n);
            at_risk += row.time >= time ? n : 0;
            own += row.time >= time && row.chosen ? n : 0;
            died += row.time == time && row.event ? n : 0;
            own_died += row.time == time && row.event && row.chosen ? n : 0;
        }
        if (died == 0) continue;
        away += own_died - died * own / at_risk;
        if (at_risk > 1) variance += died * (own / at_risk) * (1 - own / at_risk) * (at_risk - died) / (at_risk - 1);
    }
    return variance > 1e-12 ? away * away / variance : 0;
}

}  // namespace

TEST("a sweep has the statistic of the rows added so far") {
    Random random(11);
    for (int trial = 0; trial < 300; ++trial) {
        std::vector<Patient> rows(2 + random.below(40));
        for (Patient& row : rows)
            row = {random.whole(1, 12), trial % 2 == 0 ? 1 : random.whole(1, 4), random.chance(0.6), false};
        std::sort(rows.begin(), rows.end(), [](const Patient& a, const Patient& b) { return a.time < b.time; });
        std::vector<RiskRow> risk;
        std::vector<i64> group;
        for (const Patient& row : rows) {
            risk.push_back({0, row.event ? 1U : 0U, row.n});
            group.push_back(row.time);
        }
        RiskTable table;
        table.build(risk, group);
        std::vector<u32> order;
        for (u32 i = 0; i < rows.size(); ++i) order.push_back(i);
        random.shuffle(order);
        RiskSweep sweep;
        sweep.start(table);
        for (u32 i : order) {
            sweep.add(risk[i]);
            rows[i].chosen = true;
            const double expected = by_definition(rows);
            CHECK(std::fabs(sweep.statistic() - expected) <= 1e-7 * std::max(1.0, expected));
        }
    }
}

TEST("a tree by the log-rank statistic grows to the end on columns of every kind, with gaps and with threads") {
    Random random(12);
    for (int trial = 0; trial < 60; ++trial) {
        const std::size_t n = 2 + random.below(80);
        std::vector<double> x(n), rates(n), exposure(n), times(n);
        std::vector<std::vector<i32>> codes(3, std::vector<i32>(n));
        for (std::size_t i = 0; i < n; ++i) {
            x[i] = random.chance(0.2) ? std::nan("") : random.number(0, 9);
            times[i] = random.number(1, 20);
            exposure[i] = times[i] / 10.0;
            rates[i] = i == 0 || random.chance(0.6) ? 1 / exposure[i] : 0;
            for (std::size_t j = 0; j < 3; ++j) codes[j][i] = random.number(-1, j == 2 ? 12 : 4);
        }
        std::vector<ColumnView> columns(4);
        columns[0].data = reinterpret_cast<const std::byte*>(x.data());
        columns[0].stride = sizeof(double);
        const SplitKind kinds[3] = {SplitKind::equals, SplitKind::subset, SplitKind::subset};
        for (std::size_t j = 0; j < 3; ++j) {
            ColumnView& view = columns[j + 1];
            view.data = reinterpret_cast<const std::byte*>(codes[j].data());
            view.stride = sizeof(i32);
            view.type = ValueType::codes;
            view.kind = ColumnKind::nominal;
            view.split = kinds[j];
            view.n_values = j == 2 ? 13 : 5;
        }
        Plan plan;
        plan.criterion = &kLogRankCriterion;
        plan.missing = random.chance(0.5) ? MissingRule::learn : MissingRule::majority;
        plan.n_threads = 2;
        plan.serial_cells = random.chance(0.5) ? 0 : 100000;
        plan.monotone.resize(columns.size());
        if (random.chance(0.3)) plan.limits.max_leaves = 6;
        TargetView target;
        target.values = rates;
        target.weights = exposure;
        target.times = times;
        const TreeArrays tree = learn(columns, n, target, plan, {});
        CHECK(tree.n_rows[0] == static_cast<i64>(n) && tree.width == 4);
        for (std::size_t node = 0, test = 0; node < tree.n_nodes(); ++node) {
            if (tree.is_leaf(node)) continue;
            i64 rows = 0;
            for (i32 b = 0; b < tree.children(test); ++b)
                rows += tree.n_rows[static_cast<std::size_t>(tree.first_child[test] + b)];
            ++test;
            CHECK(rows == tree.n_rows[node] && tree.gain[test - 1] > 0);
        }
    }
}

}  // namespace hornbeam
