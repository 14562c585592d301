// The best tests of one column at a node of a quantile tree: thresholds, one value against the rest, one branch for
// each value, sets of values. Exact, in the order of K4.
//
// Cuts of a sequence of buckets take two passes over a window: rows taken from the front leave the loss of every
// suffix, rows taken from the back the loss of every prefix. Up to 12 values of a nominal column are parted in every
// way; more are put in the order of their quantiles and cut there, which is a heuristic: for absolute deviations no
// order of the values is sure to hold the best parting.
#pragma once

#include <array>
#include <numeric>

#include "hornbeam/quantile/value_buckets.hpp"

namespace hornbeam {

template <class Sum>
class QuantileSearch {
  public:
    static constexpr int kExhaustive = 13;  // 12 values and the gaps

    QuantileSearch(const std::vector<ColumnView>& columns, const Plan& plan) : columns_(columns), plan_(plan) {}

    // Offers the candidates of column `j`, whose list at the node is `entries`; where a test was drawn, it alone.
    void run(const QuantileNode<Sum>& node, i32 j, std::span<const Ranked> entries, Ties& out,
             const DrawnPart* drawn = nullptr) {
        if (entries.front().rank == entries.back().rank) return;  // one value, or nothing known
        drawn_ = drawn;
        node_ = &node;
        column_ = j;
        out_ = &out;
        buckets_.fill(node, entries);
        base_ = node.loss;
        const bool gaps = buckets_.has_gaps();
        known_only_ = gaps && known_only(plan_.missing);
        own_ = gaps && plan_.missing == MissingRule::branch;
        joins_ = gaps && !known_only_ && !own_;
        const SplitKind kind = columns_[static_cast<std::size_t>(j)].split;
        if (gaps || kind != SplitKind::threshold) buckets_.add_up();
        if (gaps) {
            known_ = node.window;
            for (u32 place : buckets_.gaps()) known_.take(place);
            gap_side_ = alone(buckets_.size());
            if (known_only_) base_ = known_.loss();
        }
        if (kind == SplitKind::threshold) thresholds();
        if (kind == SplitKind::equals) equals();
        if (kind == SplitKind::multiway) multiway();
        if (kind == SplitKind::subset) subsets();
    }

  private:
    double level() const { return plan_.level; }
    Side alone(int b) const { return buckets_.union_of(std::span(&b, 1), level()); }
    Side joined(int b) const {
        const int both[2] = {b, buckets_.size()};
        return buckets_.union_of(both, level());
    }
    const OrderedWindow<Sum>& all_known() const { return buckets_.has_gaps() ? known_ : node_->window; }

    // Whether the sides are a candidate that may win; its score.
    bool judge(std::span<const Side> sides, bool ordered, Candidate& out) const {
        double loss = base_;
        for (const Side& side : sides) loss -= side.loss;
        out.score = out.decrease = loss / static_cast<double>(node_->weight);
        if (!out_->wants(out.score) || !node_->admits(sides, column_, ordered)) return false;
        out.column = column_;
        return true;
    }

    // ---- cuts of a sequence

