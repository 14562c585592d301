// Sorting: a whole column by rounds of counting; one column of a block into entries (rank << 16 | id), missing values
// last.
//
// Values become integers that order alike. In a block their range is cut to its highest bits and sorted by two rounds
// of counting; the few neighbours that share those bits are then put right by their full keys.
#pragma once

#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>
#include <vector>

#include "hornbeam/types.hpp"

namespace hornbeam {

inline constexpr u32 kMissingEntry = 0xffff0000;

// An integer that orders like the value, which is no gap. -0 and 0 are one value.
inline u64 ordering_key(double value) {
    const i64 bits = std::bit_cast<i64>(value + 0.0);
    return static_cast<u64>(bits) ^ (static_cast<u64>(bits >> 63) | u64{1} << 63);
}

// The same for floats, in 32 bits.
inline u32 ordering_key(float value) {
    const auto bits = std::bit_cast<std::int32_t>(value + 0.0F);
    return static_cast<u32>(bits) ^ (static_cast<u32>(bits >> 31) | u32{1} << 31);
}
// The values of ordering keys.
inline double value_of_key(u64 key) { return std::bit_cast<double>(key ^ (key >> 63 != 0 ? u64{1} << 63 : ~u64{0})); }
inline float value_of_key(u32 key) { return std::bit_cast<float>(key ^ (key >> 31 != 0 ? u32{1} << 31 : ~u32{0})); }

// Rounds of counting over the digits in which keys differ; items of one key stay as they were.
template <class Item, class Key>
void sort_by_digits(std::vector<Item>& items, Key&& key_of) {
    constexpr int kDigit = 11;
    u64 all = 0, none = ~u64{0};
    for (const Item& one : items) {
        all |= key_of(one);
        none &= key_of(one);
    }
    std::vector<Item> other(items.size());
    for (int shift = 0; shift < 64; shift += kDigit) {
        const auto digit = [&](u64 key) { return (key >> shift) & ((u64{1} << kDigit) - 1); };
        if (digit(all) == digit(none)) continue;
        std::vector<u32> count(std::size_t{1} << kDigit, 0);
        for (const Item& one : items) ++count[digit(key_of(one))];
        u32 before = 0;
        for (u32& c : count) before += std::exchange(c, before);
        for (const Item& one : items) other[count[digit(key_of(one))]++] = one;
        items.swap(other);
    }
}

using KeyedRow = std::pair<u64, u32>;  // key, row

inline void sort_keyed(std::vector<KeyedRow>& keyed) {
    sort_by_digits(keyed, [](const KeyedRow& one) { return one.first; });
}
// Values, of which none is a gap; 0 stands for -0.
template <class T>
void sort_values(std::vector<T>& values) {
    std::vector<decltype(ordering_key(T{}))> keys;
    keys.reserve(values.size());
    for (const T value : values) keys.push_back(ordering_key(value));
    sort_by_digits(keys, [](auto key) { return u64{key}; });
    for (std::size_t i = 0; i < keys.size(); ++i) values[i] = value_of_key(keys[i]);
}

class ColumnSorter {
  public:
    // Returns how many values are known.
    u32 sort(const ColumnView& view, const u32* rows, u32 n, u32* out) {
        key_.resize(n);
        packed_.resize(n);
        other_.resize(n);
        low_ = ~u64{0};
        high_ = 0;
        u32 known;
        switch (view.type) {
            case ValueType::f32:
                known = read_all(view, rows, n, out, key_of<float>);
                break;
            case ValueType::f64:
                known = read_all(view, rows, n, out, key_of<double>);
                break;
            default:
                known = read_all(view, rows, n, out, key_of<i32>);
        }
        if (known > 1) order(known);
        u32 rank = 0;
        for (u32 i = 0; i < known; ++i) {
            const u32 id = static_cast<u32>(packed_[i] & 0xffff);
            if (i > 0 && (packed_[i] >> 16 != packed_[i - 1] >> 16 || key_[id] != key_[packed_[i - 1] & 0xffff]))
                ++rank;
            out[i] = rank << 16 | id;
        }
        return known;
    }

  private:
    // An unsigned integer that orders like the value; false if it is missing. -0 and 0 are one value.
    template <class T>
    static bool key_of(T x, u64& key) {
        if constexpr (std::is_same_v<T, float>) {
            key = ordering_key(x);
            return x == x;
        } else if constexpr (std::is_same_v<T, double>) {
            key = ordering_key(x);
            return x == x;
        } else {
            key = static_cast<u32>(x);
            return x >= 0;
        }
    }

    template <class T>
    u32 read_all(const ColumnView& view, const u32* rows, u32 n, u32* out, bool (*key_of_value)(T, u64&)) {
        constexpr u32 kAhead = 16;
        u32 known = 0, missing = n;
        for (u32 i = 0; i < n; ++i) {
            if (i + kAhead < n) prefetch(view.data + static_cast<std::ptrdiff_t>(rows[i + kAhead]) * view.stride);
            if (!key_of_value(view.raw<T>(rows[i]), key_[i])) {
                out[--missing] = kMissingEntry | i;
                continue;
            }
            low_ = std::min(low_, key_[i]);
            high_ = std::max(high_, key_[i]);
            packed_[known++] = i;
        }
        return known;
    }

    void order(u32 n) {
        if (n <= 48) {
            std::sort(packed_.begin(), packed_.begin() + n,
                      [this](u64 a, u64 b) { return std::pair(key_[a], a) < std::pair(key_[b], b); });
            return;
        }
        const int digit = n < 512 ? 8 : 11;
        const int shift = std::max(0, 64 - std::countl_zero(high_ - low_) - 2 * digit);
        const u64 mask = (u64{1} << digit) - 1;
        for (auto& count : count_) count.assign(std::size_t{1} << digit, 0);
        for (u32 i = 0; i < n; ++i) {
            const u64 prefix = (key_[packed_[i]] - low_) >> shift;
            packed_[i] |= prefix << 16;
            ++count_[0][prefix & mask];
            ++count_[1][prefix >> digit];
        }
        count_round(n, 16, mask, count_[0], packed_, other_);
        count_round(n, 16 + digit, mask, count_[1], other_, packed_);
        if (shift > 0) mend(n);
    }

    static void count_round(u32 n, int shift, u64 mask, std::vector<u32>& count, const std::vector<u64>& from,
                            std::vector<u64>& to) {
        u32 before = 0;
        for (u32& c : count) before += std::exchange(c, before);
        for (u32 i = 0; i < n; ++i) to[count[(from[i] >> shift) & mask]++] = from[i];
    }

    // Sorts every run of equal prefixes by the full keys.
    void mend(u32 n) {
        for (u32 i = 0; i < n;) {
            u32 end = i + 1;
            while (end < n && packed_[end] >> 16 == packed_[i] >> 16) ++end;
            if (end - i > 1)
                std::sort(packed_.begin() + i, packed_.begin() + end, [this](u64 a, u64 b) {
                    return std::pair(key_[a & 0xffff], a) < std::pair(key_[b & 0xffff], b);
                });
            i = end;
        }
    }

    std::vector<u64> key_, packed_, other_;
    std::vector<u32> count_[2];
    u64 low_ = 0, high_ = 0;
};

}  // namespace hornbeam
