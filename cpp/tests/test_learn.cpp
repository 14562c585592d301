// Learn: the same arrays for any number of threads and any way of growing; an interrupted tree is a tree.

#include <cmath>

#include "hornbeam/encode/codes.hpp"
#include "hornbeam/grow/learn.hpp"
#include "tests/check.hpp"
#include "tests/learn_data.hpp"

namespace hornbeam {
namespace {

using testing::Data;
using testing::draw_data;
using testing::draw_plan;
using testing::Random;
using testing::same;
using testing::trials;

TreeArrays grow(const Data& data, Plan plan, int threads, u32 block_rows, std::size_t shared_rows) {
    plan.n_threads = threads;
    plan.block_rows = block_rows;
    plan.block_cells = 0;
    plan.shared_rows = shared_rows;
    return learn(data.columns, data.n_rows, data.target, plan, {});
}

bool no_larger(std::size_t size, std::size_t n) { return size == 0 || size == n; }

// Every array has an entry for each node, test or leaf it speaks of, or none.
void check_sizes(const TreeArrays& tree) {
    const std::size_t n = tree.n_nodes(), tests = tree.n_tests();
    CHECK(tree.stats.size() == n * static_cast<std::size_t>(tree.width));
    CHECK(no_larger(tree.label.size(), n) && no_larger(tree.n_rows.size(), n));
    CHECK(tree.first_child.size() == tests && tree.threshold.size() == tests && tree.gap.size() == 2 * tests);
    CHECK(tree.gain.size() == tests && tree.impurity.size() == tests && no_larger(tree.n_children.size(), tests));
    CHECK(no_larger(tree.missing.size(), tests) && no_larger(tree.absent.size(), tests));
    CHECK(no_larger(tree.leaf_impurity.size(), n - tests));
    CHECK(tree.map_offset.empty() ? tree.map_code.empty() : tree.map_offset.size() == n + 1);
}

// Children lie together after their parent, and their rows and Stats add up to its.
// A divided row counts in several children.
void check_tree(const TreeArrays& tree, bool classes, bool divided) {
    const std::size_t n = tree.n_nodes(), width = static_cast<std::size_t>(tree.width);
    check_sizes(tree);
    std::size_t children = 1, test = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (tree.is_leaf(i)) continue;
        const i32 first = tree.first_child[test], count = tree.children(test);
        ++test;
        CHECK(first > static_cast<i32>(i) && count >= 2);
        children += static_cast<std::size_t>(count);
        i64 rows = 0;
        std::vector<double> stats(width, 0);
        for (i32 b = 0; b < count; ++b) {
            const auto child = static_cast<std::size_t>(first + b);
            if (!CHECK(child < n)) return;
            rows += tree.rows(child, classes);
            for (std::size_t j = 0; j < width; ++j) stats[j] += tree.stats[child * width + j];
        }
        if (!classes) {  // weight, mean and squares: the last two are merged
            double sum = 0, between = 0;
            for (i32 b = 0; b < count; ++b) {
                const double* child = tree.stats.data() + static_cast<std::size_t>(first + b) * width;
                sum += child[0] * child[1];
            }
            stats[1] = sum / stats[0];
            for (i32 b = 0; b < count; ++b) {
                const double* child = tree.stats.data() + static_cast<std::size_t>(first + b) * width;
                between += child[0] * (child[1] - stats[1]) * (child[1] - stats[1]);
            }
            stats[2] += between;
        }
        CHECK(divided ? rows >= tree.rows(i, classes) : rows == tree.rows(i, classes));
        for (std::size_t j = 0; j < width; ++j)
            CHECK(std::fabs(stats[j] - tree.stats[i * width + j]) <= 1e-9 * (1 + std::fabs(stats[j])));
    }
    CHECK(children == n && test == tree.n_tests());
}

void check_same_everywhere(const Data& data, const Plan& plan) {
    const TreeArrays first = grow(data, plan, 1, 4096, 65536);
    check_tree(first, plan.criterion->on_classes, plan.missing == MissingRule::fractional);
    CHECK(!first.interrupted);
    for (int threads = 1; threads <= 4; ++threads)
        for (const u32 block_rows : {1U, 6U, 4096U})
            CHECK(same(first,
                       grow(data, plan, threads, block_rows, threads % 2 == 0 ? std::max(10U, block_rows) : 65536)));
}

void check_criterion(const Criterion& criterion, u64 seed) {
    Random random(seed);
    const int n_trials = trials(12);
    const bool large = n_trials == 12 || seed % 3 == 1;  // else one criterion of three has a large table
    for (int trial = 0; trial < n_trials; ++trial) {
        const int n_classes = criterion.on_classes ? random.number(2, 5) : 0;
        const std::size_t n_rows = trial == 0 && large ? 1500 : 1 + random.below(250);
        const Data data = draw_data(random, n_rows, n_classes);
        check_same_everywhere(data, draw_plan(random, criterion, n_classes));
    }
}

}  // namespace

