// Blocks: small nodes are sorted once, then only partitioned.
//
// The rows of a node become lists, one for each column (block_lists.hpp); every node below is the same range in all of
// them. A split reorders each list stably by the side of the row; nothing is ever sorted again, and everything stays in
// the cache. A few rows are grown to the end without parting any list (bitset_node.hpp).
#pragma once

#include "hornbeam/grow/bitset_node.hpp"
#include "hornbeam/grow/block_missing.hpp"
#include "hornbeam/grow/block_nodes.hpp"
#include "hornbeam/grow/block_search.hpp"
#include "hornbeam/grow/exact_search.hpp"
#include "hornbeam/stats/outcome.hpp"

namespace hornbeam {

template <class O>
class Block final : public BlockNodes {
  public:
    using Carry = typename O::Carry;

    Block(const Growth& growth, const O& outcome, Arena* arena, const Pool& pool)
        : BlockNodes(growth, arena, pool),
          outcome_(outcome),
          search_(growth, outcome, lists_),
          gaps_(growth, outcome, lists_, arena_),
          bitset_node_(growth, outcome, arena_, neighbours_),
          regrid_(growth, outcome) {}

    void grow(Node* root, const Rows& rows, int depth, std::vector<i32> usable, const Bounds* bounds, u64 key,
              DealtLists* dealt, std::size_t b) override {
        const auto n = static_cast<u32>(rows.n);
        if (n == 0 || growth_.must_be_leaf(*root, depth)) return;
        auto columns = std::make_shared<const std::vector<i32>>(std::move(usable));
        lists_.load(rows.id, n, *columns, dealt, b);
        grow_rows(rows.id, reinterpret_cast<const Carry*>(rows.carry),
                  {root, 0, n, depth, std::move(columns), bounds ? *bounds : Bounds{}, key});
        while (!pending_.empty() && !pool_.stopped()) {
            Pending next = std::move(pending_.back());
            pending_.pop_back();
            if (std::exchange(next.open.coarse, false)) {
                regrid_.refine(*next.open.node, next.rows.id.data(), next.rows.carry.data(), next.rows.id.size(),
                               arena_, growth_.plan.constrained() ? &next.open.bounds : nullptr);
                if (growth_.must_be_leaf(*next.open.node, next.open.depth)) continue;
            }
            lists_.load(next.rows.id.data(), next.open.end, *next.open.columns, nullptr, 0);
            grow_rows(next.rows.id.data(), next.rows.carry.data(), std::move(next.open));
        }
        pending_.clear();
        pack(root);
    }

  private:
    // A node whose rows are not a range of the lists: parts of rows went to it, or they have a grid of their own.
    struct Pending {
        Open open;
        OwnRows<Carry> rows;
    };

    // The lists of the root are there.
    void grow_rows(const u32* rows, const Carry* carry, Open root) {
        carry_.assign(carry, carry + root.end);
        search_.load(carry_);
        bitset_node_.load(rows, carry_);
        plain_ = simple_ && lists_.plain();
        stack_.clear();
        stack_.push_back(std::move(root));
        while (!stack_.empty() && !pool_.stopped()) {
            Open open = std::move(stack_.back());
            stack_.pop_back();
            visit(open);
        }
    }

