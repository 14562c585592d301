// Observed error: 1 - max p. Kept because the lectures show with it what a criterion must not be: two children
// with the same majority class gain nothing, however much purer they are.
#pragma once

#include <algorithm>

#include "hornbeam/stats/stats.hpp"

namespace hornbeam::error {

inline i64 mistakes(const i64* lanes, int n_classes) {
    i64 weight = 0, most = 0;
    for (int k = 0; k < n_classes; ++k) {
        weight += lanes[k];
        most = std::max(most, lanes[k]);
    }
    return weight - most;
}

inline double potential(const i64* lanes, int n_classes) { return static_cast<double>(mistakes(lanes, n_classes)); }

inline double decrease(const i64* total, const i64* const* parts, int n_parts, int n_classes) {
    i64 sum = mistakes(total, n_classes);
    for (int i = 0; i < n_parts; ++i) sum -= mistakes(parts[i], n_classes);
    return static_cast<double>(sum);
}

}  // namespace hornbeam::error
