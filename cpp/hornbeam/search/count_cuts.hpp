// How many thresholds a column has at a large node, where the selection charges for them (select.hpp).
#pragma once

#include "hornbeam/encode/ranks.hpp"
#include "hornbeam/search/fetch_values.hpp"
#include "hornbeam/search/select.hpp"
#include "hornbeam/stats/buckets.hpp"

namespace hornbeam {

class CutCounter {
  public:
    CutCounter(const Growth& growth, const RowLoops& loops, const Codes& codes, const Ranks* ranks)
        : growth_(growth), loops_(loops), codes_(codes), ranks_(ranks) {}

    // The cuts between the distinct values of a column: all but those that leave too little on one side.
    CutCount count(const Judge& judge, const Rows& rows, i32 column, const Buckets& bins) const {
        const double least = judge.least_side() * (1 - 1e-9);
        CutCount out;
        if (codes_.column(column).exact) {  // a bucket is a value
            double all = 0, left = 0;
            for (int i = 0; i < bins.size(); ++i) all += static_cast<double>(growth_.layout.weight(bins.at(i)));
            for (int i = 0; i + 1 < bins.size(); ++i) {
                left += static_cast<double>(growth_.layout.weight(bins.at(i)));
                out.tried += left >= least && all - left >= least;
            }
            out.distinct = bins.size();
            return out;
        }
        out.distinct = ranks_->distinct(column, rows.id, rows.n);
        const i64 low = too_near(rows, column, bins, least, false), high = too_near(rows, column, bins, least, true);
        out.tried = std::max<i64>(0, out.distinct - low - std::max<i64>(1, high));
        return out;
    }

  private:
    // How many values from one end cannot be cut at: less than `least` lies beyond the cut after (at the high end:
    // above) them. Only the bins at that end are looked into.
    i64 too_near(const Rows& rows, i32 column, const Buckets& bins, double least, bool high) const {
        BinFlags end_bins{};
        double weight = 0;
        for (int k = 0; k < bins.size() && weight < least; ++k) {
            const int i = high ? bins.size() - 1 - k : k;
            end_bins[static_cast<std::size_t>(bins.code[static_cast<std::size_t>(i)])] = 1;
            weight += static_cast<double>(growth_.layout.weight(bins.at(i)));
        }
        if (weight == 0) return 0;
        std::vector<std::pair<double, i64>> values;
        fetch(codes_, growth_.columns[static_cast<std::size_t>(column)], rows, column, end_bins,
              [&](u32 at, u8, double value) { values.emplace_back(high ? -value : value, loops_.weight(rows, at)); });
        std::sort(values.begin(), values.end());
        i64 count = 0;
        double beyond = 0;
        for (std::size_t i = 0; i < values.size();) {
            double own = 0;
            const double value = values[i].first;
            for (; i < values.size() && values[i].first == value; ++i) own += static_cast<double>(values[i].second);
            if ((high ? beyond : beyond + own) >= least) break;
            beyond += own;
            ++count;
        }
        return count;
    }

    const Growth& growth_;
    const RowLoops& loops_;
    const Codes& codes_;
    const Ranks* ranks_;  // there where the selection counts distinct values
};

}  // namespace hornbeam
