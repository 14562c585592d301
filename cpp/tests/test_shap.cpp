// Shapley values: one walk through a tree has what the definition over all sets of columns has.

#include "hornbeam/apply/shap.hpp"

#include <bit>
#include <cmath>

#include "tests/check.hpp"
#include "tests/random.hpp"

namespace hornbeam {
namespace {

using testing::Random;

constexpr std::size_t kColumns = 4, kAnswers = 3;
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// A random tree of thresholds, some with a branch of their own for gaps, and the weights of its nodes.
struct WeightedTree {
    std::vector<std::int8_t> kind;
    std::vector<i32> first_child, n_children, column, missing;
    std::vector<double> threshold, weight, share, part, answers;

    WeightedTree(Random& random, std::size_t n_splits) {
        add_node(100);
        share[0] = 1;
        std::vector<std::size_t> leaves{0};
        for (std::size_t s = 0; s < n_splits; ++s) {
            const std::size_t at = random.below(leaves.size()), node = leaves[at];
            leaves.erase(leaves.begin() + static_cast<std::ptrdiff_t>(at));
            split(random, node);
            for (i32 b = 0; b < n_children[node]; ++b)
                leaves.push_back(static_cast<std::size_t>(first_child[node] + b));
        }
        for (std::size_t i = 0; i < kind.size() * kAnswers; ++i)
            answers.push_back(random.chance(0.3) ? 0.0 : random.normal());
    }

    void split(Random& random, std::size_t node) {
        const i32 children = random.chance(0.2) ? 3 : 2;
        kind[node] = static_cast<std::int8_t>(SplitKind::threshold);
        column[node] = random.number(0, kColumns - 1);
        threshold[node] = random.normal();
        missing[node] = children == 3 ? 2 : random.number(-1, 1);
        n_children[node] = children;
        const std::size_t first = kind.size();
        first_child[node] = static_cast<i32>(first);
        double total = 0, parts = 0;
        for (i32 b = 0; b < children; ++b) {
            // Branches without weight, and next to none.
            add_node(random.chance(0.1) ? 0.0 : random.chance(0.1) ? 1e-150 : random.real());
            total += weight.back();
            part.back() = 0.1 + random.real();
            parts += part.back();
        }
        for (std::size_t n = first; n < kind.size(); ++n) {
            share[n] = total > 0 ? weight[n] / total : 1.0 / children;
            part[n] /= parts;
        }
    }

    void add_node(double w) {
        kind.push_back(0);
        for (auto* array : {&first_child, &column, &missing}) array->push_back(-1);
        n_children.push_back(0);
        threshold.push_back(0);
        weight.push_back(w);
        share.push_back(0);
        part.push_back(0);
    }

    ShapTree tree(bool by_leaf) const {
        ShapTree out;
        out.tests.kind = kind;
        out.tests.first_child = first_child;
        out.tests.n_children = n_children;
        out.tests.column = column;
        out.tests.missing = missing;
        out.tests.threshold = threshold;
        out.share = share;
        (by_leaf ? out.weight : out.part) = by_leaf ? weight : part;
        out.answers = answers;
        out.n_answers = kAnswers;
        return out;
    }
};

// One row in a tree, by the definition.
struct Row {
    const ShapTree& tree;
    const double* x;

