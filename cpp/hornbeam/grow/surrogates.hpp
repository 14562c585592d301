// Surrogates: second splits that stand for a node's own where its column is missing (Breiman, Friedman, Olshen & Stone
// 1984, section 5.3).
//
//   agreement    share of the rows sent to the same side
//   association  (agreement - majority) / (1 - majority), majority being the larger side's share
//
// Only surrogates that do better than the majority are kept, best first. Shares are of all rows known in the node's own
// column, or of those known in both. A cut lies between two neighbouring values of the node, whether or not their rows
// are known in its own column; a value that agrees with both sides equally often goes with the larger one (rpart).
#pragma once

#include <algorithm>

#include "hornbeam/encode/round_threshold.hpp"
#include "hornbeam/types.hpp"

namespace hornbeam {

struct Surrogate {
    i32 column = -1;
    double threshold = std::numeric_limits<double>::quiet_NaN();
    i32 low = -1, high = -1;  // branches of x <= threshold and x > threshold
    double agreement = 0, association = 0;
    std::vector<std::pair<i32, i32>> map;  // nominal: (value, branch), by value

    // The branch of a row, -1 if the surrogate does not know it.
    i32 branch(const ColumnView& view, std::size_t row) const {
        if (!map.empty()) {
            const i32 code = view.raw<i32>(row);
            const auto at = std::lower_bound(map.begin(), map.end(), std::pair(code, i32{-1}));
            return at != map.end() && at->first == code ? at->second : -1;
        }
        const double value = view.value(row);
        return std::isnan(value) || std::isinf(value) ? -1 : value <= threshold ? low : high;
    }
};

// How many are kept, the rows each side needs, and what shares are shares of.
struct SurrogateRule {
    int most = 5;
    i64 min_side = 2;
    bool known_in_both = false;
};

// The rows of a node: where they go, negative if they are not known in its own column, what they weigh and how often
// they count.
struct RowSide {
    u32 row;
    i32 side;
    i64 weight;
    i64 n = 1;
};

// The rows of a node that are known in one column, by the side of the node's own split.
struct SideWeights {
    i64 known[2] = {}, n = 0;  // weights and number of the rows whose side is known, in this column too

    void count(i32 side, i64 weight, i64 rows) {
        if (side < 0) return;
        known[side] += weight;
        n += rows;
    }
};

// The cut of a column that agrees with the sides most.
class SurrogateCut {
  public:
    explicit SurrogateCut(const SideWeights& all = {}) : all_(all) {}

    // A row that is not before the last one; `step`: its value is larger than the last one's.
    void add(const RowSide& row, bool step, i64 min_side) {
        if (step && n_left_ >= min_side && all_.n - n_left_ >= min_side) try_cut(row.row);
        if (row.side >= 0) left_[row.side] += row.weight, n_left_ += row.n;
        last_ = row.row;
    }
    // Whether there is a cut; writes it, and the weight of the rows that agree.
    bool finish(const ColumnView& view, Surrogate& out, i64& agree) const {
        if (best_ < 0) return false;
        agree = best_;
        out.low = low_;
        out.high = 1 - low_;
        const double below = view.value(below_);
        out.threshold =
            view.kind == ColumnKind::ordinal ? below + 0.5 : round_threshold(below, view.value(above_), false, true);
        return true;
    }

  private:
    void try_cut(u32 next) {
        for (i32 low = 0; low < 2; ++low) {
            const i64 agree = left_[low] + all_.known[1 - low] - left_[1 - low];
            if (agree <= best_) continue;
            best_ = agree;
            low_ = low;
            below_ = last_;
            above_ = next;
        }
    }

    SideWeights all_;
    i64 left_[2] = {}, n_left_ = 0, best_ = -1;
    u32 last_ = 0, below_ = 0, above_ = 0;
    i32 low_ = 0;
};

// The side of every value of a nominal column that agrees with the sides most.
class SurrogateValues {
  public:
    explicit SurrogateValues(const SideWeights& all = {}) : larger_(all.known[1] > all.known[0] ? 1 : 0) {}

    void add(i32 code, const RowSide& row) {
        if (row.side < 0) return;
        if (code != code_) close(code);
        sum_[row.side] += row.weight;
        rows_ += row.n;
    }
    bool finish(Surrogate& out, i64& agree, i64 min_side) {
        close(-1);
        agree = agree_;
        out.map = std::move(map_);
        return n_rows_[0] >= min_side && n_rows_[1] >= min_side;
    }