    void visit(Open& open) {
        const u32 n = open.end - open.begin;
        if (open.coarse) {
            if (open.columns->empty()) return;
            const u32* entries = lists_.list((*open.columns)[0]);
            std::vector<u32> places;
            for (u32 i = open.begin; i < open.end; ++i) places.push_back(id(entries[i]));
            return wait(places, {open.node, 0, n, open.depth, open.columns, std::move(open.bounds), open.key, true});
        }
        if (plain_ && n <= BitsetNode<O>::kMost) return grow_bitset(open, n);
        const Judge judge = judge_node(growth_, *open.node, growth_.plan.constrained() ? &open.bounds : nullptr);
        if (open.node->grid->uneven) return visit_uneven(judge, open);
        if (plain_ && n == 2 && growth_.plan.limits.min_rows_leaf <= 1) return part_pair(judge, open);
        if (growth_.plan.max_features == 0) drop_constant(open);  // else whoever grows the node draws the same columns
        choice_.start(growth_.plan, *open.columns, open.key);
        search_.prepare(judge);
        Candidate chosen;
        bool any = false;
        while (!any) {
            const std::vector<i32>& columns = choice_.more();
            if (columns.empty()) break;
            any = search_.choose(judge, open.begin, open.end, columns, chosen);
        }
        if (any && growth_.accepts(chosen, judge))
            plain_ ? split_plain(judge, open, chosen) : split(judge, open, chosen);
    }
    // Weights that lie too far apart are judged by exact sums.
    void visit_uneven(const Judge& judge, Open& open) {
        if (open.columns->empty()) return;
        const u32* entries = lists_.list((*open.columns)[0]);
        std::vector<u32> rows;
        for (u32 i = open.begin; i < open.end; ++i) rows.push_back(lists_.row(entries[i]));
        const ExactSearch search(growth_, rows, [&](std::size_t at, i64* lanes) {
            outcome_.row_lanes(carry_[id(entries[open.begin + at])], lanes);
        });
        choice_.start(growth_.plan, *open.columns, open.key);
        Candidate chosen;
        const auto each = [&](std::size_t n, const std::function<void(std::size_t)>& body) {
            for (std::size_t i = 0; i < n; ++i) body(i);
        };
        if (!search.choose(*open.node, growth_.plan.constrained() ? &open.bounds : nullptr, choice_, each, chosen))
            return;
        open.ends = chosen.ends;
        chosen.present.clear();  // read from the lists
        if (chosen.kind == SplitKind::threshold) {
            const u32 known = lists_.known_end(chosen.column, open.begin, open.end);
            const u32* own = lists_.list(chosen.column);
            for (u32 i = open.begin; i < known && lists_.value(chosen.column, own[i]) <= chosen.low; ++i)
                chosen.below = static_cast<i32>(rank(own[i]));
        }
        split(judge, open, std::move(chosen));
    }
    void grow_bitset(Open& open, u32 n) {
        coarse_.clear();
        bitset_node_.grow(
            open.node, n, open.depth, open.key, *open.columns, [&](i32 j) { return lists_.list(j) + open.begin; },
            coarse_);
        for (CoarsePart& part : coarse_) {
            const auto size = static_cast<u32>(part.places.size());
            wait(part.places, {part.node, 0, size, part.depth, open.columns, {}, part.key, true});
        }
    }
    // Puts a node aside until its rows are loaded again, on a grid of their own.
    void wait(const std::vector<u32>& places, Open open) {
        OwnRows<Carry> rows;
        for (u32 place : places) {
            rows.id.push_back(lists_.table_row(place));
            rows.carry.push_back(carry_[place]);
        }
        pending_.push_back({std::move(open), std::move(rows)});
    }
    // Two rows, as in half the nodes of a fully grown tree: every column that tells them apart parts them in the same
    // way, so the first one wins, and both children are leaves.
    void part_pair(const Judge& judge, Open& open) {
        choice_.start(growth_.plan, *open.columns, open.key);
        while (true) {
            const std::vector<i32>& columns = choice_.more();
            if (columns.empty()) return;
            for (i32 j : columns) {
                const u32* pair = lists_.list(j) + open.begin;
                if (rank(pair[0]) == rank(pair[1])) continue;
                lanes_.assign(2 * static_cast<std::size_t>(width_), 0);
                const i64* parts[2] = {lanes_.data(), lanes_.data() + width_};
                for (int b = 0; b < 2; ++b) outcome_.row_lanes(carry_[id(pair[b])], lanes_.data() + b * width_);
                Candidate chosen;
                if (!judge.judge(parts, 2, j, SplitKind::threshold, chosen)) return;
                if (!growth_.accepts(chosen, judge)) return;
                make_children(open, chosen);
                neighbours_.request(open.node, lists_.row(pair[0]), lists_.row(pair[1]));
                for (int b = 0; b < 2; ++b) std::copy_n(parts[b], width_, open.node->children[b].lanes);
                return;
            }
        }
    }

    // A threshold without gaps: in the list of its column the branches lie one after the other already.
    void split_plain(const Judge& judge, Open& open, const Candidate& chosen) {
        const u32* entries = lists_.list(chosen.column);
        const auto below = [&](u32 entry) { return rank(entry) <= static_cast<u32>(chosen.below); };
        const auto cut =
            static_cast<u32>(std::partition_point(entries + open.begin, entries + open.end, below) - entries);
        make_children(open, chosen);
        Node& node = *open.node;
        neighbours_.request(&node, lists_.row(entries[cut - 1]), lists_.row(entries[cut]));
        start_ = {open.begin, cut, open.end};
        int summed = 0;
        if (O::exact_bins && !chosen.first.empty()) {
            std::copy(chosen.first.begin(), chosen.first.end(), node.children[0].lanes);
        } else {
            summed = cut - open.begin <= open.end - cut ? 0 : 1;  // the smaller; the larger is what it leaves
            LaneSum<O> sum(outcome_, node.children[summed].lanes);
            for (u32 i = start_[static_cast<std::size_t>(summed)]; i < start_[static_cast<std::size_t>(summed) + 1];
                 ++i)
                sum.add(carry_[id(entries[i])]);
        }
        std::copy_n(node.lanes, width_, node.children[1 - summed].lanes);
        subtract_lanes(node.children[1 - summed].lanes, node.children[summed].lanes, width_);
        for (u32 i = open.begin; i < open.end; ++i) lists_.side(id(entries[i])) = i < cut ? 0 : 1;
        if (!open_children(judge, open)) return;
        for (i32 j : *open.columns)
            if (j != node.column) lists_.part_in_two(j, open.begin, open.end);
    }

