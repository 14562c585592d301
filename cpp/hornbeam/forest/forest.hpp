// The folder forest/ grows many trees of one table.
//
// Forests: many trees of one table, each on rows of its own drawing.
//
// The columns are coded and sorted once for all trees. A tree is grown by one thread from the first row to the last
// leaf, and whoever is free takes the next; with fewer trees than threads all threads work on one tree after the other.
// What a tree looks like depends on its seed alone. (Breiman 2001.)
#pragma once

#include "hornbeam/forest/bootstrap.hpp"

namespace hornbeam {

// One tree for each seed, in the same order. `draws`: null if every tree sees all rows as they are. Weights and counts
// of the target are multiplied by what was drawn. `progress` as in learn; once stopped, trees not begun are empty.
std::vector<TreeArrays> learn_forest(const std::vector<ColumnView>& columns, std::size_t n_rows,
                                     const TargetView& target, const Plan& plan, std::span<const u64> seeds,
                                     const Bootstrap* draws, const std::function<bool(double)>& progress);

}  // namespace hornbeam
