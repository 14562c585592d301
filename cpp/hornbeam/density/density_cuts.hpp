// The cuts of one node of a density tree, and the best of them (K4, K7, K9).
//
//   numeric   at the midpoint of two neighbouring values
//   ordinal   next to a value that is there: between two values that are not, one of these two ends is better
//   nominal   values by weight, the rarest first, cut once. Values no row has go with the rarest.
//
// For a nominal column that is the best of all sets of values: the loss is convex in the weight of a set (Fisher 1958).
// Both sides hold `min_rows_leaf` rows, and no side is so thin that it has no length.
#pragma once

#include "hornbeam/density/density_rows.hpp"

namespace hornbeam {

// A node that waits: its slice of the rows and its box.
struct DensityBox {
    std::vector<double> low, high;                                 // per column, as in DensityColumn
    std::vector<std::shared_ptr<const std::vector<i32>>> allowed;  // nominal columns: the values left, ascending
};

struct DensityCut {
    double rise = -1;  // -1: none
    i32 column = -1;
    double share = 0;  // of the volume, below
    double threshold = std::numeric_limits<double>::quiet_NaN();
    double low = std::numeric_limits<double>::quiet_NaN(), high = std::numeric_limits<double>::quiet_NaN();
    i64 weight = 0, rows = 0;  // below
    std::size_t entries = 0;   // ordered columns: how many entries of the slice are below
    std::vector<i32> set;      // nominal columns: the present values of the first branch, ascending
    bool rare_first = false;   // nominal columns: the first branch is the one of rare (and absent) values

    bool is_valid() const { return rise >= 0; }
};

// K4's margin: scores are |R| (1 + rise).
inline double density_margin(double best) { return 1e-12 * (1 + best); }

// The relative decrease of a cut with shares p of the weight, a and b of the volume, a + b = 1.
inline double density_rise(double p, double a, double b) {
    const double away = p - a;
    return std::min(away * away / (a * b), std::numeric_limits<double>::max() / 4);
}

class DensitySearch {
  public:
    DensitySearch(const std::vector<DensityColumn>& columns, const SortedRows& rows, i64 min_rows)
        : columns_(columns), rows_(rows), min_rows_(min_rows) {}

    // The largest rise of a column; -1 if it has no cut.
    double best(std::size_t c, const DensityBox& box, std::size_t begin, std::size_t end, i64 weight, i64 rows) const {
        double best = -1;
        each(c, box, begin, end, weight, rows, [&](double rise, auto&&) {
            best = std::max(best, rise);
            return false;
        });
        return best;
    }
    // The first cut of a column, in K4's order, whose rise is at least `least`.
    DensityCut first(std::size_t c, const DensityBox& box, std::size_t begin, std::size_t end, i64 weight, i64 rows,
                     double least) const {
        DensityCut chosen;
        const bool ordered = columns_[c].view.kind != ColumnKind::nominal;
        each(c, box, begin, end, weight, rows, [&](double rise, auto&& write) {
            if (rise < least) return false;
            DensityCut cut;
            cut.rise = rise;
            cut.column = static_cast<i32>(c);
            write(cut);
            if (!chosen.is_valid() || std::pair(cut.set.size(), cut.set) < std::pair(chosen.set.size(), chosen.set))
                chosen = std::move(cut);
            return ordered;
        });
        return chosen;
    }

  private:
    // Calls visit(rise, write) for every cut until it returns true; `write` fills in the cut.
    template <class Visit>
    void each(std::size_t c, const DensityBox& box, std::size_t begin, std::size_t end, i64 weight, i64 rows,
              Visit&& visit) const {
        if (columns_[c].view.kind == ColumnKind::nominal)
            sets(c, box, begin, end, weight, rows, visit);
        else if (!rows_.weighted())
            thresholds<false>(c, box, begin, end, weight, rows, visit);
        else
            thresholds<true>(c, box, begin, end, weight, rows, visit);
    }

