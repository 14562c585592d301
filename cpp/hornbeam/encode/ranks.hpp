// Ranks: the place of every value among the distinct values of its column, so that a node's distinct values can be
// counted by setting bits. Only C4.5's charge for a threshold asks for that number.
#pragma once

#include <bit>
#include <utility>
#include <vector>

#include "hornbeam/encode/codes.hpp"
#include "hornbeam/encode/sort.hpp"
#include "hornbeam/threads/pool.hpp"

namespace hornbeam {

class Ranks {
  public:
    // Columns whose codes are exact, or that are not cut by thresholds, need none.
    Ranks(const std::vector<ColumnView>& columns, const Codes& codes, std::size_t n_rows, Pool& pool)
        : rank_(columns.size()), size_(columns.size(), 0) {
        pool.each(columns.size(), [&](std::size_t j, int) {
            const auto column = static_cast<i32>(j);
            if (columns[j].split == SplitKind::threshold && !codes.column(column).exact) set(columns[j], j, n_rows);
        });
    }

    i64 distinct(i32 column, const u32* rows, std::size_t n) const {
        const std::vector<u32>& rank = rank_[static_cast<std::size_t>(column)];
        std::vector<u64> present(size_[static_cast<std::size_t>(column)] / 64 + 1, 0);
        constexpr std::size_t kAhead = 16;
        for (std::size_t i = 0; i < n; ++i) {
            prefetch(rank.data() + rows[std::min(i + kAhead, n - 1)]);
            const u32 r = rank[rows[i]];
            if (r != kMissing) present[r / 64] |= u64{1} << (r % 64);
        }
        i64 count = 0;
        for (u64 word : present) count += std::popcount(word);
        return count;
    }

  private:
    static constexpr u32 kMissing = ~u32{0};

    void set(const ColumnView& view, std::size_t j, std::size_t n_rows) {
        std::vector<KeyedRow> keyed;
        keyed.reserve(n_rows);
        for (std::size_t i = 0; i < n_rows; ++i) {
            const double value = view.value(i);
            if (!std::isnan(value)) keyed.emplace_back(ordering_key(value), static_cast<u32>(i));
        }
        sort_keyed(keyed);
        std::vector<u32>& rank = rank_[j];
        rank.assign(n_rows, kMissing);
        u32 next = 0;
        for (std::size_t i = 0; i < keyed.size(); ++i) {
            if (i > 0 && keyed[i].first != keyed[i - 1].first) ++next;
            rank[keyed[i].second] = next;
        }
        size_[j] = next + 1;
    }

    std::vector<std::vector<u32>> rank_;  // column, row
    std::vector<std::size_t> size_;       // distinct values
};

}  // namespace hornbeam
