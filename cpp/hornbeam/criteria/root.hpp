// The square-root criterion of Kearns & Mansour (1996), called "variance" in the lectures: sqrt(q (1-q)) for two
// classes, half the sum of sqrt(p_k (1 - p_k)) for more.
#pragma once

#include "hornbeam/stats/stats.hpp"

namespace hornbeam::root {

inline double potential(const i64* lanes, int n_classes) {
    const i64 weight = class_weight(lanes, n_classes);
    double sum = 0;
    for (int k = 0; k < n_classes; ++k)
        sum += std::sqrt(static_cast<double>(lanes[k]) * static_cast<double>(weight - lanes[k]));
    return sum / 2;
}

inline double decrease(const i64* total, const i64* const* parts, int n_parts, int n_classes) {
    double sum = potential(total, n_classes);
    for (int i = 0; i < n_parts; ++i) sum -= potential(parts[i], n_classes);
    return sum;
}

}  // namespace hornbeam::root
