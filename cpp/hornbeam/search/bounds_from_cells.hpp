// A closer bound on what a cut inside a bin gains, from sixteen cells of the bin.
//
// Where no column says much, most bins could hold the winner, and to fetch and sort their rows would take longer than
// all else. One pass over the rows, a block at a time for several columns, tallies the cells of those bins; nothing is
// kept of the rows. The bound of a cell is far below that of its bin, and the edge of a cell is a cut, so it may raise
// the bar.
#pragma once

#include <span>

#include "hornbeam/search/fetch_values.hpp"
#include "hornbeam/search/inside_bins.hpp"

namespace hornbeam {

// The bins of one column that could hold the winner, divided into cells.
struct BinCells {
    static constexpr std::size_t kCells = 16;

    i32 column;
    bool tied;                       // whether many rows have the same value
    std::vector<int> buckets;        // numbers of the bins
    BinFlags in_bins{};              // by code
    std::array<u8, kBins> slot{};    // by code: place in `buckets`
    std::vector<double> low, scale;  // by slot: cell = (x - low) * scale
    std::vector<u64> cells;          // `words` for each cell
    std::vector<double> first;       // a value of the cell, NaN where it is empty; where tied
    std::vector<u8> varied;          // 1: the cell has another value, or may have

    BinCells(i32 of, bool has_ties) : column(of), tied(has_ties) {}

    // A bin that cannot be divided evenly is left out.
    void add(int bucket, u32 code, double from, double to) {
        const double by = static_cast<double>(kCells) / (to - from);
        if (!std::isfinite(by) || !std::isfinite(to - from) || by <= 0) return;
        in_bins[code] = 1;
        slot[code] = static_cast<u8>(buckets.size());
        buckets.push_back(bucket);
        low.push_back(from);
        scale.push_back(by);
    }
    void prepare(std::size_t words) {
        const std::size_t n = buckets.size() * kCells;
        cells.assign(n * words, 0);
        first.assign(tied ? n : 0, std::numeric_limits<double>::quiet_NaN());
        varied.assign(n, tied ? 0 : 1);
    }
    std::size_t cell(u32 code, double x) const {
        const std::size_t s = slot[code];
        const double at = std::min(std::max((x - low[s]) * scale[s], 0.0), static_cast<double>(kCells - 1));
        return s * kCells + static_cast<std::size_t>(static_cast<i32>(at));
    }
};

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
                      if (!bins.tied || bins.first[c] == value) return;
                      if (std::isnan(bins.first[c]))
                          bins.first[c] = value;
                      else
                          bins.varied[c] = 1;
                  });
    }
}

}  // namespace hornbeam
