// One side of a partition: the sums of all targets over its rows, and what its impurity costs.
//
// A side costs weight times impurity, added up over the targets. For numbers the sum of w y^2 is left out, which the
// sides of a node share; y is measured from the node's mean there, so that nothing cancels in the rest,
//
//   cost = sum over targets   classes, Gini   (w^2 - sum w_k^2) / w       numbers   - (sum w y)^2 / w
//
// All sums are integers: rows are added and taken in any order. `Sum` holds squares of weights and sums of w y.
#pragma once

#include "hornbeam/outputs/output_rows.hpp"
#include "hornbeam/stats/wide.hpp"

namespace hornbeam {

// A row at a node: its weight and repetitions, its classes' lanes, and w y of its numbers in steps of the node.
template <class Sum>
struct OutputRow {
    i64 n, w;
    const i32* codes;
    const Sum* sums;
};

template <class Sum>
struct OutputSide {
    i64 rows = 0, weight = 0;
    std::vector<i64> lanes;    // of classes
    std::vector<Sum> squares;  // sum of w_k^2, by class target
    std::vector<Sum> sums;     // sum of w y, by target of numbers

    void clear(const OutputRows& outputs) {
        rows = weight = 0;
        lanes.assign(outputs.n_lanes, 0);
        squares.assign(outputs.classes.size(), 0);
        sums.assign(outputs.numbers.size(), 0);
    }
    void add(const OutputRow<Sum>& row) {
        rows += row.n;
        weight += row.w;
        for (std::size_t t = 0; t < squares.size(); ++t) {
            i64& lane = lanes[static_cast<std::size_t>(row.codes[t])];
            squares[t] += static_cast<Sum>(row.w) * (2 * static_cast<Sum>(lane) + row.w);
            lane += row.w;
        }
        for (std::size_t t = 0; t < sums.size(); ++t) sums[t] += row.sums[t];
    }
    void take(const OutputRow<Sum>& row) {
        rows -= row.n;
        weight -= row.w;
        for (std::size_t t = 0; t < squares.size(); ++t) {
            i64& lane = lanes[static_cast<std::size_t>(row.codes[t])];
            squares[t] -= static_cast<Sum>(row.w) * (2 * static_cast<Sum>(lane) - row.w);
            lane -= row.w;
        }
        for (std::size_t t = 0; t < sums.size(); ++t) sums[t] -= row.sums[t];
    }
    void merge(const OutputSide& other, const OutputRows& outputs) {
        rows += other.rows;
        weight += other.weight;
        for (std::size_t j = 0; j < lanes.size(); ++j) lanes[j] += other.lanes[j];
        for (std::size_t t = 0; t < sums.size(); ++t) sums[t] += other.sums[t];
        square_up(outputs);
    }
    void part(const OutputSide& other, const OutputRows& outputs) {
        rows -= other.rows;
        weight -= other.weight;
        for (std::size_t j = 0; j < lanes.size(); ++j) lanes[j] -= other.lanes[j];
        for (std::size_t t = 0; t < sums.size(); ++t) sums[t] -= other.sums[t];
        square_up(outputs);
    }
    // `units`: by target of numbers, what the square of one step counts.
    double cost(const OutputRows& outputs, const std::vector<double>& units) const {
        if (weight == 0) return 0;
        double sum = 0, other = 0;
        if (outputs.criterion == &kCriteria[0]) {
            const Sum square = static_cast<Sum>(weight) * weight;
            for (std::size_t t = 0; t < squares.size(); ++t)
                sum += outputs.classes[t].scale * as_double(square - squares[t]);
        } else {
            for (const ClassOutput& output : outputs.classes)
                other +=
                    output.scale * outputs.criterion->potential(lanes.data() + output.first_lane, output.n_classes);
        }
        for (std::size_t t = 0; t < sums.size(); ++t) {
            const double total = as_double(sums[t]);
            sum -= units[t] * total * total;
        }
        return other + sum / static_cast<double>(weight);
    }

  private:
    static double as_double(i64 x) { return static_cast<double>(x); }
    static double as_double(i128 x) { return to_double(x); }
    void square_up(const OutputRows& outputs) {
        for (std::size_t t = 0; t < squares.size(); ++t) {
            const ClassOutput& output = outputs.classes[t];
            squares[t] = 0;
            for (std::size_t k = output.first_lane; k < output.first_lane + static_cast<std::size_t>(output.n_classes);
                 ++k)
                squares[t] += static_cast<Sum>(lanes[k]) * lanes[k];
        }
    }
};

}  // namespace hornbeam
