// The best tests of one column at a node of a survival tree, by the log-rank statistic: thresholds, one value against
// the rest, sets of values.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>

#include "hornbeam/survival/log_rank_node.hpp"

namespace hornbeam {

class LogRankSearch {
  public:
    static constexpr int kEveryParting = 8;  // so many values are parted in every way; more by their mean scores

    LogRankSearch(const std::vector<ColumnView>& columns, const Plan& plan) : columns_(columns), plan_(plan) {}

    // Offers the candidates of column `j`, whose list at the node is `entries`.
    void run(const LogRankNode& node, i32 j, std::span<const Ranked> entries, Ties& out) {
        if (entries.front().rank == entries.back().rank || node.table.n_events == 0) return;
        node_ = &node;
        column_ = j;
        out_ = &out;
        fill(entries);
        const SplitKind kind = columns_[static_cast<std::size_t>(j)].split;
        if (kind == SplitKind::threshold) thresholds();
        if (kind == SplitKind::equals) equals();
        if (kind == SplitKind::subset) subsets();
    }

  private:
    // ---- the rows of a column

    void fill(std::span<const Ranked> entries) {
        const std::size_t known = known_size(entries);
        places_.resize(entries.size());
        start_.clear();
        rank_.clear();
        for (std::size_t i = 0; i < entries.size(); ++i) {
            places_[i] = node_->place[entries[i].id];
            if (i < known && (i == 0 || entries[i].rank != entries[i - 1].rank)) {
                start_.push_back(static_cast<u32>(i));
                rank_.push_back(entries[i].rank);
            }
        }
        start_.push_back(static_cast<u32>(known));
        const bool gaps = known < entries.size();
        joins_ = gaps && !known_only(plan_.missing);
        rows_ = node_->rows;
        table_ = &node_->table;
        if (!gaps || joins_) return;
        own_rows_ = node_->rows;  // the statistic of the known rows alone
        for (std::size_t i = known; i < entries.size(); ++i) own_rows_[places_[i]].n = 0;
        own_table_.build(own_rows_, node_->group);
        rows_ = own_rows_;
        table_ = &own_table_;
    }
    std::size_t n_values() const { return rank_.size(); }
    std::span<const u32> bucket(std::size_t b) const {  // the last one: the gaps
        const std::size_t end = b + 1 < start_.size() ? start_[b + 1] : places_.size();
        return std::span(places_).subspan(start_[b], end - start_[b]);
    }
    std::span<const u32> known() const { return std::span(places_).first(start_.back()); }
    std::span<const u32> gaps() const { return joins_ ? bucket(n_values()) : std::span<const u32>(); }
    i64 count(std::span<const u32> places) const {
        i64 n = 0;
        for (u32 place : places) n += rows_[place].n;
        return n;
    }

    // ---- the statistic

    // Of a set of rows, by its definition.
    double exact(std::initializer_list<std::span<const u32>> sets) {
        const std::size_t n = table_->n_times();
        counts_.assign(n + 1, 0);
        died_.assign(n + 1, 0);
        for (const std::span<const u32> set : sets)
            for (u32 place : set) {
                const RiskRow& row = rows_[place];
                counts_[row.seen] += row.n;
                died_[row.seen] += row.event * row.n;
            }
        return of_counts(counts_, died_);
    }
    double of_counts(const std::vector<i64>& counts, const std::vector<i64>& died) const {
        double score = 0, variance = 0;
        i64 here = 0;
        for (std::size_t k = table_->n_times(); k > 0; --k) {
            here += counts[k];
            const i64 all = table_->at_risk[k - 1];
            const auto n = static_cast<double>(here);
            score += static_cast<double>(died[k]) -
                     static_cast<double>(table_->events[k - 1]) * n / static_cast<double>(all);
            variance += table_->spread[k - 1] * n * static_cast<double>(all - here);
        }
        return variance > 0 ? score * score / variance : 0;
    }
    bool is_admitted(i64 first) const { return node_->big_enough(first) && node_->big_enough(table_->total - first); }
    // A candidate of this statistic, if it may win.
    bool is_wanted(double statistic, Candidate& out) const {
        if (!(statistic > node_->margin()) || !out_->wants(statistic)) return false;
        out.score = out.decrease = statistic;
        out.column = column_;
        return true;
    }

