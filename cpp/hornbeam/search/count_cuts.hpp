// How many thresholds a column has at a large node, where the selection charges for them (select.hpp).
#pragma once

#include "hornbeam/grow/engine.hpp"
#include "hornbeam/search/select.hpp"

namespace hornbeam {

class CutCounter {
  public:
    CutCounter(Layout layout, const Engine& engine) : layout_(layout), engine_(engine) {}

    // The cuts between the distinct values of a column: all but those that leave too little on one side.
    // `exact`: a bucket is a value.
    CutCount count(const Judge& judge, const Place& place, i32 column, bool exact, const Buckets& bins) const {
        const double least = judge.least_side() * (1 - 1e-9);
        CutCount out;
        if (exact) {
            double all = 0, left = 0;
            for (int i = 0; i < bins.size(); ++i) all += static_cast<double>(layout_.weight(bins.at(i)));
            for (int i = 0; i + 1 < bins.size(); ++i) {
                left += static_cast<double>(layout_.weight(bins.at(i)));
                out.tried += left >= least && all - left >= least;
            }
            out.distinct = bins.size();
            return out;
        }
        out.distinct = engine_.distinct(place, column);
        const i64 low = too_near(place, column, bins, least, false), high = too_near(place, column, bins, least, true);
        out.tried = std::max<i64>(0, out.distinct - low - std::max<i64>(1, high));
        return out;
    }

  private:
    // How many values from one end cannot be cut at: less than `least` lies beyond the cut after (at the high end:
    // above) them. Only the bins at that end are looked into.
    i64 too_near(const Place& place, i32 column, const Buckets& bins, double least, bool high) const {
        OpenBins end_bins;
        end_bins.column = column;
        double weight = 0;
        for (int k = 0; k < bins.size() && weight < least; ++k) {
            const int i = high ? bins.size() - 1 - k : k;
            end_bins.add(i, static_cast<u32>(bins.code[static_cast<std::size_t>(i)]), layout_.rows(bins.at(i)));
            weight += static_cast<double>(layout_.weight(bins.at(i)));
        }
        if (weight == 0) return 0;
        std::vector<std::pair<double, i64>> values;
        const Engine::Each each = [](std::size_t, const std::function<void(std::size_t)>& body) { body(0); };
        engine_.values(
            place, 1, each, [&](std::size_t) { return end_bins; },
            [&](std::size_t, ValuesInBins& answer) {
                std::vector<i64> lanes;
                for (const std::vector<BinEntry>& bin : answer.bins) {
                    lanes.assign(bin.size() * static_cast<std::size_t>(layout_.width()), 0);
                    answer.lanes(bin, lanes.data());
                    const i64* at = lanes.data();
                    for (const BinEntry& entry : bin) {
                        values.emplace_back(high ? -entry.value : entry.value, layout_.weight(at));
                        at += layout_.width();
                    }
                }
            });
        std::sort(values.begin(), values.end());
        i64 count = 0, beyond = 0;
        for (std::size_t i = 0; i < values.size();) {
            i64 own = 0;
            const double value = values[i].first;
            for (; i < values.size() && values[i].first == value; ++i) own += values[i].second;
            if (static_cast<double>(high ? beyond : beyond + own) >= least) break;
            beyond += own;
            ++count;
        }
        return count;
    }

    Layout layout_;
    const Engine& engine_;
};

}  // namespace hornbeam
