// Grid: what the integers of a node are worth.
//
// The root's grid follows from its rows. A node whose rows lie far closer together than those of its grid, or weigh far
// less, gets a grid of its own (regrid.hpp), so that one large value costs the other rows no digits.
#pragma once

#include <algorithm>
#include <limits>

#include "hornbeam/types.hpp"

namespace hornbeam {

struct Grid {
    double unit = 1;         // one step of y
    double centre = 0;       // y = centre + unit * grid value
    double weight_unit = 1;  // one step of a weight
    // Where a grid of its own begins: below this mean square (of the deviations; of a rate's mean), this mean weight.
    double least_spread = 0, least_weight = 0;
    std::size_t n_rows = 0;  // it was made for
    bool rounds = false;     // some weights are not whole numbers of steps
    bool uneven = false;     // its weights lie too far apart: a node on it is judged by exact sums (exact_search.hpp)

    // What one step of an impurity is worth that scales like y to this power; finite, so that none of it is nothing.
    double impurity_unit(int power) const {
        return power == 0 ? 1 : power == 1 ? unit : std::min(unit * unit, std::numeric_limits<double>::max());
    }
};
inline constexpr Grid kUnitGrid{};

// What the grid of some rows follows from. Those of parts of the rows merge to that of all.
struct TargetRange {
    double lightest = std::numeric_limits<double>::infinity(), heaviest = 0;  // weight of one repetition
    double low = std::numeric_limits<double>::infinity(), high = -low;
    i64 n_rows = 0;  // repetitions included

    void merge(const TargetRange& other) {
        lightest = std::min(lightest, other.lightest);
        heaviest = std::max(heaviest, other.heaviest);
        low = std::min(low, other.low);
        high = std::max(high, other.high);
        n_rows += other.n_rows;
    }
};

}  // namespace hornbeam
