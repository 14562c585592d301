// Inside: the cuts inside the bins that could hold the winner, judged on the values themselves.
#pragma once

#include <array>
#include <atomic>

#include "estimate.hpp"
#include "node.hpp"
#include "searches/threshold.hpp"

namespace hornbeam {

// One node's rows: ids and what they carry, side by side.
template <class O>
struct Rows {
    const u32* id;
    const typename O::Carry* carry;
    std::size_t n;
};

// The best estimate so far, over all columns and threads.
class Best {
  public:
    void reset() { value_ = -std::numeric_limits<double>::infinity(); }
    double get() const { return value_.load(std::memory_order_relaxed); }
    double bar(double slack) const { return get() - slack; }
    void raise(double value) {
        double seen = get();
        while (value > seen && !value_.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
        }
    }

  private:
    std::atomic<double> value_{-std::numeric_limits<double>::infinity()};
};

// The rows of one bin with their values.
struct Fetched {
    double value;
    u32 at;  // position among the node's rows
};
using Gathered = std::vector<Fetched>;

template <class O>
class Inside {
  public:
    Inside(const Growth& growth, const O& outcome, const Judge& judge, Estimate& estimate, const Rows<O>& rows,
           const Buckets& buckets, i32 column, double slack, Best& best, Candidates& out)
        : growth_(growth),
          outcome_(outcome),
          judge_(judge),
          estimate_(estimate),
          rows_(rows),
          buckets_(buckets),
          slack_(slack),
          best_(best),
          cuts_(judge, column, buckets.has_missing ? buckets.missing.data() : nullptr, out) {}

    // Offers every cut inside bucket number `bucket` that may win.
    void look(int bucket, Gathered& bin) {
        const Buckets& b = buckets_;
        std::vector<i64> left(static_cast<std::size_t>(b.width), 0);
        for (int i = 0; i < bucket; ++i) add_lanes(left.data(), b.at(i), b.width);
        const double none = std::numeric_limits<double>::quiet_NaN();
        if (bin.size() > 96)
            in_cells(bucket, std::move(left), bin);
        else
            scan_sorted(bucket, std::move(left), bin, none);
    }

  private:
    // A full bin again: cells of equal width, the same bound, and only the cells that may win are sorted and scanned.
    void in_cells(int bucket, std::vector<i64> left, const Gathered& bin) {
        constexpr std::size_t kCells = 64;
        const Buckets& b = buckets_;
        const auto size = static_cast<std::size_t>(b.width);
        double low = bin[0].value, high = low;
        for (const Fetched& g : bin) {
            low = std::min(low, g.value);
            high = std::max(high, g.value);
        }
        const double scale = static_cast<double>(kCells) / (high - low);
        if (!std::isfinite(scale) || !std::isfinite(high - low)) {
            Gathered all = bin;
            return scan_sorted(bucket, std::move(left), all, std::numeric_limits<double>::quiet_NaN());
        }
        const auto cell_of = [&](double x) {
            return std::min(kCells - 1, static_cast<std::size_t>((x - low) * scale));
        };
        std::vector<i64> lanes(kCells * size, 0);
        std::array<double, kCells> smallest;
        smallest.fill(std::numeric_limits<double>::infinity());
        for (const Fetched& g : bin) {
            const std::size_t c = cell_of(g.value);
            outcome_.row_lanes(rows_.carry[g.at], lanes.data() + c * size);
            smallest[c] = std::min(smallest[c], g.value);
        }
        std::array<bool, kCells> open{};
        std::vector<i64> before = left, after = b.sum();
        subtract_lanes(after.data(), before.data(), b.width);
        for (std::size_t c = 0; c < kCells; ++c) {
            const i64* cell = lanes.data() + c * size;
            if (growth_.layout.rows(cell) == 0) continue;
            subtract_lanes(after.data(), cell, b.width);
            double most = best_with_gaps(before.data(), after.data(), [&](const i64* l, const i64* r, const i64* own) {
                return estimate_.bound(l, cell, r, own, best_.bar(slack_));
            });
            add_lanes(before.data(), cell, b.width);
            most = std::max(
                most, best_with_gaps(before.data(), after.data(), [&](const i64* l, const i64* r, const i64* own) {
                    return estimate_.value(l, r, own);
                }));
            open[c] = most >= best_.bar(slack_);
        }
        for (std::size_t c = 0; c < kCells; ++c) {
            if (open[c]) {
                Gathered held;
                for (const Fetched& g : bin)
                    if (cell_of(g.value) == c) held.push_back(g);
                std::size_t next = c + 1;
                while (next < kCells && std::isinf(smallest[next])) ++next;
                scan_sorted(bucket, left, held,
                            next < kCells ? smallest[next] : std::numeric_limits<double>::quiet_NaN());
            }
            add_lanes(left.data(), lanes.data() + c * size, b.width);
        }
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
    void scan_sorted(int bucket, std::vector<i64> left, Gathered& bin, double next) {
        const Buckets& b = buckets_;
        const int width = b.width;
        const auto size = static_cast<std::size_t>(width);
        std::sort(bin.begin(), bin.end(), [](const Fetched& x, const Fetched& y) { return x.value < y.value; });
        std::vector<i64> right = b.sum(), one(size);
        subtract_lanes(right.data(), left.data(), width);
        for (std::size_t i = 0; i < bin.size(); ++i) {
            std::fill(one.begin(), one.end(), 0);
            outcome_.row_lanes(rows_.carry[bin[i].at], one.data());
            add_lanes(left.data(), one.data(), width);
            subtract_lanes(right.data(), one.data(), width);
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

    const Growth& growth_;
    const O& outcome_;
    const Judge& judge_;
    Estimate& estimate_;
    const Rows<O>& rows_;
    const Buckets& buckets_;
    double slack_;
    Best& best_;
    CutJudge cuts_;
};

}  // namespace hornbeam
