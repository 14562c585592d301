// A set of rows as bits, wide enough for 64 W rows.
#pragma once

#include <array>
#include <bit>

#include "hornbeam/types.hpp"

namespace hornbeam {

template <int W>
struct RowSet {
    std::array<u64, W> word{};

    void add(std::size_t row) { word[row / 64] |= u64{1} << (row % 64); }
    bool empty() const {
        u64 any = 0;
        for (u64 w : word) any |= w;
        return any == 0;
    }
    int count() const {
        int n = 0;
        for (u64 w : word) n += std::popcount(w);
        return n;
    }
    // The lowest row; the set must not be empty.
    std::size_t first() const {
        std::size_t i = 0;
        while (word[i] == 0) ++i;
        return 64 * i + static_cast<std::size_t>(std::countr_zero(word[i]));
    }
    bool inside(const RowSet& other) const {
        u64 outside = 0;
        for (int i = 0; i < W; ++i) outside |= word[i] & ~other.word[i];
        return outside == 0;
    }
    u64 hash() const {
        u64 z = 0;
        for (u64 w : word) {
            z = (z ^ w ^ (z >> 32)) * 0x9E3779B97F4A7C15ULL;
            z ^= z >> 29;
            z *= 0xBF58476D1CE4E5B9ULL;
        }
        return z ^ (z >> 32);
    }
    friend RowSet operator&(RowSet a, const RowSet& b) {
        for (int i = 0; i < W; ++i) a.word[i] &= b.word[i];
        return a;
    }
    friend RowSet operator|(RowSet a, const RowSet& b) {
        for (int i = 0; i < W; ++i) a.word[i] |= b.word[i];
        return a;
    }
    friend RowSet operator-(RowSet a, const RowSet& b) {
        for (int i = 0; i < W; ++i) a.word[i] &= ~b.word[i];
        return a;
    }
    friend bool operator==(const RowSet&, const RowSet&) = default;
};

}  // namespace hornbeam