    // The sides of every cut of `sequence`, made where `ends` says; what else is on the window stays on both.
    void sweep(const OrderedWindow<Sum>& window, std::span<const u32> sequence, std::span<const u32> ends,
               std::vector<Side>& low, std::vector<Side>& high) {
        low.assign(ends.size(), {});
        high.assign(ends.size(), {});
        const bool values = node_->bounds != nullptr;
        scratch_ = window;
        u32 at = 0;
        for (std::size_t k = 0; k < ends.size(); ++k) {
            for (; at < ends[k]; ++at) scratch_.take(sequence[at]);
            high[k].loss = scratch_.loss();
            if (values) high[k].value = scratch_.value();
        }
        scratch_ = window;
        at = static_cast<u32>(sequence.size());
        for (std::size_t k = ends.size(); k-- > 0;) {
            while (at > ends[k]) scratch_.take(sequence[--at]);
            low[k].loss = scratch_.loss();
            if (values) low[k].value = scratch_.value();
        }
    }
    // Rows and weights of the sides of known rows.
    void size_up(std::span<const u32> sequence, std::span<const u32> ends, std::vector<Side>& low,
                 std::vector<Side>& high) const {
        i64 rows = 0, weight = 0;
        u32 at = 0;
        for (std::size_t k = 0; k < ends.size(); ++k) {
            for (; at < ends[k]; ++at) {
                rows += node_->n[sequence[at]];
                weight += node_->w[sequence[at]];
            }
            low[k].rows = rows;
            low[k].weight = weight;
        }
        for (; at < sequence.size(); ++at) {
            rows += node_->n[sequence[at]];
            weight += node_->w[sequence[at]];
        }
        for (std::size_t k = 0; k < ends.size(); ++k) {
            high[k].rows = rows - low[k].rows;
            high[k].weight = weight - low[k].weight;
        }
    }
    Side with_gaps(const Side& losses, const Side& known) const {
        return {losses.loss, losses.value, known.rows + gap_side_.rows, known.weight + gap_side_.weight};
    }

    void thresholds() {
        const int n = buckets_.size();
        const std::span<const u32> ends = std::span(buckets_.start).subspan(1, static_cast<std::size_t>(n - 1));
        sweep(all_known(), buckets_.known(), ends, low_, high_);
        size_up(buckets_.known(), ends, low_, high_);
        if (joins_) sweep(node_->window, buckets_.known(), ends, low_gaps_, high_gaps_);
        for (std::size_t k = 0; k < ends.size(); ++k) {
            if (drawn_ != nullptr && buckets_.rank[k] != drawn_->below) continue;
            const i64 order = 2 * low_[k].rows;
            if (joins_) {
                cut(k, {with_gaps(low_gaps_[k], low_[k]), high_[k]}, 2, order, 0);
                cut(k, {low_[k], with_gaps(high_gaps_[k], high_[k])}, 2, order + 1, 1);
            } else {
                cut(k, {low_[k], high_[k], gap_side_}, own_ ? 3 : 2, order, own_ ? 2 : -1);
            }
        }
        if ((joins_ && drawn_ == nullptr) || ((joins_ || own_) && n == 1)) known_or_gap();
    }
    void cut(std::size_t k, const std::array<Side, 3>& sides, std::size_t n, i64 order, i32 missing) {
        Candidate candidate;
        if (!judge(std::span(sides).first(n), true, candidate)) return;
        candidate.kind = SplitKind::threshold;
        candidate.order = order;
        candidate.below = static_cast<i32>(buckets_.rank[k]);
        candidate.missing = missing;
        offer(std::move(candidate));
    }
    void offer(Candidate candidate) const {
        if (drawn_ != nullptr) drawn_->mark(candidate);
        out_->offer(std::move(candidate));
    }
    Side known_side() const {
        return {known_.loss(), known_.value(), node_rows() - gap_side_.rows, node_->weight - gap_side_.weight};
    }
    i64 node_rows() const {
        i64 rows = 0;
        for (int b = 0; b <= buckets_.size(); ++b) rows += buckets_.sizes(b).rows;
        return rows;
    }
    void known_or_gap() {
        const Side sides[2] = {known_side(), gap_side_};
        Candidate candidate;
        if (!judge(sides, false, candidate)) return;
        candidate.kind = SplitKind::threshold;
        candidate.order = std::numeric_limits<i64>::max();
        candidate.below = static_cast<i32>(buckets_.rank.back());
        candidate.low = candidate.high = std::numeric_limits<double>::infinity();
        candidate.missing = 1;
        offer(std::move(candidate));
    }

    // ---- nominal columns

