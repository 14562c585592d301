// Fewest errors: for every size the least errors of a pruning of that size, and the pruning.
//
// The programme of lecture notes on pruning with at most k errors, turned round: sizes are whole numbers whatever the
// weights of the rows are, so a table by size serves errors of any kind, and the least size for k errors is the first
// entry of at most k. With E_t(s) the least errors of a pruning of t of exactly s nodes,
//
//     E_t(1) = errors(t),    E_t(1 + s) = min of E_c1(s1) + ... + E_cm(sm) over s1 + ... + sm = s
//
// child by child, from the last to the first. A table is never longer than its branch, so all tables together take at
// most one step for every pair of nodes: m^2 for a tree of m leaves, not the exponential of the plain recursion.
#pragma once

#include <functional>
#include <span>

#include "hornbeam/types.hpp"

namespace hornbeam {

struct ErrorTree {
    std::span<const i32> first_child, n_children;
    std::span<const double> errors;  // of each node as a leaf
    std::span<const i64> size;       // how many nodes a stored leaf stands for, at least 1
    i64 most = 0;                    // larger prunings are not looked at
};

struct FewestCost {
    i64 stride = 1;  // all prunings have sizes 1, 1 + stride, 1 + 2 stride, ...
    double steps = 0, cells = 0;
};

// Entry i of node t, `errors[offset[t] + i]`, is for its size as a leaf plus i * stride; infinity: there is none.
struct FewestTables {
    FewestCost cost;
    std::vector<i64> offset;
    std::vector<double> errors;
    bool stopped = false;
};

FewestCost fewest_cost(const ErrorTree& tree);
FewestTables fewest_tables(const ErrorTree& tree, const std::function<bool()>& stop);

// The leaves of the pruning behind entry `at` of the root, as a mask of nodes. Of equally good prunings the one that
// keeps more nodes in earlier branches.
std::vector<u8> fewest_leaves(const ErrorTree& tree, std::span<const i64> offset, std::span<const double> errors,
                              i64 at);

}  // namespace hornbeam
