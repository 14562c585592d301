// Entropy in bits: -sum p_k log2 p_k.  With E_ik = w_i t_k / W the expected share,
//   decrease * W = sum l_ik log(l_ik / E_ik) = sum E_ik h(l_ik / E_ik),   h(r) = r log r - r + 1 >= 0,
// because sum (l_ik - E_ik) = 0. Near r = 1 the power series of h keeps the digits that r log r - r + 1 would lose.
#pragma once

#include "hornbeam/stats/stats.hpp"

namespace hornbeam::entropy {

inline constexpr double kLn2 = 0.693147180559945309417232121458;

// h(1 + d) = d^2/2 - d^3/6 + d^4/12 - ... + (-d)^j / (j (j-1))
inline double h(double d) {
    if (d <= -1) return 1;
    if (std::fabs(d) > 0.05) return (1 + d) * std::log1p(d) - d;
    double sum = 0, power = d * d;
    for (int j = 2; j <= 13; ++j, power *= -d) sum += power / (j * (j - 1));
    return sum;
}

inline double potential(const i64* lanes, int n_classes) {
    const i64 weight = class_weight(lanes, n_classes);
    const double w = static_cast<double>(weight);
    double sum = 0;
    for (int k = 0; k < n_classes; ++k) {
        if (lanes[k] <= 0 || lanes[k] == weight) continue;
        const double l = static_cast<double>(lanes[k]);
        constexpr double kLittle = 0x1p-20;  // a share that 1 less the others would hardly tell
        sum -= l * (l < kLittle * w ? std::log(l / w) : std::log1p(-static_cast<double>(weight - lanes[k]) / w));
    }
    return sum / kLn2;
}

inline double decrease(const i64* total, const i64* const* parts, int n_parts, int n_classes) {
    const i64 weight = class_weight(total, n_classes);
    const double w = static_cast<double>(weight);
    double sum = 0;
    for (int i = 0; i < n_parts; ++i) {
        const i64 part_weight = class_weight(parts[i], n_classes);
        if (part_weight == 0) continue;
        for (int k = 0; k < n_classes; ++k) {
            if (total[k] == 0) continue;
            const double product = static_cast<double>(total[k]) * static_cast<double>(part_weight);
            const i128 e = static_cast<i128>(parts[i][k]) * weight - static_cast<i128>(total[k]) * part_weight;
            sum += product / w * h(static_cast<double>(e) / product);
        }
    }
    return sum / kLn2;
}

}  // namespace hornbeam::entropy
