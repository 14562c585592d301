// Row loops: all that large nodes ask of the outcomes of their rows.
//
// Only these loops are compiled for each kind of target (typed_row_loops.hpp). Code about nodes calls them, so it is
// compiled once, and does not know what a row carries.
#pragma once

#include <memory>
#include <span>

#include "hornbeam/grow/node.hpp"
#include "hornbeam/stats/histogram.hpp"

namespace hornbeam {

class DealtLists;
class Pool;
struct BinCells;
struct BinEntry;

// One node's rows: ids and what they carry, side by side.
struct Rows {
    const u32* id;
    std::byte* carry;
    std::size_t n, carry_size;  // bytes of one row

    Rows part(std::size_t first, std::size_t count) const {
        return {id + first, carry + first * carry_size, count, carry_size};
    }
};

// Rows that are no slice of all rows: parts of rows went to several nodes.
template <class Carry>
struct OwnRows {
    std::vector<u32> id;
    std::vector<Carry> carry;
};
using OwnBytes = OwnRows<std::byte>;

// Grows nodes of few rows to the end (block.hpp).
class SubtreeGrower {
  public:
    virtual ~SubtreeGrower() = default;
    // Grows the whole subtree of `root`, whose lanes are set. `usable` are the columns not yet used up. The lists are
    // block `b` of `dealt`, if that is not null.
    virtual void grow(Node* root, const Rows& rows, int depth, std::vector<i32> usable, const Bounds* bounds, u64 key,
                      DealtLists* dealt, std::size_t b) = 0;
    // Nodes in packed subtrees, their roots left out.
    virtual std::size_t packed_nodes() const = 0;
    // Frees what growing needed; packed subtrees stay.
    virtual void finish() = 0;
};

class RowLoops {
  public:
    virtual ~RowLoops() = default;

    // What all rows carry.
    virtual std::byte* carry() = 0;
    virtual void clear() = 0;
    virtual std::size_t carry_size() const = 0;

    // As in outcome.hpp; `n` bins that lie one after the other, and so their lanes.
    virtual int words() const = 0;
    virtual bool exact_bins() const = 0;
    virtual void lanes(const u64* bins, std::size_t n, i64* out) const = 0;

    virtual i64 weight(const Rows& rows, std::size_t at) const = 0;
    // How often a row counts.
    virtual i64 rows(const Rows& rows, std::size_t at) const = 0;
    // Entries say which of the rows are meant: adds each to the lanes of its cell, or writes their lanes.
    virtual void add_entries(const Rows& rows, std::span<const BinEntry> entries, const u8* cell, i64* lanes) const = 0;
    virtual void entry_lanes(const Rows& rows, std::span<const BinEntry> entries, i64* out) const = 0;
    // Adds each row to the lanes, or its weight to that, of its branch; Router::kGap has none.
    virtual void add_rows(const Rows& rows, const u8* branch, i64* lanes) const = 0;
    virtual void add_rows(const Rows& rows, const u32* branch, i64* lanes) const = 0;
    virtual void add_weights(const Rows& rows, const u32* branch, i64* weight) const = 0;

    virtual void tally(const Group& group, std::size_t words, const Rows& rows, u64* out) const = 0;
    virtual void tally_columns(const Codes& codes, const HistogramShape& shape, const Rows& rows,
                               std::span<const i32> columns, u64* out) const = 0;
    virtual void tally_cells(const Codes& codes, const Rows& rows, std::span<BinCells> columns) const = 0;

    // At most kChunk rows, ids and carries: those of branch 0 first. Returns how many they are.
    static constexpr std::size_t kChunk = 2048;
    virtual std::size_t part_in_two(u32* id, std::byte* carry, const u8* branch, std::size_t n) const = 0;
    // Writes ids and carries to the next place of their branch, in arrays that hold all rows.
    virtual void move_rows(const Rows& rows, const u8* branch, std::span<std::size_t> next, u32* id,
                           std::byte* carry) const = 0;
    virtual void move_rows(const Rows& rows, const u32* branch, std::span<std::size_t> next, u32* id,
                           std::byte* carry) const = 0;
    // Gives the rows to their branches, and the gaps to all of them in parts; adds to the lanes of the children.
    virtual void divide_rows(const Rows& rows, const u32* branch, const std::vector<i64>& weight, Node* children,
                             std::span<const std::shared_ptr<OwnBytes>> own) const = 0;
    // Puts rows on the grid that follows from their range (regrid.hpp), and adds up their lanes.
    virtual void regrid(const Rows& rows, const TargetRange& range, Grid& grid, i64* lanes) const = 0;

    // Of what lies between the rows and a mean of y, on their grid.
    virtual double fourth_powers(const Rows& rows, double mean) const = 0;

    // The best of the tests drawn at a node (random_block.hpp).
    virtual bool choose_drawn(const Judge& judge, const Rows& rows, ColumnChoice& choice, Candidate& chosen) const = 0;

    // Nodes go into `arena`; without one a finished subtree is packed.
    virtual std::unique_ptr<SubtreeGrower> subtree_grower(Arena* arena, const Pool& pool) const = 0;
};

}  // namespace hornbeam
