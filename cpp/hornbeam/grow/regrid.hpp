// Regrid: rows of a node on the grid that suits them.
//
// Growth needs it twice: for the root, and for nodes whose lanes are too coarse on the grid they came with. A grid
// follows from the range of all rows of the node; then each row goes there by itself.
#pragma once

#include <algorithm>
#include <vector>

#include "hornbeam/grow/learn.hpp"
#include "hornbeam/grow/node.hpp"
#include "hornbeam/stats/fixed_point.hpp"
#include "hornbeam/stats/outcome.hpp"

namespace hornbeam {

// Outcomes that count rows are exact as they are.
template <class O>
inline constexpr bool kHasGrid = false;
template <>
inline constexpr bool kHasGrid<ClassWeights> = true;
template <>
inline constexpr bool kHasGrid<Mean> = true;
template <>
inline constexpr bool kHasGrid<MeanRepeats> = true;
template <>
inline constexpr bool kHasGrid<Sums> = true;
template <>
inline constexpr bool kHasGrid<Rates> = true;

enum class NodeState : u8 { open, leaf, coarse };

// The sum of the squares of the mean: what closeness is measured by where 0 is the least.
inline double mean_square(const Moments& group) {
    const double sum = to_double(group.wy);
    return group.w > 0 ? sum * sum / static_cast<double>(group.w) : 0;
}

// Whether the grid was made for far more rows, which leave less room for bits, or for far heavier ones. Never where
// rows are counted: their grid was made for none.
inline bool too_many_or_light(const Growth& growth, const Node& node) {
    constexpr i64 kSmall = 4096;  // rows
    const i64 rows = growth.layout.rows(node.lanes);
    const Grid& grid = *node.grid;
    if (rows <= kSmall && grid.n_rows > 16 * kSmall) return true;
    return grid.least_weight > 0 &&
           static_cast<double>(growth.layout.weight(node.lanes)) < grid.least_weight * static_cast<double>(rows);
}

// Whether rounding the weights of classes moves scores by more than some 1e-10 of the impurity. A score changes by
// about as much as the sum of the weights does; impurity times weight is about what all but the largest class weigh.
inline bool is_rough(const Layout& layout, const i64* lanes) {
    i64 most = 0;
    for (int k = 0; k < layout.n_classes; ++k) most = std::max(most, lanes[k]);
    const double others = static_cast<double>(layout.weight(lanes) - most);
    return others < 1e10 * std::sqrt(static_cast<double>(layout.rows(lanes)));
}

// What becomes of a node. Rounding moves a score by about one step of the grid over the spread of the rows: that must
// stay far below the margin of ties, so rows that lie closer get a grid of their own.
inline NodeState state_of(const Growth& growth, const Node& node, int depth) {
    if (growth.too_small(node, depth)) return NodeState::leaf;
    if (node.grid->uneven || too_many_or_light(growth, node)) return NodeState::coarse;
    if (growth.layout.classes()) {
        if (growth.pure(node.lanes)) return NodeState::leaf;
        return node.grid->rounds && is_rough(growth.layout, node.lanes) ? NodeState::coarse : NodeState::open;
    }
    const Moments group(node.lanes);
    const double squares = group.squares(), least = node.grid->least_spread * static_cast<double>(group.w);
    if ((growth.layout.rates ? mean_square(group) : squares) < least) return NodeState::coarse;
    return squares <= 0 || growth.too_even(node, squares) ? NodeState::leaf : NodeState::open;
}

inline TargetRange target_range(const TargetView& target, const u32* id, std::size_t n) {
    TargetRange out;
    if (target.counts.empty()) out.n_rows = static_cast<i64>(n);
    if (target.weights.empty() && target.counts.empty() && target.values.empty()) return out;
    for (std::size_t i = 0; i < n; ++i) {
        if (!target.weights.empty()) {
            const double weight = target.weights[id[i]];
            out.lightest = std::min(out.lightest, weight);
            out.heaviest = std::max(out.heaviest, weight);
        }
        if (!target.counts.empty()) out.n_rows += target.counts[id[i]];
        if (target.values.empty()) continue;
        out.low = std::min(out.low, target.values[id[i]]);
        out.high = std::max(out.high, target.values[id[i]]);
    }
    return out;
}

// Whoever sums a target without weights by its mean, row by row or with repetitions, has the same grid.
inline bool has_plain_bits(const Growth& growth) {
    return growth.target->weights.empty() && growth.plan.criterion->name == "variance";
}

// Whether the weights lie so far apart that on this grid light rows lack digits that decide between splits. In a small
// table all rows must have them. In a larger one rounding evens out unless some are far lighter than others.
// fourth_powers(mean) of how far the rows lie from it: what they add for a step of their weight, squared.
template <class FourthPowers>
bool is_uneven(const Growth& growth, const TargetRange& range, const Grid& grid, const i64* lanes,
               FourthPowers&& fourth_powers) {
    if (growth.target->weights.empty() || growth.fractions) return false;
    const bool classes = growth.layout.classes();
    const double apart = range.heaviest / range.lightest;
    const bool is_wide = apart > 1024.0 * static_cast<double>(grid.n_rows);
    // What a grid holds exactly may still be lost in scores, which are doubles.
    if (classes && !grid.rounds && !growth.plan.criterion->ratio) return is_wide;
    constexpr std::size_t kFew = 64;  // rows of the table
    constexpr int kDigits = 42;       // bits that decide
    const Bits bits(grid.n_rows);
    const int all = classes ? bits.class_weight() : bits.summed_weight();
    if (growth.grid.n_rows <= kFew) return apart > std::ldexp(1.0, all - kDigits);
    if (is_wide) return true;
    if (classes) return is_rough(growth.layout, lanes);
    const Moments group(lanes);
    const double mean = to_double(group.wy) / static_cast<double>(group.w);
    return 0.3 * std::sqrt(fourth_powers(mean)) > 1e-10 * group.squares();
}

// Where a grid of their own begins for rows whose lanes on this one are these.
inline void set_least(const Growth& growth, const i64* lanes, Grid& grid) {
    constexpr int kFewBits = 5;    // a grid of its own is not worth less
    if (grid.n_rows == 0) return;  // it was made for none: rows are counted
    const Layout& layout = growth.layout;
    const double weight = static_cast<double>(layout.weight(lanes));
    grid.least_weight =
        growth.target->weights.empty() ? 0 : std::ldexp(weight / static_cast<double>(grid.n_rows), -kFewBits);
    if (layout.classes()) return;
    const Moments group(lanes);
    const double spread = (layout.rates ? mean_square(group) : group.squares()) / weight;
    const bool plain = has_plain_bits(growth);
    const double floor = std::ldexp(1.0, 2 * (plain ? 40 : 38));
    grid.least_spread = std::min(floor, std::ldexp(spread, -2 * (plain ? 2 * kFewBits : kFewBits)));
}

// Gives a node a grid of its own: regrid(grid, lanes) puts its rows there, fourth_powers(mean) as above. Sets the
// node's lanes and its bounds.
template <class Regrid, class FourthPowers>
void give_grid(const Growth& growth, Node& node, const TargetRange& range, Arena& arena, Bounds* bounds,
               Regrid&& regrid, FourthPowers&& fourth_powers) {
    const Grid& before = *node.grid;
    Grid& grid = *arena.grid();
    grid = before;
    std::fill(node.lanes, node.lanes + growth.layout.width(), 0);
    regrid(grid, node.lanes);
    set_least(growth, node.lanes, grid);
    grid.uneven = is_uneven(growth, range, grid, node.lanes, fourth_powers);
    node.grid = &grid;
    if (bounds == nullptr) return;
    for (std::size_t f = 0; f < growth.plan.functionals.size(); ++f) {
        if (growth.plan.functionals[f].kind != Functional::Kind::mean) continue;
        for (double* bound : {&bounds->low[f], &bounds->high[f]})
            *bound = ((before.centre - grid.centre) + before.unit * *bound) / grid.unit;
    }
}

template <class O>
class Regridder {
  public:
    using Carry = typename O::Carry;