    void equals() {
        const int n = buckets_.size();
        const bool single = own_ && n == 1;  // then the gaps are the second branch
        known_scratch_ = all_known();
        if (joins_) scratch_ = node_->window;
        for (int b = 0; b < n; ++b) {
            const Side yes = alone(b);
            Side no, no_gaps;
            known_scratch_.without(buckets_.bucket(b), [&] { no = side_of(known_scratch_); });
            no.rows = known_rows() - yes.rows;
            if (joins_) {
                scratch_.without(buckets_.bucket(b), [&] { no_gaps = side_of(scratch_); });
                no_gaps.rows = no.rows + gap_side_.rows;
                equal(b, {joined(b), no}, 2, 2 * b, 0);
                equal(b, {yes, no_gaps}, 2, 2 * b + 1, 1);
            } else if (single) {
                equal(b, {yes, gap_side_}, 2, 2 * b, 1);
            } else {
                equal(b, {yes, no, gap_side_}, own_ ? 3 : 2, 2 * b, own_ ? 2 : -1);
            }
        }
    }
    i64 known_rows() const { return node_rows() - (buckets_.has_gaps() ? gap_side_.rows : 0); }
    static Side side_of(const OrderedWindow<Sum>& window) {
        return {window.loss(), window.value(), 0, window.weight()};
    }
    void equal(int b, const std::array<Side, 3>& sides, std::size_t n, i64 order, i32 missing) {
        Candidate candidate;
        if (!judge(std::span(sides).first(n), false, candidate)) return;
        candidate.kind = SplitKind::equals;
        candidate.order = order;
        candidate.below = static_cast<i32>(buckets_.rank[static_cast<std::size_t>(b)]);
        candidate.missing = missing;
        out_->offer(std::move(candidate));
    }

    void multiway() {
        const int n = buckets_.size();
        std::vector<Side> sides;
        for (int b = 0; b < n; ++b) sides.push_back(alone(b));
        const auto offer = [&](i32 missing) {
            Candidate candidate;
            if (!judge(sides, false, candidate)) return;
            candidate.kind = SplitKind::multiway;
            candidate.order = std::max(missing, 0);
            candidate.missing = missing;
            out_->offer(std::move(candidate));
        };
        if (own_ || (joins_ && n == 1)) {
            sides.push_back(gap_side_);
            return offer(n);
        }
        if (!joins_) return offer(-1);
        for (int b = 0; b < n; ++b) {
            const Side before = std::exchange(sides[static_cast<std::size_t>(b)], joined(b));
            offer(b);
            sides[static_cast<std::size_t>(b)] = before;
        }
    }

