// Raising: the worked case, rows that stay where they belong, and every estimate made again from scratch.

#include <cmath>
#include <numeric>

#include "hornbeam/prune/raise_subtrees.hpp"
#include "tests/check.hpp"
#include "tests/random.hpp"

namespace hornbeam {
namespace {

using testing::Random;

const ErrorLimit kC45{0.25, 0.6925 * 0.6925, 0.67, 1e-6, 0.9999};

// A random tree of tests "value of the column <= cut" on small whole numbers, its rows, and a gap here and there.
struct Drawn {
    std::vector<i32> first_child, n_children, column, cut;
    std::vector<std::vector<i32>> values;  // by column; -1 is a gap
    std::vector<i32> codes;
    std::vector<double> stats;
    std::vector<i64> n_rows, row;
    std::vector<i32> leaf;
    std::vector<double> weight, factors{1.0, 1.0, 1.0};
    bool gaps;

    explicit Drawn(Random& random) : gaps(random.chance(0.5)) {
        const std::size_t n = 1 + random.below(60);
        values.resize(3);
        for (auto& one : values)
            for (std::size_t i = 0; i < n; ++i) one.push_back(gaps && random.chance(0.15) ? -1 : random.number(0, 7));
        for (std::size_t i = 0; i < n; ++i)
            codes.push_back(random.chance(0.7) ? std::max(values[0][i], 0) / 3 : random.number(0, 2));
        add_node();
        for (std::size_t splits = random.below(25), at = 0; splits-- > 0 && at < first_child.size(); ++at) {
            if (random.chance(0.2)) continue;
            const i32 children = random.number(2, 3);
            first_child[at] = static_cast<i32>(first_child.size());
            n_children[at] = children;
            column[at] = random.number(0, 2);
            cut[at] = random.number(0, 6);
            for (i32 b = 0; b < children; ++b) add_node();
        }
        stats.assign(3 * first_child.size(), 0.0);
        n_rows.assign(first_child.size(), 0);
        std::vector<Entry> all;
        for (std::size_t i = 0; i < n; ++i) all.push_back({static_cast<i64>(i), 1.0});
        fill(0, all);
    }
    void add_node() {
        first_child.push_back(-1);
        for (auto* array : {&n_children, &column, &cut}) array->push_back(0);
    }
    i32 branch(std::size_t node, i64 r) const {
        const i32 x = values[static_cast<std::size_t>(column[node])][static_cast<std::size_t>(r)];
        if (x < 0) return -1;
        return x <= cut[node] ? 0 : n_children[node] == 3 && x > cut[node] + 2 ? 2 : 1;
    }
    std::vector<std::vector<Entry>> divide(std::size_t node, const std::vector<Entry>& rows) const {
        const auto n = static_cast<std::size_t>(n_children[node]);
        std::vector<double> known(n, 0.0);
        for (const Entry& e : rows)
            if (branch(node, e.row) >= 0) known[static_cast<std::size_t>(branch(node, e.row))] += e.weight;
        const double total = std::accumulate(known.begin(), known.end(), 0.0);
        std::vector<std::vector<Entry>> parts(n);
        for (const Entry& e : rows)
            for (std::size_t b = 0; b < n; ++b) {
                const i32 taken = branch(node, e.row);
                const double share = taken >= 0  ? (taken == static_cast<i32>(b) ? 1.0 : 0.0)
                                     : total > 0 ? known[b] / total
                                                 : 1.0 / static_cast<double>(n);
                if (share > 0) parts[b].push_back({e.row, e.weight * share});
            }
        return parts;
    }
    void fill(std::size_t node, const std::vector<Entry>& rows) {
        for (const Entry& e : rows) {
            stats[3 * node + static_cast<std::size_t>(codes[static_cast<std::size_t>(e.row)])] += e.weight;
            ++n_rows[node];
        }
        if (first_child[node] < 0) {
            for (const Entry& e : rows) {
                row.push_back(e.row);
                leaf.push_back(static_cast<i32>(node));
                weight.push_back(e.weight);
            }
            return;
        }
        const auto parts = divide(node, rows);
        for (std::size_t b = 0; b < parts.size(); ++b) fill(static_cast<std::size_t>(first_child[node]) + b, parts[b]);
    }
    RaisingInput input() const {
        RaisingInput in;
        in.first_child = first_child;
        in.n_children = n_children;
        in.stats = stats;
        in.n_rows = n_rows;
        in.n_classes = 3;
        in.codes = codes;
        in.row = row;
        in.leaf = leaf;
        in.weight = weight;
        in.factors = factors;
        in.limit = kC45;
        in.branches = [this](std::size_t node, std::span<const Entry> rows, i32* out) {
            for (std::size_t i = 0; i < rows.size(); ++i) out[i] = branch(node, rows[i].row);
        };
        return in;
    }
};

// The same with values that rows read by themselves: tests of two branches are thresholds, others are asked for.
struct Walking {
    std::vector<std::int8_t> kind;
    std::vector<double> threshold;
    RaisingInput in;

