// Some tests of a node that are tried at once, a lane for each: what their sides cost with one more test below.
#pragma once

#include "hornbeam/optimal/walk.hpp"

namespace hornbeam::optimal {

inline constexpr std::size_t kBytes = 32;
inline constexpr i64 kNever = std::numeric_limits<i64>::max() / 8;

template <class T>
struct Batch {
    static constexpr std::size_t kLanes = kBytes / sizeof(T);
    struct alignas(kBytes) Lanes : Vector<T, kLanes> {};

    const Items* items = nullptr;
    const ItemNode* node = nullptr;
    std::vector<Walk<T>> walks;     // of each column that is not nominal
    std::vector<T> amount, n_rows;  // of each item; amounts in units
    T min_rows = 1;                 // in every leaf; 1 for the floors
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
    std::array<std::vector<Lanes>, 2> sums;  // along a column's list, of its front and its back
    // Of each lane and side: what a leaf costs, and what one test with two leaves costs; kNever: none is allowed.
    std::array<std::array<i64, kLanes>, 2> leaf, test;

    explicit Batch(const Items& all) : items(&all), walks(all.n_columns()) {
        amount.resize(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) amount[i] = static_cast<T>(all.amount[i] / all.unit);
        value.resize(all.size());
        for (auto& part : sums) part.resize(all.size() + 1);
        for (i64 of_item : all.weight) weight.push_back(static_cast<T>(of_item));
        weighed.resize(all.weight.size());
        if (all.problem().min_rows <= 1) return;
        n_rows.resize(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) n_rows[i] = static_cast<T>(all.n_rows[i]);
        counted.resize(all.size());
    }

    void set_node(const ItemNode& of) {
        node = &of;
        const bool merges = items->problem().min_rows <= 1;
        for (std::size_t c = 0; c < walks.size(); ++c) {
            if (items->problem().columns[c].nominal) continue;
            const auto own = [&](u32 item) { return amount[item]; };
            if (items->is_real()) {
                walks[c].open(of.list(c), of.known[c]);
            } else if (items->n_answers > 2) {
                walks[c].open(
                    of.list(c), of.known[c], merges, [&](u32 item) { return static_cast<u32>(items->answer[item]); },
                    own);
            } else {
                walks[c].open_signs(of.list(c), of.known[c], merges, own);
            }
        }
    }
};

// Fills `leaf` and `test` of a batch.
template <class T>
void search_below(Batch<T>& batch);

}  // namespace hornbeam::optimal
