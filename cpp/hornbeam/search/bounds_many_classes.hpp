// Many classes: what a cut inside a bin could gain, where all sets of classes are too many to try (bounds.hpp).
//
// Gini. With t the classes of the node and e = (classes on the left) - t L / W, W * decrease = |e|^2 (1/L + 1/R). Of x,
// the rows of the bin that moved, m in all, the share m/B of every class lies between the edges of the bin, where |e|
// is convex; the rest has a length of at most sqrt(b B) / 2, where b is the bin's largest class and B its rows.
//
// Entropy. W * entropy = f(W) - sum f(t), f(x) = x log x. On the way through the bin f of a class lies below its chord,
// so sum f, left and right, is at most a sum over x with a price for each class: the dearest classes first. Between
// two of them it is linear in m, and f(L) + f(R) is least where the sides are most alike.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "hornbeam/stats/stats.hpp"

namespace hornbeam::many_classes {

// At least W * decrease of every cut inside the bin; infinite where a side of the bin is empty.
inline double gini_bound(const i64* left, const i64* bin, const i64* right, int classes) {
    double l = 0, b = 0, r = 0, largest = 0;
    for (int k = 0; k < classes; ++k) {
        const auto inside = static_cast<double>(bin[k]);
        l += static_cast<double>(left[k]);
        b += inside;
        r += static_cast<double>(right[k]);
        largest = std::max(largest, inside);
    }
    const double all = l + b + r;
    double before = 0, after = 0;
    for (int k = 0; k < classes; ++k) {
        const auto x = static_cast<double>(left[k]), y = static_cast<double>(left[k] + bin[k]);
        const double total = y + static_cast<double>(right[k]);
        before += (x - total * (l / all)) * (x - total * (l / all));
        after += (y - total * ((l + b) / all)) * (y - total * ((l + b) / all));
    }
    const double most = std::sqrt(std::max(before, after)) + std::sqrt(largest * b) / 2;
    const double spread = std::max(1 / l + 1 / (b + r), 1 / (l + b) + 1 / r);
    return most * most * spread * (1 + 1e-12) + 2e-14 * all;  // what rounding may have taken
}

inline double x_log_x(double x) { return x > 0 ? x * std::log2(x) : 0; }

// At most the entropies of both sides, each times its weight, over all cuts inside the bin.
inline double entropy_bound(const i64* left, const i64* bin, const i64* right, int classes) {
    double l = 0, b = 0, r = 0, sums = 0;          // sums: of f over the classes of both sides, as far as x moved
    std::vector<std::pair<double, double>> price;  // of a row, and the rows
    for (int k = 0; k < classes; ++k) {
        const auto x = static_cast<double>(left[k]), inside = static_cast<double>(bin[k]),
                   z = static_cast<double>(right[k]);
        l += x;
        b += inside;
        r += z;
        sums += x_log_x(x) + x_log_x(z + inside);
        if (bin[k] > 0)
            price.emplace_back((x_log_x(x + inside) - x_log_x(x) + x_log_x(z) - x_log_x(z + inside)) / inside, inside);
    }
    std::sort(price.begin(), price.end(), [](const auto& one, const auto& other) { return one.first > other.first; });
    const double all = l + b + r;
    double moved = l, least = std::numeric_limits<double>::infinity();
    for (const auto& [each, rows] : price) {
        const double alike = std::clamp(all / 2, moved, moved + rows), then = sums + each * rows;
        least = std::min(least, x_log_x(alike) + x_log_x(all - alike) - std::max(sums, then));
        sums = then;
        moved += rows;
    }
    return least - 1e-13 * all * (1 + std::log2(1 + all));  // what rounding may have added
}

}  // namespace hornbeam::many_classes
