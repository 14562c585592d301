// Presorted columns: the rows of a table in the order of every column, sorted once for all trees of a forest.
//
//   a presorted column    e a c d b ...           ascending; runs of equal values, here a c, are known
//   blocks of a tree      {a b e} {c d} ...       every row knows its block and its place there
//   lists of the blocks   [e a b] [c d]           one walk along the column deals its rows to all blocks, each sorted
//
// A walk costs a few instructions a row, much less than sorting every block of every tree.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "hornbeam/encode/sort.hpp"
#include "hornbeam/threads/pool.hpp"

namespace hornbeam {

struct PresortedColumn {
    struct Run {
        u32 begin, end;
    };
    std::vector<u32> rows;  // ascending; empty for a column with gaps: whoever wants its lists sorts them
    std::vector<Run> runs;  // rows of one value, where there are several
};

class PresortedColumns {
  public:
    PresortedColumns(const std::vector<ColumnView>& columns, std::size_t n_rows, Pool& pool)
        : n_rows_(n_rows), columns_(columns.size()) {
        pool.each(columns.size(), [&](std::size_t j, int) { columns_[j] = presorted_column(columns[j]); });
    }
    // Whether a forest gains more than the memory is worth: 4 bytes a cell, and the same again for each thread.
    static bool worthwhile(std::size_t n_columns, std::size_t n_rows, std::size_t n_trees) {
        return n_trees >= 8 && n_columns * n_rows <= std::size_t{1} << 26;
    }

    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_columns() const { return columns_.size(); }
    const PresortedColumn& operator[](std::size_t column) const { return columns_[column]; }

  private:
    PresortedColumn presorted_column(const ColumnView& view) const {
        std::vector<KeyedRow> keyed;
        keyed.reserve(n_rows_);
        for (std::size_t i = 0; i < n_rows_; ++i) {
            const double value = view.value(i);
            if (std::isnan(value) || (!view.is_numeric() && value < 0)) return {};
            keyed.emplace_back(ordering_key(value), static_cast<u32>(i));
        }
        sort_keyed(keyed);
        PresortedColumn out;
        out.rows.reserve(n_rows_);
        for (u32 i = 0, begin = 0; i < keyed.size(); ++i) {
            out.rows.push_back(keyed[i].second);
            if (i + 1 < keyed.size() && keyed[i].first == keyed[i + 1].first) continue;
            if (i > begin) out.runs.push_back({begin, i + 1});
            begin = i + 1;
        }
        return out;
    }

    std::size_t n_rows_;
    std::vector<PresortedColumn> columns_;  // by column
};

// The lists of all blocks of one tree.
class DealtLists {
  public:
    static constexpr std::size_t kMost = 0xffff;  // blocks

    DealtLists(const PresortedColumns& presorted, const std::vector<std::span<const u32>>& blocks)
        : presorted_(presorted), nowhere_(static_cast<u32>(blocks.size())), place_(presorted.n_rows(), nowhere_ << 16) {
        u32 end = 0;
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            start_.push_back(end);
            size_.push_back(static_cast<u32>(blocks[b].size()));
            for (std::size_t i = 0; i < blocks[b].size(); ++i) place_[blocks[b][i]] = static_cast<u32>(b << 16 | i);
            end += size_[b] * static_cast<u32>(presorted.n_columns());
        }
        start_.push_back(end);  // room for rows of no block; every column writes them to the same place
        size_.push_back(0);
        entries_ = std::make_unique_for_overwrite<u32[]>(end + presorted.n_rows());
        for (std::size_t j = 0; j < presorted.n_columns(); ++j)
            if (sorted(static_cast<i32>(j))) deal(j);
        place_ = {};
    }

    // The lists of block b, one after the other; those that are not sorted are still to be filled.
    u32* lists(std::size_t b) { return entries_.get() + start_[b]; }
    bool sorted(i32 column) const { return !presorted_[static_cast<std::size_t>(column)].rows.empty(); }

  private:
    void deal(std::size_t column) {
        next_.clear();
        for (std::size_t b = 0; b < start_.size(); ++b)
            next_.push_back(start_[b] + static_cast<u32>(column) * size_[b]);
        less_ = next_;
        last_.assign(start_.size(), ~u32{0});
        const PresortedColumn& sorted = presorted_[column];
        u32 begin = 0;
        for (u32 r = 0; r < sorted.runs.size(); ++r) {
            deal_apart(sorted.rows.data(), begin, sorted.runs[r].begin);
            for (u32 i = sorted.runs[r].begin; i < sorted.runs[r].end; ++i) {
                const u32 place = place_[sorted.rows[i]], b = place >> 16;
                less_[b] += last_[b] == r;
                last_[b] = r;
                put(place);
            }
            begin = sorted.runs[r].end;
        }
        deal_apart(sorted.rows.data(), begin, static_cast<u32>(sorted.rows.size()));
    }
    // Rows of different values. Those of no block, a third of the table where rows were drawn, are left out first.
    void deal_apart(const u32* rows, u32 begin, u32 end) {
        constexpr u32 kChunk = 1024;
        std::array<u32, kChunk> places;
        for (u32 first = begin; first < end; first += kChunk) {
            const u32 last = std::min(end, first + kChunk);
            u32 n = 0;
            for (u32 i = first; i < last; ++i) {
                places[n] = place_[rows[i]];
                n += places[n] >> 16 != nowhere_;
            }
            for (u32 i = 0; i < n; ++i) put(places[i]);
        }
    }
    void put(u32 place) {
        const u32 b = place >> 16, at = next_[b]++;
        entries_[at] = (at - less_[b]) << 16 | (place & 0xffff);
    }

    const PresortedColumns& presorted_;
    u32 nowhere_;
    std::vector<u32> place_;  // by row: block << 16 | place in it
    std::vector<u32> start_, size_;
    std::vector<u32> next_, less_, last_;  // by block: the next entry; what makes it a rank; the run met last
    std::unique_ptr<u32[]> entries_;
};

}  // namespace hornbeam
