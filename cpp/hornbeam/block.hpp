// Blocks: small nodes are sorted once, then only partitioned.
//
// The rows of a node get local 16-bit ids. Each column becomes one list of 32-bit entries in value order,
//
//   entry = rank << 16 | id      rank counts the distinct values; 65535 is "missing", at the end
//
// and every node below is the same range [begin, end) in all lists. A split reorders each list stably by the side of
// the id; nothing is ever sorted again, and everything stays in the cache.
#pragma once

#include "flatten.hpp"
#include "gaps.hpp"
#include "outcome.hpp"
#include "parallel.hpp"
#include "runners.hpp"
#include "searches.hpp"
#include "select.hpp"
#include "sorting.hpp"

namespace hornbeam {

template <class O>
class Block {
  public:
    using Carry = typename O::Carry;

    // Nodes go into `arena`; without one a finished subtree is packed.
    Block(const Growth& growth, const O& outcome, Arena* arena, const Pool& pool)
        : growth_(growth),
          outcome_(outcome),
          scratch_(growth.layout.width()),
          arena_(arena == nullptr ? scratch_ : *arena),
          pool_(pool),
          gap_rules_(growth),
          width_(growth.layout.width()) {}

    // Grows the whole subtree of `root`, whose lanes are set. `usable` are the columns not yet used up.
    void grow(Node* root, const u32* rows, const Carry* carry, u32 n, int depth, std::vector<i32> usable,
              const Bounds* bounds, u64 key) {
        if (n == 0 || growth_.must_be_leaf(root->lanes, depth)) return;
        auto columns = std::make_shared<const std::vector<i32>>(std::move(usable));
        grow_rows(rows, carry, {root, 0, n, depth, std::move(columns), bounds ? *bounds : Bounds{}, key});
        while (!pending_.empty() && !pool_.stopped()) {
            Pending next = std::move(pending_.back());
            pending_.pop_back();
            grow_rows(next.rows.data(), next.carry.data(), std::move(next.open));
        }
        pending_.clear();
        if (&arena_ != &scratch_ || root->n_children == 0) return;
        packed_.push_back(Flattener(growth_).run(root, scratch_.count() + 1));
        packed_nodes_ += scratch_.count();
        root->packed = &packed_.back();
        scratch_.clear();
    }
    // Nodes in packed subtrees, their roots left out.
    std::size_t packed_nodes() const { return packed_nodes_; }
    // Frees what growing needed; packed subtrees stay.
    void finish() {
        lists_ = {};
        scratch_ = Arena(width_);
    }

  private:
    using Columns = std::shared_ptr<const std::vector<i32>>;  // as a rule the same for a whole subtree

    // A node that is no leaf yet, as far as its lanes tell.
    struct Open {
        Node* node;
        u32 begin, end;
        int depth;
        Columns columns;
        Bounds bounds;
        u64 key;
    };

    // A node whose rows are not a range of the lists: parts of rows went to it.
    struct Pending {
        Open open;
        std::vector<u32> rows;
        std::vector<Carry> carry;
    };

    void grow_rows(const u32* rows, const Carry* carry, Open root) {
        rows_ = rows;
        carry_.assign(carry, carry + root.end);
        load(root.end, *root.columns);
        runner_.load(outcome_, carry_);
        stack_.clear();
        stack_.push_back(std::move(root));
        while (!stack_.empty() && !pool_.stopped()) {
            Open open = std::move(stack_.back());
            stack_.pop_back();
            visit(open);
        }
    }

    u32* list(i32 column) { return lists_.data() + place_[static_cast<std::size_t>(column)] * size_; }
    static u32 rank(u32 entry) { return entry >> 16; }
    static u32 id(u32 entry) { return entry & 0xffff; }

