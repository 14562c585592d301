// The search of a node whose tests are drawn (random_cut.hpp): one test for each column, and the best of them.
//
// A column is read twice: for its smallest and largest value, then to add up the rows of the first branch.
#pragma once

#include "hornbeam/grow/node_values.hpp"
#include "hornbeam/grow/route.hpp"
#include "hornbeam/search/bounds.hpp"
#include "hornbeam/search/random_cut.hpp"
#include "hornbeam/stats/outcome.hpp"

namespace hornbeam {

// Adds up the rows that are `in` (1, others 0). Of a target judged by its mean the squares are left out: no score asks.
template <class O>
void add_chosen(const O& outcome, const typename O::Carry* carry, const u8* in, std::size_t n,
                std::vector<typename O::Carry>& spare, i64* lanes) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) {
        spare[count] = carry[i];
        count += in[i];
    }
    for (std::size_t i = 0; i < count; ++i) outcome.row_lanes(spare[i], lanes);
}
inline void add_chosen(const TwoCounts&, const u8* label, const u8* in, std::size_t n, std::vector<u8>&, i64* lanes) {
    constexpr std::size_t kMost = 128;  // whose sum fits a byte
    i64 rows = 0, ones = 0;
    for (std::size_t first = 0; first < n; first += kMost) {
        const std::size_t last = std::min(n, first + kMost);
        u8 some = 0, some_ones = 0;
        for (std::size_t i = first; i < last; ++i) {
            some = static_cast<u8>(some + in[i]);
            some_ones = static_cast<u8>(some_ones + (in[i] & label[i]));
        }
        rows += some;
        ones += some_ones;
    }
    lanes[0] += rows - ones;
    lanes[1] += ones;
    lanes[2] += rows;
}
template <std::derived_from<Mean> O>
void add_chosen(const O&, const typename O::Carry* carry, const u8* in, std::size_t n, std::vector<typename O::Carry>&,
                i64* lanes) {
    i64 rows = 0, sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const i64 times = in[i] * O::rows(carry[i]);
        rows += times;
        sum += times * carry[i].y;  // any sum of y fits 64 bits
    }
    add_mean(lanes, rows, sum, 0);
}

// The search of one node: one test for each column, and the best of them.
template <class O>
class RandomSearch {
  public:
    using Carry = typename O::Carry;

    RandomSearch(const Growth& growth, const O& outcome)
        : growth_(growth),
          outcome_(outcome),
          width_(static_cast<std::size_t>(growth.layout.width())),
          values_(growth.columns) {}

    // The best of the tests drawn for the columns of a choice; false if none is admissible.
    bool choose(const Judge& judge, std::span<const u32> id, const Carry* carry, ColumnChoice& choice,
                Candidate& chosen) {
        Candidates candidates(judge);
        const Estimate estimate(judge);
        while (candidates.empty()) {
            std::span<const i32> columns = choice.more();
            if (columns.empty()) return false;
            draws_.clear();
            lanes_.assign(3 * width_ * columns.size(), 0);
            i32 only = -1;
            if (id.size() == 2 && first_of_pair(columns, id, choice.key(), only)) {
                if (only < 0) continue;
                columns = {&only, 1};
            }
            const std::size_t step = NodeValues::at_once(id.size());
            for (std::size_t first = 0; first < columns.size(); first += step) {
                const auto some = columns.subspan(first, std::min(step, columns.size() - first));
                values_.read(some, id);
                for (std::size_t k = 0; k < some.size(); ++k) draw(judge, estimate, k, some[k], carry, choice.key());
            }
            offer_best(judge, estimate, candidates);
        }
        chosen = candidates.winner();
        if constexpr (!O::exact_bins) chosen.first.clear();  // without squares
        complete(chosen, id);
        return true;
    }
    // Before another node whose test was chosen elsewhere.
    void forget() { values_.forget(); }
    // The branch of each row by the test of a node, whose column is read unless it is held.
    void branches(const Node& node, const ValueRouter& router, std::span<const u32> id, u8* out) {
        const std::size_t k = values_.hold(node.column, id);
        const bool is_plain = !values_.range(k).has_gaps && node.ordered();
        values_.with(k, [&]<class T>(const T* values, std::size_t n) {
            if (is_plain)
                return mark(values, n, out, [cut = at_most<T>(node.threshold)](T value) { return value > cut; });
            for (std::size_t i = 0; i < n; ++i)
                out[i] = static_cast<u8>(std::min<u32>(router(static_cast<double>(values[i])), kGap));
        });
    }
    static constexpr u8 kGap = 255;  // the branch of a gap that a rule sends

  private:
    // The test of a column, with the lanes of its branches and of the gaps.
    struct Drawn {
        DrawnTest test;
        std::size_t lanes;  // where they are
        bool has_gaps;
        double value;  // an estimate, where there are no gaps
    };
    static constexpr double kNone = -std::numeric_limits<double>::infinity();

    u64 number(u64 key, i32 column) const { return drawn_number(growth_.plan.seed, key, column); }
    const ColumnView& view(i32 column) const { return growth_.columns[static_cast<std::size_t>(column)]; }