    i32 branch(std::size_t n) const {
        return branch_taken(tree.tests, n, x[static_cast<std::size_t>(tree.tests.column[n])]);
    }
    // The weight and the number of the leaves reached from a node.
    std::pair<double, double> reached(std::size_t n) const {
        if (tree.tests.first_child[n] < 0) return {tree.part.empty() ? tree.weight[n] : 1.0, 1.0};
        std::pair<double, double> sum{0, 0};
        const i32 taken = branch(n);
        for (i32 b = 0; b < tree.tests.n_children[n]; ++b) {
            const auto child = static_cast<std::size_t>(tree.tests.first_child[n] + b);
            if (taken != kAllPaths && taken != b) continue;
            const auto [weight, number] = reached(child);
            sum.first += weight * (taken == kAllPaths && !tree.part.empty() ? tree.part[child] : 1.0);
            sum.second += number;
        }
        return sum;
    }
    double answer(unsigned known, std::size_t a, std::size_t n = 0) const {
        if (tree.tests.first_child[n] < 0) return tree.answers[n * kAnswers + a];
        const bool is_known = known >> tree.tests.column[n] & 1;
        const i32 taken = is_known ? branch(n) : kAllPaths;
        const auto [total, leaves] = reached(n);
        double sum = 0;
        for (i32 b = 0; b < tree.tests.n_children[n]; ++b) {
            const auto child = static_cast<std::size_t>(tree.tests.first_child[n] + b);
            double part = tree.share[child];
            if (taken != kAllPaths) {
                part = taken == b ? 1 : 0;
            } else if (is_known) {
                const auto [weight, number] = reached(child);
                part = total > 0 ? weight * (tree.part.empty() ? 1.0 : tree.part[child]) / total : number / leaves;
            }
            if (part != 0) sum += part * answer(known, a, child);
        }
        return sum;
    }
    // The mean over all orders of what the column adds.
    double value(std::size_t column, std::size_t a) const {
        double sum = 0;
        for (unsigned known = 0; known < 1u << kColumns; ++known) {
            if (known >> column & 1) continue;
            const auto before = static_cast<double>(std::popcount(known));
            const double orders = std::tgamma(before + 1) * std::tgamma(kColumns - before) / std::tgamma(kColumns + 1);
            sum += orders * (answer(known | 1u << column, a) - answer(known, a));
        }
        return sum;
    }
};

ColumnView column_of(const std::vector<double>& rows, std::size_t column) {
    ColumnView view;
    view.data = reinterpret_cast<const std::byte*>(rows.data() + column);
    view.stride = static_cast<std::ptrdiff_t>(kColumns * sizeof(double));
    return view;
}

}  // namespace

TEST("one walk has the Shapley values of the definition, with any number of threads") {
    Random random(1);
    // Two points of Gauss and Legendre are enough for four columns.
    const double root = 0.5 / std::sqrt(3.0);
    const std::vector<double> points{0.5 - root, 0.5 + root}, weights{0.5, 0.5};
    const std::vector<i64> places{0, 1, 2, 3};
    for (int trial = 0; trial < 60; ++trial) {
        const WeightedTree owned(random, 1 + random.below(trial < 50 ? 8 : 40));
        const ShapTree tree = owned.tree(random.chance(0.5));
        const std::size_t n_rows = 1 + random.below(5);
        std::vector<double> rows;
        for (std::size_t i = 0; i < n_rows * kColumns; ++i)
            rows.push_back(random.chance(0.2) ? kNothing : random.normal());
        std::vector<ColumnView> columns;
        for (std::size_t c = 0; c < kColumns; ++c) columns.push_back(column_of(rows, c));
        const ShapWalk walk(tree);
        CHECK(walk.n_players <= kColumns);
        std::vector<double> one(n_rows * kColumns * kAnswers), several(one);
        Pool alone(1, {}), pool(3, {});
        add_shap_values(tree, walk, points, weights, columns, 0, n_rows, alone,
                        {one.data(), kColumns, kAnswers, places});
        add_shap_values(tree, walk, points, weights, columns, 0, n_rows, pool,
                        {several.data(), kColumns, kAnswers, places});
        CHECK(one == several);
        for (std::size_t i = 0; i < one.size(); ++i) {
            const Row row{tree, rows.data() + i / (kColumns * kAnswers) * kColumns};
            CHECK(std::fabs(one[i] - row.value(i / kAnswers % kColumns, i % kAnswers)) < 1e-12);
        }
    }
}

TEST("one answer for two classes is added to the second and taken from the first") {
    Random random(2);
    WeightedTree owned(random, 5);
    ShapTree tree = owned.tree(true);
    tree.n_answers = 1;
    const std::vector<double> rows{0.5, kNothing, -1, 0}, points{0.25, 0.75}, weights{0.5, 0.5};
    std::vector<ColumnView> columns;
    for (std::size_t c = 0; c < kColumns; ++c) columns.push_back(column_of(rows, c));
    const std::vector<i64> places{4, 2, 0, 1};
    std::vector<double> one(kColumns), two(10);
    Pool pool(1, {});
    const ShapWalk walk(tree);
    const std::vector<i64> in_order{0, 1, 2, 3};
    add_shap_values(tree, walk, points, weights, columns, 0, 1, pool, {one.data(), kColumns, 1, in_order});
    add_shap_values(tree, walk, points, weights, columns, 0, 1, pool, {two.data(), 5, 2, places});
    for (std::size_t c = 0; c < kColumns; ++c) {
        const auto at = static_cast<std::size_t>(2 * places[c]);
        CHECK(two[at + 1] == one[c] && two[at] == -one[c]);
    }
    CHECK(two[6] == 0 && two[7] == 0);
}

}  // namespace hornbeam