  private:
    void close(i32 next) {
        if (rows_ > 0) {
            const i32 side = sum_[1] == sum_[0] ? larger_ : sum_[1] > sum_[0] ? 1 : 0;
            agree_ += sum_[side];
            n_rows_[side] += rows_;
            map_.emplace_back(code_, side);
        }
        sum_[0] = sum_[1] = rows_ = 0;
        code_ = next;
    }

    i32 larger_, code_ = -1;
    i64 sum_[2] = {}, rows_ = 0, agree_ = 0, n_rows_[2] = {};
    std::vector<std::pair<i32, i32>> map_;
};

// Sets the two shares; whether the surrogate does better than the majority. `all`: of all rows known in the node's own
// column.
inline bool beats_majority(i64 agree, const SideWeights& here, const SideWeights& all, const SurrogateRule& rule,
                           Surrogate& out) {
    const SideWeights& base = rule.known_in_both ? here : all;
    const auto sum = static_cast<double>(base.known[0] + base.known[1]),
               most = static_cast<double>(std::max(base.known[0], base.known[1]));
    out.agreement = static_cast<double>(agree) / sum;
    out.association = (static_cast<double>(agree) - most) / (sum - most);
    return static_cast<double>(agree) > most;
}

// The best first, of equal ones the first; no more than the rule keeps.
inline void keep_best(std::vector<Surrogate>& surrogates, const SurrogateRule& rule) {
    std::stable_sort(surrogates.begin(), surrogates.end(),
                     [](const Surrogate& a, const Surrogate& b) { return a.association > b.association + 1e-12; });
    if (surrogates.size() > static_cast<std::size_t>(rule.most)) surrogates.resize(static_cast<std::size_t>(rule.most));
}

// The surrogates of one node, whose rows are sorted by every column. (surrogates_of_tree.hpp: of all nodes without gaps
// together.)
class SurrogateSearch {
  public:
    SurrogateSearch(const std::vector<ColumnView>& columns, SurrogateRule rule) : columns_(columns), rule_(rule) {}

    // `own`: the columns that the node's split tests itself.
    std::vector<Surrogate> find(const std::vector<RowSide>& rows, const std::vector<i32>& own) {
        SideWeights all;
        for (const RowSide& row : rows) all.count(row.side, row.weight, row.n);
        std::vector<Surrogate> surrogates;
        for (std::size_t j = 0; j < columns_.size() && rule_.most > 0; ++j) {
            if (std::find(own.begin(), own.end(), static_cast<i32>(j)) != own.end()) continue;
            Surrogate best;
            best.column = static_cast<i32>(j);
            SideWeights here;
            sort(columns_[j], rows, here);
            i64 agree = 0;
            const bool any = columns_[j].kind == ColumnKind::nominal ? by_value(here, best, agree)
                                                                     : by_threshold(columns_[j], here, best, agree);
            if (any && beats_majority(agree, here, all, rule_, best)) surrogates.push_back(std::move(best));
        }
        keep_best(surrogates, rule_);
        return surrogates;
    }

  private:
    struct Cell {
        double value;
        RowSide row;
    };

    // The rows known in a column, in the order of their values.
    void sort(const ColumnView& view, const std::vector<RowSide>& rows, SideWeights& here) {
        cells_.clear();
        for (const RowSide& row : rows) {
            const double value = view.value(row.row);
            if (std::isnan(value) || (view.kind == ColumnKind::nominal && value < 0)) continue;
            cells_.push_back({value, row});
            here.count(row.side, row.weight, row.n);
        }
        std::sort(cells_.begin(), cells_.end(), [](const Cell& a, const Cell& b) { return a.value < b.value; });
    }
    bool by_threshold(const ColumnView& view, const SideWeights& here, Surrogate& out, i64& agree) const {
        SurrogateCut cut(here);
        for (std::size_t i = 0; i < cells_.size(); ++i)
            cut.add(cells_[i].row, i > 0 && cells_[i].value > cells_[i - 1].value, rule_.min_side);
        return cut.finish(view, out, agree);
    }
    bool by_value(const SideWeights& here, Surrogate& out, i64& agree) const {
        SurrogateValues values(here);
        for (const Cell& cell : cells_) values.add(static_cast<i32>(cell.value), cell.row);
        return values.finish(out, agree, rule_.min_side);
    }

    const std::vector<ColumnView>& columns_;
    SurrogateRule rule_;
    std::vector<Cell> cells_;
};

}  // namespace hornbeam
