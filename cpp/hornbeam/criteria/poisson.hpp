// Half the Poisson deviance of a rate:  sum w (y ln(y / m) - y + m) = L - S ln(S / W)  with m = S / W the mean rate,
// S = sum w y and L = sum w y ln y. Weights include the exposure, so S counts events and W the exposure.
//
//   decrease = sum over parts of e ((1 + d) ln(1 + d) - d),   e = m w expected events,  d = (events - e) / e
//
// of which no term is negative, so nothing cancels. The criterion of Therneau & Atkinson's rpart (1997) without
// shrinking, and of scikit-learn.
#pragma once

#include <algorithm>

#include "hornbeam/criteria/entropy.hpp"
#include "hornbeam/stats/stats.hpp"

namespace hornbeam::poisson {

inline double potential(const i64* lanes, int) {
    const Moments group(lanes);
    if (group.wy <= 0 || group.squares() <= 0) return 0;
    const double events = static_cast<double>(group.wy), weight = static_cast<double>(group.w);
    return std::max(0.0, static_cast<double>(log_sum(lanes)) - events * std::log(events / weight));
}

inline double decrease(const i64* total, const i64* const* parts, int n_parts, int) {
    const Moments all(total);
    if (all.wy <= 0) return 0;
    const i128 m = all.rounded_mean();
    const double w = static_cast<double>(all.w), mean = static_cast<double>(all.wy) / w;
    const double rest = static_cast<double>(all.wy - m * all.w) / w;
    double sum = 0;
    for (int i = 0; i < n_parts; ++i) {
        const Moments part(parts[i]);
        if (part.w == 0) continue;
        const double part_weight = static_cast<double>(part.w), expected = mean * part_weight;
        const double away = static_cast<double>(part.wy - m * part.w) - rest * part_weight;
        sum += expected * entropy::h(part.wy <= 0 ? -1.0 : away / expected);
    }
    return sum;
}

// What rounding may do to a potential: of its two terms, and of y ln y on the grid.
inline double rounding(const i64* lanes) {
    const Moments group(lanes);
    return 1e-14 * std::fabs(static_cast<double>(log_sum(lanes))) + static_cast<double>(group.w);
}

}  // namespace hornbeam::poisson