    // Every value is a bucket; so are the gaps, if they join a side.
    void subsets() {
        const int n = buckets_.size() + (joins_ ? 1 : 0);
        if (own_ && n == 1) {
            const Side sides[2] = {alone(0), gap_side_};
            Candidate candidate;
            if (!judge(sides, false, candidate)) return;
            std::vector<char> first(1, 1);
            return part(first, std::move(candidate), 1);
        }
        if (n < 2) return;
        if (drawn_ != nullptr && buckets_.size() > 1) return drawn_parting();
        n <= kExhaustive ? all_partings(n) : ordered_partings(n);
    }
    int code(int b) const {
        return b < buckets_.size() ? static_cast<int>(buckets_.rank[static_cast<std::size_t>(b)])
                                   : columns_[static_cast<std::size_t>(column_)].n_values;
    }
    // Hands in a parting, named by the side that holds the first value (K4).
    void part(const std::vector<char>& in_first, Candidate candidate, i32 own_missing) {
        const char side = in_first[0];
        for (std::size_t b = 0; b < in_first.size(); ++b)
            if (in_first[b] == side) candidate.set.push_back(code(static_cast<int>(b)));
        candidate.kind = SplitKind::subset;
        candidate.missing = own_ ? own_missing : !joins_ ? -1 : in_first.back() == side ? 0 : 1;
        if (drawn_ != nullptr) candidate.order = candidate.missing;
        offer(std::move(candidate));
    }
    // The set that was drawn; gaps join either side.
    void drawn_parting() {
        const int n = buckets_.size();
        std::vector<char> in_first(static_cast<std::size_t>(n + joins_), 0);
        for (int gaps = 0; gaps < 1 + joins_; ++gaps) {
            std::vector<int> values[2];
            for (int b = 0; b < n + joins_; ++b) {
                const bool is_second = b == n ? gaps == 1 : !drawn_->holds(buckets_.rank[static_cast<std::size_t>(b)]);
                in_first[static_cast<std::size_t>(b)] = !is_second;
                values[is_second].push_back(b);
            }
            const Side sides[3] = {buckets_.union_of(values[0], level()), buckets_.union_of(values[1], level()),
                                   gap_side_};
            Candidate candidate;
            if (judge(std::span(sides).first(own_ ? 3 : 2), false, candidate)) part(in_first, std::move(candidate), 2);
        }
    }
    void all_partings(int n) {
        std::vector<char> in_first(static_cast<std::size_t>(n));
        for (u32 set = 0; set + 1 < u32{1} << (n - 1); ++set) {  // who joins the first value
            std::vector<int> first{0}, second;
            in_first[0] = 1;
            for (int b = 1; b < n; ++b) {
                const bool joins = set >> (b - 1) & 1;
                in_first[static_cast<std::size_t>(b)] = joins;
                (joins ? first : second).push_back(b);
            }
            const Side sides[3] = {buckets_.union_of(first, level()), buckets_.union_of(second, level()), gap_side_};
            Candidate candidate;
            if (judge(std::span(sides).first(own_ ? 3 : 2), false, candidate)) part(in_first, std::move(candidate), 2);
        }
    }
    void ordered_partings(int n) {
        std::vector<double> quantile;
        for (int b = 0; b < n; ++b) quantile.push_back(alone(b).value);
        std::vector<int> order(static_cast<std::size_t>(n));
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
            return quantile[static_cast<std::size_t>(a)] < quantile[static_cast<std::size_t>(b)];
        });
        std::vector<u32> sequence, ends;
        for (int b : order) {
            const std::span<const u32> rows = buckets_.bucket(b);
            sequence.insert(sequence.end(), rows.begin(), rows.end());
            ends.push_back(static_cast<u32>(sequence.size()));
        }
        ends.pop_back();
        sweep(joins_ ? node_->window : all_known(), sequence, ends, low_, high_);
        size_up(sequence, ends, low_, high_);
        std::vector<char> in_first(static_cast<std::size_t>(n), 0);
        for (std::size_t k = 0; k < ends.size(); ++k) {
            in_first[static_cast<std::size_t>(order[k])] = 1;
            const Side sides[3] = {low_[k], high_[k], gap_side_};
            Candidate candidate;
            if (judge(std::span(sides).first(own_ ? 3 : 2), false, candidate)) part(in_first, std::move(candidate), 2);
        }
    }

    const std::vector<ColumnView>& columns_;
    const Plan& plan_;
    const QuantileNode<Sum>* node_ = nullptr;
    Ties* out_ = nullptr;
    const DrawnPart* drawn_ = nullptr;
    i32 column_ = 0;
    double base_ = 0;                                        // loss of the rows judged
    bool known_only_ = false, own_ = false, joins_ = false;  // gaps: left out, a branch, on either side
    PlaceBuckets<Sum> buckets_;
    OrderedWindow<Sum> scratch_, known_, known_scratch_;
    Side gap_side_;
    std::vector<Side> low_, high_, low_gaps_, high_gaps_;
};

// What OrderedGrower needs to know of quantiles.
template <class Sum>
struct QuantileKind {
    using Node = QuantileNode<Sum>;
    using Search = QuantileSearch<Sum>;
    static constexpr bool draws_tests = true;
    static constexpr bool orders_answers = true;
};

}  // namespace hornbeam
