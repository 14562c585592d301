#include "hornbeam/grow/random_block.hpp"

#include <optional>

#include "hornbeam/grow/block_nodes.hpp"
#include "hornbeam/grow/exact_search.hpp"
#include "hornbeam/grow/missing.hpp"
#include "hornbeam/grow/random_search.hpp"
#include "hornbeam/grow/regrid.hpp"

namespace hornbeam {
namespace {

template <class O>
class RandomBlock final : public BlockNodes {
  public:
    using Carry = typename O::Carry;

    RandomBlock(const Growth& growth, const O& outcome, Arena* arena, const Pool& pool)
        : BlockNodes(growth, arena, pool),
          outcome_(outcome),
          search_(growth, outcome),
          gaps_(growth),
          regrid_(growth, outcome) {}

    void grow(Node* root, const Rows& rows, int depth, std::vector<i32> usable, const Bounds* bounds, u64 key,
              DealtLists*, std::size_t) override {
        const auto n = static_cast<u32>(rows.n);
        if (n == 0 || growth_.must_be_leaf(*root, depth)) return;
        const auto* carry = reinterpret_cast<const Carry*>(rows.carry);
        id_.assign(rows.id, rows.id + n);
        carry_.assign(carry, carry + n);
        side_.resize(n);
        spare_side_.resize(n);
        spare_id_.resize(n);
        spare_.resize(n);
        stack_.clear();
        auto columns = std::make_shared<const std::vector<i32>>(std::move(usable));
        stack_.push_back({root, 0, n, depth, std::move(columns), bounds ? *bounds : Bounds{}, key});
        while (!stack_.empty() && !pool_.stopped()) {
            Open open = std::move(stack_.back());
            stack_.pop_back();
            visit(open);
        }
        pack(root);
    }

  private:
    std::span<const u32> ids(const Open& open) const {
        return std::span(id_).subspan(open.begin, open.end - open.begin);
    }
    Bounds* bounds(Open& open) const { return growth_.plan.constrained() ? &open.bounds : nullptr; }

    void visit(Open& open) {
        if (std::exchange(open.coarse, false)) {
            regrid_.refine(*open.node, id_.data() + open.begin, carry_.data() + open.begin, open.end - open.begin,
                           arena_, bounds(open));
            if (growth_.must_be_leaf(*open.node, open.depth)) return;
        }
        const Judge judge = judge_node(growth_, *open.node, bounds(open));
        choice_.start(growth_.plan, *open.columns, open.key);
        Candidate chosen;
        if (open.node->grid->uneven ? choose_exactly(open, chosen)
                                    : search_.choose(judge, ids(open), carry_.data() + open.begin, choice_, chosen) &&
                                          growth_.accepts(chosen, judge))
            split(judge, open, chosen);
    }
    // Weights that lie too far apart are judged by exact sums.
    bool choose_exactly(Open& open, Candidate& chosen) {
        const ExactSearch search(growth_, ids(open), [&](std::size_t at, i64* lanes) {
            outcome_.row_lanes(carry_[open.begin + at], lanes);
        });
        const auto each = [&](std::size_t n, const std::function<void(std::size_t)>& body) {
            for (std::size_t i = 0; i < n; ++i) body(i);
        };
        if (!search.choose(*open.node, bounds(open), choice_, each, chosen)) return false;
        open.ends = chosen.ends;
        search_.forget();
        return true;
    }

