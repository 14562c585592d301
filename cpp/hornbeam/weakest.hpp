// The weakest links of a tree: the penalty a leaf must cost before a node had better be one (Breiman et al. 1984, 3.3).
//
//   C_t(alpha) = min( risk(t) + alpha, sum of C over the children )
//
// A node's strength is the alpha where the two are equal. Seen from a large alpha downwards every subtree opens again,
// the strongest node last collapsed first; so a node opens what is stronger than itself, once and for all, and the rest
// waits in a heap for its parent. n log n for n nodes.
#pragma once

#include <span>
#include <vector>

#include "types.hpp"

namespace hornbeam {

// The strength of every test, at most that of its parent; -infinity for leaves. Children come after their parents, and
// splitting never raises the risk.
std::vector<double> weakest_links(std::span<const i32> first_child, std::span<const i32> n_children,
                                  std::span<const double> risk);

}  // namespace hornbeam
