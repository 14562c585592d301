// The search of a block: the best split of a node, from the lists of its columns.
//
// Quick scans come first: a runner gives every threshold's gain up to rounding, and what comes near the best is judged
// exactly. Columns no runner can scan are searched by their buckets afterwards, when most can give up early.
#pragma once

#include "hornbeam/grow/block_lists.hpp"
#include "hornbeam/search/class_gain.hpp"
#include "hornbeam/search/runners/runners.hpp"
#include "hornbeam/search/searches.hpp"
#include "hornbeam/search/select.hpp"

namespace hornbeam {

template <class O>
class BlockSearch {
  public:
    using Carry = typename O::Carry;

    BlockSearch(const Growth& growth, const O& outcome, BlockLists& lists)
        : growth_(growth), outcome_(outcome), lists_(lists), width_(growth.layout.width()) {}

    void load(const std::vector<Carry>& carry) {
        carry_ = carry.data();
        runner_.load(outcome_, carry);
    }
    void prepare(const Judge& judge) { runner_.prepare(judge); }

    // The winner among some columns of the node [begin, end); false if there is none.
    bool choose(const Judge& judge, u32 begin, u32 end, const std::vector<i32>& columns, Candidate& chosen) {
        if (growth_.plan.selection.by_column()) return select(judge, {begin, end}, columns, chosen);
        Candidates candidates(judge);
        search_columns(judge, {begin, end}, columns, candidates);
        if (candidates.empty()) return false;
        chosen = candidates.winner();
        return true;
    }

  private:
    struct Range {
        u32 begin, end;
    };
    struct Quick {
        i32 column;
        u32 end;
        double best;
    };
    static u32 rank(u32 entry) { return BlockLists::rank(entry); }
    const Carry& carry(u32 entry) const { return carry_[BlockLists::id(entry)]; }

    // The best candidate of each column first, then the winner among them.
    bool select(const Judge& judge, Range node, const std::vector<i32>& columns, Candidate& chosen) {
        std::vector<ColumnBest> best;
        for (i32 j : columns) {
            Candidates candidates(judge);
            search_columns(judge, node, {j}, candidates);
            if (candidates.empty()) continue;
            best.push_back({candidates.winner(), {}});
            if (best.back().candidate.kind == SplitKind::threshold) best.back().cuts = count_cuts(judge, node, j);
        }
        return Selector(growth_, judge).select(best, chosen);
    }
    CutCount count_cuts(const Judge& judge, Range node, i32 column) {
        const u32* entries = lists_.list(column);
        const u32 known = lists_.known_end(column, node.begin, node.end);
        i64 all = 0, left = 0;
        for (u32 i = node.begin; i < known; ++i) all += outcome_.weight(carry(entries[i]));
        const bool known_alone = growth_.plan.selection.average() && known_only(growth_.plan.missing);
        const double least = known_alone ? growth_.plan.selection.least_side(
                                               static_cast<double>(all), judge.case_weight(), judge.layout().n_classes)
                                         : judge.least_side();
        CutCount out;
        for (u32 i = node.begin; i < known; ++i) {
            left += outcome_.weight(carry(entries[i]));
            if (i + 1 < known && rank(entries[i]) == rank(entries[i + 1])) continue;
            ++out.distinct;
            out.tried += i + 1 < known && static_cast<double>(left) >= least * (1 - 1e-9) &&
                         static_cast<double>(all - left) >= least * (1 - 1e-9);
        }
        return out;
    }

