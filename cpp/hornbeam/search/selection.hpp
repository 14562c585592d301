// Selection: how the winner is picked among the best candidates of all columns. Numbers only; select.hpp acts on them.
//
//   best            the best score
//   average_gain    C4.5: only among columns whose gain reaches the mean gain (Quinlan 1993; threshold correction of
//                   release 8, Quinlan 1996)
//   tan_schlimmer   gain^2 / price (Tan & Schlimmer 1990)
//   nunez           (2^gain - 1) / (price + 1)^w (Nunez 1988)
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "hornbeam/types.hpp"

namespace hornbeam {

struct Selection {
    enum class Kind : u8 { best = 0, average_gain = 1, tan_schlimmer = 2, nunez = 3 } kind = Kind::best;
    enum class Correction : u8 { none = 0, code = 1, paper = 2 } correction = Correction::none;
    static constexpr double kEpsilon = 1e-3;  // C4.5's

    double min_branch = 2;  // cases
    int n_branches = 2;     // branches that must hold them
    std::vector<double> price;
    double w = 1;
    double case_weight = 1;  // the weight of one case, in units of the weight lanes
    double n_cases = 1;      // of the whole table

    bool by_column() const { return kind != Kind::best; }
    // Whether a threshold is charged for the cuts it was chosen from.
    bool charges() const { return correction != Correction::none; }
    bool average() const { return kind == Kind::average_gain; }
    // K4's margin below the best score of all columns, where scores are no impurity decreases.
    double margin(double best) const {
        return std::isinf(best) ? 0 : 1e-12 * (kind == Kind::nunez ? 1 : std::fabs(best));
    }
    bool priced() const { return kind == Kind::tan_schlimmer || kind == Kind::nunez; }

    // The least weight on either side of a threshold: a tenth of the known cases over the classes, within limits.
    double least_side(double known_weight, double weight_of_case, int n_classes) const {
        const double share = 0.1 * known_weight / weight_of_case / std::max(1, n_classes);
        return std::max(min_branch, std::min(share, 25.0)) * weight_of_case;
    }
    // Nunez's score as a logarithm, which no gain of a real target makes too large.
    double priced_score(double gain, i32 column) const {
        const double cost = price[static_cast<std::size_t>(column)];
        if (kind == Kind::nunez) {
            if (!(gain > 0)) return std::numeric_limits<double>::lowest();
            const double bits = gain * std::log(2.0);
            return bits + std::log(-std::expm1(-bits)) - w * std::log1p(cost);
        }
        if (cost > 0) return gain * gain / cost;
        return gain > 0 ? std::numeric_limits<double>::infinity() : 0;
    }
};

}  // namespace hornbeam
