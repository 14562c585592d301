// Flatten: the nodes of a grown tree as arrays.
//
//   root | its children | the children of the first of them | ... | the children of the second | ...
//
// A family of siblings lies together, near its parent. A subtree that is arrays already (Node::packed) has the same
// order, so it is copied as a piece.
#pragma once

#include "hornbeam/grow/node.hpp"
#include "hornbeam/grow/tree_arrays.hpp"

namespace hornbeam {

// Gives memory that was freed in many small pieces back to the system.
void release_freed_memory();

// A node's weights leave the grid here, unless `sum_nodes` adds them up again. Packed subtrees are empty afterwards.
TreeArrays flatten(const Growth& growth, const Node* root, std::size_t n_nodes);

}  // namespace hornbeam
