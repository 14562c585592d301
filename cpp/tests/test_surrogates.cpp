// Surrogates: searching all nodes of a level at once gives what searching each alone gives.

#include <limits>

#include "hornbeam/apply/apply.hpp"
#include "hornbeam/grow/learn.hpp"
#include "hornbeam/grow/surrogates_of_tree.hpp"
#include "tests/check.hpp"
#include "tests/random.hpp"

namespace hornbeam {
namespace {

using testing::Random;

// Six columns of whole numbers and codes, some with gaps, and a class for each row.
struct Table {
    std::vector<std::vector<double>> numbers;
    std::vector<std::vector<i32>> codes;
    std::vector<ColumnView> columns;
    std::vector<i32> labels;

    Table(Random& random, std::size_t n_rows) : numbers(3), codes(3) {
        for (std::size_t j = 0; j < 3; ++j) {
            const double gaps = j == 2 ? 0.2 : 0;
            const int n_values = random.number(2, 40);
            for (std::size_t r = 0; r < n_rows; ++r) {
                const int own = r > 0 && j > 0 && random.chance(0.6) ? static_cast<int>(numbers[0][r])
                                                                     : random.number(0, n_values - 1);
                numbers[j].push_back(random.chance(gaps) ? std::numeric_limits<double>::quiet_NaN() : own);
                codes[j].push_back(random.chance(gaps) ? -1 : own % 5);
            }
            add(numbers[j].data(), sizeof(double), ValueType::f64, ColumnKind::numeric, SplitKind::threshold, 0);
            const bool ordinal = j == 0;
            add(codes[j].data(), sizeof(i32), ValueType::codes, ordinal ? ColumnKind::ordinal : ColumnKind::nominal,
                ordinal ? SplitKind::threshold : SplitKind::subset, 5);
        }
        for (std::size_t r = 0; r < n_rows; ++r)
            labels.push_back((static_cast<int>(numbers[0][r]) + codes[1][r] + random.number(0, 1)) % 2);
    }
    void add(const void* data, std::size_t step, ValueType type, ColumnKind kind, SplitKind split, i32 n_values) {
        ColumnView view;
        view.data = static_cast<const std::byte*>(data);
        view.stride = static_cast<std::ptrdiff_t>(step);
        view.type = type;
        view.kind = kind;
        view.split = split;
        view.n_values = n_values;
        columns.push_back(view);
    }
};

void check_equal(const Surrogate& a, const Surrogate& b) {
    CHECK(a.column == b.column && a.low == b.low && a.high == b.high && a.map == b.map);
    CHECK(a.agreement == b.agreement && a.association == b.association);
    CHECK(a.map.empty() ? a.threshold == b.threshold : true);
}

// Passes the rows of a node on, and looks for its surrogates anew. Returns how many there are.
std::size_t check_node(const Table& table, const TreeArrays& tree, const TestsByNode& tests, const SurrogateRule& rule,
                       std::size_t node, const std::vector<u32>& rows) {
    if (tests.first_child[node] < 0) return 0;
    const TreeView view = view_of(tree, tests);
    const ColumnView& own = table.columns[static_cast<std::size_t>(tests.column[node])];
    const std::vector<Surrogate> surrogates = tree.surrogates.of(node);
    std::vector<RowSide> row_sides;
    std::vector<std::vector<u32>> below(2);
    for (u32 row : rows) {
        const double value = own.value(row);
        i32 side = value == value ? branch_taken(view, node, value) : -1;
        row_sides.push_back({row, side, side < 0 ? 0 : 1});
        for (std::size_t k = 0; k < surrogates.size() && side < 0; ++k)
            side = surrogates[k].branch(table.columns[static_cast<std::size_t>(surrogates[k].column)], row);
        below[static_cast<std::size_t>(side < 0 ? tests.missing[node] : side)].push_back(row);
    }
    const std::vector<Surrogate> alone = SurrogateSearch(table.columns, rule).find(row_sides, {tests.column[node]});
    CHECK(alone.size() == surrogates.size());
    for (std::size_t k = 0; k < surrogates.size(); ++k) check_equal(alone[k], surrogates[k]);
    std::size_t count = surrogates.size();
    for (std::size_t b = 0; b < 2; ++b)
        count += check_node(table, tree, tests, rule, static_cast<std::size_t>(tests.first_child[node]) + b, below[b]);
    return count;
}

TargetView target_of(const Table& table) {
    TargetView target;
    target.n_classes = 2;
    target.codes = table.labels;
    return target;
}

Plan plan_of(const Table& table) {
    Plan plan;
    plan.criterion = &kCriteria[0];
    plan.missing = MissingRule::surrogates;
    plan.monotone.resize(table.columns.size());
    return plan;
}

TEST("work that is stopped keeps the surrogates that there were") {
    Random random(1);
    const Table table(random, 300);
    const TargetView target = target_of(table);
    const Plan plan = plan_of(table);
    const TreeArrays whole = learn(table.columns, 300, target, plan, nullptr);
    Pool stopped(1, [] { return true; });
    while (!stopped.stopped()) stopped.check();
    TreeArrays again = whole;
    add_tree_surrogates(table.columns, {{0, 1}}, plan.surrogates, stopped, again);
    CHECK(!whole.surrogates.column.empty() && again.surrogates.column == whole.surrogates.column);
    CHECK(again.surrogates.offset == whole.surrogates.offset && again.surrogates.map_code == whole.surrogates.map_code);
}

TEST("all nodes searched at once have the surrogates that each has alone") {
    std::size_t count = 0;
    for (u64 seed = 0; seed < 60; ++seed) {
        Random random(seed);
        const auto n_rows = static_cast<std::size_t>(random.number(2, 400));
        const Table table(random, n_rows);
        const TargetView target = target_of(table);
        Plan plan = plan_of(table);
        plan.surrogates = {random.number(1, 6), random.number(1, 3), random.chance(0.3)};
        plan.n_threads = random.number(1, 3);
        plan.serial_cells = 0;
        if (random.chance(0.5)) plan.block_rows = 16;
        const SurrogateRule rule = plan.surrogates;
        const TreeArrays tree = learn(table.columns, n_rows, target, std::move(plan), nullptr);
        std::vector<u32> rows(n_rows);
        for (std::size_t r = 0; r < n_rows; ++r) rows[r] = static_cast<u32>(r);
        if (tree.n_tests() > 0) count += check_node(table, tree, TestsByNode(tree), rule, 0, rows);
    }
    CHECK(count > 1000);
}

}  // namespace
}  // namespace hornbeam
