// One node of a tree of several targets while its split is searched: its rows, each number on a grid of the node's own
// rows, measured from their mean. What impurities are counted in belongs to the node, too: a power of two, so that
// squares of numbers of any size neither vanish nor exceed what a double holds.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "hornbeam/outputs/output_side.hpp"
#include "hornbeam/quantile/quantile_node.hpp"
#include "hornbeam/stats/fixed_point.hpp"

namespace hornbeam {

template <class Sum>
class OutputsNode {
  public:
    const OutputRows* outputs = nullptr;
    const Plan* plan = nullptr;
    const Bounds* bounds = nullptr;
    const u32* place = nullptr;  // by row id
    OutputSide<Sum> whole;
    std::vector<double> units;  // by target of numbers: what the square of one step counts
    i64 weight = 0;

    void clear(u32 size) {
        for (auto* values : {&n_, &w_}) values->resize(size);
        row_.resize(size);
        weight = 0;
    }
    // The y of a row is its number among the rows of `outputs`.
    void set(u32 at, const Sums::Carry& row) {
        n_[at] = row.n;
        w_[at] = row.w;
        row_[at] = static_cast<std::size_t>(row.y);
        weight += row.w;
    }
    void finish() {
        const std::size_t size = row_.size(), n_numbers = outputs->numbers.size();
        sums_.resize(size * n_numbers);
        units.assign(n_numbers, 0.0);
        impurity_ = 0;
        spans_.clear();
        for (std::size_t t = 0; t < n_numbers; ++t) spans_.push_back(span_of(t));
        lift_ = has_classes() ? 0 : lift_of_numbers();
        for (std::size_t t = 0; t < n_numbers; ++t) lay_out(t);
        whole.clear(*outputs);
        for (u32 i = 0; i < size; ++i) whole.add(row(i));
        // The sums of w y are at most half a step for each unit of weight: they cost next to nothing.
        impurity_ += whole.cost(*outputs, units) / static_cast<double>(weight);
        impurity_ = std::max(impurity_, 0.0);
    }
    OutputRow<Sum> row(u32 at) const {
        return {n_[at], w_[at], outputs->row_codes(row_[at]), sums_.data() + at * outputs->numbers.size()};
    }

    double impurity() const { return impurity_; }
    // Impurities, scores and margins are two to this power times what they are.
    int lift() const { return lift_; }
    double margin() const { return 1e-12 * impurity_; }  // K4

    bool big_enough(const OutputSide<Sum>& side) const {
        if (side.rows == 0) return true;  // minimum sizes bind non-empty branches only (K6)
        return side.rows >= plan->limits.min_rows_leaf &&
               (plan->limits.min_weight_leaf <= 0 || static_cast<double>(side.weight) >= plan->limits.min_weight_leaf);
    }

  private:
    // The least and the largest number of a target, times `factor`, which is two to the power of -exponent.
    struct Span {
        double low, high, factor;
        int exponent;
    };
    Span span_of(std::size_t t) const {
        double low = outputs->row_values(row_[0])[t], high = low;
        for (std::size_t i = 1; i < row_.size(); ++i) {
            const double value = outputs->row_values(row_[i])[t];
            low = std::min(low, value);
            high = std::max(high, value);
        }
        const double largest = std::max(std::fabs(low), std::fabs(high));
        const int exponent = largest > 0 ? std::clamp(std::ilogb(largest), -1000, 1000) : 0;
        const double factor = std::ldexp(1.0, -exponent);
        return {low * factor, high * factor, factor, exponent};
    }
    // Whether a target of classes has more than one class here.
    bool has_classes() const {
        for (std::size_t t = 0; t < outputs->classes.size(); ++t) {
            if (!(outputs->classes[t].scale > 0)) continue;
            for (std::size_t row : row_)
                if (outputs->row_codes(row)[t] != outputs->row_codes(row_[0])[t]) return true;
        }
        return false;
    }
    // What brings the largest square of a target's range near 1.
    int lift_of_numbers() const {
        std::optional<int> most;
        for (std::size_t t = 0; t < spans_.size(); ++t) {
            const NumberOutput& number = outputs->numbers[t];
            if (!(number.scale > 0) || !(spans_[t].low < spans_[t].high)) continue;
            const int range = std::ilogb(spans_[t].high - spans_[t].low) + spans_[t].exponent;
            const int here = 2 * range + number.scale_exponent + std::ilogb(number.scale);
            most = std::max(most.value_or(here), here);
        }
        return -most.value_or(0);
    }
    // The numbers of a target in steps from their mean, times the weights.
    void lay_out(std::size_t t) {
        const auto [low, high, factor, exponent] = spans_[t];
        const auto value = [&, by = factor](std::size_t i) { return outputs->row_values(row_[i])[t] * by; };
        const std::size_t width = outputs->numbers.size();
        if (!(low < high)) {
            for (std::size_t i = 0; i < row_.size(); ++i) sums_[i * width + t] = 0;
            return;
        }
        const int bits = number_bits();
        const TargetGrid grid(low, high, bits);
        steps_.resize(row_.size());
        i128 total = 0;
        for (std::size_t i = 0; i < row_.size(); ++i) {
            steps_[i] = grid(value(i));
            total += static_cast<i128>(w_[i]) * steps_[i];
        }
        const i64 mean = static_cast<i64>(total / weight);
        const int cut = std::max(0, (2 * bits + outputs->weight_bits - 124) / 2);  // so that squares fit 128 bits
        i128 squares = 0;
        for (std::size_t i = 0; i < row_.size(); ++i) {
            const i64 step = steps_[i] - mean;
            sums_[i * width + t] = static_cast<Sum>(w_[i]) * step;
            const i128 coarse = step >> cut;
            squares += static_cast<i128>(w_[i]) * coarse * coarse;
        }
        const double coarse_step = std::ldexp(grid.step(), cut);
        const NumberOutput& number = outputs->numbers[t];
        const int power = number.scale_exponent + 2 * exponent + lift_;
        units[t] = std::ldexp(number.scale * grid.step() * grid.step(), power);
        impurity_ += std::ldexp(
            number.scale * coarse_step * coarse_step * to_double(squares) / static_cast<double>(weight), power);
    }
    // As many as leave room for sums of w y.
    int number_bits() const { return std::min(sizeof(Sum) == 8 ? 62 - outputs->weight_bits : 48, 50); }

    std::vector<i64> n_, w_, steps_;
    std::vector<std::size_t> row_;
    std::vector<Sum> sums_;    // row by row
    std::vector<Span> spans_;  // by target of numbers
    double impurity_ = 0;
    int lift_ = 0;
};

}  // namespace hornbeam
