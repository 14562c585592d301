// Where the rows go whose value is missing (a gap), at a split that was judged by its known rows alone.
//
//   majority     to the heaviest branch
//   surrogates   where the first surrogate that knows sends them, else to the heaviest branch
//   fractional   to every branch, with the branch's share of their weight (Quinlan 1993)
#pragma once

#include <optional>

#include "hornbeam/grow/learn.hpp"
#include "hornbeam/grow/node.hpp"
#include "hornbeam/stats/fixed_point.hpp"

namespace hornbeam {

// The first of the heaviest branches. Weights that follow from priors and costs are rounded, so branches that differ by
// less than the margin of ties weigh the same.
inline i32 heaviest(const std::vector<i64>& weight) {
    const double most = static_cast<double>(*std::max_element(weight.begin(), weight.end()));
    const auto is_heaviest = [&](i64 one) { return static_cast<double>(one) >= most - 1e-12 * most; };
    return static_cast<i32>(std::find_if(weight.begin(), weight.end(), is_heaviest) - weight.begin());
}

// What the known rows of a node weigh: on the grid of the node, or on one of their own where its weights lie so far
// apart that a gap may outweigh all of them.
class KnownWeights {
  public:
    // `known(i)`: row i of n, or nothing for a gap.
    template <class Known>
    KnownWeights(const Growth& growth, const Node& node, std::size_t n, Known&& known) : growth_(growth) {
        double heaviest = 0;
        for (std::size_t i = 0; i < n && node.grid->uneven; ++i)
            if (const std::optional<u32> row = known(i)) heaviest = std::max(heaviest, growth.target->weights[*row]);
        set(node, heaviest);
    }
    // The same where the heaviest of the known rows is found already.
    KnownWeights(const Growth& growth, const Node& node, double heaviest) : growth_(growth) { set(node, heaviest); }
    bool own() const { return own_.has_value(); }
    i64 operator()(u32 row, i64 on_grid) const {
        return own_ ? growth_.target->repetitions(row) * (*own_)(growth_.target->weights[row]) : on_grid;
    }

  private:
    void set(const Node& node, double heaviest) {
        if (!node.grid->uneven) return;
        own_.emplace(heaviest, Bits(static_cast<std::size_t>(growth_.layout.rows(node.lanes))).class_weight());
    }
    const Growth& growth_;
    std::optional<WeightGrid> own_;
};

// Rows that have a weight. Where rows are to be divided they always have one (learn.cpp).
template <class Carry>
concept Divisible = requires(Carry row) { row.w; };

// Divides rows among branches by their known weight. The heaviest branch gets what rounding left, so nothing is lost.
class Fractions {
  public:
    explicit Fractions(const std::vector<i64>& weight) : heaviest_(static_cast<std::size_t>(heaviest(weight))) {
        double all = 0;
        for (i64 w : weight) all += static_cast<double>(w);
        for (i64 w : weight) share_.push_back(static_cast<double>(w) / all);
    }
    // Calls put(branch, part) for every part of a row that weighs something.
    template <Divisible Carry, class Put>
    void divide(const Carry& row, Put&& put) const {
        i64 rest = row.w;
        const i64 one = row.w / row.n;  // copies of a row are divided as the row is
        for (std::size_t b = 0; b < share_.size(); ++b) {
            if (b == heaviest_) continue;
            Carry part = row;
            part.w = std::min(rest, row.n * static_cast<i64>(std::nearbyint(static_cast<double>(one) * share_[b])));
            rest -= part.w;
            if (part.w > 0) put(b, part);
        }
        Carry part = row;
        part.w = rest;
        if (rest > 0) put(heaviest_, part);
    }

  private:
    std::vector<double> share_;
    std::size_t heaviest_;
};

// Chooses where gaps go at a node (majority, surrogates): writes node.missing and the surrogates.
class GapRules {
  public:
    explicit GapRules(const Growth& growth) : growth_(growth), search_(growth.columns, growth.plan.surrogates) {}

    // `rows`: all rows with their branches, negative for a gap; `weight`: the known weight of each branch. Where no row
    // has a gap, `rows` may be empty: the surrogates are searched once the tree is grown (surrogates_of_tree.hpp).
    void set(Node& node, const std::vector<i64>& weight, const std::vector<RowSide>& rows, Arena& arena) {
        node.missing = heaviest(weight);
        if (growth_.plan.missing != MissingRule::surrogates || weight.size() != 2 || rows.empty()) return;
        std::vector<Surrogate> surrogates = search_.find(rows, {node.column});
        if (surrogates.empty()) return;
        if (node.side == nullptr) node.side = arena.side();
        node.side->surrogates = std::move(surrogates);
    }
    // The branch of a row whose value is missing.
    i32 branch(const Node& node, u32 row) const {
        if (growth_.plan.missing == MissingRule::surrogates && node.side != nullptr)
            for (const Surrogate& one : node.side->surrogates) {
                const i32 to = one.branch(growth_.columns[static_cast<std::size_t>(one.column)], row);
                if (to >= 0) return to;
            }
        return node.missing;
    }

  private:
    const Growth& growth_;
    SurrogateSearch search_;
};

}  // namespace hornbeam