    template <bool kWeighted, class Visit>
    void thresholds(std::size_t c, const DensityBox& box, std::size_t begin, std::size_t end, i64 weight, i64 rows,
                    Visit& visit) const {
        const u64* slice = rows_.slice(c);
        const bool ordinal = columns_[c].view.kind == ColumnKind::ordinal;
        i64 w = 0, n = 0;
        for (std::size_t i = begin; i < end; ++i) {
            if (i > begin && slice[i] >> 32 != slice[i - 1] >> 32 && n >= min_rows_ && rows - n >= min_rows_) {
                const double low = rows_.value(c, slice[i - 1]), high = rows_.value(c, slice[i]);
                const double ends[] = {ordinal ? low + 0.5 : midpoint(low, high), high - 0.5};
                for (int k = 0; k < (ordinal && high - low > 1 ? 2 : 1); ++k)
                    if (cut(c, box, ends[k], low, high, w, n, i - begin, weight, visit)) return;
            }
            w += kWeighted ? rows_.weight_of(static_cast<u32>(slice[i])) : 1;
            n += kWeighted ? rows_.rows_of_entry(slice[i]) : 1;
        }
    }
    template <class Visit>
    bool cut(std::size_t c, const DensityBox& box, double at, double low, double high, i64 w, i64 n,
             std::size_t entries, i64 weight, Visit& visit) const {
        const double below = at - box.low[c], above = box.high[c] - at, whole = box.high[c] - box.low[c];
        const double share = below / whole, rest = above / whole;
        if (!(share > 0 && rest > 0)) return false;
        const double p = static_cast<double>(w) / static_cast<double>(weight);
        return visit(density_rise(p, share, rest), [&](DensityCut& out) {
            out.share = share;
            out.threshold = at;
            out.low = low;
            out.high = high;
            out.weight = w;
            out.rows = n;
            out.entries = entries;
        });
    }

    struct Value {
        i64 weight, rows;
        i32 code;
    };
    std::vector<Value> present(std::size_t c, std::size_t begin, std::size_t end) const {
        std::vector<Value> values;
        const u64* slice = rows_.slice(c);
        for (std::size_t i = begin; i < end; ++i) {
            if (i == begin || slice[i] >> 32 != slice[i - 1] >> 32)
                values.push_back({0, 0, static_cast<i32>(rows_.value(c, slice[i]))});
            values.back().weight += rows_.weight_of(static_cast<u32>(slice[i]));
            values.back().rows += rows_.rows_of_entry(slice[i]);
        }
        return values;
    }
    template <class Visit>
    void sets(std::size_t c, const DensityBox& box, std::size_t begin, std::size_t end, i64 weight, i64 rows,
              Visit& visit) const {
        std::vector<Value> values = present(c, begin, end);
        if (values.size() < 2) return;
        const i32 first = values[0].code;
        std::stable_sort(values.begin(), values.end(),
                         [](const Value& a, const Value& b) { return a.weight < b.weight; });
        const double whole = box.high[c] - box.low[c], absent = whole - static_cast<double>(values.size());
        i64 w = 0, n = 0;
        for (std::size_t j = 0; j + 1 < values.size(); ++j) {
            w += values[j].weight;
            n += values[j].rows;
            if (n < min_rows_ || rows - n < min_rows_) continue;
            const double rare = absent + static_cast<double>(j + 1), share = rare / whole;
            const double p = static_cast<double>(w) / static_cast<double>(weight);
            const bool stop = visit(density_rise(p, share, (whole - rare) / whole), [&](DensityCut& out) {
                out.rare_first = std::any_of(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(j) + 1,
                                             [&](const Value& v) { return v.code == first; });
                out.share = out.rare_first ? share : (whole - rare) / whole;
                out.weight = out.rare_first ? w : weight - w;
                out.rows = out.rare_first ? n : rows - n;
                for (std::size_t k = 0; k < values.size(); ++k)
                    if ((k <= j) == out.rare_first) out.set.push_back(values[k].code);
                std::sort(out.set.begin(), out.set.end());
            });
            if (stop) return;
        }
    }

    const std::vector<DensityColumn>& columns_;
    const SortedRows& rows_;
    i64 min_rows_;
};

}  // namespace hornbeam