    // ---- cuts of a sequence

    // Calls make(cut, statistic) for every cut of `sequence`, at the places `ends`, that may be the best; `with` is on
    // the first side.
    template <class Make>
    void cuts(std::span<const u32> sequence, std::span<const u32> ends, std::span<const u32> with, Make&& make) {
        estimate(sequence, ends, with);
        const double best = estimates_.empty() ? 0 : *std::max_element(estimates_.begin(), estimates_.end());
        constexpr double kSlack = 1e-6;
        for (std::size_t k = 0; k < ends.size(); ++k) {
            if (!(estimates_[k] > 0) || estimates_[k] < best * (1 - kSlack)) continue;
            if (out_->wants(estimates_[k] * (1 + kSlack))) make(k, exact({sequence.first(ends[k]), with}));
        }
    }
    // The statistics of all cuts, nearly; 0 where a side is too small.
    void estimate(std::span<const u32> sequence, std::span<const u32> ends, std::span<const u32> with) {
        estimates_.assign(ends.size(), 0.0);
        const i64 half = table_->total / 2;
        sweep_.start(*table_);
        for (u32 place : with) sweep_.add(rows_[place]);
        std::size_t at = 0, k = 0;
        for (; k < ends.size() && sweep_.rows() <= half; ++k) {
            for (; at < ends[k]; ++at) sweep_.add(rows_[sequence[at]]);
            if (is_admitted(sweep_.rows())) estimates_[k] = sweep_.statistic();
        }
        const std::size_t done = k;
        sweep_.start(*table_);
        const bool others = joins_ && with.empty();  // gaps are on the second side
        if (others)
            for (u32 place : gaps()) sweep_.add(rows_[place]);
        at = sequence.size();
        for (k = ends.size(); k > done; --k) {
            while (at > ends[k - 1]) sweep_.add(rows_[sequence[--at]]);
            if (is_admitted(sweep_.rows())) estimates_[k - 1] = sweep_.statistic();
        }
    }

    void thresholds() {
        const std::span<const u32> ends = std::span(start_).subspan(1, n_values() - 1);
        const auto offer = [&](i32 missing) {
            cuts(known(), ends, missing == 0 ? gaps() : std::span<const u32>(), [&](std::size_t k, double statistic) {
                Candidate candidate;
                if (!is_wanted(statistic, candidate)) return;
                candidate.kind = SplitKind::threshold;
                candidate.order = 2 * count(known().first(ends[k])) + (missing == 1);
                candidate.below = static_cast<i32>(rank_[k]);
                candidate.missing = missing;
                out_->offer(std::move(candidate));
            });
        };
        if (!joins_) return offer(-1);
        offer(0);
        offer(1);
        known_or_gap();
    }
    void known_or_gap() {
        Candidate candidate;
        if (!is_admitted(count(gaps())) || !is_wanted(exact({gaps()}), candidate)) return;
        candidate.kind = SplitKind::threshold;
        candidate.order = std::numeric_limits<i64>::max();
        candidate.below = static_cast<i32>(rank_.back());
        candidate.low = candidate.high = std::numeric_limits<double>::infinity();
        candidate.missing = 1;
        out_->offer(std::move(candidate));
    }

    // ---- nominal columns

    void equals() {
        for (std::size_t b = 0; b < n_values(); ++b) {
            equal(b, {}, joins_ ? 1 : -1);
            if (joins_) equal(b, gaps(), 0);
        }
    }
    void equal(std::size_t b, std::span<const u32> with, i32 missing) {
        Candidate candidate;
        if (!is_admitted(count(bucket(b)) + count(with)) || !is_wanted(exact({bucket(b), with}), candidate)) return;
        candidate.kind = SplitKind::equals;
        candidate.order = 2 * static_cast<i64>(b) + (missing == 1);
        candidate.below = static_cast<i32>(rank_[b]);
        candidate.missing = missing;
        out_->offer(std::move(candidate));
    }