    void load(u32 n, const std::vector<i32>& usable) {
        size_ = n;
        place_.assign(growth_.columns.size(), 0);
        gaps_.assign(growth_.columns.size(), 0);
        lists_.resize(usable.size() * n);
        spare_.resize(n);
        side_.resize(n);
        std::size_t next = 0;
        const Limits& limits = growth_.plan.limits;
        pairs_ = !growth_.plan.constrained() && !known_only(growth_.plan.missing) &&
                 !growth_.plan.selection.by_column() && limits.min_rows_leaf <= 1 && limits.min_weight_leaf <= 0;
        for (i32 j : usable) {
            const ColumnView& view = growth_.columns[static_cast<std::size_t>(j)];
            place_[static_cast<std::size_t>(j)] = next++;
            gaps_[static_cast<std::size_t>(j)] = sorter_.sort(view, rows_, n, list(j)) < n;
            pairs_ &= view.split == SplitKind::threshold && gaps_[static_cast<std::size_t>(j)] == 0;
        }
    }

    // End of the known values of a column in [begin, end).
    u32 known_end(i32 column, u32 begin, u32 end) {
        if (!gaps_[static_cast<std::size_t>(column)]) return end;
        const u32* entries = list(column);
        return static_cast<u32>(std::lower_bound(entries + begin, entries + end, kMissingEntry) - entries);
    }

    void visit(Open& open) {
        const Judge judge(growth_.plan, growth_.layout, open.node->lanes,
                          growth_.plan.constrained() ? &open.bounds : nullptr);
        if (pairs_ && open.end - open.begin == 2) return part_pair(judge, open);
        if (growth_.plan.max_features == 0) drop_constant(open);  // else whoever grows the node draws the same columns
        choice_.start(growth_.plan, *open.columns, open.key);
        runner_.prepare(judge);
        Candidate chosen;
        bool found = false;
        while (!found) {
            const std::vector<i32>& columns = choice_.more();
            if (columns.empty()) break;
            found = growth_.plan.selection.by_column() ? select(judge, open, columns, chosen)
                                                       : pick(judge, open, columns, chosen);
        }
        if (found && growth_.accepts(chosen, judge)) split(judge, open, chosen);
    }
    // Two rows, as in half the nodes of a fully grown tree: every column that tells them apart parts them in the same
    // way, so the first one wins, and both children are leaves.
    void part_pair(const Judge& judge, Open& open) {
        choice_.start(growth_.plan, *open.columns, open.key);
        while (true) {
            const std::vector<i32>& columns = choice_.more();
            if (columns.empty()) return;
            for (i32 j : columns) {
                const u32* pair = list(j) + open.begin;
                if (rank(pair[0]) == rank(pair[1])) continue;
                lanes_.assign(2 * static_cast<std::size_t>(width_), 0);
                const i64* parts[2] = {lanes_.data(), lanes_.data() + width_};
                for (int b = 0; b < 2; ++b) outcome_.row_lanes(carry_[id(pair[b])], lanes_.data() + b * width_);
                Candidate chosen;
                if (!judge.judge(parts, 2, j, SplitKind::threshold, chosen)) return;
                if (!growth_.accepts(chosen, judge)) return;
                chosen.low = value(j, pair[0]);
                chosen.high = value(j, pair[1]);
                write_split(growth_, *open.node, chosen, arena_);
                open.node->children = arena_.nodes(2);
                open.node->n_children = 2;
                for (int b = 0; b < 2; ++b) std::copy_n(parts[b], width_, open.node->children[b].lanes);
                return;
            }
        }
    }
    bool pick(const Judge& judge, const Open& open, const std::vector<i32>& columns, Candidate& chosen) {
        Candidates candidates(judge);
        search_columns(judge, open, columns, candidates);
        if (candidates.empty()) return false;
        chosen = candidates.winner();
        return true;
    }
    // The best candidate of each column first, then the winner among them.
    bool select(const Judge& judge, const Open& open, const std::vector<i32>& columns, Candidate& chosen) {
        std::vector<ColumnBest> best;
        for (i32 j : columns) {
            Candidates candidates(judge);
            search_columns(judge, open, {j}, candidates);
            if (candidates.empty()) continue;
            best.push_back({candidates.winner(), {}});
            if (best.back().candidate.kind == SplitKind::threshold) best.back().cuts = count_cuts(judge, open, j);
        }
        return Selector(growth_, judge).select(best, chosen);
    }
    CutCount count_cuts(const Judge& judge, const Open& open, i32 column) {
        const u32* entries = list(column);
        const u32 known = known_end(column, open.begin, open.end);
        i64 all = 0, left = 0;
        for (u32 i = open.begin; i < known; ++i) all += outcome_.weight(carry_[id(entries[i])]);
        const bool known_alone = growth_.plan.selection.average() && known_only(growth_.plan.missing);
        const double least = known_alone
                                 ? growth_.plan.selection.least_side(static_cast<double>(all), judge.layout().n_classes)
                                 : judge.least_side();
        CutCount out;
        for (u32 i = open.begin; i < known; ++i) {
            left += outcome_.weight(carry_[id(entries[i])]);
            if (i + 1 < known && rank(entries[i]) == rank(entries[i + 1])) continue;
            ++out.distinct;
            out.tried += i + 1 < known && static_cast<double>(left) >= least * (1 - 1e-9) &&
                         static_cast<double>(all - left) >= least * (1 - 1e-9);
        }
        return out;
    }

