// Regrid: rows of a node on the grid that suits them.
//
// Growth needs it twice: for the root, and for nodes whose lanes are too coarse on the grid they came with.
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

template <class O>
class Regridder {
  public:
    using Carry = typename O::Carry;

    Regridder(const Growth& growth, const O& outcome) : growth_(growth), outcome_(outcome) {}

    // Puts rows on a grid of their own: their carry, and the lanes, grid and bounds of their node.
    void refine(Node& node, const u32* id, Carry* carry, std::size_t n, Arena& arena, Bounds* bounds) const {
        const Grid& before = *node.grid;
        Grid& grid = *arena.grid();
        grid = before;
        set(grid, id, carry, n, node.lanes);
        node.grid = &grid;
        if (bounds == nullptr) return;
        for (std::size_t f = 0; f < growth_.plan.functionals.size(); ++f) {
            if (growth_.plan.functionals[f].kind != Functional::Kind::mean) continue;
            for (double* bound : {&bounds->low[f], &bounds->high[f]})
                *bound = ((before.centre - grid.centre) + before.unit * *bound) / grid.unit;
        }
    }

    // Sets the grid of rows, their carry and the sum of their lanes.
    void set(Grid& grid, const u32* id, Carry* carry, std::size_t n, i64* lanes) const {
        const int width = growth_.layout.width();
        grid.rounds = grid.uneven = false;
        if constexpr (kHasGrid<O>) make(grid, id, carry, n);
        std::fill(lanes, lanes + width, 0);
        for (std::size_t i = 0; i < n; ++i) outcome_.row_lanes(carry[i], lanes);
        if constexpr (!kHasGrid<O>) return;
        grid.n_rows = static_cast<std::size_t>(growth_.layout.rows(lanes));
        const double weight = static_cast<double>(growth_.layout.weight(lanes));
        grid.least_weight =
            target().weights.empty() ? 0 : std::ldexp(weight / static_cast<double>(grid.n_rows), -kFewBits);
        if (!target().weights.empty() && !growth_.fractions) grid.uneven = is_uneven(grid, id, carry, n, lanes);
        if (growth_.layout.classes()) return;
        const Moments group(lanes);
        const double spread = (growth_.layout.rates ? mean_square(group) : group.squares()) / weight;
        const double floor = std::ldexp(1.0, 2 * (has_plain_bits() ? 40 : 38));
        grid.least_spread = std::min(floor, std::ldexp(spread, -2 * (has_plain_bits() ? 2 * kFewBits : kFewBits)));
    }

  private:
    static constexpr int kFewBits = 5;  // a grid of its own is not worth less
    static constexpr bool kIsMean = std::derived_from<O, Mean>;

    const TargetView& target() const { return *growth_.target; }

    // Whoever sums a target without weights by its mean, row by row or with repetitions, has the same grid.
    bool has_plain_bits() const { return target().weights.empty() && growth_.plan.criterion->name == "variance"; }
    // Of y at a node of this size: half of what fewer rows leave, because squares take the rest.
    int plain_bits(const Bits& node) const {
        const Bits table = growth_.grid.n_rows == 0 ? node : Bits(growth_.grid.n_rows);
        return std::min(52, table.plain_target() + (table.size - node.size + 1) / 2);
    }
    i64 count(u32 row) const { return target().counts.empty() ? 1 : target().counts[row]; }
    // Weights are those of all copies of a row; on the grid each copy has the same.
    double weight_of_one(u32 row) const { return target().weights[row] / static_cast<double>(count(row)); }