    // Every value is a bucket; so are the gaps, if they join a side.
    void subsets() {
        const std::size_t n = n_values() + joins_;
        if (n < 2) return;
        n <= kEveryParting ? all_partings(n) : ordered_partings(n);
    }
    // Hands in a parting, named by the side that holds the first value (K4).
    void part(const std::vector<char>& in_first, double statistic) {
        Candidate candidate;
        if (!is_wanted(statistic, candidate)) return;
        const char side = in_first[0];
        for (std::size_t b = 0; b < in_first.size(); ++b)
            if (in_first[b] == side)
                candidate.set.push_back(b < n_values() ? static_cast<i32>(rank_[b])
                                                       : columns_[static_cast<std::size_t>(column_)].n_values);
        candidate.kind = SplitKind::subset;
        candidate.missing = !joins_ ? -1 : in_first.back() == side ? 0 : 1;
        out_->offer(std::move(candidate));
    }
    void all_partings(std::size_t n) {
        const std::size_t width = table_->n_times() + 1;
        std::vector<std::vector<i64>> counts(n, std::vector<i64>(width, 0)), died = counts;
        std::vector<i64> sizes(n, 0);
        for (std::size_t b = 0; b < n; ++b)
            for (u32 place : bucket(b)) {
                const RiskRow& row = rows_[place];
                sizes[b] += row.n;
                counts[b][row.seen] += row.n;
                died[b][row.seen] += row.event * row.n;
            }
        std::vector<char> in_first(n);
        for (u32 set = 0; set + 1 < u32{1} << (n - 1); ++set) {  // who joins the first value
            counts_ = counts[0];
            died_ = died[0];
            i64 size = sizes[0];
            in_first[0] = 1;
            for (std::size_t b = 1; b < n; ++b) {
                in_first[b] = static_cast<char>(set >> (b - 1) & 1);
                if (in_first[b] == 0) continue;
                size += sizes[b];
                for (std::size_t k = 0; k < width; ++k) {
                    counts_[k] += counts[b][k];
                    died_[k] += died[b][k];
                }
            }
            if (is_admitted(size)) part(in_first, of_counts(counts_, died_));
        }
    }
    // By their mean scores, values of high risk stand at one end.
    void ordered_partings(std::size_t n) {
        std::vector<double> mean(n);
        for (std::size_t b = 0; b < n; ++b) {
            double sum = 0;
            for (u32 place : bucket(b)) sum += static_cast<double>(rows_[place].n) * table_->score(rows_[place]);
            mean[b] = sum / static_cast<double>(std::max<i64>(count(bucket(b)), 1));
        }
        std::vector<std::size_t> order(n);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return mean[a] < mean[b]; });
        std::vector<u32> sequence, ends;
        for (std::size_t b : order) {
            const std::span<const u32> rows = bucket(b);
            sequence.insert(sequence.end(), rows.begin(), rows.end());
            ends.push_back(static_cast<u32>(sequence.size()));
        }
        ends.pop_back();
        const bool joined = std::exchange(joins_, false);  // gaps are in the sequence
        std::vector<std::pair<std::size_t, double>> chosen;
        cuts(sequence, ends, {}, [&](std::size_t k, double statistic) { chosen.emplace_back(k, statistic); });
        joins_ = joined;
        for (const auto& [cut, statistic] : chosen) {
            std::vector<char> in_first(n, 0);
            for (std::size_t i = 0; i <= cut; ++i) in_first[order[i]] = 1;
            part(in_first, statistic);
        }
    }

    const std::vector<ColumnView>& columns_;
    const Plan& plan_;
    const LogRankNode* node_ = nullptr;
    Ties* out_ = nullptr;
    i32 column_ = 0;
    bool joins_ = false;       // gaps may go to either side; else the known rows are judged alone
    std::vector<u32> places_;  // of the rows, by value; gaps last
    std::vector<u32> start_;   // where each value begins; then where the gaps do
    std::vector<u32> rank_;    // of each value
    std::span<const RiskRow> rows_;
    const RiskTable* table_ = nullptr;
    std::vector<RiskRow> own_rows_;
    RiskTable own_table_;
    RiskSweep sweep_;
    std::vector<double> estimates_;
    std::vector<i64> counts_, died_;
};

// What OrderedGrower needs to know of the log-rank statistic.
struct LogRankKind {
    using Node = LogRankNode;
    using Search = LogRankSearch;
    static constexpr bool draws_tests = false;
    static constexpr bool orders_answers = false;
};

}  // namespace hornbeam
