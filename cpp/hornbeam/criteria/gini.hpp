// Gini: 1 - sum p_k^2.  decrease * W = sum over parts i and classes k of (l_ik W - t_k w_i)^2 / (w_i W^2):
// the between-group sum of squares, every term of which is at least 0.
#pragma once

#include "hornbeam/stats/stats.hpp"

namespace hornbeam::gini {

inline double potential(const i64* lanes, int n_classes) {
    const i64 weight = class_weight(lanes, n_classes);
    if (weight == 0) return 0;
    const double w = static_cast<double>(weight);
    double sum = 0;  // p (1 - p), so that a nearly pure group keeps its digits
    for (int k = 0; k < n_classes; ++k) {
        const double l = static_cast<double>(lanes[k]);
        sum += l * static_cast<double>(weight - lanes[k]) / w;
    }
    return sum;
}

// Product: integers that hold products of two weights.
template <class Product>
double decrease_by(i64 weight, const i64* total, const i64* const* parts, int n_parts, int n_classes) {
    const double w = static_cast<double>(weight);
    double sum = 0;
    for (int i = 0; i < n_parts; ++i) {
        const i64 part_weight = class_weight(parts[i], n_classes);
        if (part_weight == 0) continue;
        double squares = 0;
        for (int k = 0; k < n_classes; ++k) {
            const Product e = static_cast<Product>(parts[i][k]) * weight - static_cast<Product>(total[k]) * part_weight;
            const double d = static_cast<double>(e) / w;
            squares += d * d;
        }
        sum += squares / static_cast<double>(part_weight);
    }
    return sum;
}

inline double decrease(const i64* total, const i64* const* parts, int n_parts, int n_classes) {
    const i64 weight = class_weight(total, n_classes);
    const bool is_light = weight < i64{1} << 31;  // as that of a table without weights is
    return is_light ? decrease_by<i64>(weight, total, parts, n_parts, n_classes)
                    : decrease_by<i128>(weight, total, parts, n_parts, n_classes);
}

}  // namespace hornbeam::gini