    // A column with one value and no gap here can never split below.
    void drop_constant(Open& open) {
        const auto constant = [&](i32 j) {
            const u32* entries = list(j);
            return rank(entries[open.begin]) == rank(entries[open.end - 1]);
        };
        if (std::none_of(open.columns->begin(), open.columns->end(), constant)) return;
        std::vector<i32> rest = *open.columns;
        std::erase_if(rest, constant);
        open.columns = std::make_shared<const std::vector<i32>>(std::move(rest));
    }

    // Quick scans first: what they find lets the other searches give up early.
    void search_columns(const Judge& judge, const Open& open, const std::vector<i32>& columns, Candidates& out) {
        quick_.clear();
        runner_.forget();
        double best = -std::numeric_limits<double>::infinity();
        const double slack = runner_.slack(0);
        for (i32 j : columns) {
            const u32 end = known_end(j, open.begin, open.end);
            if (!is_quick(j, end, open)) continue;
            double top = 0;
            run(judge, open, j, end,
                [&](const Judge&, u32 known, u32 n) { top = runner_.best(list(j) + open.begin, known, n); });
            quick_.push_back({j, end, top});
            best = std::max(best, top);
        }
        const double least = best - slack - 2e-11 * std::fabs(best);
        // A column no better than one before it never wins: were it tied with the best, so were the one before (K4).
        double before = -std::numeric_limits<double>::infinity();
        for (const Quick& quick : quick_) {
            if (quick.best < least || quick.best <= before) continue;
            before = quick.best;
            run(judge, open, quick.column, quick.end, [&](const Judge& here, u32 known, u32 n) {
                runner_.offer(here, list(quick.column) + open.begin, known, n, quick.column, least, out);
            });
        }
        for (i32 j : columns) {
            if (is_quick(j, known_end(j, open.begin, open.end), open)) continue;
            const ColumnView& view = growth_.columns[static_cast<std::size_t>(j)];
            fill(j, open.begin, open.end);
            if (buckets_.has_gaps)
                search(Judge(judge, buckets_.gaps.data()), buckets_, j, view.split, view.n_values, out);
            else
                search(judge, buckets_, j, view.split, view.n_values, out);
        }
    }
    // Calls body(judge, known rows, rows) with the runner ready for a column; its gaps are left out where they are in
    // judging.
    template <class Body>
    void run(const Judge& judge, const Open& open, i32 column, u32 end, Body&& body) {
        if (end == open.end || !known_only(growth_.plan.missing))
            return body(judge, end - open.begin, open.end - open.begin);
        lanes_.assign(static_cast<std::size_t>(width_), 0);
        for (u32 i = end; i < open.end; ++i) outcome_.row_lanes(carry_[id(list(column)[i])], lanes_.data());
        const Judge known(judge, lanes_.data());
        runner_.forget();
        runner_.prepare(known);
        body(known, end - open.begin, end - open.begin);
        runner_.prepare(judge);
        runner_.forget();
    }
    // Thresholds with two branches, where the outcome has a runner.
    bool is_quick(i32 column, u32 end, const Open& open) const {
        const bool three = end < open.end && growth_.plan.missing == MissingRule::branch;
        if (end == open.begin && known_only(growth_.plan.missing)) return false;  // nothing is known
        return runner_.usable() && !three &&
               growth_.columns[static_cast<std::size_t>(column)].split == SplitKind::threshold;
    }