    void split(const Judge& judge, Open& open, const Candidate& chosen) {
        make_children(open, chosen);
        Node& node = *open.node;
        u8* side = side_.data() + open.begin;
        search_.branches(node, ValueRouter(growth_, node), ids(open), side);
        const bool by_rule = known_only(growth_.plan.missing), sent = by_rule && send_gaps(open);
        start_.assign(static_cast<std::size_t>(node.n_children) + 1, open.begin);
        part(open);
        int summed = node.n_children;  // which children have their lanes
        if (node.n_children == 2) {
            summed = start_[1] - open.begin > open.end - start_[1];  // the smaller; the larger is what it leaves
            if (!sent && !chosen.first.empty()) {
                summed = 0;
                std::copy(chosen.first.begin(), chosen.first.end(), node.children[0].lanes);
            } else {
                add_up(node, summed);
            }
            std::copy_n(node.lanes, width_, node.children[1 - summed].lanes);
            subtract_lanes(node.children[1 - summed].lanes, node.children[summed].lanes, width_);
        }
        for (int b = 0; b < node.n_children && summed == node.n_children; ++b) add_up(node, b);
        open_children(judge, open);
    }
    void add_up(Node& node, int b) {
        LaneSum<O> sum(outcome_, node.children[b].lanes);
        const auto at = static_cast<std::size_t>(b);
        for (u32 i = start_[at]; i < start_[at + 1]; ++i) sum.add(carry_[i]);
    }
    // Gaps go to the branch of the most known weight. False if there are none.
    bool send_gaps(const Open& open) {
        Node& node = *open.node;
        constexpr u8 kGap = RandomSearch<O>::kGap;
        bool any = false;
        const auto known = [&](std::size_t i) {
            return side_[open.begin + i] == kGap ? std::nullopt : std::optional(id_[open.begin + i]);
        };
        const KnownWeights weigh(growth_, node, open.end - open.begin, known);
        std::vector<i64> weight(static_cast<std::size_t>(node.n_children), 0);
        for (u32 i = open.begin; i < open.end; ++i) {
            any |= side_[i] == kGap;
            if (side_[i] != kGap) weight[side_[i]] += weigh(id_[i], outcome_.weight(carry_[i]));
        }
        gaps_.set(node, weight, {}, arena_);
        for (u32 i = open.begin; i < open.end; ++i)
            if (side_[i] == kGap) side_[i] = static_cast<u8>(node.missing);
        return any;
    }
    // Puts the rows of the branches one after the other, and says where each begins.
    void part(const Open& open) {
        const bool two = start_.size() == 3;
        u32 end = open.begin;
        for (std::size_t b = 0; b + 2 < start_.size(); ++b) {  // those of branch b to the front of what is left
            const u32 begin = end;
            u32* const id = id_.data() + begin;
            Carry* const carry = carry_.data() + begin;
            const u8* const side = side_.data() + begin;
            u32 mine = 0, others = 0;
            for (u32 i = 0; i < open.end - begin; ++i) {
                const u32 one = id[i];
                const Carry row = carry[i];
                const bool is_mine = side[i] == b;
                id[mine] = spare_id_[others] = one;
                carry[mine] = spare_[others] = row;
                if (!two) spare_side_[others] = side[i];
                mine += is_mine;
                others += !is_mine;
            }
            end = begin + mine;
            std::copy_n(spare_id_.data(), others, id_.data() + end);
            std::copy_n(spare_.data(), others, carry_.data() + end);
            if (!two) std::copy_n(spare_side_.data(), others, side_.data() + end);
            start_[b + 1] = end;
        }
        start_.back() = open.end;
    }

    const O& outcome_;
    RandomSearch<O> search_;
    GapRules gaps_;
    Regridder<O> regrid_;
    std::vector<u32> id_, spare_id_;
    std::vector<u8> side_, spare_side_;
    std::vector<Carry> carry_, spare_;
};

}  // namespace

template <class O>
std::unique_ptr<SubtreeGrower> random_block(const Growth& growth, const O& outcome, Arena* arena, const Pool& pool) {
    return std::make_unique<RandomBlock<O>>(growth, outcome, arena, pool);
}
template <class O>
bool choose_drawn(const Growth& growth, const O& outcome, const Judge& judge, const Rows& rows, ColumnChoice& choice,
                  Candidate& chosen) {
    const auto* carry = reinterpret_cast<const typename O::Carry*>(rows.carry);
    return RandomSearch<O>(growth, outcome).choose(judge, {rows.id, rows.n}, carry, choice, chosen);
}

#define HORNBEAM_RANDOM_BLOCK(O)                                                                        \
    template std::unique_ptr<SubtreeGrower> random_block(const Growth&, const O&, Arena*, const Pool&); \
    template bool choose_drawn(const Growth&, const O&, const Judge&, const Rows&, ColumnChoice&, Candidate&);
HORNBEAM_RANDOM_BLOCK(TwoCounts)
HORNBEAM_RANDOM_BLOCK(Counts)
HORNBEAM_RANDOM_BLOCK(TwoRepeats)
HORNBEAM_RANDOM_BLOCK(Repeats)
HORNBEAM_RANDOM_BLOCK(ClassWeights)
HORNBEAM_RANDOM_BLOCK(Mean)
HORNBEAM_RANDOM_BLOCK(MeanRepeats)
HORNBEAM_RANDOM_BLOCK(Sums)
HORNBEAM_RANDOM_BLOCK(Rates)

}  // namespace hornbeam
