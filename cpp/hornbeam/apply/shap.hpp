// Shapley values of the columns, for trees each of whose tests asks for one column.
//
// With the columns S of a row known, the weight of a leaf is a product over the columns on its way: of `inside` for
// those in S, of `outside` for the others. The Shapley value of column i for such a product is an integral over u in
// [0, 1] of (inside_i - outside_i) times the product of factor_j(u) = outside_j (1 - u) + inside_j u over all j but i,
// which a few points of Gauss and Legendre give exactly (docs/algorithms/shap.md).
//
// One walk through the tree serves all leaves. On the way down, the product of the factors is kept at every point; on
// the way up, the sum of (product times answer) over the leaves below. What a test's column owes to the leaves below a
// child is their sum, divided by the column's factor: O(nodes x points) for a row. Factors are above 0, since u lies
// inside of (0, 1).
#pragma once

#include <span>
#include <vector>

#include "hornbeam/apply/apply.hpp"

namespace hornbeam {

struct ShapTree {
    TreeView tests;
    std::span<const double> share;  // of each node among its siblings, by training weight
    // How a row that follows all paths parts at a test. As for apply_paths one of the two is empty: by the `weight` of
    // the leaves that the row reaches, or by each branch's `part`.
    std::span<const double> weight, part;
    std::span<const double> answers;  // n_answers for each node; only those of leaves are read
    std::size_t n_answers = 1;
};

// The walk through a tree, the same for all rows.
struct ShapWalk {
    struct Test {
        i32 node, depth;
        i32 earlier;  // depth of the node that the last test of the same column led to; 0 if there is none
    };
    std::vector<Test> tests;      // in pre-order
    std::vector<double> outside;  // of each node, for the column tested above it: the product of its shares
    std::size_t n_levels = 0;     // one more than the depth of the deepest test
    std::size_t n_players = 0;    // the most columns on the way to a leaf

    explicit ShapWalk(const ShapTree& tree);
};

// Where values are added: `n_columns` columns of `n_answers` numbers for each row; the tree's columns are at `places`.
// A tree of one answer that adds to two adds to the second and takes away from the first: shares of two classes.
struct ShapOut {
    double* values;
    std::size_t n_columns, n_answers;
    std::span<const i64> places;
};

// Adds the values of rows `first` up to `last`. `points` and `weights` are of Gauss and Legendre on [0, 1]: as many as
// half of the walk's players, rounded up.
void add_shap_values(const ShapTree& tree, const ShapWalk& walk, std::span<const double> points,
                     std::span<const double> weights, const std::vector<ColumnView>& columns, std::size_t first,
                     std::size_t last, Pool& pool, const ShapOut& out);

}  // namespace hornbeam
