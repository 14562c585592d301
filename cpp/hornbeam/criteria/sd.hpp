// Standard deviation (population); its decrease is the SDR of M5. w * sd = sqrt(w * sum of squares).
#pragma once

#include "hornbeam/stats/stats.hpp"

namespace hornbeam::sd {

inline double potential(const i64* lanes, int) {
    const Moments group(lanes);
    return std::sqrt(static_cast<double>(group.w) * group.squares());
}

inline double decrease(const i64* total, const i64* const* parts, int n_parts, int n_classes) {
    double sum = potential(total, n_classes);
    for (int i = 0; i < n_parts; ++i) sum -= potential(parts[i], n_classes);
    return sum;
}

}  // namespace hornbeam::sd