    // The buckets of one column: runs of equal rank. Nominal buckets carry the value's code, others the rank.
    void fill(i32 column, u32 begin, u32 end) {
        const ColumnView& view = growth_.columns[static_cast<std::size_t>(column)];
        const u32* entries = list(column);
        const u32 known = known_end(column, begin, end);
        buckets_.clear(width_);
        i64* lanes = nullptr;
        for (u32 i = begin; i < known; ++i) {
            if (i == begin || rank(entries[i]) != rank(entries[i - 1])) {
                const i32 code = view.split == SplitKind::threshold ? static_cast<i32>(rank(entries[i]))
                                                                    : view.raw<i32>(rows_[id(entries[i])]);
                lanes = buckets_.add(code);
            }
            outcome_.row_lanes(carry_[id(entries[i])], lanes);
        }
        for (u32 i = known; i < end; ++i) outcome_.row_lanes(carry_[id(entries[i])], buckets_.missing.data());
        buckets_.has_missing = known < end;
        if (known_only(growth_.plan.missing)) buckets_.leave_out_missing();
    }

    double value(i32 column, u32 entry) const {
        return growth_.columns[static_cast<std::size_t>(column)].value(rows_[id(entry)]);
    }

    void split(const Judge& judge, Open& open, Candidate chosen) {
        const u32* entries = list(chosen.column);
        const u32 known = known_end(chosen.column, open.begin, open.end);
        std::vector<i32>& present = chosen.present;
        if (chosen.kind == SplitKind::threshold) {
            u32 cut = open.begin;
            while (cut < known && rank(entries[cut]) <= static_cast<u32>(chosen.below)) ++cut;
            if (!std::isinf(chosen.low)) {
                chosen.low = value(chosen.column, entries[cut - 1]);
                chosen.high = value(chosen.column, entries[cut]);
            }
            for (u32 i = open.begin; i < known; ++i) side_[id(entries[i])] = i < cut ? 0 : 1;
        } else {
            for (u32 i = open.begin; i < known; ++i)
                if (i == open.begin || rank(entries[i]) != rank(entries[i - 1]))
                    present.push_back(growth_.columns[static_cast<std::size_t>(chosen.column)].template raw<i32>(
                        rows_[id(entries[i])]));
        }
        const i32 n_children = write_split(growth_, *open.node, chosen, arena_);
        if (chosen.kind != SplitKind::threshold) {
            std::size_t at = 0;
            for (u32 i = open.begin; i < known; ++i) {
                if (i > open.begin && rank(entries[i]) != rank(entries[i - 1])) ++at;
                side_[id(entries[i])] = static_cast<u16>(branch_of(*open.node, present[at], at));
            }
        }
        open.node->children = arena_.nodes(static_cast<std::size_t>(n_children));
        open.node->n_children = n_children;
        if (growth_.plan.missing == MissingRule::fractional && known < open.end)
            return split_fractions(judge, open, known);
        if (known_only(growth_.plan.missing) && growth_.plan.missing != MissingRule::fractional)
            send_gaps(open, known);
        else
            for (u32 i = known; i < open.end; ++i) side_[id(entries[i])] = static_cast<u16>(open.node->missing);
        if (known < open.end && known_only(growth_.plan.missing)) chosen.first.clear();
        set_lanes(open, chosen);
        open_children(judge, open);
    }
    // Majority and surrogates: where the gaps go is learned from the known rows.
    void send_gaps(const Open& open, u32 known) {
        Node& node = *open.node;
        const u32* entries = list(node.column);
        std::vector<i64> weight(static_cast<std::size_t>(node.n_children), 0);
        sided_.clear();
        for (u32 i = open.begin; i < known; ++i) {
            const u32 row = id(entries[i]);
            const i64 w = outcome_.weight(carry_[row]);
            weight[side_[row]] += w;
            if (growth_.plan.missing == MissingRule::surrogates) sided_.push_back({rows_[row], side_[row], w});
        }
        for (u32 i = known; i < open.end && growth_.plan.missing == MissingRule::surrogates; ++i)
            sided_.push_back({rows_[id(entries[i])], -1, 0});
        gap_rules_.set(node, weight, sided_, arena_);
        for (u32 i = known; i < open.end; ++i) {
            const u32 row = id(entries[i]);
            side_[row] = static_cast<u16>(gap_rules_.branch(node, rows_[row]));
        }
    }
    // Every gap goes to all branches in parts. The children are loaded again, since a row may be in several.
    void split_fractions(const Judge& judge, Open& open, u32 known) {
        Node& node = *open.node;
        const u32* entries = list(node.column);
        const auto k = static_cast<std::size_t>(node.n_children);
        std::vector<Pending> child(k);
        for (u32 i = open.begin; i < known; ++i) {
            const u32 row = id(entries[i]);
            Pending& to = child[side_[row]];
            to.rows.push_back(rows_[row]);
            to.carry.push_back(carry_[row]);
            outcome_.row_lanes(carry_[row], node.children[side_[row]].lanes);
        }
        std::vector<i64> weight;
        for (std::size_t b = 0; b < k; ++b) weight.push_back(growth_.layout.weight(node.children[b].lanes));
        const Fractions fractions(weight);
        for (u32 i = known; i < open.end; ++i) {
            const u32 row = id(entries[i]);
            fractions.divide(carry_[row], [&](std::size_t b, const Carry& part) {
                child[b].rows.push_back(rows_[row]);
                child[b].carry.push_back(part);
                outcome_.row_lanes(part, node.children[b].lanes);
            });
        }
        start_.assign(k + 1, 0);
        const std::size_t before = stack_.size();
        open_children(judge, open, [](i32) {});
        while (stack_.size() > before) {
            Pending& to = child[static_cast<std::size_t>(stack_.back().node - node.children)];
            to.open = std::move(stack_.back());
            stack_.pop_back();
            to.open.begin = 0;
            to.open.end = static_cast<u32>(to.rows.size());
            pending_.push_back(std::move(to));
        }
    }
    // The children's lanes, and where their rows start.
    void set_lanes(const Open& open, const Candidate& chosen) {
        Node& node = *open.node;
        const u32* entries = list(node.column);
        start_.assign(static_cast<std::size_t>(node.n_children) + 1, 0);
        if (O::exact_bins && node.n_children == 2 && !chosen.first.empty()) {
            std::copy(chosen.first.begin(), chosen.first.end(), node.children[0].lanes);
            std::copy(node.lanes, node.lanes + width_, node.children[1].lanes);
            subtract_lanes(node.children[1].lanes, node.children[0].lanes, width_);
            u32 second = 0;
            for (u32 i = open.begin; i < open.end; ++i) second += side_[id(entries[i])];
            start_[1] = open.end - open.begin - second;
            start_[2] = second;
        } else {
            for (u32 i = open.begin; i < open.end; ++i) ++start_[side_[id(entries[i])] + 1U];
            const bool two = node.n_children == 2;  // then the larger is what the smaller leaves
            const auto skip = static_cast<u16>(two ? start_[1] < start_[2] : 0xffff);
            for (u32 i = open.begin; i < open.end; ++i) {
                const u32 row = id(entries[i]);
                if (side_[row] != skip) outcome_.row_lanes(carry_[row], node.children[side_[row]].lanes);
            }
            if (two) {
                std::copy(node.lanes, node.lanes + width_, node.children[skip].lanes);
                subtract_lanes(node.children[skip].lanes, node.children[1 - skip].lanes, width_);
            }
        }
        start_[0] = open.begin;
        for (std::size_t b = 1; b < start_.size(); ++b) start_[b] += start_[b - 1];
    }
    static i32 branch_of(const Node& node, i32 code, std::size_t at) {
        if (node.kind == SplitKind::equals) return static_cast<double>(code) == node.threshold ? 0 : 1;
        return node.side->map[at].second;
    }