    Regridder(const Growth& growth, const O& outcome) : growth_(growth), outcome_(outcome) {}

    // Puts rows on a grid of their own: their carry, and the lanes, grid and bounds of their node.
    void refine(Node& node, const u32* id, Carry* carry, std::size_t n, Arena& arena, Bounds* bounds) const {
        const TargetRange range = target_range(*growth_.target, id, n);
        give_grid(
            growth_, node, range, arena, bounds, [&](Grid& grid, i64* lanes) { set(range, grid, id, carry, n, lanes); },
            [&](double mean) { return fourth_powers(carry, n, mean); });
    }

    // Of what lies between the rows and a mean, on the grid.
    static double fourth_powers(const Carry* carry, std::size_t n, double mean) {
        double sum = 0;
        if constexpr (requires { carry->y; })
            for (std::size_t i = 0; i < n; ++i) {
                const double away = static_cast<double>(carry[i].y) - mean;
                sum += away * away * (away * away);
            }
        return sum;
    }

    // Sets the carry of rows on the grid that follows from the range; adds up their lanes.
    void set(const TargetRange& range, Grid& grid, const u32* id, Carry* carry, std::size_t n, i64* lanes) const {
        grid.rounds = grid.uneven = false;
        if constexpr (kHasGrid<O>) {
            make(range, grid, id, carry, n);
            grid.n_rows = static_cast<std::size_t>(range.n_rows);
        }
        for (std::size_t i = 0; i < n; ++i) outcome_.row_lanes(carry[i], lanes);
    }

