// The folder criteria/ says how impure a group of rows is: one file for each criterion, and their table here.
//
// THE TABLE of criteria. A criterion is a pure function of Stats: how impure a group is, and hence how much a partition
// gains. Both are given times the weight of the rows, which saves divisions and makes groups additive:
//
//   potential(group)        w * impurity; never less than the sum of the potentials of its parts
//   decrease(total, parts)  potential(total) - sum of potential(part), written so that nothing cancels
//
// A new criterion is one file in criteria/ and one line here.
#pragma once

#include <span>
#include <string_view>

#include "hornbeam/criteria/entropy.hpp"
#include "hornbeam/criteria/error.hpp"
#include "hornbeam/criteria/gini.hpp"
#include "hornbeam/criteria/poisson.hpp"
#include "hornbeam/criteria/root.hpp"
#include "hornbeam/criteria/sd.hpp"
#include "hornbeam/criteria/variance.hpp"

namespace hornbeam {

struct Criterion {
    std::string_view name;
    bool on_classes;
    bool ratio;       // divide the decrease by the split information
    int square_unit;  // how the impurity scales with the unit of y: 0 not, 1 like y, 2 like y^2
    double (*potential)(const i64* lanes, int n_classes);
    double (*decrease)(const i64* total, const i64* const* parts, int n_parts, int n_classes);
    std::string_view about;
    bool rates = false;      // judges events per exposure: y is not negative, and not centred
    bool eventless = false;  // a branch may be without events; else a rate of 0 would make any event impossible
};

inline constexpr Criterion kCriteria[] = {
    {"gini", true, false, 0, gini::potential, gini::decrease, "1 - sum p^2 (Breiman et al. 1984)"},
    {"entropy", true, false, 0, entropy::potential, entropy::decrease, "-sum p log2 p (Quinlan 1986)"},
    {"gain-ratio", true, true, 0, entropy::potential, entropy::decrease, "gain / split information (Quinlan 1993)"},
    {"root", true, false, 0, root::potential, root::decrease, "sum sqrt(p (1-p)) / 2 (Kearns & Mansour 1996)"},
    {"error", true, false, 0, error::potential, error::decrease, "1 - max p; misses useful splits"},
    {"variance", false, false, 2, variance::potential, variance::decrease, "mean squared deviation (CART)"},
    {"sd", false, false, 1, sd::potential, sd::decrease, "standard deviation reduction (Quinlan 1992)"},
    {"poisson", false, false, 1, poisson::potential, poisson::decrease, "half the Poisson deviance of a rate", true},
    {"exponential", false, false, 1, poisson::potential, poisson::decrease,
     "half the deviance of exponential survival times (LeBlanc & Crowley 1992)", true, true},
};

// Stands where a criterion is asked for and pinball losses judge (quantile/): they are no function of Stats, but scale
// like y. Its formulas are those of the standard deviation, which nobody asks.
inline constexpr Criterion kQuantileCriterion{"quantile", false, false, 1, sd::potential, sd::decrease, "pinball loss"};

// The same for the log-rank statistic (survival/), which is no function of Stats and has no unit; nodes are measured by
// the deviance of rates.
inline constexpr Criterion kLogRankCriterion{
    "log-rank", false, false, 0, poisson::potential, poisson::decrease, "log-rank statistic (Segal 1988)", true, true};

// Split information in bits: the entropy of the branch sizes.
inline double split_information(const i64* sizes, int n, i64 total) {
    double sum = 0;
    for (int i = 0; i < n; ++i)
        if (sizes[i] > 0) {
            const double share = static_cast<double>(sizes[i]) / static_cast<double>(total);
            sum -= share * std::log2(share);
        }
    return sum;
}
// Below this the split is trivial.
inline constexpr double kTrivialSplitInformation = 1e-9;

}  // namespace hornbeam
