// Apply: the packed walk of many rows at once leads where the plain walk leads, and all paths weigh one together.

#include <cmath>

#include "hornbeam/apply/apply.hpp"
#include "tests/check.hpp"
#include "tests/random.hpp"

namespace hornbeam {
namespace {

using testing::Random;

struct OwnedTree {
    std::vector<std::int8_t> kind;
    std::vector<i32> first_child, n_children, column, missing, absent;
    std::vector<double> threshold;
    std::vector<i64> map_offset{0};
    std::vector<i32> map_code, map_branch;

    std::size_t add_leaf() {
        kind.push_back(0);
        for (auto* array : {&first_child, &column, &missing, &absent}) array->push_back(-1);
        n_children.push_back(0);
        threshold.push_back(std::numeric_limits<double>::quiet_NaN());
        return kind.size() - 1;
    }
    void split(std::size_t node, SplitKind how, i32 on, double at, i32 gaps, i32 children) {
        kind[node] = static_cast<std::int8_t>(how);
        column[node] = on;
        threshold[node] = at;
        missing[node] = gaps;
        n_children[node] = children;
        first_child[node] = static_cast<i32>(kind.size());
        for (i32 b = 0; b < children; ++b) add_leaf();
    }
    TreeView view() {
        map_offset.resize(kind.size() + 1, static_cast<i64>(map_code.size()));
        TreeView out;
        out.kind = kind;
        out.first_child = first_child;
        out.n_children = n_children;
        out.column = column;
        out.missing = missing;
        out.absent = absent;
        out.threshold = threshold;
        out.map_offset = map_offset;
        out.map_code = map_code;
        out.map_branch = map_branch;
        return out;
    }
};

// The tests of a tree apart from its leaves.
struct OwnedTests {
    std::vector<i32> first_child, column, missing;
    std::vector<double> threshold;

    explicit OwnedTests(const OwnedTree& tree) {
        for (std::size_t n = 0; n < tree.kind.size(); ++n) {
            if (tree.kind[n] == 0) continue;
            first_child.push_back(tree.first_child[n]);
            column.push_back(tree.column[n]);
            missing.push_back(tree.missing[n]);
            threshold.push_back(tree.threshold[n]);
        }
    }
};

template <class T>
OwnedTree draw_tree(Random& random, std::size_t n_splits, i32 n_columns) {
    OwnedTree tree;
    std::vector<std::size_t> leaves{tree.add_leaf()};
    for (std::size_t i = 0; i < n_splits; ++i) {
        const std::size_t at = random.below(leaves.size()), node = leaves[at];
        leaves.erase(leaves.begin() + static_cast<std::ptrdiff_t>(at));
        const double chosen[5] = {static_cast<double>(static_cast<T>(random.normal())), random.normal(), 1e300,
                                  std::numeric_limits<double>::infinity(), -1e300};
        const double threshold = chosen[random.chance(0.9) ? random.below(2) : 2 + random.below(3)];
        const i32 gaps = random.number(-1, 2);
        tree.split(node, SplitKind::threshold, random.number(0, n_columns - 1), threshold, gaps, gaps == 2 ? 3 : 2);
        for (i32 b = 0; b < tree.n_children[node]; ++b)
            leaves.push_back(static_cast<std::size_t>(tree.first_child[node] + b));
    }
    return tree;
}

// A dense array, by rows or by columns, with gaps and with values on the thresholds.
template <class T>
struct Dense {
    std::vector<T> values;
    DenseRows rows;
    std::vector<ColumnView> columns;

