// Imitate: the surrogates of all nodes that no row of theirs needed while the tree grew.
//
// A node with a gap in its own column needs its surrogates at once, to send the gap on (missing.hpp). All others wait
// until the tree stands: then the rows of a level pass in the order of one column after another, every node of the
// level listening to its own rows, so that each column is sorted once for the whole tree instead of once for every
// node.
#pragma once

#include "hornbeam/grow/learn.hpp"
#include "hornbeam/threads/pool.hpp"

namespace hornbeam {

// A row that took part, and what it weighs.
struct Weighed {
    u32 row;
    i64 weight;
};

// Adds the surrogates of nodes without gaps to those of the others.
void imitate(const std::vector<ColumnView>& columns, const std::vector<Weighed>& rows, const SurrogateRule& rule,
             Pool& pool, TreeArrays& tree);

}  // namespace hornbeam
