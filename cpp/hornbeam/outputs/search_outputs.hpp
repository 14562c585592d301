// The best tests of one column at a node of a tree of several targets: thresholds, one value against the rest, one
// branch for each value, sets of values. In the order of K4.
//
// A sweep adds a column's rows to one side and takes them from the other. Few values of a nominal column are parted in
// every way; more are put in the order of each target's means, or of each class's shares, and cut there, which is a
// heuristic: for several targets no order of the values is sure to hold the best parting.
#pragma once

#include <bit>
#include <numeric>
#include <utility>

#include "hornbeam/outputs/outputs_node.hpp"

namespace hornbeam {

template <class Sum>
class OutputsSearch {
  public:
    static constexpr std::size_t kEveryParting = 11;  // 10 values and the gaps

    OutputsSearch(const std::vector<ColumnView>& columns, const Plan& plan) : columns_(columns), plan_(plan) {}

    // Offers the candidates of column `j`, whose list at the node is `entries`; where a test was drawn, it alone.
    void run(const OutputsNode<Sum>& node, i32 j, std::span<const Ranked> entries, Ties& out,
             const DrawnPart* drawn = nullptr) {
        if (entries.front().rank == entries.back().rank) return;  // one value, or nothing known
        drawn_ = drawn;
        node_ = &node;
        column_ = j;
        out_ = &out;
        fill(entries);
        const bool gaps = start_.back() < place_.size();
        const bool known_alone = gaps && known_only(plan_.missing);
        own_ = gaps && plan_.missing == MissingRule::branch;
        joins_ = gaps && !known_alone && !own_;
        gap_side_.clear(outputs());
        for (std::size_t i = start_.back(); i < place_.size(); ++i) gap_side_.add(node.row(place_[i]));
        known_ = node.whole;
        if (gaps) known_.part(gap_side_, outputs());
        base_ = cost(known_alone ? known_ : node.whole);
        const SplitKind kind = columns_[static_cast<std::size_t>(j)].split;
        if (kind == SplitKind::threshold) return thresholds();
        add_up_values();
        if (kind == SplitKind::equals) equals();
        if (kind == SplitKind::multiway) multiway();
        if (kind == SplitKind::subset) subsets();
    }

  private:
    using Side = OutputSide<Sum>;
    using Sides = std::initializer_list<const Side*>;

    // ---- rows and sides

    void fill(std::span<const Ranked> entries) {
        place_.resize(entries.size());
        start_.clear();
        rank_.clear();
        const std::size_t known = known_size(entries);
        for (std::size_t i = 0; i < entries.size(); ++i) {
            place_[i] = node_->place[entries[i].id];
            if (i < known && (i == 0 || entries[i].rank != entries[i - 1].rank)) {
                start_.push_back(i);
                rank_.push_back(static_cast<i32>(entries[i].rank));
            }
        }
        start_.push_back(known);
    }
    const OutputRows& outputs() const { return *node_->outputs; }
    double cost(const Side& side) const { return side.cost(outputs(), node_->units); }
    Side empty() const {
        Side side;
        side.clear(outputs());
        return side;
    }
    std::size_t n_values() const { return rank_.size(); }
    // The sums of each value, and last of the gaps.
    void add_up_values() {
        values_.assign(n_values() + 1, empty());
        for (std::size_t b = 0; b < n_values(); ++b)
            for (std::size_t i = start_[b]; i < start_[b + 1]; ++i) values_[b].add(node_->row(place_[i]));
        values_.back() = gap_side_;
    }
    Side without(Side side, const Side& some) const {
        side.part(some, outputs());
        return side;
    }
    Side together(Side side, const Side& more) const {
        side.merge(more, outputs());
        return side;
    }

    // Whether the sides may be the branches of a test.
    template <class Range>
    bool admits(const Range& sides) const {
        int filled = 0;
        for (const Side* side : sides) {
            if (!node_->big_enough(*side)) return false;
            filled += side->rows > 0;
        }
        return filled > 1;
    }
    // What a partition lowers the impurity by; nothing that wins if its sides may not be branches.
    template <class Range>
    double score_of(const Range& sides) const {
        if (!admits(sides)) return std::numeric_limits<double>::quiet_NaN();
        double less = base_;
        for (const Side* side : sides) less -= cost(*side);
        return less / static_cast<double>(node_->weight);
    }
    bool is_wanted(double score) const { return !std::isnan(score) && out_->wants(score); }
    // Whether the sides are a candidate that may win; its score.
    template <class Range>
    bool judge(const Range& sides, SplitKind kind, i32 missing, Candidate& out) const {
        out.score = out.decrease = score_of(sides);
        if (!is_wanted(out.score)) return false;
        out.column = column_;
        out.kind = kind;
        out.missing = missing;
        return true;
    }

