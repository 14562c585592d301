// Looking ahead: which of several cuts of a node of few rows leaves least to do.
//
// The best gain is not always the best start. So every cut that gains enough is followed to the end: both sides are cut
// on greedily, always by the best cut along any of the directions, until every part is pure; what would cost less as a
// leaf is one. The cut whose tree costs least is chosen, and moved along its direction while that costs less:
//
//   cost = leaves + rows answered wrongly
#pragma once

#include "hornbeam/oblique/climb.hpp"

namespace hornbeam::oblique {

// A cut along one of the directions, with so many rows below it.
struct Choice {
    i64 direction = -1;  // none
    u32 below = 0;
    double score = 0, cost = 0;
};

struct LookAheadLimits {
    double least = 0;        // a cut must score more than this
    i64 depth = 0;           // of the tree below the node
    std::size_t most = 0;    // cuts that are followed
    std::size_t budget = 0;  // rows times directions times cuts that are looked at before
};

// The cheapest of the cuts along directions [m, width], of classes without gaps; of equally cheap ones the best.
Choice look_ahead(const Points& points, const Goal& goal, std::span<const double> directions,
                  const LookAheadLimits& limits);

}  // namespace hornbeam::oblique
