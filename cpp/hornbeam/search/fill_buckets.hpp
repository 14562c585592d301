// Fills the buckets of one column at a large node, from its histogram, or from its rows where a byte does not hold the
// codes of a nominal column.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "hornbeam/search/inside_bins.hpp"
#include "hornbeam/stats/buckets.hpp"
#include "hornbeam/stats/histogram.hpp"

namespace hornbeam {

class Filler {
  public:
    Filler(const Growth& growth, const RowLoops& loops, const HistogramShape& shape)
        : growth_(growth), loops_(loops), shape_(shape), places_(growth.columns.size()) {}

    void narrow(const Histogram& histogram, i32 column, Buckets& out) const {
        out.clear(growth_.layout.width());
        const auto width = static_cast<std::size_t>(out.width);
        out.lanes.resize(kMissingCode * width);  // all, then those that have rows move together
        loops_.lanes(shape_.bin(histogram, column, 0), kMissingCode, out.lanes.data());
        i64* end = out.lanes.data();
        for (u32 code = 0; code < kMissingCode; ++code) {
            const i64* at = out.lanes.data() + code * width;
            if (growth_.layout.rows(at) == 0) continue;
            if (end != at) std::copy(at, at + width, end);
            end += width;
            out.code.push_back(static_cast<i32>(code));
        }
        out.lanes.resize(out.code.size() * width);
        loops_.lanes(shape_.bin(histogram, column, kMissingCode), 1, out.missing.data());
        out.has_missing = growth_.layout.rows(out.missing.data()) > 0;
    }
    // A nominal column of more values than a byte holds. Values get places in the order in which they appear, so that a
    // node costs what its rows do, whatever the number of values; only one bit of each is looked at to put them in
    // order.
    void wide(const Rows& rows, i32 column, Buckets& out) {
        out.clear(growth_.layout.width());
        const auto n_values = static_cast<std::size_t>(view(column).n_values),
                   width = static_cast<std::size_t>(out.width);
        Places& at = places_[static_cast<std::size_t>(column)];
        at.place.resize(n_values);
        at.seen.resize((n_values + 63) / 64, 0);
        at.lanes.clear();
        for (std::size_t i = 0; i < rows.n; ++i) {
            const i32 code = view(column).raw<i32>(rows.id[i]);
            i64* lanes = out.missing.data();
            if (code >= 0) {
                const auto value = static_cast<std::size_t>(code);
                u64& word = at.seen[value / 64];
                const u64 bit = u64{1} << (value % 64);
                if ((word & bit) == 0) {
                    word |= bit;
                    at.place[value] = static_cast<u32>(at.lanes.size() / width);
                    at.lanes.resize(at.lanes.size() + width, 0);
                }
                lanes = at.lanes.data() + at.place[value] * width;
            } else {
                out.has_missing = true;
            }
            loops_.add_row(rows, i, lanes);
        }
        for (std::size_t word = 0; word < at.seen.size(); ++word)
            for (u64 bits = std::exchange(at.seen[word], 0); bits != 0; bits &= bits - 1) {
                const std::size_t value = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
                std::copy_n(at.lanes.data() + at.place[value] * width, width, out.add(static_cast<i32>(value)));
            }
    }

  private:
    // By value: whether a row has it (no bit is left set), and the place of its lanes.
    struct Places {
        std::vector<u64> seen;
        std::vector<u32> place;
        std::vector<i64> lanes;
    };
    const ColumnView& view(i32 column) const { return growth_.columns[static_cast<std::size_t>(column)]; }

    const Growth& growth_;
    const RowLoops& loops_;
    const HistogramShape& shape_;
    std::vector<Places> places_;  // by column, so that threads may fill several at a time
};

}  // namespace hornbeam
