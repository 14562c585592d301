// Some tests of a node that are tried at once, a lane for each: what their sides cost with one more test below.
#pragma once

#include "hornbeam/optimal/item_node.hpp"

namespace hornbeam::optimal {

inline constexpr std::size_t kBytes = 32;
inline constexpr i64 kNever = std::numeric_limits<i64>::max() / 8;

// The most frequent value of a column at a node, as a part of its list. What the others add up to tells its sums, so
// that no walk along the list needs to pass through it. Where none is frequent it is empty, in the middle of the list.
struct LongestRun {
    u32 first = 0, end = 0;
    u32 size() const { return end - first; }
};

template <class T>
struct Batch {
    static constexpr std::size_t kLanes = kBytes / sizeof(T);
    struct alignas(kBytes) Lanes : Vector<T, kLanes> {};

    const Items* items = nullptr;
    const ItemNode* node = nullptr;
    std::vector<LongestRun> longest;  // of each column
    std::vector<T> amount, n_rows;    // of each item; amounts in units
    T min_rows = 1;                   // in every leaf; 1 for the floors
    struct Test {
        const Line* line;
        u32 cut;
        i64 full_left;  // the sum of `full` on its left side; of numbers that of `square`
    };
    std::vector<Test> tests;  // at most one for each lane; those of one line together, in the order of their cuts
    // Of each item: its amount, and its rows, in the lanes that send it left. What is left of them goes right.
    std::vector<Lanes> value, counted;
    std::vector<T> weight;  // of numbers: of each item, and in the lanes that send it left
    std::vector<Lanes> weighed;
    std::vector<Lanes> scratch;
    // Of each lane and side: what a leaf costs, and what one test with two leaves costs; kNever: none is allowed.
    std::array<std::array<i64, kLanes>, 2> leaf, test;

    explicit Batch(const Items& all) : items(&all), longest(all.n_columns()) {
        amount.resize(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) amount[i] = static_cast<T>(all.amount[i] / all.unit);
        value.resize(all.size());
        for (i64 of_item : all.weight) weight.push_back(static_cast<T>(of_item));
        weighed.resize(all.weight.size());
        if (all.problem().min_rows <= 1) return;
        n_rows.resize(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) n_rows[i] = static_cast<T>(all.n_rows[i]);
        counted.resize(all.size());
    }

    void set_node(const ItemNode& of) {
        node = &of;
        for (std::size_t c = 0; c < longest.size(); ++c) {
            const u32* list = of.list(c);
            LongestRun best, middle;
            for (u32 i = 0, start = 0; i < of.known[c]; ++i) {
                if (!(list[i] & kEnd)) continue;
                if (i + 1 - start > best.size()) best = {start, i + 1};
                if (2 * i < of.known[c]) middle = {i + 1, i + 1};
                start = i + 1;
            }
            longest[c] = 4 * best.size() > of.known[c] ? best : middle;
        }
    }
};

// Fills `leaf` and `test` of a batch.
template <class T>
void search_below(Batch<T>& batch);

}  // namespace hornbeam::optimal
