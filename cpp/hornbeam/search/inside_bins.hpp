// The cuts inside the bins that could hold the winner, judged on the values themselves.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <span>

#include "hornbeam/grow/engine.hpp"
#include "hornbeam/search/bounds.hpp"
#include "hornbeam/search/threshold.hpp"

namespace hornbeam {

// The best estimate so far, over all columns and threads.
class Best {
  public:
    void reset() { value_ = -std::numeric_limits<double>::infinity(); }
    double get() const { return value_.load(std::memory_order_relaxed); }
    double bar(double slack) const { return get() - slack; }
    void raise(double value) {
        double current = get();
        while (value > current && !value_.compare_exchange_weak(current, value, std::memory_order_relaxed)) {
        }
    }

  private:
    std::atomic<double> value_{-std::numeric_limits<double>::infinity()};
};

class BinSearch {
  public:
    BinSearch(const Judge& judge, Estimate& estimate, const Buckets& buckets, i32 column, double slack, Best& best,
              Candidates& out)
        : judge_(judge),
          estimate_(estimate),
          buckets_(buckets),
          sum_(buckets.sum()),
          slack_(slack),
          best_(best),
          cuts_(judge, column, buckets.has_missing ? buckets.missing.data() : nullptr, out) {}

    // Offers every cut inside bucket number `bucket`, whose values are bin `b` of the answer, that may win.
    void search_bin(int bucket, ValuesInBins& values, std::size_t b) {
        std::vector<i64> left = before(bucket);
        const double none = std::numeric_limits<double>::quiet_NaN();
        if (values.bins[b].size() > 96)
            in_cells(bucket, std::move(left), values, values.bins[b]);
        else
            scan_sorted(bucket, std::move(left), values, values.bins[b], none);
    }

    // The sum of the buckets before number `bucket`.
    std::vector<i64> before(int bucket) const {
        std::vector<i64> sum(static_cast<std::size_t>(buckets_.width), 0);
        for (int i = 0; i < bucket; ++i) add_lanes(sum.data(), buckets_.at(i), buckets_.width);
        return sum;
    }

    // Calls visit(c, most, edge) for every cell that has rows, of a bin that has `before` on its left: what a cut
    // inside the cell is worth at most (`inner(c)` false: there is none), and what the cut after it is worth (the cut
    // after the last one is the bin's edge, judged already).
    template <class Inner, class Visit>
    void bound_cells(std::vector<i64> before, std::span<const i64> cells, Inner&& inner, Visit&& visit) {
        const int width = buckets_.width;
        const auto at = [&](std::size_t c) { return cells.data() + c * static_cast<std::size_t>(width); };
        std::vector<i64> after = sum_;
        subtract_lanes(after.data(), before.data(), width);
        std::size_t end = cells.size() / static_cast<std::size_t>(width);
        while (end > 0 && judge_.layout().rows(at(end - 1)) == 0) --end;
        for (std::size_t c = 0; c < end; ++c) {
            if (judge_.layout().rows(at(c)) == 0) continue;
            subtract_lanes(after.data(), at(c), width);
            double most = -std::numeric_limits<double>::infinity(), edge = most;
            if (inner(c))
                most = best_with_gaps(before.data(), after.data(), [&](const i64* l, const i64* r, const i64* own) {
                    return estimate_.bound(l, at(c), r, own, best_.bar(slack_));
                });
            add_lanes(before.data(), at(c), width);
            if (c + 1 < end)
                edge = best_with_gaps(before.data(), after.data(), [&](const i64* l, const i64* r, const i64* own) {
                    return estimate_.value(l, r, own);
                });
            visit(c, most, edge);
        }
    }