    void split(const Judge& judge, Open& open, Candidate chosen) {
        const u32 known = part_known(open, chosen);
        const u32* entries = lists_.list(chosen.column);
        if constexpr (Divisible<Carry>)
            if (growth_.plan.missing == MissingRule::fractional && known < open.end)
                return split_fractions(judge, open, known);
        if (known_only(growth_.plan.missing) && growth_.plan.missing != MissingRule::fractional)
            gaps_.send(*open.node, carry_, open.begin, known, open.end);
        else
            for (u32 i = known; i < open.end; ++i) lists_.side(id(entries[i])) = static_cast<u16>(open.node->missing);
        if (known < open.end && known_only(growth_.plan.missing)) chosen.first.clear();
        set_lanes(open, chosen);
        if (open_children(judge, open)) part_lists(open);
    }
    // Every gap goes to all branches in parts. The children are loaded again, since a row may be in several.
    void split_fractions(const Judge& judge, Open& open, u32 known) {
        Node& node = *open.node;
        std::vector<OwnRows<Carry>> rows = gaps_.divide(node, carry_, open.begin, known, open.end);
        start_.assign(rows.size() + 1, 0);
        const std::size_t before = stack_.size();
        open_children(judge, open);
        while (stack_.size() > before) {
            Open child = std::move(stack_.back());
            stack_.pop_back();
            OwnRows<Carry>& own = rows[static_cast<std::size_t>(child.node - node.children)];
            child.begin = 0;
            child.end = static_cast<u32>(own.id.size());
            pending_.push_back({std::move(child), std::move(own)});
        }
    }
    // The children's lanes, and where their rows start.
    void set_lanes(const Open& open, const Candidate& chosen) {
        Node& node = *open.node;
        const u32* entries = lists_.list(node.column);
        start_.assign(static_cast<std::size_t>(node.n_children) + 1, 0);
        if (O::exact_bins && node.n_children == 2 && !chosen.first.empty()) {
            std::copy(chosen.first.begin(), chosen.first.end(), node.children[0].lanes);
            std::copy(node.lanes, node.lanes + width_, node.children[1].lanes);
            subtract_lanes(node.children[1].lanes, node.children[0].lanes, width_);
            u32 second = 0;
            for (u32 i = open.begin; i < open.end; ++i) second += lists_.side(id(entries[i]));
            start_[1] = open.end - open.begin - second;
            start_[2] = second;
        } else {
            for (u32 i = open.begin; i < open.end; ++i) ++start_[lists_.side(id(entries[i])) + 1U];
            const bool two = node.n_children == 2;  // then the larger is what the smaller leaves
            const auto skip = static_cast<u16>(two ? start_[1] < start_[2] : 0xffff);
            for (u32 i = open.begin; i < open.end; ++i) {
                const u32 row = id(entries[i]);
                if (lists_.side(row) != skip) outcome_.row_lanes(carry_[row], node.children[lists_.side(row)].lanes);
            }
            if (two) {
                std::copy(node.lanes, node.lanes + width_, node.children[skip].lanes);
                subtract_lanes(node.children[skip].lanes, node.children[1 - skip].lanes, width_);
            }
        }
        start_[0] = open.begin;
        for (std::size_t b = 1; b < start_.size(); ++b) start_[b] += start_[b - 1];
    }

    const O& outcome_;
    BlockSearch<O> search_;
    BlockGaps<O> gaps_;
    BitsetNode<O> bitset_node_;
    Regridder<O> regrid_;
    std::vector<CoarsePart> coarse_;
    std::vector<Carry> carry_;
    std::vector<i64> lanes_;
    std::vector<Pending> pending_;
    bool plain_ = false;  // the plan is simple, and all there is to search are thresholds of columns without gaps
};

}  // namespace hornbeam
