// The quantiles of all nodes of a finished tree, from the rows in its leaves: lists of leaves are merged upwards, so
// every node sees its rows in the order of y once.
#pragma once

#include <span>

#include "hornbeam/types.hpp"

namespace hornbeam {

// Rows in leaves, in the order of (y, weight), so that sums do not depend on the order they came in. A row may stand in
// several leaves.
struct LeafValues {
    std::span<const i32> leaf;
    std::span<const double> y, weight;
};

// For each node and each of the ascending `levels`: the quantile, and the mean pinball loss around it; NaN and 0 for
// nodes without rows. `first_child` and `n_children` are the tree's; children come after their parents.
void node_quantiles(std::span<const i32> first_child, std::span<const i32> n_children, const LeafValues& rows,
                    std::span<const double> levels, double* values, double* losses);

}  // namespace hornbeam