    // Quick scans first: what they find lets the other searches give up early.
    void search_columns(const Judge& judge, Range node, const std::vector<i32>& columns, Candidates& out) {
        quick_.clear();
        runner_.forget();
        double best = -std::numeric_limits<double>::infinity();
        const double slack = runner_.slack(0);
        for (i32 j : columns) {
            const u32 end = lists_.known_end(j, node.begin, node.end);
            if (!is_quick(j, end, node)) continue;
            double top = 0;
            runner_.expect_ties(lists_.has_ties(j));
            run(judge, node, j, end,
                [&](const Judge&, u32 known, u32 n) { top = runner_.best(lists_.list(j) + node.begin, known, n); });
            quick_.push_back({j, end, top});
            best = std::max(best, top);
        }
        const double least = best - slack - 2e-11 * std::fabs(best);
        // A column no better than one before it never wins: were it tied with the best, so were the one before (K4).
        const double noise = runner_.noise();
        double before = -std::numeric_limits<double>::infinity();
        for (const Quick& quick : quick_) {
            if (quick.best < least || quick.best + noise <= before) continue;
            before = std::max(before, quick.best);
            run(judge, node, quick.column, quick.end, [&](const Judge& here, u32 known, u32 n) {
                runner_.offer(here, lists_.list(quick.column) + node.begin, known, n, quick.column, least, out);
            });
        }
        double most = std::numeric_limits<double>::quiet_NaN();
        for (i32 j : columns) {
            if (is_quick(j, lists_.known_end(j, node.begin, node.end), node)) continue;
            const ColumnView& view = growth_.columns[static_cast<std::size_t>(j)];
            if (view.split == SplitKind::subset && !out.empty()) {
                if (std::isnan(most)) most = most_of_two(judge);
                if (out.holds_before(j, most)) continue;
            }
            fill(j, node);
            if (buckets_.has_gaps)
                search(Judge(judge, buckets_.gaps.data()), buckets_, j, view.split, view.n_values, out);
            else
                search(judge, buckets_, j, view.split, view.n_values, out);
        }
    }
    // What two branches score at least, if no partition of the node beats them: columns after theirs are tied at best,
    // and lose (K4).
    static double most_of_two(const Judge& judge) {
        const ClassGain gain(judge, {judge.total(), static_cast<std::size_t>(judge.layout().width())});
        if (!gain.usable() || judge.plan().missing != MissingRule::learn)
            return std::numeric_limits<double>::infinity();
        return gain.best_of_all() - judge.margin(0) / 2;
    }
    // Calls body(judge, known rows, rows) with the runner ready for a column; its gaps are left out where they are in
    // judging.
    template <class Body>
    void run(const Judge& judge, Range node, i32 column, u32 end, Body&& body) {
        if (end == node.end || !known_only(growth_.plan.missing))
            return body(judge, end - node.begin, node.end - node.begin);
        lanes_.assign(static_cast<std::size_t>(width_), 0);
        for (u32 i = end; i < node.end; ++i) outcome_.row_lanes(carry(lists_.list(column)[i]), lanes_.data());
        const Judge known(judge, lanes_.data());
        runner_.forget();
        runner_.prepare(known);
        body(known, end - node.begin, end - node.begin);
        runner_.prepare(judge);
        runner_.forget();
    }
    // Thresholds with two branches, where the outcome has a runner.
    bool is_quick(i32 column, u32 end, Range node) const {
        const bool three = end < node.end && growth_.plan.missing == MissingRule::branch;
        if (end == node.begin && known_only(growth_.plan.missing)) return false;  // nothing is known
        return runner_.usable() && !three &&
               growth_.columns[static_cast<std::size_t>(column)].split == SplitKind::threshold;
    }

    // The buckets of one column: runs of equal rank. Nominal buckets carry the value's code, others the rank.
    void fill(i32 column, Range node) {
        const bool by_rank = growth_.columns[static_cast<std::size_t>(column)].split == SplitKind::threshold;
        const u32* entries = lists_.list(column);
        const u32 known = lists_.known_end(column, node.begin, node.end);
        buckets_.clear(width_);
        i64* lanes = nullptr;
        for (u32 i = node.begin; i < known; ++i) {
            if (i == node.begin || rank(entries[i]) != rank(entries[i - 1]))
                lanes = buckets_.add(by_rank ? static_cast<i32>(rank(entries[i])) : lists_.code(column, entries[i]));
            outcome_.row_lanes(carry(entries[i]), lanes);
        }
        for (u32 i = known; i < node.end; ++i) outcome_.row_lanes(carry(entries[i]), buckets_.missing.data());
        buckets_.has_missing = known < node.end;
        if (known_only(growth_.plan.missing)) buckets_.leave_out_missing();
    }

    const Growth& growth_;
    const O& outcome_;
    BlockLists& lists_;
    int width_;
    const Carry* carry_ = nullptr;
    std::vector<i64> lanes_;
    std::vector<Quick> quick_;
    Buckets buckets_;
    Runner<O> runner_;
};

}  // namespace hornbeam
