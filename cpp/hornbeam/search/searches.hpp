// The folder search/ finds the best split of one node: one file for each kind of split, fast scans of sorted lists
// (runners/), bounds on what a bin can hold, and the selection among columns.
//
// The search of one column: a node's buckets -> candidates.
#pragma once

#include "hornbeam/search/candidate.hpp"
#include "hornbeam/stats/buckets.hpp"

namespace hornbeam {

void search(const Judge& judge, const Buckets& buckets, i32 column, SplitKind kind, i32 n_values, Candidates& out);

}  // namespace hornbeam
