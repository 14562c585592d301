// A finished tree as arrays, in as little memory as a tree of millions of nodes deserves.
//
//   nodes    0 1 2 3 4          kind, stats, label: one entry a node
//   kind     t t . . .          a test is not a leaf
//   tests    0 1                first_child, column, threshold, ...: one entry a test, in the order of the nodes
//   leaves       0 1 2
//
// What follows from the rest is left out. A fully grown regression tree takes 1 byte and 24 of Stats a node and 48 more
// a test, so that a leaf costs 25 and a test 73 bytes. Python puts back what was left out when somebody asks for it.
#pragma once

#include <vector>

#include "hornbeam/grow/surrogates.hpp"
#include "hornbeam/types.hpp"

namespace hornbeam {

// The surrogates of all nodes; the value maps of nominal ones in a pool of their own.
struct SurrogateArrays {
    std::vector<i64> offset, map_offset;
    std::vector<i32> column, low, high, map_code, map_branch;
    std::vector<double> threshold, agreement, association;

    void add(const Surrogate& one) {
        column.push_back(one.column);
        threshold.push_back(one_zero(one.threshold));
        low.push_back(one.low);
        high.push_back(one.high);
        agreement.push_back(one.agreement);
        association.push_back(one.association);
        for (const auto& [code, branch] : one.map) {
            map_code.push_back(code);
            map_branch.push_back(branch);
        }
        map_offset.push_back(static_cast<i64>(map_code.size()));
    }
    // Those of one node.
    std::vector<Surrogate> of(std::size_t node) const {
        std::vector<Surrogate> surrogates;
        for (i64 k = offset[node]; k < offset[node + 1]; ++k) {
            const auto i = static_cast<std::size_t>(k);
            Surrogate one{column[i], threshold[i], low[i], high[i], agreement[i], association[i], {}};
            for (i64 m = map_offset[i]; m < map_offset[i + 1]; ++m)
                one.map.emplace_back(map_code[static_cast<std::size_t>(m)], map_branch[static_cast<std::size_t>(m)]);
            surrogates.push_back(std::move(one));
        }
        return surrogates;
    }
    // Those of one node of another tree.
    void take(const SurrogateArrays& from, std::size_t node) {
        for (const Surrogate& one : from.of(node)) add(one);
        offset.push_back(static_cast<i64>(column.size()));
    }
};

// Children are contiguous and after their parent, the root first.
struct TreeArrays {
    // By node.
    std::vector<std::int8_t> kind;
    std::vector<double> stats;
    std::vector<i32> label;   // empty: all -1
    std::vector<i64> n_rows;  // empty: what the Stats of rows without weights add up to
    // By test.
    std::vector<i32> first_child, column;
    std::vector<i32> n_children;       // empty: all 2
    std::vector<i32> missing, absent;  // empty: all -1
    std::vector<double> threshold, gap, gain, impurity;
    // By leaf.
    std::vector<double> leaf_impurity;  // empty: all 0
    // Value maps; the offsets, by node, are empty while there are none.
    std::vector<i64> map_offset;
    std::vector<i32> map_code, map_branch;
    SurrogateArrays surrogates;
    std::vector<std::vector<double>> output_stats;  // several targets: the Stats of each; `stats` is empty then
    int width = 0;
    bool interrupted = false;

    std::size_t n_nodes() const { return kind.size(); }
    std::size_t n_tests() const { return column.size(); }
    bool is_leaf(std::size_t node) const { return kind[node] == 0; }
    i32 children(std::size_t test) const { return n_children.empty() ? 2 : n_children[test]; }
    // Training rows at a node: `n_rows`, or what stands for it.
    i64 rows(std::size_t node, bool classes) const {
        if (!n_rows.empty()) return n_rows[node];
        const double* own = stats.data() + node * static_cast<std::size_t>(width);
        double sum = own[0];
        for (int k = 1; k < width && classes; ++k) sum += own[k];
        return static_cast<i64>(sum);
    }
};

// What tests have, by node: for those who look at nodes in any order.
struct TestsByNode {
    std::vector<i32> first_child, n_children, column, missing, absent;  // the last two are empty if all are -1
    std::vector<double> threshold;

    explicit TestsByNode(const TreeArrays& tree)
        : first_child(tree.n_nodes(), -1),
          n_children(tree.n_nodes(), 0),
          column(tree.n_nodes(), -1),
          missing(tree.missing.empty() ? 0 : tree.n_nodes(), -1),
          absent(tree.absent.empty() ? 0 : tree.n_nodes(), -1),
          threshold(tree.n_nodes(), std::numeric_limits<double>::quiet_NaN()) {
        for (std::size_t node = 0, test = 0; node < tree.n_nodes(); ++node) {
            if (tree.is_leaf(node)) continue;
            first_child[node] = tree.first_child[test];
            n_children[node] = tree.children(test);
            column[node] = tree.column[test];
            if (!missing.empty()) missing[node] = tree.missing[test];
            if (!absent.empty()) absent[node] = tree.absent[test];
            threshold[node] = tree.threshold[test++];
        }
    }
};

}  // namespace hornbeam
