// Fills the buckets of one column at a large node, from its histogram, or from its rows where a byte does not hold the
// codes of a nominal column.
#pragma once

#include <algorithm>

#include "hornbeam/search/inside_bins.hpp"
#include "hornbeam/stats/buckets.hpp"
#include "hornbeam/stats/histogram.hpp"

namespace hornbeam {

template <class O>
class Filler {
  public:
    Filler(const Growth& growth, const O& outcome, const HistogramShape& shape)
        : growth_(growth), outcome_(outcome), shape_(shape) {}

    void narrow(const Histogram& histogram, i32 column, Buckets& out) const {
        out.clear(growth_.layout.width());
        std::vector<i64> lanes(static_cast<std::size_t>(out.width));
        for (u32 code = 0; code < kMissingCode; ++code) {
            outcome_.lanes(shape_.bin(histogram, column, code), lanes.data());
            if (growth_.layout.rows(lanes.data()) == 0) continue;
            std::copy(lanes.begin(), lanes.end(), out.add(static_cast<i32>(code)));
        }
        outcome_.lanes(shape_.bin(histogram, column, kMissingCode), out.missing.data());
        out.has_missing = growth_.layout.rows(out.missing.data()) > 0;
    }
    // A nominal column of more values than a byte holds: a tally over all of them, or over the sorted codes if the
    // node has far fewer rows.
    void wide(const Rows<O>& rows, i32 column, Buckets& out) const {
        out.clear(growth_.layout.width());
        const auto n_values = static_cast<std::size_t>(view(column).n_values),
                   width = static_cast<std::size_t>(out.width);
        n_values* width <= 8 * rows.n ? tally_wide(rows, column, n_values, out) : sort_wide(rows, column, out);
    }

  private:
    void tally_wide(const Rows<O>& rows, i32 column, std::size_t n_values, Buckets& out) const {
        const auto width = static_cast<std::size_t>(out.width);
        std::vector<i64> lanes(n_values * width, 0);
        for (std::size_t i = 0; i < rows.n; ++i) {
            const i32 code = view(column).template raw<i32>(rows.id[i]);
            out.has_missing |= code < 0;
            outcome_.row_lanes(rows.carry[i],
                               code < 0 ? out.missing.data() : lanes.data() + static_cast<std::size_t>(code) * width);
        }
        for (std::size_t code = 0; code < n_values; ++code) {
            const i64* at = lanes.data() + code * width;
            if (growth_.layout.rows(at) > 0) std::copy(at, at + width, out.add(static_cast<i32>(code)));
        }
    }
    void sort_wide(const Rows<O>& rows, i32 column, Buckets& out) const {
        std::vector<std::pair<i32, u32>> order(rows.n);
        for (std::size_t i = 0; i < rows.n; ++i)
            order[i] = {view(column).template raw<i32>(rows.id[i]), static_cast<u32>(i)};
        std::sort(order.begin(), order.end());
        i64* lanes = nullptr;
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (order[i].first < 0) {
                out.has_missing = true;
                lanes = out.missing.data();
            } else if (i == 0 || order[i].first != order[i - 1].first) {
                lanes = out.add(order[i].first);
            }
            outcome_.row_lanes(rows.carry[order[i].second], lanes);
        }
    }
    const ColumnView& view(i32 column) const { return growth_.columns[static_cast<std::size_t>(column)]; }

    const Growth& growth_;
    const O& outcome_;
    const HistogramShape& shape_;
};

}  // namespace hornbeam
