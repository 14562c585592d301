// Pruning by arrays: strengths against trying every pruning, least errors by size, and losses of held-out rows.

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <stdexcept>

#include "hornbeam/prune/fewest_errors.hpp"
#include "hornbeam/prune/held_out_loss.hpp"
#include "hornbeam/prune/weakest_links.hpp"
#include "tests/check.hpp"
#include "tests/random.hpp"

namespace hornbeam {
namespace {

using testing::Random;

const std::function<bool()> kNeverStop = [] { return false; };

// A random tree: children after their parents, risks that tests lower or leave.
struct Drawn {
    std::vector<i32> first_child, n_children;
    std::vector<double> risk;
    std::vector<i64> size;

    RiskTree risks() const { return {first_child, n_children, risk, size}; }
    ErrorTree errors(i64 most = 1000) const { return {first_child, n_children, risk, size, most}; }
};

Drawn draw(Random& random, std::size_t most_tests) {
    Drawn tree{{-1}, {0}, {0}, {1}};
    std::vector<std::size_t> leaves{0};
    for (std::size_t i = random.below(most_tests + 1); i > 0; --i) {
        const std::size_t at = random.below(leaves.size()), node = leaves[at];
        leaves.erase(leaves.begin() + static_cast<std::ptrdiff_t>(at));
        const int branches = random.number(2, 3);
        tree.first_child[node] = static_cast<i32>(tree.risk.size());
        tree.n_children[node] = branches;
        for (int b = 0; b < branches; ++b) {
            leaves.push_back(tree.risk.size());
            tree.first_child.push_back(-1);
            tree.n_children.push_back(0);
            tree.risk.push_back(0);
            tree.size.push_back(random.chance(0.1) ? 3 : 1);
        }
    }
    for (std::size_t n = tree.risk.size(); n-- > 0;) {
        tree.risk[n] = random.number(0, 4);
        for (i32 b = 0; b < tree.n_children[n]; ++b)
            tree.risk[n] += tree.risk[static_cast<std::size_t>(tree.first_child[n] + b)];
    }
    return tree;
}

struct Pruning {
    double risk = 0;
    i64 leaves = 0, tests = 0;
    std::set<std::size_t> at;
};

std::vector<Pruning> prunings(const Drawn& tree, std::size_t node) {
    const bool leaf = tree.first_child[node] < 0;
    std::vector<Pruning> out{{tree.risk[node], leaf ? tree.size[node] : 1, 0, {node}}};
    if (leaf) return out;
    std::vector<Pruning> joined{{0, 0, 1, {}}};
    for (i32 b = 0; b < tree.n_children[node]; ++b) {
        std::vector<Pruning> longer;
        for (const Pruning& one : joined)
            for (const Pruning& more : prunings(tree, static_cast<std::size_t>(tree.first_child[node] + b))) {
                Pruning both{one.risk + more.risk, one.leaves + more.leaves, one.tests + more.tests, one.at};
                both.at.insert(more.at.begin(), more.at.end());
                longer.push_back(both);
            }
        joined = std::move(longer);
    }
    out.insert(out.end(), joined.begin(), joined.end());
    return out;
}

// The leaves that are left at a penalty.
std::set<std::size_t> leaves_at(const Drawn& tree, const std::vector<double>& alpha, double penalty) {
    std::set<std::size_t> leaves;
    std::vector<std::size_t> waiting{0};
    while (!waiting.empty()) {
        const std::size_t node = waiting.back();
        waiting.pop_back();
        if (!(alpha[node] > penalty)) {
            leaves.insert(node);
            continue;
        }
        for (i32 b = 0; b < tree.n_children[node]; ++b)
            waiting.push_back(static_cast<std::size_t>(tree.first_child[node] + b));
    }
    return leaves;
}

TEST("the tests stronger than a penalty are the smallest of the best prunings") {
    Random random(1);
    for (int round = 0; round < 300; ++round) {
        const Drawn tree = draw(random, 6);
        u64 steps = 0;
        const std::vector<double> alpha = weakest_links(tree.risks(), steps);
        const std::vector<Pruning> all = prunings(tree, 0);
        for (double penalty : {0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 100.0}) {
            const auto cost = [&](const Pruning& p) { return p.risk + penalty * static_cast<double>(p.leaves); };
            const Pruning* best = &all[0];
            for (const Pruning& one : all)
                if (cost(one) < cost(*best) - 1e-9 || (cost(one) < cost(*best) + 1e-9 && one.leaves < best->leaves))
                    best = &one;
            CHECK(leaves_at(tree, alpha, penalty) == best->at);
        }
    }
}

TEST("strengths fall from the root to the leaves and leaves have none") {
    Random random(2);
    for (int round = 0; round < 50; ++round) {
        const Drawn tree = draw(random, 40);
        u64 steps = 0;
        const std::vector<double> alpha = weakest_links(tree.risks(), steps);
        CHECK(steps < 20 * tree.risk.size());
        for (std::size_t n = 0; n < alpha.size(); ++n) {
            CHECK(std::isnan(alpha[n]) == (tree.first_child[n] < 0));
            for (i32 b = 0; b < tree.n_children[n]; ++b)
                CHECK(!(alpha[static_cast<std::size_t>(tree.first_child[n] + b)] > alpha[n]));
        }
    }
}

TEST("a table of least errors holds the best pruning of every size") {
    Random random(3);
    for (int round = 0; round < 200; ++round) {
        const Drawn tree = draw(random, 6);
        const FewestTables tables = fewest_tables(tree.errors(), kNeverStop);
        const std::vector<Pruning> all = prunings(tree, 0);
        const i64 root = tree.first_child[0] < 0 ? tree.size[0] : 1;
        for (i64 i = 0; i < tables.offset[1]; ++i) {
            double least = std::numeric_limits<double>::infinity();
            for (const Pruning& one : all)
                if (one.leaves + one.tests == root + i * tables.cost.stride) least = std::min(least, one.risk);
            CHECK(tables.errors[static_cast<std::size_t>(i)] == least);
            if (least == std::numeric_limits<double>::infinity()) {
                CHECK_THROWS(std::invalid_argument, fewest_leaves(tree.errors(), tables.offset, tables.errors, i));
                continue;
            }
            const std::vector<u8> leaf = fewest_leaves(tree.errors(), tables.offset, tables.errors, i);
            double sum = 0;
            for (std::size_t n = 0; n < leaf.size(); ++n) sum += leaf[n] ? tree.risk[n] : 0;
            CHECK(sum == least);
        }
    }
}

TEST("a limit on the size of prunings makes the programme cheaper and changes no smaller one") {
    Random random(4);
    const Drawn tree = draw(random, 300);
    const FewestTables all = fewest_tables(tree.errors(100000), kNeverStop),
                       some = fewest_tables(tree.errors(21), kNeverStop);
    CHECK(some.cost.steps < all.cost.steps);
    CHECK(some.offset[1] <= 21);
    for (i64 i = 0; i < some.offset[1]; ++i)
        CHECK(some.errors[static_cast<std::size_t>(i)] == all.errors[static_cast<std::size_t>(i)]);
}

TEST("a row loses what the node it stands in answers, at every strength") {
    Random random(5);
    for (int round = 0; round < 50; ++round) {
        const Drawn tree = draw(random, 20);
        const std::size_t n = tree.risk.size();
        u64 steps = 0;
        const std::vector<double> alpha = weakest_links(tree.risks(), steps);
        const std::vector<double> penalties{0, 0.5, 1, 1.5, 2.5, 4};
        std::vector<i32> until(n, 0), parent(n, -1), leaves;
        std::vector<double> answer(n);
        for (std::size_t t = 0; t < n; ++t) {
            answer[t] = random.normal();
            for (i32 b = 0; b < tree.n_children[t]; ++b)
                parent[static_cast<std::size_t>(tree.first_child[t] + b)] = static_cast<i32>(t);
            if (tree.first_child[t] < 0) {
                leaves.push_back(static_cast<i32>(t));
                continue;
            }
            while (static_cast<std::size_t>(until[t]) < penalties.size() &&
                   penalties[static_cast<std::size_t>(until[t])] < alpha[t])
                ++until[t];
        }
        std::vector<i32> leaf;
        std::vector<double> value, weight;
        for (int row = 0; row < 30; ++row) {
            leaf.push_back(leaves[random.below(leaves.size())]);
            value.push_back(random.normal());
            weight.push_back(random.number(0, 2));
        }
        const PrunedTree climb{tree.first_child, tree.n_children, until, static_cast<i32>(penalties.size())};
        const Losses losses = held_out_losses(climb, {leaf, weight}, SquaredLoss{value, answer});
        for (std::size_t k = 0; k < penalties.size(); ++k) {
            const std::set<std::size_t> left = leaves_at(tree, alpha, penalties[k]);
            double sum = 0, squares = 0;
            for (std::size_t r = 0; r < leaf.size(); ++r) {
                i32 node = leaf[r];
                while (!left.contains(static_cast<std::size_t>(node))) node = parent[static_cast<std::size_t>(node)];
                const double away = value[r] - answer[static_cast<std::size_t>(node)], squared = away * away;
                sum += weight[r] * squared;
                squares += weight[r] * squared * squared;
            }
            CHECK(std::fabs(losses.sum[k] - sum) < 1e-9);
            CHECK(std::fabs(losses.squares[k] - squares) < 1e-9);
        }
    }
}

}  // namespace
}  // namespace hornbeam
