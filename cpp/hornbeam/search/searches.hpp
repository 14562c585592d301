// The folder search/ finds the best split of one node: one file for each kind of split, fast scans of sorted lists
// (runners/), bounds on what a bin can hold, and the selection among columns.
//
// THE TABLE of searches: a node's buckets of one column -> candidates. A new kind of split is one file in search/.
#pragma once

#include "hornbeam/search/equals.hpp"
#include "hornbeam/search/multiway.hpp"
#include "hornbeam/search/subset.hpp"
#include "hornbeam/search/threshold.hpp"

namespace hornbeam {

inline void search(const Judge& judge, const Buckets& buckets, i32 column, SplitKind kind, i32 n_values,
                   Candidates& out) {
    switch (kind) {
        case SplitKind::threshold:
            return search_thresholds(judge, buckets, column, out);
        case SplitKind::equals:
            return search_equals(judge, buckets, column, out);
        case SplitKind::multiway:
            return search_multiway(judge, buckets, column, out);
        case SplitKind::subset:
            return search_subsets(judge, buckets, column, n_values, out);
        case SplitKind::leaf:
            return;
    }
}

}  // namespace hornbeam
