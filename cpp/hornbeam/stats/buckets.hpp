// Buckets: the rows of a node that one column cannot tell apart, with their Stats, in code order.
#pragma once

#include <span>
#include <vector>

#include "hornbeam/stats/stats.hpp"

namespace hornbeam {

struct Buckets {
    int width = 0;
    std::vector<i32> code;     // ascending
    std::vector<i64> lanes;    // width lanes for each bucket
    std::vector<i64> missing;  // lanes of the rows whose value is missing
    std::vector<i64> gaps;     // the same, where a split is judged without them
    bool has_missing = false, has_gaps = false;

    void clear(int lanes_width) {
        width = lanes_width;
        code.clear();
        lanes.clear();
        missing.assign(static_cast<std::size_t>(width), 0);
        has_missing = has_gaps = false;
    }
    // From now on the missing rows are left out.
    void leave_out_missing() {
        has_gaps = has_missing;
        has_missing = false;
        gaps.swap(missing);
    }
    int size() const { return static_cast<int>(code.size()); }
    const i64* at(int i) const { return lanes.data() + static_cast<std::ptrdiff_t>(i) * width; }
    // A new empty bucket at the end.
    i64* add(i32 value) {
        code.push_back(value);
        lanes.resize(lanes.size() + static_cast<std::size_t>(width), 0);
        return lanes.data() + lanes.size() - static_cast<std::size_t>(width);
    }
    std::vector<i64> sum() const {
        std::vector<i64> total(static_cast<std::size_t>(width), 0);
        for (int i = 0; i < size(); ++i) add_lanes(total.data(), at(i), width);
        return total;
    }
};

}  // namespace hornbeam
