// Quantile trees: a window that rows are taken from says what a fresh sum over the rows says, buckets' unions do, too,
// and a tree grows to the end whatever its columns are.

#include "hornbeam/quantile/learn_quantile.hpp"
#include "hornbeam/quantile/node_quantiles.hpp"
#include "hornbeam/quantile/value_buckets.hpp"
#include "tests/check.hpp"
#include "tests/random.hpp"

namespace hornbeam {
namespace {

using testing::Random;

struct Row {
    i64 y, w;
};

// The loss at the best of all rows' values.
double by_definition(const std::vector<Row>& rows, double level) {
    double best = rows.empty() ? 0 : std::numeric_limits<double>::infinity();
    for (const Row& at : rows) {
        double loss = 0;
        for (const Row& row : rows) {
            const auto away = static_cast<double>(row.w * (row.y - at.y));
            loss += away > 0 ? level * away : (level - 1) * away;
        }
        best = std::min(best, loss);
    }
    return best;
}

std::vector<Row> draw(Random& random, bool weighted) {
    std::vector<Row> rows(1 + random.below(25));
    for (Row& row : rows) row = {random.whole(-9, 9), weighted ? random.whole(1, 40) : 1};
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.y < b.y; });
    return rows;
}

template <class Sum>
void take_all(Random& random, bool weighted) {
    const double level = random.number(1, 9) / 10.0;
    const std::vector<Row> rows = draw(random, weighted);
    std::vector<i64> y, w;
    for (const Row& row : rows) {
        y.push_back(row.y);
        w.push_back(row.w);
    }
    OrderedWindow<Sum> window;
    window.build(y, w, level);
    std::vector<u32> order;
    for (u32 i = 0; i < rows.size(); ++i) order.push_back(i);
    random.shuffle(order);
    std::vector<char> gone(rows.size(), 0);
    for (std::size_t k = 0; k <= order.size(); ++k) {
        std::vector<Row> left;
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (!gone[i]) left.push_back(rows[i]);
        CHECK(std::fabs(window.loss() - by_definition(left, level)) <= 1e-9);
        if (k == order.size()) break;
        const double before = window.loss(), value = window.value();
        window.without(std::span(order).subspan(k), [&] { CHECK(window.loss() == 0 && window.weight() == 0); });
        CHECK(window.loss() == before && window.value() == value);
        window.take(order[k]);
        gone[order[k]] = 1;
    }
}

}  // namespace

TEST("a window knows the loss of what is left, whatever was taken") {
    Random random(1);
    for (int trial = 0; trial < 300; ++trial) {
        take_all<i64>(random, false);
        take_all<i128>(random, true);
    }
}

TEST("the median of an even number is the middle, other quantiles are values") {
    const std::vector<i64> y{1, 2, 10, 20};
    OrderedWindow<i64> window;
    window.build(y, {}, 0.5);
    CHECK(window.value() == 6);
    window.build(y, {}, 0.6);
    CHECK(window.value() == 10);
    window.build(y, {}, 0.75);
    CHECK(window.value() == 15);
}

TEST("a union of buckets has the loss of its rows") {
    Random random(2);
    for (int trial = 0; trial < 300; ++trial) {
        const double level = random.number(1, 9) / 10.0;
        const std::vector<Row> rows = draw(random, true);
        QuantileNode<i128> node;
        std::vector<u32> place;
        std::vector<Ranked> entries;
        const int n_codes = random.number(1, 5);
        for (u32 i = 0; i < rows.size(); ++i) {
            node.y.push_back(rows[i].y);
            node.w.push_back(rows[i].w);
            node.n.push_back(1);
            place.push_back(i);
            const int code = random.number(0, n_codes);
            entries.push_back({i, code == n_codes ? kGapRank : static_cast<u32>(code)});
        }
        std::stable_sort(entries.begin(), entries.end(),
                         [](const Ranked& a, const Ranked& b) { return a.rank < b.rank; });
        node.place = place.data();
        PlaceBuckets<i128> buckets;
        buckets.fill(node, entries);
        buckets.add_up();
        std::vector<int> chosen;
        std::vector<Row> members;
        for (int b = 0; b <= buckets.size(); ++b) {
            if (random.chance(0.5)) continue;
            chosen.push_back(b);
            for (u32 at : buckets.bucket(b)) members.push_back(rows[at]);
        }
        const Side side = buckets.union_of(chosen, level);
        CHECK(side.rows == static_cast<i64>(members.size()));
        CHECK(std::fabs(side.loss - by_definition(members, level)) <= 1e-9);
    }
}

TEST("quantiles of nodes come from the rows of the leaves below them") {
    const std::vector<i32> first{1, -1, -1}, count{2, 0, 0}, leaf{1, 2, 1, 2};
    const std::vector<double> y{1, 2, 3, 8}, w{1, 1, 1, 1}, levels{0.5};
    double values[3], losses[3];
    node_quantiles(first, count, {leaf, y, w}, levels, values, losses);
    CHECK(values[0] == 2.5 && values[1] == 2 && values[2] == 5);
    CHECK(losses[0] == (1.5 + 0.5 + 0.5 + 5.5) / 8 && losses[2] == 6.0 / 4);
}

TEST("a quantile tree grows to the end on columns of every kind, with gaps and with threads") {
    Random random(3);
    for (int trial = 0; trial < 60; ++trial) {
        const std::size_t n = 2 + random.below(60);
        std::vector<double> x(n), y(n);
        std::vector<std::vector<i32>> codes(3, std::vector<i32>(n));
        for (std::size_t i = 0; i < n; ++i) {
            x[i] = random.chance(0.2) ? std::nan("") : random.number(0, 9);
            y[i] = random.number(0, 20);
            for (auto& column : codes) column[i] = random.number(-1, 16);
        }
        std::vector<ColumnView> columns(4);
        columns[0].data = reinterpret_cast<const std::byte*>(x.data());
        columns[0].stride = sizeof(double);
        const SplitKind kinds[3] = {SplitKind::equals, SplitKind::multiway, SplitKind::subset};
        for (std::size_t j = 0; j < 3; ++j) {
            ColumnView& view = columns[j + 1];
            view.data = reinterpret_cast<const std::byte*>(codes[j].data());
            view.stride = sizeof(i32);
            view.type = ValueType::codes;
            view.kind = ColumnKind::nominal;
            view.split = kinds[j];
            view.n_values = 17;
        }
        Plan plan;
        plan.criterion = &kQuantileCriterion;
        plan.level = 0.5;
        plan.missing = static_cast<MissingRule>(std::array{0, 1, 3}[random.below(3)]);
        plan.n_threads = 2;
        plan.serial_cells = random.chance(0.5) ? 0 : 100000;
        plan.monotone.resize(columns.size());
        if (random.chance(0.3)) plan.limits.max_leaves = 6;
        TargetView target;
        target.values = y;
        const TreeArrays tree = learn(columns, n, target, plan, {});
        CHECK(tree.rows(0, false) == static_cast<i64>(n));
        for (std::size_t node = 0, test = 0; node < tree.n_nodes(); ++node) {
            if (tree.is_leaf(node)) continue;
            i64 rows = 0;
            for (i32 b = 0; b < tree.children(test); ++b)
                rows += tree.rows(static_cast<std::size_t>(tree.first_child[test] + b), false);
            ++test;
            CHECK(rows == tree.rows(node, false));
        }
    }
}

}  // namespace hornbeam