    Dense(Random& random, std::size_t n_rows, std::size_t n_columns, bool by_rows, const OwnedTree& tree) {
        values.reserve((n_rows + 1) * n_columns);  // without rows, too, columns begin somewhere
        for (std::size_t i = 0; i < n_rows * n_columns; ++i) {
            const double cut = tree.threshold[random.below(tree.threshold.size())];
            T x = static_cast<T>(random.normal());
            if (random.chance(0.2) && std::fabs(cut) < 1e30) x = static_cast<T>(cut);
            values.push_back(random.chance(0.05) ? std::numeric_limits<T>::quiet_NaN() : x);
        }
        const auto size = static_cast<std::ptrdiff_t>(sizeof(T));
        const std::ptrdiff_t row_step = by_rows ? size * static_cast<std::ptrdiff_t>(n_columns) : size;
        const std::ptrdiff_t column_step = by_rows ? size : size * static_cast<std::ptrdiff_t>(n_rows);
        const auto* data = reinterpret_cast<const std::byte*>(values.data());
        rows = {data, row_step, column_step, n_rows, n_columns};
        for (std::size_t j = 0; j < n_columns; ++j) {
            ColumnView view;
            view.data = data + static_cast<std::ptrdiff_t>(j) * column_step;
            view.stride = row_step;
            view.type = sizeof(T) == 4 ? ValueType::f32 : ValueType::f64;
            columns.push_back(view);
        }
    }
};

template <class T>
void check_packed(u64 seed) {
    Random random(seed);
    for (int trial = 0; trial < 40; ++trial) {
        const std::size_t n_columns = 1 + random.below(4), n_rows = random.below(trial == 0 ? 9000 : 70);
        OwnedTree tree = draw_tree<T>(random, random.below(40), static_cast<i32>(n_columns));
        const Dense<T> dense(random, n_rows, n_columns, random.chance(0.5), tree);
        TreeView view = tree.view();
        view.all_paths = random.chance(0.2);
        Pool pool(random.number(1, 2), {});
        std::vector<i32> packed(n_rows), plain(n_rows);
        const auto nodes = pack<T>(view);
        CHECK(nodes.size() == tree.kind.size());
        CHECK(!apply_packed<T>(nodes, dense.rows, pool, packed.data()));
        apply_columns(view, dense.columns, n_rows, pool, plain.data());
        CHECK(packed == plain);
        const OwnedTests tests(tree);
        CompactView compact{tree.kind, tests.first_child, tests.column, tests.missing, tests.threshold};
        if (view.all_paths) compact.missing = {};
        const auto same = pack<T>(compact);
        CHECK(same.size() == nodes.size());
        CHECK(std::memcmp(same.data(), nodes.data(), nodes.size() * sizeof(nodes[0])) == 0);
    }
}

// column 0: codes {0, 1 | 2}, then in the first branch column 1 multiway {3, 5}, absent, missing; else column 1 == 4
OwnedTree mixed_tree() {
    OwnedTree tree;
    tree.add_leaf();
    tree.split(0, SplitKind::subset, 0, 0, 1, 2);
    tree.split(1, SplitKind::multiway, 1, 0, 3, 4);
    tree.absent[1] = 2;
    tree.split(2, SplitKind::equals, 1, 4, -1, 2);
    tree.map_code = {0, 1, 2, 3, 5};
    tree.map_branch = {0, 0, 1, 0, 1};
    tree.map_offset = {0, 3, 5};
    return tree;
}

std::vector<ColumnView> code_columns(const std::vector<i32>& a, const std::vector<i32>& b) {
    std::vector<ColumnView> out(2);
    out[0].data = reinterpret_cast<const std::byte*>(a.data());
    out[1].data = reinterpret_cast<const std::byte*>(b.data());
    for (ColumnView& view : out) {
        view.stride = sizeof(i32);
        view.type = ValueType::codes;
    }
    return out;
}

}  // namespace

TEST("float rows walked together reach the leaves of a plain walk") { check_packed<float>(1); }

TEST("double rows walked together reach the leaves of a plain walk") { check_packed<double>(2); }

TEST("a row with values dealt to it reaches the leaves of the row that has them") {
    Random random(7);
    for (int trial = 0; trial < 40; ++trial) {
        const std::size_t n_columns = 1 + random.below(3), n_rows = 1 + random.below(30);
        OwnedTree tree = draw_tree<double>(random, random.below(30), static_cast<i32>(n_columns));
        const Dense<double> dense(random, n_rows, n_columns, true, tree);
        const std::size_t dealt = random.below(n_columns), n_orders = 1 + random.below(12);
        std::vector<std::vector<i64>> orders(n_orders);
        std::vector<i64> rows;
        for (std::size_t r = 0; r < n_rows; ++r)
            if (random.chance(0.7)) rows.push_back(static_cast<i64>(r));
        for (auto& order : orders)
            for (std::size_t r = 0; r < n_rows; ++r) order.push_back(static_cast<i64>(random.below(n_rows)));
        const std::vector<std::span<const i64>> views(orders.begin(), orders.end());
        Pool pool(random.number(1, 2), {});
        std::vector<i32> leaves(n_orders * rows.size()), plain(n_rows);
        apply_dealt(tree.view(), dense.columns, static_cast<i32>(dealt), rows, views, pool, leaves.data());
        for (std::size_t k = 0; k < n_orders; ++k) {
            std::vector<double> values = dense.values;
            for (std::size_t r = 0; r < n_rows; ++r)
                values[r * n_columns + dealt] =
                    dense.values[static_cast<std::size_t>(orders[k][r]) * n_columns + dealt];
            std::vector<ColumnView> columns = dense.columns;
            for (std::size_t c = 0; c < n_columns; ++c)
                columns[c].data = reinterpret_cast<const std::byte*>(values.data() + c);
            apply_columns(tree.view(), columns, n_rows, pool, plain.data());
            for (std::size_t i = 0; i < rows.size(); ++i)
                CHECK(leaves[k * rows.size() + i] == plain[static_cast<std::size_t>(rows[i])]);
        }
    }
}

TEST("an infinite value is noticed wherever it lies") {
    Random random(3);
    for (const bool by_rows : {true, false}) {
        OwnedTree tree = draw_tree<double>(random, 3, 3);
        Dense<double> dense(random, 50, 3, by_rows, tree);
        dense.values[random.below(dense.values.size())] = random.chance(0.5) ? INFINITY : -INFINITY;
        Pool pool(1, {});
        std::vector<i32> out(50);
        CHECK(apply_packed<double>(pack<double>(tree.view()), dense.rows, pool, out.data()));
    }
}

TEST("value maps, single values, absent values and gaps go their ways") {
    OwnedTree tree = mixed_tree();
    const TreeView view = tree.view();
    CHECK(pack<double>(view).empty());  // not all thresholds
    //                          leaves:  3  4  5: absent    6: gap   8      7  all paths    unseen
    const std::vector<i32> a = {0, 1, 0, 1, 0, 0, 2, 2, 2, -1, 7, kUnseenCode};
    const std::vector<i32> b = {3, 5, 4, 7, -1, kUnseenCode, 3, 4, -1, 4, 3, 4};
    const std::vector<i32> expected = {3, 4, 5, 5, 6, 6, 8, 7, -1, 7, 8, 7};
    std::vector<i32> leaves(a.size());
    Pool pool(1, {});
    apply_columns(view, code_columns(a, b), a.size(), pool, leaves.data());
    CHECK(leaves == expected);
}

TEST("all paths end in leaves whose weights sum to one") {
    OwnedTree tree = mixed_tree();
    TreeView view = tree.view();
    const std::vector<i32> a = {2, 2, -1}, b = {-1, 3, -1};
    const std::vector<i64> rows = {0, 1, 2};
    const std::vector<double> weight = {0, 0, 0, 4, 3, 0, 2, 1, 5},
                              share = {1, 0.25, 0.75, 0.5, 0.25, 0, 0.25, 0.4, 0.6};
    const Paths leaves = apply_paths(view, code_columns(a, b), rows, weight, {});
    CHECK(leaves.offset == std::vector<i64>{0, 2, 3, 5});
    CHECK(leaves.leaf == std::vector<i32>{7, 8, 8, 7, 8});
    CHECK(leaves.weight[0] == 1.0 / 6 && leaves.weight[1] == 5.0 / 6 && leaves.weight[2] == 1);
    view.all_paths = true;
    const Paths all = apply_paths(view, code_columns(a, b), rows, {}, share);
    CHECK(all.leaf == std::vector<i32>{7, 8, 8, 3, 4, 6, 7, 8});  // the empty leaf 5 weighs nothing
    double sum = 0;
    for (std::size_t i = 3; i < all.weight.size(); ++i) sum += all.weight[i];
    CHECK(std::fabs(sum - 1) < 1e-15);
    CHECK(std::fabs(all.weight[3] - 0.125) < 1e-15);
}

}  // namespace hornbeam
