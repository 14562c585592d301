// C4.5's error-based pruning (Quinlan 1993, chapter 4), with subtrees that move up.
//
// From below, each test is compared as it is, as a leaf, and replaced by the subtree of its largest branch, by the
// errors that each is expected to make:
//
//     as a leaf     limit(errors of the node's majority, cases)
//     as a tree     what the leaves below expect together
//     as a branch   the same for the largest branch, after all rows of the node have gone through it
//
// A leaf is made if it is within 0.1 of both others, a branch is raised if it is within 0.1 of the tree. A raised
// subtree is filled with the rows of the node it replaces and examined again.
//
// Rows lie in the leaves. Most rows of a node are in its largest branch already, so usually only those of the others
// are sent through it, and only the leaves they reach are estimated anew. Where rows are divided among branches (gaps),
// the whole branch is. Subtrees of a few thousand rows are tasks of their own, as is each node above them; threads
// change nothing.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hornbeam/apply/apply.hpp"
#include "hornbeam/prune/error_limit.hpp"
#include "hornbeam/prune/route_rows.hpp"

namespace hornbeam {

struct RaisingInput {
    std::span<const i32> first_child, n_children;  // -1 for a leaf
    std::span<const double> stats;                 // nodes x classes
    std::span<const i64> n_rows;
    std::size_t n_classes = 0;
    std::span<const i32> codes;   // the class of each row
    std::span<const i64> copies;  // repetitions of each row; empty: 1
    std::span<const i64> row;     // the entries: rows in leaves, with weights
    std::span<const i32> leaf;
    std::span<const double> weight;
    std::span<const double> factors;  // what a class's weight counts for
    std::span<const double>
        costs;  // classes x classes, of answering (column) where the row's class is true; may be empty
    // The tests and the values of the rows, where the core can route rows; else Python is asked for their branches.
    TreeView tree;
    std::vector<ColumnView> columns;
    // The branch of each row at a node, -1 where it is divided among all of them.
    std::function<void(std::size_t node, std::span<const Entry> rows, i32* out)> branches;
    std::function<double(double errors, double cases)> limit;
    int n_threads = 1;             // one if Python is asked for branches or limits
    std::size_t task_rows = 4096;  // of a subtree that is one task
};

enum class Pruning : u8 { keep = 0, leaf = 1, raise = 2 };

struct RaisingOutput {
    // In the order of examination; `within` is the node whose raised branch was examined again, else -1.
    std::vector<i32> node, child, within;
    std::vector<u8> action;
    std::vector<double> as_leaf, as_tree, as_branch;  // the last at least, where it cannot be chosen
    // Of each node: the node that stands in its place, whether it is a leaf now, and whether its rows changed.
    std::vector<i32> link;
    std::vector<u8> is_leaf, refilled;
    std::vector<double> stats;
    std::vector<i64> n_rows;
    double expected = 0;  // errors of the whole tree
};

RaisingOutput raise_subtrees(const RaisingInput& input);

}  // namespace hornbeam
