// Goal: the target of some rows, as cuts along a projection are scored by it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "hornbeam/stats/fixed_point.hpp"

namespace hornbeam::oblique {

// The target as Python hands it in. Scores are gains per unit of weight, in the criterion's unit.
struct GoalView {
    std::string_view criterion;
    double level = 0;                 // the quantile whose pinball loss judges; 0: the criterion does
    double loss_scale = 1;            // what a pinball loss is multiplied by
    int n_classes = 0;                // 0: real
    std::span<const i32> codes;       // classes
    std::span<const double> values;   // real
    std::span<const double> weights;  // empty: as often as rows count
    std::span<const i64> counts;      // empty: all 1
    double min_rows = 1;              // on either side of a cut
    double min_weight = 0;
};

// The same with nothing left open: a weight for each row, and a real target moved and scaled into [-1, 1].
struct Goal {
    std::string_view criterion;
    double level = 0;
    std::size_t n_classes = 0;
    std::span<const i32> code;
    std::vector<double> y, weight, rows;
    bool repeated = false;  // whether some row counts more than once
    bool whole = true;      // whether all weights are whole numbers
    double total = 0;       // weight of all rows
    double unit = 1;        // what a gain of the scaled target is multiplied by
    double min_rows = 1, min_weight = 0;

    Goal(const GoalView& view, std::size_t n)
        : criterion(view.criterion),
          level(view.level),
          n_classes(static_cast<std::size_t>(view.n_classes)),
          code(view.codes),
          weight(n, 1.0),
          rows(n, 1.0),
          min_rows(view.min_rows) {
        for (std::size_t i = 0; i < n; ++i) {
            if (!view.counts.empty()) rows[i] = static_cast<double>(view.counts[i]);
            weight[i] = view.weights.empty() ? rows[i] : view.weights[i] * rows[i];
            total += weight[i];
            repeated |= rows[i] != 1;
            whole &= weight[i] == std::floor(weight[i]);
        }
        min_weight = view.min_weight * (1 - 1e-9);
        if (n_classes == 0) scale(view.values, view.loss_scale);
    }

  private:
    void scale(std::span<const double> values, double loss_scale) {
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        const bool rates = (criterion == "poisson" || criterion == "exponential") && level == 0;
        const double half = rates ? *high : *high / 2 - *low / 2, centre = rates ? 0 : *low + half;
        y.resize(values.size());
        if (!(half > 0)) return;
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = (values[i] - centre) / half;
        unit = criterion == "variance" && level == 0 ? half * half : half;
        if (level > 0) unit *= loss_scale;
    }
};

}  // namespace hornbeam::oblique
