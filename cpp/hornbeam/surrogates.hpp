// Surrogates: second splits that imitate a node's own where its column is missing (Breiman, Friedman, Olshen & Stone
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

#include "types.hpp"

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

// The rows of a node: where they go, negative if they are not known in its own column, and what they weigh.
struct Sided {
    u32 row;
    i32 side;
    i64 weight;
};

class SurrogateSearch {
  public:
    SurrogateSearch(const std::vector<ColumnView>& columns, SurrogateRule rule) : columns_(columns), rule_(rule) {}

    // `own`: the columns that the node's split tests itself.
    std::vector<Surrogate> find(const std::vector<Sided>& rows, const std::vector<i32>& own) {
        std::vector<Surrogate> found;
        for (std::size_t j = 0; j < columns_.size() && rule_.most > 0; ++j) {
            if (std::find(own.begin(), own.end(), static_cast<i32>(j)) != own.end()) continue;
            Surrogate best;
            best.column = static_cast<i32>(j);
            const bool any = columns_[j].kind == ColumnKind::nominal ? by_value(columns_[j], rows, best)
                                                                     : by_threshold(columns_[j], rows, best);
            if (any) found.push_back(std::move(best));
        }
        std::stable_sort(found.begin(), found.end(),
                         [](const Surrogate& a, const Surrogate& b) { return a.association > b.association + 1e-12; });
        if (found.size() > static_cast<std::size_t>(rule_.most)) found.resize(static_cast<std::size_t>(rule_.most));
        return found;
    }

  private:
    struct Cell {
        double value;
        i32 side;
        i64 weight;
    };

    bool by_threshold(const ColumnView& view, const std::vector<Sided>& rows, Surrogate& out) {
        cells_.clear();
        i64 known[2] = {}, n = 0;  // of the rows whose side is known
        for (const Sided& row : rows) {
            const double value = view.value(row.row);
            if (std::isnan(value)) continue;
            cells_.push_back({value, row.side, row.weight});
            if (row.side < 0) continue;
            known[row.side] += row.weight;
            ++n;
        }
        std::sort(cells_.begin(), cells_.end(), [](const Cell& a, const Cell& b) { return a.value < b.value; });
        i64 left[2] = {}, n_left = 0, best = -1;
        for (std::size_t i = 0; i + 1 < cells_.size(); ++i) {
            const Cell& cell = cells_[i];
            if (cell.side >= 0) left[cell.side] += cell.weight, ++n_left;
            const double next = cells_[i + 1].value;
            if (!(next > cell.value) || n_left < rule_.min_side || n - n_left < rule_.min_side) continue;
            for (i32 low = 0; low < 2; ++low) {
                const i64 agree = left[low] + known[1 - low] - left[1 - low];
                if (agree <= best) continue;
                best = agree;
                out.low = low;
                out.high = 1 - low;
                out.threshold = view.kind == ColumnKind::ordinal ? cell.value + 0.5 : midpoint(cell.value, next);
            }
        }
        return best >= 0 && worth(best, known, rows, out);
    }
    bool by_value(const ColumnView& view, const std::vector<Sided>& rows, Surrogate& out) {
        cells_.clear();
        i64 known[2] = {};
        for (const Sided& row : rows) {
            const i32 code = view.raw<i32>(row.row);
            if (code < 0 || row.side < 0) continue;
            cells_.push_back({static_cast<double>(code), row.side, row.weight});
            known[row.side] += row.weight;
        }
        std::sort(cells_.begin(), cells_.end(), [](const Cell& a, const Cell& b) { return a.value < b.value; });
        const i32 larger = known[1] > known[0] ? 1 : 0;
        i64 agree = 0, n_rows[2] = {};
        for (std::size_t i = 0; i < cells_.size();) {
            i64 sum[2] = {};
            std::size_t end = i;
            for (; end < cells_.size() && cells_[end].value == cells_[i].value; ++end)
                sum[cells_[end].side] += cells_[end].weight;
            const i32 side = sum[1] == sum[0] ? larger : sum[1] > sum[0] ? 1 : 0;
            agree += sum[side];
            n_rows[side] += static_cast<i64>(end - i);
            out.map.emplace_back(static_cast<i32>(cells_[i].value), side);
            i = end;
        }
        if (n_rows[0] < rule_.min_side || n_rows[1] < rule_.min_side) return false;
        return worth(agree, known, rows, out);
    }
    bool worth(i64 agree, const i64* known, const std::vector<Sided>& rows, Surrogate& out) const {
        i64 side[2] = {known[0], known[1]};
        if (!rule_.known_in_both) {
            side[0] = side[1] = 0;
            for (const Sided& row : rows)
                if (row.side >= 0) side[row.side] += row.weight;
        }
        const auto all = static_cast<double>(side[0] + side[1]), most = static_cast<double>(std::max(side[0], side[1]));
        out.agreement = static_cast<double>(agree) / all;
        out.association = (static_cast<double>(agree) - most) / (all - most);
        return static_cast<double>(agree) > most;
    }

    const std::vector<ColumnView>& columns_;
    SurrogateRule rule_;
    std::vector<Cell> cells_;
};

}  // namespace hornbeam