    explicit Walking(const Drawn& drawn) : in(drawn.input()) {
        for (std::size_t v = 0; v < drawn.first_child.size(); ++v) {
            const SplitKind one = drawn.n_children[v] == 2 ? SplitKind::threshold : SplitKind::multiway;
            kind.push_back(static_cast<std::int8_t>(drawn.first_child[v] < 0 ? SplitKind::leaf : one));
            threshold.push_back(drawn.cut[v]);
        }
        in.tree.kind = kind;
        in.tree.threshold = threshold;
        in.tree.column = drawn.column;
        for (const auto& values : drawn.values) {
            ColumnView view;
            view.data = reinterpret_cast<const std::byte*>(values.data());
            view.stride = sizeof(i32);
            view.type = ValueType::codes;
            in.columns.push_back(view);
        }
    }
};

// What the tree that came out expects, every row sent through it again; checks the Stats on the way.
double expected_again(const Drawn& drawn, const RaisingOutput& out, std::size_t node, const std::vector<Entry>& rows) {
    while (out.link[node] != static_cast<i32>(node)) node = static_cast<std::size_t>(out.link[node]);
    double counts[3] = {0, 0, 0}, total = 0;
    for (const Entry& e : rows) {
        counts[drawn.codes[static_cast<std::size_t>(e.row)]] += e.weight;
        total += e.weight;
    }
    for (std::size_t c = 0; c < 3; ++c) CHECK(std::fabs(counts[c] - out.stats[3 * node + c]) < 1e-9);
    if (out.is_leaf[node]) return total > 0 ? kC45(total - std::max({counts[0], counts[1], counts[2]}), total) : 0.0;
    double sum = 0;
    const auto parts = drawn.divide(node, rows);
    for (std::size_t b = 0; b < parts.size(); ++b)
        sum += expected_again(drawn, out, static_cast<std::size_t>(drawn.first_child[node]) + b, parts[b]);
    return sum;
}

TEST("the limit is that of C4.5") {
    CHECK(std::fabs(kC45(0, 6) - 1.237797) < 1e-6);
    CHECK(std::fabs(kC45(0, 9) - 1.284804) < 1e-6);
    CHECK(std::fabs(kC45(0, 1) - 0.75) < 1e-12);
    CHECK(std::fabs(kC45(1, 16) - 2.506894) < 1e-6);
    CHECK(std::fabs(kC45(0.5, 16) - (kC45(0, 16) + kC45(1, 16)) / 2) < 1e-12);
    CHECK(std::fabs(kC45(2, 2) - 2) < 1e-12);
}

TEST("rows in the leaves of a pruned tree are those its tests send there, and their errors are those told") {
    Random random(11);
    long raised = 0, made_leaf = 0;
    for (int trial = 0; trial < 300; ++trial) {
        const Drawn drawn(random);
        const RaisingOutput out = raise_subtrees(drawn.input());
        std::vector<Entry> all;
        for (std::size_t i = 0; i < drawn.codes.size(); ++i) all.push_back({static_cast<i64>(i), 1.0});
        CHECK(std::fabs(expected_again(drawn, out, 0, all) - out.expected) < 1e-7);
        for (std::size_t i = 0; i < out.node.size(); ++i) {
            const double leaf = out.as_leaf[i], tree = out.as_tree[i], branch = out.as_branch[i];
            const int expected = leaf <= std::min(tree, branch) + 0.1 ? 1 : branch <= tree + 0.1 ? 2 : 0;
            CHECK(static_cast<int>(out.action[i]) == expected || std::fabs(leaf - tree - 0.1) < 1e-6 ||
                  std::fabs(branch - tree - 0.1) < 1e-6 || std::fabs(leaf - branch - 0.1) < 1e-6);
            raised += out.action[i] == 2;
            made_leaf += out.action[i] == 1;
        }
    }
    CHECK(raised > 20);
    CHECK(made_leaf > 100);
}

// What a branch that was refused would expect is only a bound, so it is not asked for.
void check_same(const RaisingOutput& one, const RaisingOutput& other) {
    CHECK(one.node == other.node);
    CHECK(one.action == other.action);
    CHECK(one.child == other.child);
    CHECK(one.as_leaf == other.as_leaf);
    CHECK(one.as_tree == other.as_tree);
    CHECK(one.link == other.link);
    CHECK(one.stats == other.stats);
    CHECK(one.n_rows == other.n_rows);
    CHECK(one.expected == other.expected);
}

TEST("threads change nothing") {
    Random random(11);
    for (int i = 0; i < 200; ++i) {
        const Drawn drawn(random);
        RaisingInput in = drawn.input();
        const RaisingOutput alone = raise_subtrees(in);
        in.n_threads = 3;
        in.task_rows = 2;
        const RaisingOutput threaded = raise_subtrees(in);
        CHECK(alone.within == threaded.within);
        check_same(alone, threaded);
    }
}

TEST("rows that walk by themselves arrive where they are sent") {
    Random random(12);
    for (int i = 0; i < 300; ++i) {
        const Drawn drawn(random);
        Walking walking(drawn);
        walking.in.n_threads = 1 + i % 3;
        walking.in.task_rows = 2;
        const RaisingOutput sent = raise_subtrees(drawn.input()), walked = raise_subtrees(walking.in);
        check_same(sent, walked);
    }
}

}  // namespace
}  // namespace hornbeam
