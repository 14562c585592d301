// The folder smallest/ finds the smallest trees that agree with every row of a small table.
//
// The smallest consistent trees of a small table, by exhaustive search.
//
// One idea: a subtree depends only on the rows that reach it, so what is known about a set of rows is kept in a memo: a
// lower bound of its cost, raised step by step until a tree of exactly that cost is found. More in search_smallest.hpp.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hornbeam/types.hpp"

namespace hornbeam {

inline constexpr std::size_t kMostSmallestRows = 1024;

// One column as codes 0, 1, ... (ranks of the values, in domain order); `split` says which tests it allows.
struct SmallestColumn {
    SplitKind split = SplitKind::threshold;
    i32 n_values = 0;
    std::span<const i32> codes;
};

enum class SmallestGoal : u8 {
    cost,   // the least cost, then the least depth
    depth,  // the least depth, then the least cost
    every,  // the least cost, every tree of it
};

struct SmallestProblem {
    std::vector<SmallestColumn> columns;
    std::span<const i32> classes;  // of the rows, which differ in some column wherever their classes differ
    i32 n_classes = 0;
    u32 leaf_cost = 1, test_cost = 1;  // what a leaf and a test add to the cost of a tree
    SmallestGoal goal = SmallestGoal::cost;
    u64 most_sets = 1'000'000;  // row sets that may be kept
};

// The trees as a graph: state 0 is all rows; each state lists its tests, each test its children in branch order (-1: a
// branch without rows). A state without tests is a leaf. Row i is bit i % 64 of word i / 64.
struct SmallestGraph {
    enum class Outcome : u8 { solved, too_large, interrupted };
    Outcome outcome = Outcome::solved;
    u32 cost = 0;         // of a smallest tree; a lower bound where the search was not finished
    u32 cost_met = 0;     // of a tree found greedily, where the search was not finished
    u64 n_sets = 0;       // row sets examined
    double expected = 0;  // row sets a finished search would examine, as far as one can tell
    i32 depth = -1;       // the least one, where that is the goal
    i32 n_words = 1;
    std::vector<u64> rows;
    std::vector<i64> test_offset, child_offset;
    std::vector<i32> test_column, child;
};

// `stop` is asked now and then; true ends the search. With `build` false only the cost is found.
SmallestGraph smallest(const SmallestProblem& problem, bool build, const std::function<bool()>& stop);

}  // namespace hornbeam
