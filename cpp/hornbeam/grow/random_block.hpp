// Random blocks: nodes whose tests are drawn (random_cut.hpp), grown to the end by one thread.
//
// A column is read twice at a node: for its smallest and largest value, then to add up the rows of the first branch.
// Nothing is sorted and nothing is coded; a node is a slice of the rows, which a split parts in place.
#pragma once

#include "hornbeam/grow/row_loops.hpp"

namespace hornbeam {

// Grows nodes to the end; `arena` as in row_loops.hpp. Made for the outcomes of outcome.hpp.
template <class O>
std::unique_ptr<SubtreeGrower> random_block(const Growth& growth, const O& outcome, Arena* arena, const Pool& pool);

// The best of the tests drawn for the columns of a choice, at a node of these rows; false if none is admissible.
template <class O>
bool choose_drawn(const Growth& growth, const O& outcome, const Judge& judge, const Rows& rows, ColumnChoice& choice,
                  Candidate& chosen);

}  // namespace hornbeam
