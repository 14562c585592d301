// Sums of nodes: once a tree is grown, its rows are added up again in every node, from the caller's own doubles.
//
// Splits are chosen on a coarse integer grid; what a node answers should have all digits. So its sums are exact
// (exact_sum.hpp), and no order of adding matters.
#pragma once

#include "hornbeam/grow/learn.hpp"
#include "hornbeam/threads/pool.hpp"

namespace hornbeam {

// A table, or one of several that together are the table.
struct TableRows {
    const std::vector<ColumnView>* columns;
    TargetView target;

    std::size_t n_rows() const { return target.n_classes > 0 ? target.codes.size() : target.values.size(); }
};

// Sets `stats` of every node, `n_rows` where rows have weights, and impurities that growth could not tell.
void sum_nodes(const TableRows& table, const Criterion& criterion, Pool& pool, TreeArrays& tree);

// The same for the numbers of a tree whose rows were divided among branches. The weights of the nodes stay as growth
// summed them: parts of rows add up to whole rows there.
void sum_divided_rows(const std::vector<ColumnView>& columns, const TargetView& target, Pool& pool, TreeArrays& tree);

}  // namespace hornbeam
