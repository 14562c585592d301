// A closer bound on what a cut inside a bin gains, from sixteen cells of the bin.
//
// Where no column says much, most bins could hold the winner, and to fetch and sort their rows would take longer than
// all else. One pass over the rows, a block at a time for several columns, tallies the cells of those bins; nothing is
// kept of the rows. The bound of a cell is far below that of its bin, and the edge of a cell is a cut, so it may raise
// the bar.
#pragma once

#include <span>

#include "hornbeam/search/fetch_values.hpp"

namespace hornbeam {

// Adds the rows to the cells of all columns.
template <class O>
void tally_cells(const Codes& codes_of, const std::vector<ColumnView>& views, const O& outcome, const Rows& rows,
                 std::span<BinCells> columns) {
    constexpr std::size_t kBlock = 2048;  // its codes and values stay near while column after column reads them
    const auto words = static_cast<std::size_t>(outcome.words());
    for (std::size_t first = 0; first < rows.n; first += kBlock) {
        const Rows block = rows.part(first, std::min(kBlock, rows.n - first));
        const auto* carry = reinterpret_cast<const typename O::Carry*>(block.carry);
        for (BinCells& bins : columns)
            fetch(codes_of, views[static_cast<std::size_t>(bins.column)], block, bins.column, bins.in_bins,
                  [&](u32 at, u8 code, double value) {
                      const std::size_t c = bins.cell(code, value);
                      outcome.add(bins.cells.data() + c * words, carry[at]);
                      if (bins.tied) bins.see(c, value);
                  });
    }
}

// The cells of all bins of a node that a cut could lie in. They are kept for its children: cells are the same
// everywhere in the tree, so those of the largest child are what the others leave.
class NodeCells {
  public:
    NodeCells(const Growth& growth, const Codes& codes, std::size_t words) : words_(words) {
        place_.assign(growth.columns.size(), 0);
        for (i32 j = 0; j < static_cast<i32>(growth.columns.size()); ++j) {
            const CodedColumn& coded = codes.column(j);
            if (growth.columns[static_cast<std::size_t>(j)].split != SplitKind::threshold || coded.exact) continue;
            BinCells bins(j, coded.tied);
            for (i32 code = 0; code < static_cast<i32>(kMissingCode); ++code) {
                const auto [low, high] = codes.edges(j, code);
                if (!codes.flat(j, code)) bins.add(code, static_cast<u32>(code), 0, low, high);
            }
            place_[static_cast<std::size_t>(j)] = columns_.size();
            columns_.push_back(std::move(bins));
        }
    }
    // Bytes of the cells of so many columns.
    static std::size_t bytes(std::size_t n_columns, std::size_t words) {
        return n_columns * kBins * BinCells::kCells * words * sizeof(u64);
    }

    std::size_t n_columns() const { return columns_.size(); }
    // Adds the rows to the cells of some columns.
    void tally(const RowLoops& loops, const Codes& codes, const Rows& rows, std::size_t first, std::size_t n) {
        const std::span<BinCells> some(columns_.data() + first, n);
        for (BinCells& bins : some) bins.prepare(words_);
        loops.tally_cells(codes, rows, some);
        for (BinCells& bins : some) bins.first = {};
    }
    // Takes the rows of another node away. A cell that had several values is taken to have them still.
    void subtract(const NodeCells& other) {
        for (std::size_t j = 0; j < columns_.size(); ++j)
            for (std::size_t i = 0; i < columns_[j].cells.size(); ++i)
                columns_[j].cells[i] -= other.columns_[j].cells[i];
    }
    // Fills the cells of some bins of a column.
    void copy_to(BinCells& bins) const {
        const BinCells& all = columns_[place_[static_cast<std::size_t>(bins.column)]];
        const std::size_t size = BinCells::kCells * words_;
        for (u32 code = 0; code < kBins; ++code) {
            if (bins.in_bins[code] == 0) continue;
            const std::size_t from = all.slot[code], to = bins.slot[code];
            std::copy_n(all.cells.data() + from * size, size, bins.cells.data() + to * size);
            std::copy_n(all.varied.data() + from * BinCells::kCells, BinCells::kCells,
                        bins.varied.data() + to * BinCells::kCells);
        }
    }

  private:
    std::size_t words_;
    std::vector<std::size_t> place_;  // by column
    std::vector<BinCells> columns_;
};

}  // namespace hornbeam