    // ---- thresholds

    void thresholds() {
        Side &low = low_, &high = high_, &low_gaps = low_gaps_, &high_gaps = high_gaps_;
        low.clear(outputs());
        high = known_;
        if (joins_) {
            low_gaps = gap_side_;
            high_gaps = node_->whole;
        }
        for (std::size_t k = 0; k + 1 < n_values(); ++k) {
            for (std::size_t i = start_[k]; i < start_[k + 1]; ++i) {
                const OutputRow<Sum> row = node_->row(place_[i]);
                low.add(row);
                high.take(row);
                if (!joins_) continue;
                low_gaps.add(row);
                high_gaps.take(row);
            }
            if (drawn_ != nullptr && rank_[k] != static_cast<i32>(drawn_->below)) continue;
            const i64 order = 2 * low.rows;
            if (joins_) {
                cut(k, {&low_gaps, &high}, order, 0);
                cut(k, {&low, &high_gaps}, order + 1, 1);
            } else if (own_) {
                cut(k, {&low, &high, &gap_side_}, order, 2);
            } else {
                cut(k, {&low, &high}, order, -1);
            }
        }
        if ((joins_ && drawn_ == nullptr) || ((joins_ || own_) && n_values() == 1)) known_or_gap();
    }
    void cut(std::size_t k, Sides sides, i64 order, i32 missing) {
        const double score = score_of(sides);
        if (!is_wanted(score)) return;
        Candidate candidate;
        candidate.score = candidate.decrease = score;
        candidate.column = column_;
        candidate.kind = SplitKind::threshold;
        candidate.missing = missing;
        candidate.order = order;
        candidate.below = rank_[k];
        offer(std::move(candidate));
    }
    void known_or_gap() {
        Candidate candidate;
        if (!judge(Sides{&known_, &gap_side_}, SplitKind::threshold, 1, candidate)) return;
        candidate.order = std::numeric_limits<i64>::max();
        candidate.below = rank_.back();
        candidate.low = candidate.high = std::numeric_limits<double>::infinity();
        offer(std::move(candidate));
    }
    void offer(Candidate candidate) const {
        if (drawn_ != nullptr) drawn_->mark(candidate);
        out_->offer(std::move(candidate));
    }

    // ---- nominal columns

    void equals() {
        for (std::size_t b = 0; b < n_values(); ++b) {
            const i64 order = 2 * static_cast<i64>(b);
            const Side &yes = values_[b], no = without(known_, yes);
            if (joins_) {
                const Side yes_gaps = together(yes, gap_side_), no_gaps = together(no, gap_side_);
                equal(b, {&yes_gaps, &no}, order, 0);
                equal(b, {&yes, &no_gaps}, order + 1, 1);
            } else if (own_ && n_values() == 1) {
                equal(b, {&yes, &gap_side_}, order, 1);
            } else if (own_) {
                equal(b, {&yes, &no, &gap_side_}, order, 2);
            } else {
                equal(b, {&yes, &no}, order, -1);
            }
        }
    }
    void equal(std::size_t b, Sides sides, i64 order, i32 missing) {
        Candidate candidate;
        if (!judge(sides, SplitKind::equals, missing, candidate)) return;
        candidate.order = order;
        candidate.below = rank_[b];
        out_->offer(std::move(candidate));
    }

    void multiway() {
        const std::size_t n = n_values();
        std::vector<const Side*> sides;
        for (std::size_t b = 0; b < n; ++b) sides.push_back(&values_[b]);
        const auto offer = [&](std::size_t missing) {
            Candidate candidate;
            if (!judge(sides, SplitKind::multiway, static_cast<i32>(missing), candidate)) return;
            candidate.order = static_cast<i64>(missing);
            out_->offer(std::move(candidate));
        };
        if (own_ || (joins_ && n == 1)) {
            sides.push_back(&gap_side_);
            return offer(n);
        }
        if (!joins_) {
            Candidate candidate;
            if (judge(sides, SplitKind::multiway, -1, candidate)) out_->offer(std::move(candidate));
            return;
        }
        for (std::size_t b = 0; b < n; ++b) {
            const Side joined = together(values_[b], gap_side_);
            sides[b] = &joined;
            offer(b);
            sides[b] = &values_[b];
        }
    }

