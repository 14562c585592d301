// One node of a survival tree while its split is searched: its rows in the order of time, and what is at risk when.
//
// With n_k rows at risk and d_k events at the k-th event time, a set of rows S with n_Sk at risk has the statistic
//
//   U^2 / V     U = sum over S of its scores, each its event less H = sum over k up to its time of d_k / n_k
//               V = sum over k of c_k n_Sk (n_k - n_Sk),   c_k = d_k (n_k - d_k) / (n_k^2 (n_k - 1))
//
// (Mantel 1966; Peto & Peto 1972). It is that of the other rows of the node, too.
#pragma once

#include <bit>
#include <span>
#include <vector>

#include "hornbeam/quantile/quantile_node.hpp"

namespace hornbeam {

// Rows as the statistic sees them.
struct RiskRow {
    u32 seen;   // how many event times are not after its own
    u32 event;  // 1 or 0
    i64 n;      // repetitions
};

// What is at risk at the event times of some rows.
class RiskTable {
  public:
    // `rows`: in the order of time; `group`: equal where times are. Rows without repetitions take no part. Sets `seen`.
    void build(std::span<RiskRow> rows, std::span<const i64> group) {
        at_risk.clear();
        events.clear();
        i64 left = 0;
        for (const RiskRow& row : rows) left += row.n;
        total = left;
        n_events = 0;
        for (std::size_t i = 0, end = 0; i < rows.size(); i = end) {
            i64 here = 0, died = 0;
            for (end = i; end < rows.size() && group[end] == group[i]; ++end) {
                here += rows[end].n;
                died += rows[end].event * rows[end].n;
            }
            if (died > 0) {
                at_risk.push_back(left);
                events.push_back(died);
                n_events += died;
            }
            for (std::size_t j = i; j < end; ++j) rows[j].seen = static_cast<u32>(at_risk.size());
            left -= here;
        }
        sum_up();
    }
    std::size_t n_times() const { return at_risk.size(); }
    double score(const RiskRow& row) const { return static_cast<double>(row.event) - hazard[row.seen]; }

    std::vector<i64> at_risk, events;  // by event time
    std::vector<double> spread;        // c_k
    // Sums over the first event times, from none to all of them: of d_k / n_k, c_k, c_k n_k.
    std::vector<double> hazard, spreads, weighted;
    i64 total = 0, n_events = 0;

  private:
    void sum_up() {
        const std::size_t k = n_times();
        spread.resize(k);
        for (auto* sums : {&hazard, &spreads, &weighted}) sums->assign(k + 1, 0.0);
        for (std::size_t i = 0; i < k; ++i) {
            const auto n = static_cast<double>(at_risk[i]), d = static_cast<double>(events[i]);
            spread[i] = at_risk[i] > 1 ? d * (n - d) / (n * n * (n - 1)) : 0;
            hazard[i + 1] = hazard[i] + d / n;
            spreads[i + 1] = spreads[i] + spread[i];
            weighted[i + 1] = weighted[i] + spread[i] * n;
        }
    }
};

// A set of rows to which rows are added, and its statistic, nearly.
//
// A sweep adds the rows of a set one by one. U and the first term of V = sum c_k n_k n_Sk - sum c_k n_Sk^2 are sums
// over rows; a row seen by event times 1 to s adds 2 (sum over k <= s of c_k n_Sk) + C_s to the second, C_s being the
// sum of the first c_k. That sum is one over the rows of the set, C_min(s, s') for each, so a tree of partial sums over
// s gives it in log K steps: a column of n rows takes n log K, where adding up V at each cut would take n K. Sweeps of
// at most half of the rows from either end lose no digits to speak of. They choose the cuts whose statistic is then
// added up exactly as defined, over event times: it depends on the parting alone, not on the column.
class RiskSweep {
  public:
    void start(const RiskTable& table) {
        table_ = &table;
        levels_ = static_cast<int>(std::bit_width(table.n_times()));
        below_.assign(std::size_t{1} << levels_, {});
        score_ = first_ = second_ = 0;
        rows_ = 0;
    }
    void add(const RiskRow& row) {
        const auto n = static_cast<double>(row.n);
        const double spreads = table_->spreads[row.seen];
        score_ += n * table_->score(row);
        first_ += n * table_->weighted[row.seen];
        // Down to leaf `seen`: what lies to the left is added up, and the row is put to the left of what lies right.
        double sum = 0, count = 0;
        std::size_t at = 1;
        for (int level = levels_ - 1; level >= 0; --level) {
            const bool right = (row.seen >> level & 1) != 0;
            Part& left = below_[at];
            if (right) {
                sum += left.spreads;
                count += left.rows;
            } else {
                left.spreads += n * spreads;
                left.rows += n;
            }
            at = 2 * at + right;
        }
        // `count` rows were seen by fewer event times; all others count with this row's.
        second_ += n * (2 * (sum + spreads * (static_cast<double>(rows_) - count)) + n * spreads);
        rows_ += row.n;
    }
    i64 rows() const { return rows_; }
    double statistic() const {
        const double variance = first_ - second_;
        return variance > 1e-12 * first_ ? score_ * score_ / variance : 0;
    }

  private:
    struct Part {
        double spreads = 0, rows = 0;  // of the left half below a node of the tree of sums
    };
    const RiskTable* table_ = nullptr;
    int levels_ = 0;
    std::vector<Part> below_;
    double score_ = 0, first_ = 0, second_ = 0;
    i64 rows_ = 0;
};

class LogRankNode {
  public:
    // The y of a row: twice the number of its time, and one more if it has the event, so that rows are alike where y
    // is. In steps large enough that sums of squares, which tell that, are exact (stats.hpp).
    static constexpr int kStep = 16;
    static i64 y_of(i64 time_number, bool event) { return (2 * time_number + event) << kStep; }

    const Plan* plan = nullptr;
    const Bounds* bounds = nullptr;
    const u32* place = nullptr;  // by row id
    std::vector<RiskRow> rows;   // by place
    std::vector<i64> group;      // of equal times
    RiskTable table;
    i64 weight = 0;

    void clear(u32 size) {
        rows.resize(size);
        group.resize(size);
        weight = 0;
    }
    void set(u32 at, const Sums::Carry& row) {
        rows[at] = {0, static_cast<u32>(row.y >> kStep & 1), row.n};
        group[at] = row.y >> (kStep + 1);
        weight += row.w;
    }
    void finish() { table.build(rows, group); }
    // Whether there is anything to explain; what the impurity is follows from the Stats (node_sums.hpp).
    double impurity() const { return table.n_events > 0 ? 1 : 0; }
    // K4: rounding of U is that of the number of events.
    double margin() const { return 1e-12 * static_cast<double>(table.n_events); }

    bool big_enough(i64 rows_of_side) const {
        return rows_of_side >= std::max<i64>(plan->limits.min_rows_leaf, 1) &&
               static_cast<double>(rows_of_side) >= plan->limits.min_weight_leaf;
    }
};

}  // namespace hornbeam
