// Variance (population).  decrease * W = sum over parts of w_i (mean_i - mean)^2. Everything is shifted by the rounded
// mean of the node in integers first, so that a large common offset costs no digits.
#pragma once

#include "hornbeam/stats/stats.hpp"

namespace hornbeam::variance {

inline double potential(const i64* lanes, int) { return Moments(lanes).squares(); }

inline double decrease(const i64* total, const i64* const* parts, int n_parts, int) {
    const Moments all(total);
    const i128 m = all.rounded_mean();
    const double w = static_cast<double>(all.w);
    const double rest = to_double(all.wy - m * all.w) / w;
    double sum = 0;
    for (int i = 0; i < n_parts; ++i) {
        const Moments part(parts[i]);
        if (part.w == 0) continue;
        const double part_weight = static_cast<double>(part.w);
        const double away = to_double(part.wy - m * part.w) - rest * part_weight;
        sum += away * away / part_weight;
    }
    return sum;
}

}  // namespace hornbeam::variance