  private:
    // A full bin again: cells of equal width, the same bound, and only the cells that may win are sorted and scanned.
    void in_cells(int bucket, std::vector<i64> left, const ValuesInBins& values, std::vector<BinEntry>& bin) {
        constexpr std::size_t kCells = 64;
        const auto size = static_cast<std::size_t>(buckets_.width);
        const auto [low, high] = range(bin);
        if (low == high) return;  // the bin's edge is judged already
        const double scale = static_cast<double>(kCells) / (high - low);
        if (!std::isfinite(scale) || !std::isfinite(high - low))
            return scan_sorted(bucket, std::move(left), values, bin, std::numeric_limits<double>::quiet_NaN());
        std::vector<u8> cell_of(bin.size());
        std::vector<i64> lanes(kCells * size, 0);
        std::array<std::size_t, kCells + 1> start{};
        for (std::size_t i = 0; i < bin.size(); ++i) {
            const std::size_t c = std::min(kCells - 1, static_cast<std::size_t>((bin[i].value - low) * scale));
            cell_of[i] = static_cast<u8>(c);
            ++start[c + 1];
        }
        values.add_to_cells(bin, cell_of.data(), lanes.data());
        for (std::size_t c = 0; c < kCells; ++c) start[c + 1] += start[c];
        std::array<bool, kCells> open{};
        bound_cells(
            left, lanes, [](std::size_t) { return true; },
            [&](std::size_t c, double most, double edge) { open[c] = std::max(most, edge) >= best_.bar(slack_); });
        if (std::find(open.begin(), open.end(), true) == open.end()) return;
        std::vector<BinEntry> held(bin.size());
        std::array<std::size_t, kCells + 1> next = start;
        for (std::size_t i = 0; i < bin.size(); ++i) held[next[cell_of[i]]++] = bin[i];
        for (std::size_t c = 0; c < kCells; ++c) {
            if (open[c]) {
                double above = std::numeric_limits<double>::quiet_NaN();
                for (std::size_t d = c + 1; d < kCells && std::isnan(above); ++d)
                    if (start[d] < start[d + 1]) above = range({held.data() + start[d], start[d + 1] - start[d]}).first;
                scan_sorted(bucket, left, values, {held.data() + start[c], start[c + 1] - start[c]}, above);
            }
            add_lanes(left.data(), lanes.data() + c * size, buckets_.width);
        }
    }

    static std::pair<double, double> range(std::span<const BinEntry> entries) {
        double low = entries[0].value, high = low;
        for (const BinEntry& g : entries) {
            low = g.value < low ? g.value : low;
            high = g.value > high ? g.value : high;
        }
        return {low, high};
    }

    // The largest of what `value` says over the places the missing rows may take.
    template <class Value>
    double best_with_gaps(const i64* left, const i64* right, Value&& value) {
        const Buckets& b = buckets_;
        if (!b.has_missing) return value(left, right, nullptr);
        if (judge_.plan().missing == MissingRule::branch) return value(left, right, b.missing.data());
        const auto joined = [&](const i64* part) {
            std::vector<i64> sum(part, part + b.width);
            add_lanes(sum.data(), b.missing.data(), b.width);
            return sum;
        };
        return std::max(value(joined(left).data(), right, nullptr), value(left, joined(right).data(), nullptr));
    }

    // Every cut between the values of `bin`, after which comes `next` (NaN: the bin's edge, judged already).
    void scan_sorted(int bucket, std::vector<i64> left, const ValuesInBins& values, std::span<BinEntry> bin,
                     double next) {
        constexpr std::size_t kAtOnce = 32;
        const Buckets& b = buckets_;
        const int width = b.width;
        const auto size = static_cast<std::size_t>(width);
        const auto [low, high] = range(bin);
        if (low < high)
            std::sort(bin.begin(), bin.end(), [](const BinEntry& x, const BinEntry& y) { return x.value < y.value; });
        std::vector<i64> right = sum_, lanes(std::min(bin.size(), kAtOnce) * size);
        subtract_lanes(right.data(), left.data(), width);
        for (std::size_t i = 0; i < bin.size(); ++i) {
            if (i % kAtOnce == 0) values.lanes(bin.subspan(i, std::min(kAtOnce, bin.size() - i)), lanes.data());
            const i64* one = lanes.data() + i % kAtOnce * size;
            add_lanes(left.data(), one, width);
            subtract_lanes(right.data(), one, width);
            const double above = i + 1 < bin.size() ? bin[i + 1].value : next;
            if (!(above > bin[i].value)) continue;
            const double top =
                best_with_gaps(left.data(), right.data(),
                               [&](const i64* l, const i64* r, const i64* own) { return estimate_.value(l, r, own); });
            if (top < best_.bar(slack_)) continue;
            best_.raise(top);
            cuts_.cut(left.data(), right.data(), b.code[static_cast<std::size_t>(bucket)], bin[i].value, above);
        }
    }

    const Judge& judge_;
    Estimate& estimate_;
    const Buckets& buckets_;
    const std::vector<i64> sum_;  // of all buckets
    double slack_;
    Best& best_;
    CutJudge cuts_;
};

}  // namespace hornbeam
