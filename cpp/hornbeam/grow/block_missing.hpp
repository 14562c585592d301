// Missing values in a block: at a split that was judged by the known rows alone they go where the rule sends them
// (missing.hpp).
#pragma once

#include "hornbeam/grow/block_lists.hpp"
#include "hornbeam/grow/missing.hpp"
#include "hornbeam/grow/row_loops.hpp"

namespace hornbeam {

// The rows of a node are [begin, end) in the list of the column it tests, those up to `known` have their sides.
template <class O>
class BlockGaps {
  public:
    using Carry = typename O::Carry;

    BlockGaps(const Growth& growth, const O& outcome, BlockLists& lists, Arena& arena)
        : growth_(growth), outcome_(outcome), lists_(lists), arena_(arena), rules_(growth) {}

    // Majority and surrogates: where the gaps go is learned from the known rows.
    void send(Node& node, const std::vector<Carry>& carry, u32 begin, u32 known, u32 end) {
        const u32* entries = lists_.list(node.column);
        std::vector<i64> weight(static_cast<std::size_t>(node.n_children), 0);
        row_sides_.clear();
        const bool needs_surrogates = growth_.plan.missing == MissingRule::surrogates && known < end;
        const KnownWeights weigh(growth_, node, known - begin,
                                 [&](std::size_t i) { return std::optional(lists_.row(entries[begin + i])); });
        for (u32 i = begin; i < known; ++i) {
            const u32 id = BlockLists::id(entries[i]);
            const i64 w = weigh(lists_.row(entries[i]), outcome_.weight(carry[id]));
            weight[lists_.side(id)] += w;
            if (needs_surrogates)
                row_sides_.push_back({lists_.row(entries[i]), lists_.side(id), w, rows_of<O>(carry[id])});
        }
        for (u32 i = known; i < end && needs_surrogates; ++i) row_sides_.push_back({lists_.row(entries[i]), -1, 0});
        rules_.set(node, weight, row_sides_, arena_);
        for (u32 i = known; i < end; ++i)
            lists_.side(BlockLists::id(entries[i])) = static_cast<u16>(rules_.branch(node, lists_.row(entries[i])));
    }
    // Every gap goes to all branches in parts: the rows of each branch. Sets the children's lanes.
    std::vector<OwnRows<Carry>> divide(Node& node, const std::vector<Carry>& carry, u32 begin, u32 known, u32 end) {
        const u32* entries = lists_.list(node.column);
        const auto k = static_cast<std::size_t>(node.n_children);
        std::vector<OwnRows<Carry>> out(k);
        const auto put = [&](std::size_t b, u32 row, const Carry& part) {
            out[b].id.push_back(row);
            out[b].carry.push_back(part);
            outcome_.row_lanes(part, node.children[b].lanes);
        };
        for (u32 i = begin; i < known; ++i) {
            const u32 id = BlockLists::id(entries[i]);
            put(lists_.side(id), lists_.row(entries[i]), carry[id]);
        }
        std::vector<i64> weight;
        for (std::size_t b = 0; b < k; ++b) weight.push_back(growth_.layout.weight(node.children[b].lanes));
        const Fractions fractions(weight);
        for (u32 i = known; i < end; ++i)
            fractions.divide(carry[BlockLists::id(entries[i])],
                             [&](std::size_t b, const Carry& part) { put(b, lists_.row(entries[i]), part); });
        return out;
    }

  private:
    const Growth& growth_;
    const O& outcome_;
    BlockLists& lists_;
    Arena& arena_;
    GapRules rules_;
    std::vector<RowSide> row_sides_;
};

}  // namespace hornbeam