    // Two rows are parted alike by all columns that tell them apart, so the first of these wins the tie; none: -1.
    // False where a gap or a constraint may decide otherwise.
    bool first_of_pair(std::span<const i32> columns, std::span<const u32> id, u64 key, i32& only) const {
        if (growth_.plan.constrained()) return false;
        u64 least = 0;
        for (const i32 column : columns) {
            const double a = view(column).value(id[0]), b = view(column).value(id[1]);
            if (a != a || b != b) return false;
            if (a == b) continue;
            const u64 own = number(key, column);
            if (only >= 0 && own > least) continue;
            least = own;
            only = column;
        }
        return true;
    }
    void draw(const Judge& judge, const Estimate& estimate, std::size_t k, i32 column, const Carry* carry, u64 key) {
        const ValueRange range = values_.range(k);
        if (!range.is_known() || (!range.varies() && !range.has_gaps)) return;
        Drawn one{{column, view(column).split, number(key, column)}, 3 * width_ * draws_.size(), range.has_gaps, kNone};
        i64 *left = lanes_.data() + one.lanes, *right = left + width_, *gaps = right + width_;
        values_.with(k, [&]<class T>(const T* values, std::size_t n) {
            if (in_.size() < n) in_.resize(n);
            if (spare_.size() < n) spare_.resize(n);
            u8* in = in_.data();
            if (!range.varies()) {
                one.test.cut = std::numeric_limits<double>::infinity();
                mark(values, n, in, [](T value) { return value == value; });
            } else if (one.test.kind == SplitKind::threshold) {
                one.test.cut = drawn_cut(one.test.drawn, range.low, range.high);
                mark(values, n, in, [cut = at_most<T>(one.test.cut)](T value) { return value <= cut; });
            } else {
                part_values(one.test.drawn, static_cast<i32>(range.low), values, n);
            }
            add_chosen(outcome_, carry, in, n, spare_, left);
            if (!range.has_gaps) return;
            mark(values, n, in, [](T value) { return value != value; });
            add_chosen(outcome_, carry, in, n, spare_, gaps);
        });
        const i64* total = judge.total();
        for (std::size_t lane = 0; lane < width_; ++lane) right[lane] = total[lane] - left[lane] - gaps[lane];
        if (!range.has_gaps) one.value = estimate.value(left, right, nullptr);
        draws_.push_back(one);
    }
    template <class T>
    void part_values(u64 drawn, i32 first, const T* values, std::size_t n) {
        std::size_t others = 0;
        for (u64 round = 0; others == 0; ++round)
            for (std::size_t i = 0; i < n; ++i) {
                const bool known = values[i] == values[i];
                const bool second = known && drawn_side(drawn, round, static_cast<i32>(values[i]), first);
                in_[i] = known && !second;
                others += second;
            }
    }
    // Judges those that may be the best, in the order of ties. One whose branches have the lanes of one before it
    // scores the same, and loses.
    void offer_best(const Judge& judge, const Estimate& estimate, Candidates& out) {
        double best = kNone;
        for (const Drawn& one : draws_) best = std::max(best, one.value);
        // A constraint may refuse the best of them.
        const double least = growth_.plan.constrained() ? kNone : best - estimate.slack(best);
        std::erase_if(draws_, [&](const Drawn& one) { return !one.has_gaps && one.value < least; });
        std::sort(draws_.begin(), draws_.end(),
                  [](const Drawn& a, const Drawn& b) { return a.test.drawn < b.test.drawn; });
        for (auto one = draws_.begin(); one != draws_.end(); ++one) {
            const i64* left = lanes_.data() + one->lanes;
            const auto is_alike = [&](const Drawn& other) {
                return !other.has_gaps && std::equal(left, left + width_, lanes_.data() + other.lanes);
            };
            if (!one->has_gaps && !growth_.plan.constrained() && std::any_of(draws_.begin(), one, is_alike)) continue;
            offer_drawn(judge, one->test, left, std::isinf(one->test.cut) ? nullptr : left + width_,
                        one->has_gaps ? left + 2 * width_ : nullptr, out);
        }
    }

    // Few values are enough to write the winner: those beside its cut and the ends, or all of a nominal column.
    void complete(Candidate& chosen, std::span<const u32> id) {
        few_.clear();
        const std::size_t k = values_.hold(chosen.column, id);
        const ValueRange range = values_.range(k);
        values_.with(k, [&]<class T>(const T* values, std::size_t n) {
            if (chosen.kind != SplitKind::threshold) {
                for (std::size_t i = 0; i < n; ++i)
                    if (values[i] == values[i]) few_.push_back(static_cast<double>(values[i]));
                return;
            }
            if (std::isinf(chosen.threshold)) return;
            const T cut = at_most<T>(chosen.threshold);
            T below = static_cast<T>(range.low), above = static_cast<T>(range.high);
            for (std::size_t i = 0; i < n; ++i) {
                const T first = values[i] <= cut ? values[i] : below, second = values[i] > cut ? values[i] : above;
                below = first > below ? first : below;
                above = second < above ? second : above;
            }
            few_ = {range.low, static_cast<double>(below), static_cast<double>(above), range.high};
        });
        if (chosen.kind != SplitKind::threshold) std::sort(few_.begin(), few_.end());
        few_.erase(std::unique(few_.begin(), few_.end()), few_.end());
        complete_drawn(view(chosen.column).kind, few_, chosen);
    }

    const Growth& growth_;
    const O& outcome_;
    std::size_t width_;
    NodeValues values_;
    std::vector<Drawn> draws_;
    std::vector<i64> lanes_;
    std::vector<u8> in_;
    std::vector<double> few_;
    std::vector<Carry> spare_;
};

}  // namespace hornbeam
