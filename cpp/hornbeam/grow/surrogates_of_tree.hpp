// The surrogates of all nodes that no row of theirs needed while the tree grew.
//
// A node with a gap in its own column needs its surrogates at once, to send the gap on (missing.hpp). All others wait
// until the tree is grown: then all nodes of a level are searched in one pass over the rows in the order of each
// column, so that a column is sorted once for the whole tree instead of once for every node.
#pragma once

#include "hornbeam/grow/learn.hpp"
#include "hornbeam/threads/pool.hpp"

namespace hornbeam {

// A row that took part, what it weighs and how often it counts.
struct WeightedRow {
    u32 row;
    i64 weight;
    i64 n = 1;
    double own =
        0;  // the weight of one repetition as the caller gave it, where one grid does not do for all; 0: as above
};

// Adds the surrogates of nodes without gaps to those of the others.
void add_tree_surrogates(const std::vector<ColumnView>& columns, const std::vector<WeightedRow>& rows,
                         const SurrogateRule& rule, Pool& pool, TreeArrays& tree);

}  // namespace hornbeam