TEST("threads and ways of growing never change the arrays") {
    u64 seed = 1;
    for (const Criterion& criterion : kCriteria) check_criterion(criterion, seed++);
}

TEST("the same columns are drawn for a node whoever grows it") {
    Random random(20);
    for (int trial = 0; trial < 10; ++trial) {
        const Data data = draw_data(random, 200, 3);
        Plan plan = draw_plan(random, kCriteria[0], 3);
        plan.max_features = random.number(1, 3);
        plan.seed = random.bits();
        check_same_everywhere(data, plan);
    }
}

TEST("one row, one class and one value of y make one leaf") {
    Random random(21);
    for (const Criterion& criterion : kCriteria) {
        const int n_classes = criterion.on_classes ? 3 : 0;
        for (const std::size_t n_rows : {std::size_t{1}, std::size_t{40}}) {
            Data data = draw_data(random, n_rows, n_classes);
            std::fill(data.labels.begin(), data.labels.end(), 1);
            std::fill(data.values.begin(), data.values.end(), 0.1);
            const TreeArrays tree = grow(data, draw_plan(random, criterion, n_classes), 2, 1, 10);
            CHECK(tree.n_nodes() == 1 && tree.n_tests() == 0 && tree.leaf_impurity.empty());
            const double near = criterion.rates ? 1e-11 : 1e-15;  // rates of divided rows stay on the grid
            if (n_classes == 0) CHECK(std::fabs(tree.stats[1] - 0.1) < near);
        }
    }
}

TEST("equal weights count as rows and scale the Stats") {
    Random random(22);
    Data data = draw_data(random, 120, 2);
    data.counts.clear();
    data.target.counts = {};
    data.weights.clear();
    data.target.weights = {};
    const Plan plan = draw_plan(random, kCriteria[0], 2);
    const TreeArrays plain = grow(data, plan, 1, 4096, 65536);
    data.weights.assign(120, 0.5);
    data.target.weights = data.weights;
    const TreeArrays halved = grow(data, plan, 1, 4096, 65536);
    CHECK(same(plain.threshold, halved.threshold) && same(plain.gain, halved.gain));
    CHECK(plain.n_rows.empty() && halved.n_rows.size() == halved.n_nodes());
    for (std::size_t i = 0; i < plain.n_nodes(); ++i) CHECK(plain.rows(i, true) == halved.rows(i, true));
    for (std::size_t i = 0; i < plain.stats.size(); ++i) CHECK(plain.stats[i] == 2 * halved.stats[i]);
}

TEST("a node answers with the first class that weighs most by its own Stats") {
    Random random(25);
    for (int trial = 0; trial < 200; ++trial) {
        Data data = draw_data(random, 12, 3);
        data.counts.clear();
        data.target.counts = {};
        data.weights.clear();
        for (std::size_t r = 0; r < data.n_rows; ++r) data.weights.push_back(random.number(1, 4) / 10.0);
        data.target.weights = data.weights;
        const TreeArrays tree = grow(data, draw_plan(random, kCriteria[0], 3), 1, 4096, 65536);
        for (std::size_t i = 0; i < tree.label.size(); ++i) {
            if (tree.n_rows[i] == 0) continue;
            const double* stats = tree.stats.data() + 3 * i;
            CHECK(tree.label[i] == std::max_element(stats, stats + 3) - stats);
        }
    }
}

TEST("progress that says stop leaves a tree of what was grown") {
    Random random(23);
    Data data;
    data.n_rows = 30000;
    for (int j = 0; j < 3; ++j) data.add_numbers(random, 0, 0);
    data.add_target(random, 0);
    for (const Criterion& criterion : kCriteria) {
        if (criterion.on_classes) continue;
        for (int threads = 1; threads <= 2; ++threads) {
            Plan plan;
            plan.criterion = &criterion;
            plan.n_threads = threads;
            plan.block_cells = 0;
            plan.block_rows = 1;  // the slowest way, so that there is time to ask
            double last_share = -1;
            int n_calls = 0;
            const TreeArrays tree = learn(data.columns, data.n_rows, data.target, plan, [&](double share) {
                CHECK(share >= last_share && share <= 1);
                last_share = share;
                return ++n_calls == 2;
            });
            CHECK(tree.interrupted && n_calls == 2);
            CHECK(tree.rows(0, false) == 30000);
            check_tree(tree, false, false);
        }
    }
}

TEST("an infinite value is refused by the number of its column") {
    Random random(24);
    Data data = draw_data(random, 300, 2);
    const ColumnView& view = data.columns[0];
    std::byte* at = const_cast<std::byte*>(view.data) + 7 * view.stride;
    const float narrow = INFINITY;
    const double wide = INFINITY;
    std::memcpy(at, view.type == ValueType::f32 ? static_cast<const void*>(&narrow) : &wide,
                view.type == ValueType::f32 ? 4 : 8);
    CHECK_THROWS(InfiniteValue, grow(data, draw_plan(random, kCriteria[0], 2), 2, 1, 10));
}

}  // namespace hornbeam