    void open_children(const Judge& judge, Open& open) {
        open_children(judge, open, [&](i32 j) {
            open.node->n_children == 2 ? part_in_two(list(j), open.begin, open.end)
                                       : part(list(j), open.begin, open.end);
        });
    }
    // Puts the children that are still open on the stack; `part_list` parts a column's list if there are any.
    template <class PartList>
    void open_children(const Judge& judge, Open& open, PartList&& part_list) {
        Node& node = *open.node;
        const i32 n_children = node.n_children;
        parts_.clear();
        for (i32 b = 0; b < n_children; ++b) parts_.push_back(node.children[b].lanes);
        bool any = false;
        for (i32 b = 0; b < n_children; ++b) {
            Node& child = node.children[b];
            if (growth_.layout.rows(child.lanes) == 0 || growth_.must_be_leaf(child.lanes, open.depth + 1)) continue;
            any = true;
            Columns columns = open.columns;
            if (node.kind == SplitKind::multiway) columns = without(*columns, node.column);
            Bounds bounds;
            if (growth_.plan.constrained()) bounds = judge.child_bounds(parts_.data(), node.column, node.ordered(), b);
            stack_.push_back({&child, start_[static_cast<std::size_t>(b)], start_[static_cast<std::size_t>(b) + 1],
                              open.depth + 1, std::move(columns), std::move(bounds), child_key(open.key, b)});
        }
        if (!any) return;
        for (i32 j : *open.columns) part_list(j);
    }
    static Columns without(std::vector<i32> columns, i32 column) {
        std::erase(columns, column);
        return std::make_shared<const std::vector<i32>>(std::move(columns));
    }
    // entries: [a b c d e f], side: 1 0 0 1 0 1  ->  [b c e | a d f], stable
    void part_in_two(u32* entries, u32 begin, u32 end) {
        u32 *left = entries + begin, *right = spare_.data();
        const u16* side = side_.data();
        for (u32 i = begin; i < end; ++i) {
            const u32 entry = entries[i];
            const u32 s = side[id(entry)];
            *left = entry;
            *right = entry;
            left += 1 - s;
            right += s;
        }
        std::memcpy(left, spare_.data(), static_cast<std::size_t>(right - spare_.data()) * sizeof(u32));
    }
    void part(u32* entries, u32 begin, u32 end) {
        next_.assign(start_.begin(), start_.end() - 1);
        std::copy(entries + begin, entries + end, spare_.begin());
        for (u32 i = 0; i < end - begin; ++i) entries[next_[side_[id(spare_[i])]]++] = spare_[i];
    }

    struct Quick {
        i32 column;
        u32 end;
        double best;
    };

    const Growth& growth_;
    const O& outcome_;
    Arena scratch_;
    Arena& arena_;
    std::deque<TreeArrays> packed_;
    std::size_t packed_nodes_ = 0;
    const Pool& pool_;
    GapRules gap_rules_;
    int width_;
    const u32* rows_ = nullptr;
    std::vector<Carry> carry_;
    u32 size_ = 0;
    std::vector<std::size_t> place_;
    std::vector<u8> gaps_;
    std::vector<u32> lists_, spare_, start_, next_;
    std::vector<u16> side_;
    std::vector<const i64*> parts_;
    std::vector<i64> lanes_;
    std::vector<Open> stack_;
    std::vector<Pending> pending_;
    std::vector<Sided> sided_;
    std::vector<Quick> quick_;
    Buckets buckets_;
    ColumnSorter sorter_;
    ColumnChoice choice_;
    Runner<O> runner_;
    bool pairs_ = false;  // whether nodes of two rows are parted without a search
};

}  // namespace hornbeam
