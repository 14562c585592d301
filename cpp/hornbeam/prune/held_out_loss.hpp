// What rows that did not grow a tree lose at every critical alpha of its path, in one pass over the rows.
//
// A row is in its leaf at alpha 0 and moves towards the root as tests collapse. Its loss stays the same between two
// moves, so it is added where the row arrives at a node and taken off where the row leaves it:
//
//     alphas       0   1   2   3   4   5          the row is in its leaf at 0 and 1, in the parent from 2 to 4,
//     difference  +a      +b-a        +c-b        at the root from 5 on
//
// Sums of differences are the losses of all rows. They are taken in integers (FineSum), so that the order of the rows
// does not matter and what is added and taken off again leaves no trace.
#pragma once

#include <algorithm>
#include <span>

#include "hornbeam/types.hpp"

namespace hornbeam {

struct HeldOutRows {
    std::span<const i32> leaf;
    std::span<const double> weight;  // of each row, 0 if it takes no part
};

struct PrunedTree {
    std::span<const i32> first_child, n_children;
    std::span<const i32> until;  // of each node: the first alpha at which it is no test any more; 0 for a leaf
    i32 n_alphas = 0;
};

struct Losses {
    std::vector<double> sum, squares;  // by alpha: weight * loss, weight * loss^2
    u64 steps = 0;                     // nodes the rows stood in
};

// `loss(row, node)` is what a row loses if it is answered by a node, `loss.most()` no less than the largest of them.
template <class Loss>
Losses held_out_losses(const PrunedTree& tree, const HeldOutRows& rows, const Loss& loss);

// The losses there are: by the class of a row, by costs of its own, by the distance of its value.
struct ClassLoss {
    std::span<const i32> code, label;
    std::span<const double> cost;  // cost[true * n_classes + answered]
    std::size_t n_classes;
    double operator()(std::size_t row, std::size_t node) const {
        return cost[static_cast<std::size_t>(code[row]) * n_classes + static_cast<std::size_t>(label[node])];
    }
    double most() const { return cost.empty() ? 0 : *std::max_element(cost.begin(), cost.end()); }
};
struct RowCostLoss {
    std::span<const i32> label;
    std::span<const double> cost;  // cost[row * n_classes + answered]
    std::size_t n_classes;
    double operator()(std::size_t row, std::size_t node) const {
        return cost[row * n_classes + static_cast<std::size_t>(label[node])];
    }
    double most() const { return cost.empty() ? 0 : *std::max_element(cost.begin(), cost.end()); }
};
struct SquaredLoss {
    std::span<const double> value, answer;
    double operator()(std::size_t row, std::size_t node) const {
        const double away = value[row] - answer[node];
        return away * away;
    }
    double most() const {
        if (value.empty() || answer.empty()) return 0;
        const auto [low, high] = std::minmax_element(value.begin(), value.end());
        const auto [least, greatest] = std::minmax_element(answer.begin(), answer.end());
        const double away = std::max(*greatest - *low, *high - *least);
        return away * away;
    }
};

}  // namespace hornbeam
