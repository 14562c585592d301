// The folder optimal/ finds trees of least cost for a limited depth, and proves that no tree costs less.
//
// The cost of a tree is what its leaves' answers cost on the rows, plus a price for each leaf; all in whole numbers, so
// that a proof is not a matter of rounding (squared differences are rounded, and bounds allow for it). Tests have two
// branches: a threshold on the ranks of a column, with missing values on either side, or a set of values of a nominal
// column. Which sets are tried, `family` says.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "hornbeam/types.hpp"

namespace hornbeam {

// One column as codes 0, 1, ... in the order of its values; -1 is a missing value.
struct OptimalColumn {
    bool nominal = false;
    i32 n_values = 0;
    std::span<const i32> codes;
};

// With a column, a mean of the rows may only rise (sign 1) or fall (-1).
struct OptimalOrder {
    i32 column = 0, mean = 0, sign = 1;
};

struct OptimalProblem {
    std::vector<OptimalColumn> columns;
    i32 n_answers = 2;           // 0: the rows have numbers, and leaves answer their mean
    std::span<const i64> costs;  // what each answer costs for each row, row by row; 0 or more
    // Of each row a number and its weight: the cost is the sum of squared differences. All weights times squares of
    // numbers add up to less than 2^50.
    std::span<const i64> numbers, weights;
    std::span<const i64> rows;  // how many rows each one stands for; empty: one
    // The means that columns order: of each row its weight, then for each mean what it adds; empty: none.
    std::span<const i64> means;
    i32 n_means = 0;
    std::vector<OptimalOrder> orders;
    i64 price = 0;  // of each leaf
    i32 max_depth = 3;
    i32 max_leaves = 0;           // 0: as many as the depth allows
    i64 min_rows = 1;             // in every leaf
    i64 upper = 0;                // the cost of a tree that is known
    double seconds = 1e18;        // after which the search ends
    double max_gap = 0;           // stop when (cost - bound) / cost is at most this
    u64 memory = u64{256} << 20;  // bytes for what is remembered of sets of rows
    int n_threads = 1;
    bool count_pairs = true;  // false: tests are always tried in lanes (test_pairs.hpp); the tree is the same
};

// A test or a leaf. Children of node i: `left` and left + 1; a leaf has -1.
struct OptimalNode {
    i32 column = -1;
    i32 code = 0;               // x <= code goes left
    bool missing_left = false;  // where missing values go
    std::vector<u8> left_set;   // of a nominal column: by code, whether it goes left; missing last
    i32 left = -1;
};

struct OptimalResult {
    bool proven = false;      // cost is the least
    bool better = false;      // nodes hold a tree that costs less than `upper`, or as much if it was asked for
    i64 cost = 0, bound = 0;  // of the best tree known, and what no tree is below
    u64 n_solved = 0;         // sets of rows that were searched
    std::vector<OptimalNode> nodes;
    bool all_sets = true;  // whether every set of values of every nominal column was tried above the last level
};

// `stop(cost, bound)` is asked every few milliseconds at most; true ends the search.
OptimalResult optimal_tree(const OptimalProblem& problem, const std::function<bool(i64, i64)>& stop);

// The best tree of at most 1, 2, ... leaves, up to the largest that is allowed.
std::vector<OptimalResult> optimal_path(const OptimalProblem& problem, const std::function<bool(i64, i64)>& stop);

}  // namespace hornbeam
