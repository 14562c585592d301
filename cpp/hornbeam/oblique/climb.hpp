// The folder oblique/ searches weighted sums of columns: scores of directions, a coordinate search, and a look ahead.
//
// Climbing: directions in the space of some columns, scored by their best cuts and improved one weight at a time.
//
//   direction  (1, 0, -0.5)   a weight for each column; its projection is the weighted sum of the columns
//
// A climb raises or lowers one weight after the other by the same step and keeps what scores more; when no weight is
// worth changing the step is halved. (The coordinate search of CART-LC and OC1, with the threshold not fixed but always
// the best.) A column of weight 0 is no part of the sum, so its gaps do not matter.
#pragma once

#include <functional>
#include <vector>

#include "hornbeam/oblique/scorer.hpp"

namespace hornbeam::oblique {

// Standardised columns one after the other, n values each; NaN is missing.
struct Points {
    const float* z = nullptr;
    std::size_t n = 0, width = 0;

    const float* column(std::size_t k) const { return z + k * n; }
    // The sum of the columns in a direction, in column order.
    void project(const double* direction, float* out) const;
};

struct Steps {
    double first = 0.5, last = 0.03125;
    std::size_t most_columns = 0;  // of a sum
    double margin = 0;             // scores must differ by more than this
    double bound = 0;              // no score exceeds it: whoever comes near has arrived
};

// A number for each direction: [directions] and [directions, width].
struct ClimbResult {
    std::vector<double> score, direction;
};

// The scores of directions.
std::vector<double> scores(const Points& points, const Goal& goal, std::span<const double> directions, int n_threads);

// Climbs from every start; weights change where `free` is not 0. Both are [starts, width].
ClimbResult climb(const Points& points, const Goal& goal, std::span<const double> starts, std::span<const u8> free,
                  const Steps& steps, int n_threads, const std::function<bool()>& poll);

}  // namespace hornbeam::oblique
