// Order: the rows of a projection from the smallest value to the largest; rows without a value are left out.
//
// Values become whole numbers that order alike, on an even grid over their range, and are sorted by two rounds of
// counting; the few neighbours that share a number are then put right by their values. Rows of equal value keep their
// order, so whatever is summed along the way is summed the same way every time.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "hornbeam/types.hpp"

namespace hornbeam::oblique {

class Order {
  public:
    // Those of some rows whose values are not NaN, in the order of their values; good until the next call.
    std::span<const u32> sort(const float* values, std::span<const u32> rows) {
        key_.resize(rows.size());
        other_.resize(rows.size());
        float low = std::numeric_limits<float>::infinity(), high = -low;
        u32 known = 0;
        for (u32 row : rows) {
            key_[known] = row;
            const float v = values[row];
            low = v < low ? v : low;
            high = v > high ? v : high;
            known += v == v;
        }
        if (known > 1 && low < high) order(values, known, low, high);
        rows_.resize(known);
        for (u32 i = 0; i < known; ++i) rows_[i] = static_cast<u32>(key_[i]);
        return rows_;
    }

  private:
    void order(const float* values, u32 n, float low, float high) {
        const auto before = [values](u64 a, u64 b) {
            const float x = values[static_cast<u32>(a)], y = values[static_cast<u32>(b)];
            return x != y ? x < y : static_cast<u32>(a) < static_cast<u32>(b);
        };
        if (n <= kFew) return mend(0, n, before);
        const int digit = n < 1024 ? 8 : 11;
        const double most = static_cast<double>((u32{1} << (2 * digit)) - 1);
        const double scale = most / (static_cast<double>(high) - static_cast<double>(low));
        for (u32 i = 0; i < n; ++i) {
            const double away = static_cast<double>(values[key_[i]]) - static_cast<double>(low);
            key_[i] |= static_cast<u64>(static_cast<u32>(std::min(away * scale, most))) << 32;
        }
        count(n, 32, digit, key_, other_);
        count(n, 32 + digit, digit, other_, key_);
        for (u32 i = 0, end; i < n; i = end) {
            for (end = i + 1; end < n && key_[end] >> 32 == key_[i] >> 32;) ++end;
            if (end - i > 1) mend(i, end, before);
        }
    }

    // Puts a run of entries right.
    template <class Before>
    void mend(u32 first, u32 end, const Before& before) {
        const auto begin = key_.begin() + first;
        if (end - first > kFew) {
            if (!std::is_sorted(begin, key_.begin() + end, before)) std::sort(begin, key_.begin() + end, before);
            return;
        }
        for (u32 i = first + 1; i < end; ++i) {
            const u64 entry = key_[i];
            u32 at = i;
            for (; at > first && before(entry, key_[at - 1]); --at) key_[at] = key_[at - 1];
            key_[at] = entry;
        }
    }

    void count(u32 n, int shift, int digit, const std::vector<u64>& from, std::vector<u64>& to) {
        const u64 mask = (u64{1} << digit) - 1;
        count_.assign(std::size_t{1} << digit, 0);
        for (u32 i = 0; i < n; ++i) ++count_[(from[i] >> shift) & mask];
        u32 sum = 0;
        for (u32& c : count_) sum += std::exchange(c, sum);
        for (u32 i = 0; i < n; ++i) to[count_[(from[i] >> shift) & mask]++] = from[i];
    }

    static constexpr u32 kFew = 24;
    std::vector<u64> key_, other_;
    std::vector<u32> count_, rows_;
};

}  // namespace hornbeam::oblique
