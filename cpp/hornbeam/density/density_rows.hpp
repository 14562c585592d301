// The rows of a density tree while it grows: every column sorted once, its order kept in each node.
//
//   column 0   [ rank row | rank row | ... ]      one 64-bit word an entry: the value's rank above the row's number
//   column 1   [ rank row | ... ]                 a node is the same slice of every column
//
// A cut parts each slice stably, so what was sorted stays sorted.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>

#include "hornbeam/density/density.hpp"
#include "hornbeam/stats/fixed_point.hpp"
#include "hornbeam/threads/pool.hpp"

namespace hornbeam {

class SortedRows {
  public:
    SortedRows(const std::vector<DensityColumn>& columns, const DensityRows& rows, Pool& pool)
        : fine_(rows.weights.empty() ? 0 : *std::max_element(rows.weights.begin(), rows.weights.end())),
          table_(rows),
          entries_(columns.size()),
          values_(columns.size()),
          side_(rows.n) {
        weigh();
        std::vector<u32> live;
        for (std::size_t i = 0; i < rows.n; ++i)
            if (rows_of(static_cast<u32>(i)) > 0 && (plain() || rows.weights[i] > 0))
                live.push_back(static_cast<u32>(i));
        size_ = live.size();
        pool.each(columns.size(), [&](std::size_t c, int) { sort(columns[c].view, live, c); });
        spare_.resize(static_cast<std::size_t>(pool.n_threads()));
    }

    std::size_t size() const { return size_; }
    bool weighted() const { return !weight_.empty(); }
    double value(std::size_t column, u64 entry) const { return values_[column][entry >> 32]; }
    const u64* slice(std::size_t column) const { return entries_[column].data(); }
    i64 weight_of(u32 row) const { return weight_.empty() ? 1 : weight_[row]; }
    i64 rows_of(u32 row) const { return table_.counts.empty() ? 1 : table_.counts[row]; }
    i64 rows_of_entry(u64 entry) const { return rows_of(static_cast<u32>(entry)); }
    // Whether a row and its weight are the same number.
    bool plain() const { return table_.weights.empty(); }

    // The exact weight of a slice, in units of `fine_value`.
    i128 fine_sum(std::size_t column, std::size_t begin, std::size_t end) const {
        i128 sum = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const u32 row = static_cast<u32>(entries_[column][i]);
            sum += plain() ? static_cast<i128>(rows_of(row)) : fine_.whole(table_.weights[row]);
        }
        return sum;
    }
    double fine_value(i128 sum) const { return plain() ? static_cast<double>(sum) : fine_.value(sum); }

    void send(u64 entry, u8 side) { side_[static_cast<u32>(entry)] = side; }
    // Sorts the slice of one column by side, stably.
    void part(std::size_t column, std::size_t begin, std::size_t end, int worker) {
        std::vector<u64>& away = spare_[static_cast<std::size_t>(worker)];
        away.clear();
        u64* all = entries_[column].data();
        std::size_t next = begin;
        for (std::size_t i = begin; i < end; ++i) {
            const u64 entry = all[i];
            if (side_[static_cast<u32>(entry)] != 0)
                away.push_back(entry);
            else
                all[next++] = entry;
        }
        std::copy(away.begin(), away.end(), all + next);
    }

  private:
    // Rows that count alike are counted; other weights go to a grid on which their sums are exact.
    void weigh() {
        if (table_.weights.empty()) {
            weight_.assign(table_.counts.begin(), table_.counts.end());
            return;
        }
        double any = 0;
        for (double w : table_.weights) any = std::max(any, w);
        if (table_.counts.empty() &&
            std::all_of(table_.weights.begin(), table_.weights.end(), [&](double w) { return w == any || !(w > 0); }))
            return;
        const WeightGrid grid(table_.weights, Bits(table_.n).class_weight());
        weight_.resize(table_.n);
        for (std::size_t i = 0; i < table_.n; ++i) weight_[i] = grid(table_.weights[i]);
    }

    void sort(const ColumnView& view, const std::vector<u32>& live, std::size_t column) {
        std::vector<std::pair<u64, u32>> order(live.size());
        for (std::size_t i = 0; i < live.size(); ++i) {
            const i64 bits = std::bit_cast<i64>(view.value(live[i]) + 0.0);  // -0 and 0 are one value
            order[i] = {static_cast<u64>(bits) ^ (static_cast<u64>(bits >> 63) | u64{1} << 63), live[i]};
        }
        std::sort(order.begin(), order.end());
        std::vector<u64>& out = entries_[column];
        out.resize(live.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i == 0 || order[i].first != order[i - 1].first)
                values_[column].push_back(view.value(order[i].second) + 0.0);
            out[i] = static_cast<u64>(values_[column].size() - 1) << 32 | order[i].second;
        }
    }

    FineSum fine_;
    DensityRows table_;
    std::size_t size_ = 0;
    std::vector<i64> weight_;  // empty: every row is 1
    std::vector<std::vector<u64>> entries_;
    std::vector<std::vector<double>> values_;  // by rank
    std::vector<u8> side_;
    std::vector<std::vector<u64>> spare_;
};

}  // namespace hornbeam
