// The folder prune/ makes trees smaller: weakest links and their losses on rows held out, fewest errors for a size,
// subtrees that move up (error-based) or replace their parent (by rows held out).
//
// Weakest links: for every test of a tree the penalty per leaf at which it collapses (Breiman, Friedman, Olshen & Stone
// 1984, section 3.3).
//
// f_t(a) = the least of R(T) + a leaves(T) over the prunings T of the branch at t. It is concave and piecewise linear:
// f_t(a) = min(R(t) + a, sum of f_c(a) over the children c). The sum is steeper than the line everywhere, so the two
// cross once, at the critical alpha of t; to the right of it the branch is a single leaf. A branch therefore is its
// corners,
//
//     risk at 0, leaves at 0  --corner-->  ...  --corner-->  R(t), 1 leaf
//
// each corner a test below t that collapses earlier, with what its collapse adds to the risk and takes from the leaves.
// Adding children joins their heaps of corners; finding the crossing takes off the corners to its right. Every test is
// put on a heap once and taken off at most once: n log n, however deep the tree is.
#pragma once

#include <span>

#include "hornbeam/types.hpp"

namespace hornbeam {

struct RiskTree {
    std::span<const i32> first_child, n_children;
    std::span<const double> risk;  // of each node as a leaf; what its rows lose, not a mean
    std::span<const i64> leaves;   // how many leaves a stored leaf stands for, at least 1
};

// The least penalty at which each test is no test any more, by its own collapse or an ancestor's; NaN for leaves.
// Alphas that differ by rounding only are made equal. A test that lowers no risk has alpha 0. `steps` counts the
// nodes and corners looked at.
std::vector<double> weakest_links(const RiskTree& tree, u64& steps);

}  // namespace hornbeam
