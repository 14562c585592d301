// Random cuts: the one test that is drawn for a column at a node (extremely randomised trees, Geurts, Ernst & Wehenkel
// 2006).
//
//   numeric, ordinal   x <= c, where c is uniform between the smallest and the largest value of the node's rows
//   nominal            a random set of the values present against the others, all such partings equally likely
//
// What is drawn depends on the seed, the way from the root to the node, the column and the values alone.
#pragma once

#include <algorithm>

#include "hornbeam/encode/round_threshold.hpp"
#include "hornbeam/search/candidate.hpp"

namespace hornbeam {

// A number of 64 bits for a column of the node whose key this is; of tied tests the one with the smallest wins.
inline u64 drawn_number(u64 seed, u64 key, i32 column) {
    const u64 node = mix_bits(seed ^ (key * kMixStep));
    return mix_bits(node + (static_cast<u64>(column) + 1) * kMixStep);
}

// Where a column that goes from `low` to `high`, two different numbers, is cut: `low` <= cut < `high`.
inline double drawn_cut(u64 drawn, double low, double high) {
    const double share = static_cast<double>(drawn >> 11) * 0x1p-53;  // 0 <= share < 1
    const double width = high - low;
    const double cut = std::isfinite(width) ? low + share * width : low * (1 - share) + high * share;
    return cut < high ? std::max(low, cut) : low;
}

// The side of one value of a nominal column whose smallest value here is `first`. If all values are on its side, the
// next round draws again.
inline bool drawn_side(u64 drawn, u64 round, i32 value, i32 first) {
    if (value == first) return false;
    return (mix_bits(drawn + round * kMixStep + static_cast<u64>(value + 1) * 0xD6E8FEB86659FD93) & 1) != 0;
}

// The shortest decimal near a cut drawn between `low` and `high` that parts the values as it does: `below` is the
// largest of them that is not above the cut, `above` the next. Near is within a thousandth of the way from low to high.
// Where no decimal of at most 15 digits will do, the cut itself.
inline double short_cut(double cut, double low, double high, double below, double above) {
    const double near = (high - low) / 1000;
    if (!(near > 1e-18) || !(std::max(std::fabs(low), std::fabs(high)) < 1e18)) return cut;
    const auto fits = [&](double t) { return t >= below && t < above && std::fabs(t - cut) <= near; };
    int n = round_detail::kExact.exponent(2 * near) + 1;
    if (fits(0)) return 0;
    for (; n >= -22; --n) {
        const double steps = std::nearbyint(round_detail::kExact.scaled(cut, -n));
        if (std::fabs(steps) > 1e15) break;
        const double t = round_detail::kExact.scaled(steps, n);
        if (fits(t)) return t;
    }
    return cut;
}

// The threshold of a cut drawn for a column that goes from `low` to `high`: of ordinal values halfway to the next one.
inline double drawn_threshold(ColumnKind kind, double cut, double low, double high, double below, double above) {
    return kind == ColumnKind::ordinal ? std::floor(cut) + 0.5 : short_cut(cut, low, high, below, above);
}

// The values on the first side, of all values here, ascending. A single one is set against the gaps.
inline std::vector<i32> drawn_set(u64 drawn, const std::vector<i32>& present) {
    std::vector<i32> out;
    for (u64 round = 0; out.empty() || (out.size() == present.size() && out.size() > 1); ++round) {
        out.clear();
        for (const i32 value : present)
            if (!drawn_side(drawn, round, value, present[0])) out.push_back(value);
    }
    return out;
}

// What the winner needs to be written, from the values it has at the node, each once and ascending: the two beside its
// threshold and the number printed, or the sets.
inline void complete_drawn(ColumnKind kind, const std::vector<double>& values, Candidate& chosen) {
    const double infinity = std::numeric_limits<double>::infinity();
    if (chosen.kind != SplitKind::threshold) {
        chosen.present.assign(values.begin(), values.end());
        chosen.set = drawn_set(chosen.drawn, chosen.present);
    } else if (std::isinf(chosen.threshold)) {
        chosen.low = chosen.high = infinity;
    } else {
        const auto above = std::upper_bound(values.begin(), values.end(), chosen.threshold);
        chosen.low = *(above - 1);
        chosen.high = *above;
        chosen.threshold =
            drawn_threshold(kind, chosen.threshold, values.front(), values.back(), chosen.low, chosen.high);
    }
}

// The test drawn for a column; `cut` is infinite where one known value is set against the gaps.
struct DrawnTest {
    i32 column = -1;
    SplitKind kind = SplitKind::threshold;
    u64 drawn = 0;
    double cut = std::numeric_limits<double>::quiet_NaN();
};

namespace random_detail {

inline void offer_parts(const Judge& judge, const DrawnTest& test, const i64* const* parts, int n_parts, i32 missing,
                        i64 order, Candidates& out) {
    // Known against missing is no order of values, so no monotonic constraint orders it.
    const bool is_ordered = test.kind == SplitKind::threshold && !std::isinf(test.cut);
    Candidate candidate;
    if (!judge.judge(parts, n_parts, test.column, is_ordered ? SplitKind::threshold : SplitKind::multiway, candidate))
        return;
    if (!out.wants(candidate.score)) return;
    candidate.kind = test.kind;
    candidate.drawn = test.drawn;
    candidate.order = order;
    candidate.threshold = test.cut;
    candidate.missing = missing;
    if (n_parts == 2) candidate.first.assign(parts[0], parts[0] + judge.layout().width());
    out.offer(std::move(candidate));
}

}  // namespace random_detail

// Offers a test whose branches have the lanes `left` and `right`; `gaps`: those of the rows without a value, null if
// there are none. One known value has no `right`. What a Node needs beside the test is filled in for the winner alone.
inline void offer_drawn(const Judge& judge, const DrawnTest& test, const i64* left, const i64* right, const i64* gaps,
                        Candidates& out) {
    using random_detail::offer_parts;
    const MissingRule rule = judge.plan().missing;
    const i64* parts[3] = {left, right, gaps};
    if (gaps == nullptr) return offer_parts(judge, test, parts, 2, -1, 0, out);
    if (known_only(rule)) {
        if (right != nullptr) offer_parts(Judge(judge, gaps), test, parts, 2, -1, 0, out);
        return;
    }
    if (right == nullptr) {
        parts[1] = gaps;
        return offer_parts(judge, test, parts, 2, 1, 0, out);
    }
    if (rule == MissingRule::branch) return offer_parts(judge, test, parts, 3, 2, 0, out);
    const int width = judge.layout().width();
    for (const i32 side : {0, 1}) {  // the gaps join either
        std::vector<i64> joined(gaps, gaps + width);
        add_lanes(joined.data(), side == 0 ? left : right, width);
        const i64* two[2] = {side == 0 ? joined.data() : left, side == 0 ? right : joined.data()};
        offer_parts(judge, test, two, 2, side, side, out);
    }
}

}  // namespace hornbeam
