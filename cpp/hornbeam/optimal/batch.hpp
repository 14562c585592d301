// Some tests of a node that are tried at once, a lane for each: what their sides cost with one more test below.
#pragma once

#include "hornbeam/optimal/item_node.hpp"

namespace hornbeam::optimal {

inline constexpr std::size_t kBytes = 32;

template <class T>
struct Batch {
    static constexpr std::size_t kLanes = kBytes / sizeof(T);
    struct alignas(kBytes) Lanes : Vector<T, kLanes> {};

    const Items* items = nullptr;
    const ItemNode* node = nullptr;
    std::vector<T> amount, n_rows;  // of each item
    T min_rows = 1;                 // in every leaf; 1 for the floors
    struct Test {
        const Line* line;
        u32 cut;
        i64 full_left;  // the sum of `full` on its left side
    };
    std::vector<Test> tests;  // at most one for each lane; those of one line together, in the order of their cuts
    // Of each item, twice: its amount, and its rows, in the lanes that send it left, and in those that send it right.
    std::vector<Lanes> value, counted;
    std::vector<Lanes> scratch;
    // Of each lane and side: what a leaf costs, and what one test with two leaves costs; kNever: none is allowed.
    std::array<std::array<i64, kLanes>, 2> leaf, test;

    explicit Batch(const Items& all) : items(&all) {
        const auto as_lane = [](i64 x) { return static_cast<T>(x); };
        amount.resize(all.size());
        std::transform(all.amount.begin(), all.amount.end(), amount.begin(), as_lane);
        value.resize(2 * all.size());
        if (all.problem().min_rows <= 1) return;
        n_rows.resize(all.size());
        std::transform(all.n_rows.begin(), all.n_rows.end(), n_rows.begin(), as_lane);
        counted.resize(2 * all.size());
    }
};

inline constexpr i64 kNever = std::numeric_limits<i64>::max() / 8;

// Fills `leaf` and `test` of a batch.
template <class T>
void search_below(Batch<T>& batch);

}  // namespace hornbeam::optimal
