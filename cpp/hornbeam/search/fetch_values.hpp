// Reads the values of those rows of a node that fall into some bins of one column.
#pragma once

#include <array>

#include "hornbeam/encode/codes.hpp"
#include "hornbeam/grow/engine.hpp"

namespace hornbeam {

// Calls visit(position, code, value) for the rows in the flagged bins. Positions are listed first, then values are
// fetched with the next ones on their way: they lie anywhere in the caller's memory.
template <class Visit>
void fetch(const Codes& codes_of, const ColumnView& values, const Rows& rows, i32 column, const BinFlags& in_bins,
           Visit&& visit) {
    constexpr std::size_t kBatch = 4096, kAhead = 16;
    const Group& group = codes_of.groups()[static_cast<std::size_t>(codes_of.column(column).group)];
    const u8* codes = group.codes.get() + codes_of.column(column).offset;
    std::array<u32, kBatch> list;
    for (std::size_t first = 0; first < rows.n; first += kBatch) {
        const std::size_t last = std::min(rows.n, first + kBatch);
        std::size_t n = 0;
        for (std::size_t i = first; i < last; ++i) {
            prefetch(codes + std::size_t{rows.id[std::min(i + 2 * kAhead, rows.n - 1)]} * group.width);
            list[n] = static_cast<u32>(i);
            n += in_bins[codes[std::size_t{rows.id[i]} * group.width]];
        }
        for (std::size_t k = 0; k < n; ++k) {
            if (k + kAhead < n)
                prefetch(values.data + static_cast<std::ptrdiff_t>(rows.id[list[k + kAhead]]) * values.stride);
            const u32 row = rows.id[list[k]];
            visit(list[k], codes[std::size_t{row} * group.width], values.value(row));
        }
    }
}

}  // namespace hornbeam
