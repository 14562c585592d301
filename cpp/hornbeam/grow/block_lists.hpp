// The lists of a block: its rows in the order of every column, sorted once and then only parted.
//
//   entry = rank << 16 | id      rank counts the distinct values; 65535 is "missing", at the end
//
// Ids are local, 16 bits. A node is the same range [begin, end) in all lists.
#pragma once

#include <cstring>

#include "hornbeam/grow/node.hpp"
#include "hornbeam/grow/presorted.hpp"

namespace hornbeam {

class BlockLists {
  public:
    explicit BlockLists(const Growth& growth) : growth_(growth) {}

    static u32 rank(u32 entry) { return entry >> 16; }
    static u32 id(u32 entry) { return entry & 0xffff; }

    // The lists of n rows for every one of the columns: sorted, or block `b` of `dealt`, where most are already.
    void load(const u32* rows, u32 n, const std::vector<i32>& columns, DealtLists* dealt, std::size_t b) {
        rows_ = rows;
        size_ = n;
        if (dealt == nullptr) lists_.resize(columns.size() * n);
        entries_ = dealt == nullptr ? lists_.data() : dealt->lists(b);
        place_.assign(growth_.columns.size(), 0);
        gaps_.assign(growth_.columns.size(), 0);
        ties_.assign(growth_.columns.size(), 1);
        spare_.resize(n);
        side_.resize(n);
        plain_ = true;
        std::size_t next = 0;
        for (i32 j : columns) {
            const auto at = static_cast<std::size_t>(j);
            const ColumnView& view = growth_.columns[at];
            place_[at] = dealt == nullptr ? next++ : at;
            if (dealt == nullptr || !dealt->sorted(j)) gaps_[at] = sorter_.sort(view, rows, n, list(j)) < n;
            ties_[at] = rank(list(j)[n - 1]) != n - 1;  // else every row has its own rank
            plain_ &= view.split == SplitKind::threshold && gaps_[at] == 0;
        }
    }
    void clear() { lists_ = {}; }

    u32* list(i32 column) { return entries_ + place_[static_cast<std::size_t>(column)] * size_; }
    bool has_ties(i32 column) const { return ties_[static_cast<std::size_t>(column)] != 0; }
    bool plain() const { return plain_; }  // thresholds of columns without gaps are all there is to search
    u32 row(u32 entry) const { return rows_[id(entry)]; }
    u32 table_row(u32 place) const { return rows_[place]; }
    double value(i32 column, u32 entry) const {
        return growth_.columns[static_cast<std::size_t>(column)].value(row(entry));
    }
    i32 code(i32 column, u32 entry) const {
        return growth_.columns[static_cast<std::size_t>(column)].raw<i32>(row(entry));
    }
    // Whether the rows of a node have one value and no gap, or gaps alone.
    bool constant(i32 column, u32 begin, u32 end) {
        const u32* entries = list(column);
        return rank(entries[begin]) == rank(entries[end - 1]);
    }
    // End of the known values of a column in [begin, end).
    u32 known_end(i32 column, u32 begin, u32 end) {
        if (!gaps_[static_cast<std::size_t>(column)]) return end;
        const u32* entries = list(column);
        return static_cast<u32>(std::lower_bound(entries + begin, entries + end, kMissingEntry) - entries);
    }

    // The branch each row takes, by id; set before a list is parted.
    u16& side(u32 local) { return side_[local]; }

    // entries: [a b c d e f], side: 1 0 0 1 0 1  ->  [b c e | a d f], stable
    void part_in_two(i32 column, u32 begin, u32 end) {
        u32* entries = list(column);
        u32 *left = entries + begin, *right = spare_.data();
        const u16* side = side_.data();
        for (u32 i = begin; i < end; ++i) {
            const u32 entry = entries[i];
            const u32 s = side[id(entry)];
            *left = entry;
            *right = entry;
            left += 1 - s;
            right += s;
        }
        std::memcpy(left, spare_.data(), static_cast<std::size_t>(right - spare_.data()) * sizeof(u32));
    }
    // The same for any number of branches; `start`: where each begins.
    void part(i32 column, u32 begin, u32 end, const std::vector<u32>& start) {
        u32* entries = list(column);
        next_.assign(start.begin(), start.end() - 1);
        std::copy(entries + begin, entries + end, spare_.begin());
        for (u32 i = 0; i < end - begin; ++i) entries[next_[side_[id(spare_[i])]]++] = spare_[i];
    }

  private:
    const Growth& growth_;
    const u32* rows_ = nullptr;
    u32* entries_ = nullptr;
    u32 size_ = 0;
    std::vector<std::size_t> place_;
    std::vector<u8> gaps_, ties_;  // by column: whether there are any
    bool plain_ = false;
    std::vector<u32> lists_, spare_, next_;
    std::vector<u16> side_;
    ColumnSorter sorter_;
};

}  // namespace hornbeam
