// What training rows make a node answer, and what that answer costs held-out rows: for classes, for costs of each row,
// for numbers.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "hornbeam/prune/replace_by_child.hpp"

namespace hornbeam {

inline constexpr double kTie = 1e-12;  // what differs by less than this share is equal, whatever the sums' rounding

// The first answer within rounding of the least cost.
inline std::size_t first_cheapest(const double* cost, std::size_t n) {
    const double least = *std::min_element(cost, cost + n), most = *std::max_element(cost, cost + n);
    std::size_t k = 0;
    while (!(cost[k] <= least + kTie * most)) ++k;
    return k;
}

// A judge adds rows up to tallies: of training rows (the node's Stats first) and of held rows, and merges tallies. It
// says what the former answer, what an answer costs the latter, and what the best answer would cost. `outcome` is where
// it reads what it adds of a row, for prefetching.

// Tallies that are sums.
struct SumJudge {
    static void merge(double* to, const double* more, std::size_t width) {
        for (std::size_t i = 0; i < width; ++i) to[i] += more[i];
    }
};

struct ClassJudge : SumJudge {
    explicit ClassJudge(const ClassOutcome& outcome) : y(outcome), k(outcome.n_classes) {}
    const ClassOutcome& y;
    std::size_t k;

    std::size_t training_width() const { return k; }
    std::size_t held_width() const { return k; }
    std::size_t stats_width() const { return k; }
    void add_training(std::size_t row, double w, double* out) const { out[y.training[row]] += w; }
    void add_held(std::size_t row, double w, double* out) const { out[y.held[row]] += w; }
    const void* outcome(int which, std::size_t row) const { return &(which ? y.held : y.training)[row]; }
    double weight(const double* a) const { return std::accumulate(a, a + k, 0.0); }
    double held_weight(const double* b) const { return weight(b); }
    double answer(const double* a, std::vector<double>& space) const {
        space.assign(k, 0.0);
        for (std::size_t i = 0; i < k; ++i) {
            const double counted = y.factors.empty() ? a[i] : a[i] * y.factors[i];
            if (y.costs.empty())
                space[i] -= counted;
            else
                for (std::size_t j = 0; j < k; ++j) space[j] += counted * y.costs[i * k + j];
        }
        if (!y.costs.empty()) return static_cast<double>(first_cheapest(space.data(), k));
        const double best = *std::min_element(space.begin(), space.end());
        std::size_t label = 0;
        while (!(space[label] <= best - kTie * best)) ++label;  // best is the largest weight, negative
        return static_cast<double>(label);
    }
    double loss(const double* b, double answer) const {
        const auto label = static_cast<std::size_t>(answer);
        double total = 0;
        for (std::size_t i = 0; i < k; ++i) {
            const double counted = y.factors.empty() ? b[i] : b[i] * y.factors[i];
            total += counted * (y.costs.empty() ? static_cast<double>(i != label) : y.costs[i * k + label]);
        }
        return total;
    }
    double least(const double* b) const {
        double cheapest = loss(b, 0);
        for (std::size_t j = 1; j < k; ++j) cheapest = std::min(cheapest, loss(b, static_cast<double>(j)));
        return cheapest;
    }
    double slack(const double*, double leaf) const { return kTie * leaf; }
};

struct CostJudge : SumJudge {
    explicit CostJudge(const CostOutcome& outcome) : y(outcome), k(outcome.n_classes) {}
    const CostOutcome& y;
    std::size_t k;

    std::size_t training_width() const { return 2 * k; }
    std::size_t held_width() const { return k + 1; }
    std::size_t stats_width() const { return k; }
    void add_training(std::size_t row, double w, double* out) const {
        out[y.training_codes[row]] += w;
        for (std::size_t j = 0; j < k; ++j) out[k + j] += w * y.training[row * k + j];
    }
    void add_held(std::size_t row, double w, double* out) const {
        for (std::size_t j = 0; j < k; ++j) out[j] += w * y.held[row * k + j];
        out[k] += w;
    }
    const void* outcome(int which, std::size_t row) const { return &(which ? y.held : y.training)[row * k]; }
    double weight(const double* a) const { return std::accumulate(a, a + k, 0.0); }
    double held_weight(const double* b) const { return b[k]; }
    double answer(const double* a, std::vector<double>&) const { return static_cast<double>(first_cheapest(a + k, k)); }
    double loss(const double* b, double answer) const { return b[static_cast<std::size_t>(answer)]; }
    double least(const double* b) const { return *std::min_element(b, b + k); }
    double slack(const double*, double leaf) const { return kTie * leaf; }
};

// Tallies are (weight, mean, squares): the sum of w (y - mean)^2, which is never the difference of large numbers.
struct RealJudge {
    const RealOutcome& y;

    std::size_t training_width() const { return 3; }
    std::size_t held_width() const { return 3; }
    std::size_t stats_width() const { return 3; }
    static void merge(double* to, const double* more, std::size_t) {
        if (!(more[0] > 0)) return;
        const double both = to[0] + more[0], away = more[1] - to[1], part = more[0] / both;
        to[2] += more[2] + to[0] * part * away * away;
        to[1] += part * away;
        to[0] = both;
    }
    static void add(double value, double w, double* out) {
        const double row[3] = {w, value, 0};
        merge(out, row, 3);
    }
    void add_training(std::size_t row, double w, double* out) const { add(y.training[row], w, out); }
    void add_held(std::size_t row, double w, double* out) const { add(y.held[row], w, out); }
    const void* outcome(int which, std::size_t row) const { return &(which ? y.held : y.training)[row]; }
    double weight(const double* a) const { return a[0]; }
    double held_weight(const double* b) const { return b[0]; }
    double answer(const double* a, std::vector<double>&) const { return a[1]; }
    double loss(const double* b, double answer) const { return b[2] + b[0] * (b[1] - answer) * (b[1] - answer); }
    double least(const double* b) const { return b[2]; }
    double slack(const double* b, double leaf) const { return kTie * (leaf + kTie * b[0] * b[1] * b[1]); }
};

}  // namespace hornbeam
