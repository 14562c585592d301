// Value sets: the search for the best two groups of the values of a nominal column.
//
// Two classes or a real target: only the cuts of the values in order of P(class 1) or mean can be best (Breiman et al.
// 1984), for a concave criterion. Otherwise up to 12 values are tried in full; above that the values are put in order
// of the principal component of their class shares (Coppersmith, Hong & Hosking 1999) and of each class's share, and
// the best cut is improved by moving single values.
//
// Every step costs as much as one value has lanes, whatever the number of values. Gains are estimated first
// (class_gain.hpp), and the judge is asked about those that come near the best.
#pragma once

#include "hornbeam/search/candidate.hpp"
#include "hornbeam/stats/buckets.hpp"

namespace hornbeam {

void search_subsets(const Judge& judge, const Buckets& buckets, i32 column, i32 n_values, Candidates& out);

}  // namespace hornbeam