  private:
    static constexpr bool kIsMean = std::derived_from<O, Mean>;

    const TargetView& target() const { return *growth_.target; }

    // Of y at a node of this size: half of what fewer rows leave, because squares take the rest.
    int plain_bits(const Bits& node) const {
        const Bits table = growth_.grid.n_rows == 0 ? node : Bits(growth_.grid.n_rows);
        return std::min(52, table.plain_target() + (table.size - node.size + 1) / 2);
    }
    void make(const TargetRange& range, Grid& grid, const u32* id, Carry* carry, std::size_t n) const {
        // Parts of rows keep the weights they have: what part of its row one is nobody knows any more.
        const bool keep = growth_.fractions && grid.n_rows > 0;
        const Bits bits(static_cast<std::size_t>(range.n_rows));
        if constexpr (std::is_same_v<O, ClassWeights>) {
            const WeightGrid weights(range.heaviest, bits.class_weight());
            for (std::size_t i = 0; i < n; ++i)
                if (!keep) set_weight(carry[i], id[i], weights);
            if (!keep && !target().weights.empty()) {
                grid.weight_unit = weights.unit;
                for (std::size_t i = 0; i < n && !grid.rounds; ++i) {
                    const double w = target().weights[id[i]];
                    grid.rounds = static_cast<double>(weights(w)) * weights.unit != w;
                }
            }
        } else if constexpr (kIsMean) {
            const TargetGrid values(range.low, range.high, plain_bits(bits));
            for (std::size_t i = 0; i < n; ++i) {
                const i64 y = values(target().values[id[i]]);
                if constexpr (std::is_same_v<O, Mean>) {
                    carry[i] = {y};
                } else {
                    carry[i] = {y, target().repetitions(id[i])};
                }
            }
            grid.unit = values.step();
            grid.centre = values.centre;
        } else {
            const int y_bits = target().weights.empty() ? bits.counted_target() : bits.summed_target();
            const WeightGrid weights(range.heaviest, bits.summed_weight());
            if constexpr (std::is_same_v<O, Rates>) {
                const RateGrid values(range.high, y_bits);
                for (std::size_t i = 0; i < n; ++i) {
                    if (!keep) set_weight(carry[i], id[i], weights);
                    carry[i] = Rates::carry(values(target().values[id[i]]), carry[i].n, carry[i].w);
                }
                grid.unit = values.unit;
            } else {
                const TargetGrid values(range.low, range.high, has_plain_bits(growth_) ? plain_bits(bits) : y_bits);
                for (std::size_t i = 0; i < n; ++i) {
                    if (!keep) set_weight(carry[i], id[i], weights);
                    carry[i].y = values(target().values[id[i]]);
                }
                grid.unit = values.step();
                grid.centre = values.centre;
            }
            if (!keep && !target().weights.empty()) grid.weight_unit = weights.unit;
        }
    }
    void set_weight(Carry& carry, u32 row, const WeightGrid& weights) const {
        carry.n = static_cast<decltype(carry.n)>(target().repetitions(row));
        carry.w = carry.n * (target().weights.empty() ? 1 : weights(target().weights[row]));
    }

    const Growth& growth_;
    const O& outcome_;
};

}  // namespace hornbeam