    void make(Grid& grid, const u32* id, Carry* carry, std::size_t n) const {
        double heaviest = 0, low = std::numeric_limits<double>::infinity(), high = -low;
        double rows = 0;
        // Parts of rows keep the weights they have: what part of its row one is nobody knows any more.
        const bool keep = growth_.fractions && grid.n_rows > 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (!target().weights.empty()) heaviest = std::max(heaviest, weight_of_one(id[i]));
            rows += static_cast<double>(count(id[i]));
            if (target().values.empty()) continue;
            low = std::min(low, target().values[id[i]]);
            high = std::max(high, target().values[id[i]]);
        }
        const Bits bits(static_cast<std::size_t>(rows));
        if constexpr (std::is_same_v<O, ClassWeights>) {
            const WeightGrid weights(heaviest, bits.class_weight());
            for (std::size_t i = 0; i < n; ++i)
                if (!keep) set_weight(carry[i], id[i], weights);
            if (!keep && !target().weights.empty()) {
                grid.weight_unit = weights.unit;
                for (std::size_t i = 0; i < n && !grid.rounds; ++i) {
                    const double w = weight_of_one(id[i]);
                    grid.rounds = static_cast<double>(weights(w)) * weights.unit != w;
                }
            }
        } else if constexpr (kIsMean) {
            const TargetGrid values(low, high, plain_bits(bits));
            for (std::size_t i = 0; i < n; ++i) {
                const i64 y = values(target().values[id[i]]);
                if constexpr (std::is_same_v<O, Mean>) {
                    carry[i] = outcome_.carry(y);
                } else {
                    carry[i] = outcome_.carry(y, count(id[i]));
                }
            }
            grid.unit = values.step();
            grid.centre = values.centre;
        } else {
            const int y_bits = target().weights.empty() ? bits.counted_target() : bits.summed_target();
            const WeightGrid weights(heaviest, bits.summed_weight());
            if constexpr (std::is_same_v<O, Rates>) {
                const RateGrid values(high, y_bits);
                for (std::size_t i = 0; i < n; ++i) {
                    if (!keep) set_weight(carry[i], id[i], weights);
                    carry[i] = Rates::carry(values(target().values[id[i]]), carry[i].n, carry[i].w);
                }
                grid.unit = values.unit;
            } else {
                const TargetGrid values(low, high, has_plain_bits() ? plain_bits(bits) : y_bits);
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
    // Whether the weights lie so far apart that on this grid light rows lack digits that decide between splits. In a
    // small table all rows must have them. In a larger one rounding evens out unless some are far lighter than others.
    bool is_uneven(const Grid& grid, const u32* id, const Carry* carry, std::size_t n, const i64* lanes) const {
        if (growth_.layout.classes() && !grid.rounds && !growth_.plan.criterion->ratio) return false;
        constexpr std::size_t kFew = 64;  // rows of the table
        constexpr int kDigits = 42;       // bits that decide
        double lightest = std::numeric_limits<double>::infinity(), heaviest = 0;
        for (std::size_t i = 0; i < n; ++i) {
            lightest = std::min(lightest, weight_of_one(id[i]));
            heaviest = std::max(heaviest, weight_of_one(id[i]));
        }
        const Bits bits(grid.n_rows);
        const int all = growth_.layout.classes() ? bits.class_weight() : bits.summed_weight();
        if (growth_.grid.n_rows <= kFew) return heaviest / lightest > std::ldexp(1.0, all - kDigits);
        if (heaviest / lightest > 1024.0 * static_cast<double>(grid.n_rows)) return true;
        if (growth_.layout.classes()) return is_rough(growth_.layout, lanes);
        if constexpr (requires { carry->y; }) {
            const Moments group(lanes);
            const double mean = to_double(group.wy) / static_cast<double>(group.w);
            double squares = 0;  // of what each row adds for a step of its weight
            for (std::size_t i = 0; i < n; ++i) {
                const double away = static_cast<double>(carry[i].y) - mean;
                squares += away * away * (away * away);
            }
            return 0.3 * std::sqrt(squares) > 1e-10 * group.squares();
        }
        return false;
    }
    void set_weight(Carry& carry, u32 row, const WeightGrid& weights) const {
        carry.n = static_cast<decltype(carry.n)>(count(row));
        carry.w = carry.n * (target().weights.empty() ? 1 : weights(weight_of_one(row)));
    }

    const Growth& growth_;
    const O& outcome_;
};

}  // namespace hornbeam
