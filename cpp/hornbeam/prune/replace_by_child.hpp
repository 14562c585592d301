// Each test is kept, made a leaf, or replaced by the subtree of one of its children, whichever costs least on rows held
// out.
//
// Rows lie in the leaves, those the tree was grown on (they say what a leaf answers) and those held out (they say what
// that costs). To try a child's subtree, only the rows of the other children go through it, and only the leaves they
// reach answer anew:
//
//     cost of raising c at v  =  cost of c  +  sum over the leaves reached of (cost with the rows - cost before)
//
// so a row moves about as often as the tree is deep, each time through what is left of a sibling. What is decided below
// a node depends on nothing beside it: subtrees of a few thousand rows are tasks of their own, as is each node above
// them, and threads change nothing.
#pragma once

#include <span>
#include <vector>

#include "hornbeam/apply/apply.hpp"
#include "hornbeam/types.hpp"

namespace hornbeam {

// Rows in leaves with weights.
struct Sample {
    std::span<const i64> row;
    std::span<const i32> leaf;
    std::span<const double> weight;
    std::vector<ColumnView> columns;
};

struct ReplacingInput {
    TreeView training_tree, held_tree;  // the same tree; what gaps do may differ
    std::span<const double> share;      // of each node among its siblings, where a row follows all paths
    std::span<const i64> leaf_size;     // how many leaves a leaf stands for
    std::span<const double> answer;     // what each node answers: a class or a number
    Sample training, held;
    std::span<const i64> copies;  // of each training row; empty: 1
    std::span<const i64> n_rows;  // training rows of each node
    int n_threads = 1;
    std::size_t task_rows = 4096;  // of a subtree that is one task
};

// Classes: codes of the rows; factors (of priors) and costs may be empty. costs[i * classes + j]: j answered, i true.
struct ClassOutcome {
    std::size_t n_classes;
    std::span<const i32> training, held;
    std::span<const double> factors, costs;
};

// Costs of each row and class, in rows of n_classes, beside the training rows' classes.
struct CostOutcome {
    std::size_t n_classes;
    std::span<const i32> training_codes;
    std::span<const double> training, held;
};

// Numbers; answers are squared errors apart from them.
struct RealOutcome {
    std::span<const double> training, held;
};

struct ReplacingOutput {
    // By node; only tests have decisions. Costs of what is there, as a leaf, of the best child's subtree (infinite if
    // none was tried); the weight of the rows held out.
    std::vector<u8> action;  // 0 keep, 1 leaf, 2 raise
    std::vector<i32> child;
    std::vector<double> keep_cost, leaf, raised, weight;
    // The tree there is now: which node stands in each place, leaves, and the Stats, costs and rows of each node.
    std::vector<i32> stand;
    std::vector<u8> is_leaf, refilled;
    std::vector<double> stats, costs;
    std::vector<i64> n_rows;
};

ReplacingOutput replace_by_children(const ReplacingInput& input, const ClassOutcome& outcome);
ReplacingOutput replace_by_children(const ReplacingInput& input, const CostOutcome& outcome);
ReplacingOutput replace_by_children(const ReplacingInput& input, const RealOutcome& outcome);

}  // namespace hornbeam
