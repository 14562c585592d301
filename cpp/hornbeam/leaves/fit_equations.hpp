// The folder leaves/ fits equations to the rows of nodes: moments, least squares, and what the equations answer.
//
// An equation for every node of a tree, from the rows of its leaves.
//
// One walk in post-order: the moments of a leaf come from its rows, those of an inner node from its children, and a
// node's equation is solved when its moments are there. Only the moments on the current path are kept. Large trees are
// cut into subtrees of a few thousand rows, one task each; what is left above them is walked last. Every node's numbers
// depend on the tree and its rows alone, so threads change nothing.
#pragma once

#include "hornbeam/leaves/least_squares.hpp"
#include "hornbeam/threads/pool.hpp"

namespace hornbeam {

struct ModelTask {
    std::span<const i32> first_child, n_children;
    std::span<const i64> n_rows;
    std::span<const i64> tested_offset;  // which columns a node tests ...
    std::span<const i32> tested;         // ... and
    std::span<const i32> column;         // the table's column of each of `columns`
    bool only_tested = false;            // use the columns that are tested below the node
    std::size_t n_tested = 0;            // how many columns the table has
    double least_rows = 1;               // a node of fewer rows gets no equation
    FitOptions options;

    std::vector<ColumnView> columns;
    std::span<const double> target, fallback, weight;
    std::span<const i64> row;
    std::span<const i32> leaf;  // of each entry
};

// Of all nodes that have an equation, ascending.
struct Models {
    std::vector<i32> node;
    std::vector<double> intercept, squares;
    std::vector<i64> offset{0};
    std::vector<i32> term;  // position in `columns`
    std::vector<double> slope, gap;
    std::vector<double> low, high;  // of the target, for every node that was visited, else NaN
};

Models fit_models(const ModelTask& task, Pool& pool);

}  // namespace hornbeam