    // Every value is a bucket; so are the gaps, if they join a side.
    void subsets() {
        const std::size_t n = n_values() + joins_;
        if (own_ && n == 1) {
            Candidate candidate;
            if (!judge(Sides{&values_[0], &gap_side_}, SplitKind::subset, 1, candidate)) return;
            candidate.set.push_back(rank_[0]);
            return offer(std::move(candidate));
        }
        if (n < 2) return;
        if (drawn_ != nullptr && n_values() > 1) return drawn_parting();
        n <= kEveryParting ? all_partings(n) : ordered_partings(n);
    }
    const Side& judged() const { return joins_ ? node_->whole : known_; }
    // Offers a parting, named by the side that holds the first value (K4).
    void part(const std::vector<char>& in_first, const Side& first, const Side& second) {
        Candidate candidate;
        const bool is_wanted = own_ ? judge(Sides{&first, &second, &gap_side_}, SplitKind::subset, 2, candidate)
                                    : judge(Sides{&first, &second}, SplitKind::subset, -1, candidate);
        if (!is_wanted) return;
        const char side = in_first[0];
        for (std::size_t b = 0; b < in_first.size(); ++b)
            if (in_first[b] == side)
                candidate.set.push_back(b < n_values() ? rank_[b]
                                                       : columns_[static_cast<std::size_t>(column_)].n_values);
        if (joins_) candidate.missing = in_first.back() == side ? 0 : 1;
        if (drawn_ != nullptr) candidate.order = candidate.missing;
        offer(std::move(candidate));
    }
    // The set that was drawn; gaps join either side.
    void drawn_parting() {
        std::vector<char> in_first(n_values() + joins_, 0);
        Side first = empty(), second = judged();
        for (std::size_t b = 0; b < n_values(); ++b) {
            if (!drawn_->holds(static_cast<u32>(rank_[b]))) continue;
            in_first[b] = 1;
            first.merge(values_[b], outputs());
            second.part(values_[b], outputs());
        }
        part(in_first, first, second);
        if (!joins_) return;
        in_first.back() = 1;
        part(in_first, together(first, gap_side_), without(second, gap_side_));
    }
    // In an order in which one bucket at a time changes sides (Gray's); the first stays.
    void all_partings(std::size_t n) {
        std::vector<char> in_first(n, 0);
        in_first[0] = 1;
        Side first = values_[0], second = without(judged(), first);
        part(in_first, first, second);
        for (u32 step = 1; step < u32{1} << (n - 1); ++step) {
            const std::size_t b = 1 + static_cast<std::size_t>(std::countr_zero(step));
            Side &from = in_first[b] ? first : second, &to = in_first[b] ? second : first;
            from.part(values_[b], outputs());
            to.merge(values_[b], outputs());
            in_first[b] = !in_first[b];
            part(in_first, first, second);
        }
    }
    // In the order of each lane's share, or mean.
    void ordered_partings(std::size_t n) {
        for (std::size_t lane = 0; lane < outputs().n_lanes; ++lane)
            cut_in_order(n, [&](const Side& side) { return static_cast<double>(side.lanes[lane]); });
        for (std::size_t t = 0; t < outputs().numbers.size(); ++t)
            cut_in_order(n, [&](const Side& side) { return static_cast<double>(side.sums[t]); });
    }
    template <class Total>
    void cut_in_order(std::size_t n, Total&& total) {
        std::vector<double> mean;
        for (std::size_t b = 0; b < n; ++b)
            mean.push_back(total(values_[b]) / static_cast<double>(std::max<i64>(values_[b].weight, 1)));
        std::vector<std::size_t> order(n);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return mean[a] < mean[b]; });
        std::vector<char> in_first(n, 0);
        Side first = empty(), second = judged();
        for (std::size_t k = 0; k + 1 < n; ++k) {
            first.merge(values_[order[k]], outputs());
            second.part(values_[order[k]], outputs());
            in_first[order[k]] = 1;
            part(in_first, first, second);
        }
    }

    const std::vector<ColumnView>& columns_;
    const Plan& plan_;
    const OutputsNode<Sum>* node_ = nullptr;
    Ties* out_ = nullptr;
    const DrawnPart* drawn_ = nullptr;
    i32 column_ = 0;
    double base_ = 0;                   // cost of the rows judged
    bool own_ = false, joins_ = false;  // gaps: a branch, on either side; else left out
    std::vector<u32> place_;            // of all entries
    std::vector<std::size_t> start_;    // where each value begins; then where the gaps do
    std::vector<i32> rank_;             // of each value
    Side known_, gap_side_;
    Side low_, high_, low_gaps_, high_gaps_;  // of a sweep; the last two with the gaps on that side
    std::vector<Side> values_;
};

// What OrderedGrower needs to know of several targets.
template <class Sum>
struct OutputsKind {
    using Node = OutputsNode<Sum>;
    using Search = OutputsSearch<Sum>;
    static constexpr bool draws_tests = true;
    static constexpr bool orders_answers = false;
};

}  // namespace hornbeam
