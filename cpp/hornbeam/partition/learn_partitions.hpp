// Learn from partitions: the tree of several tables that together are the table, the same bits as that of all rows in
// one, however they are divided.
#pragma once

#include "hornbeam/grow/learn.hpp"

namespace hornbeam {

// Some of the rows. All partitions have the same columns, and weights and repetitions or none.
struct Partition {
    std::vector<ColumnView> columns;
    std::size_t n_rows = 0;
    TargetView target;
};

// At least one row counts. Surrogates, quantiles and divided rows of a real target are refused: what they ask of rows
// does not add up.
TreeArrays learn_partitions(const std::vector<Partition>& partitions, Plan plan,
                            const std::function<bool(double)>& progress);

}  // namespace hornbeam
