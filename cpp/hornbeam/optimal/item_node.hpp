// The items of a node: for each column in the order of its values, as in Items.
#pragma once

#include "hornbeam/optimal/items.hpp"

namespace hornbeam::optimal {

// A family of tests whose left sides are nested: the first `cut` items of a column's list, with or without the missing
// ones; or, of a nominal column, one set of values.
struct Line {
    std::size_t column;
    bool missing_left;
    const ValueSet* set;  // null: thresholds
    u32 number;           // the same at all nodes
    // How many leaves each side may have; 0: as many as its depth allows.
    i32 left_leaves = 0, right_leaves = 0;
};

// What is left of the items where a line is cut.
struct ItemNode {
    u32 m = 0;
    std::vector<u32> order, known;
    std::array<u64, 2> key{};
    i64 full = 0, n_rows = 0;
    i64 square = 0;         // of numbers: what the means of all items save
    i64 leaf = 0;           // what the best answer costs
    std::vector<u64> bits;  // of tables of few tests (test_bits.hpp): the node without its lists
    // Before each list lies a place that is written to but never read.
    const u32* list(std::size_t column) const { return order.data() + column * (m + 1) + 1; }

    // The set of rows, whatever its items: sums of keys do not depend on the order.
    void measure(const Items& items) {
        key = {};
        full = n_rows = 0;
        i64 total = 0, weight = 0;
        square = 0;
        benefit_.assign(static_cast<std::size_t>(items.n_answers), 0);
        for (u32 i = 0; i < m; ++i) {
            const u32 item = list(0)[i] & kItem;
            key[0] += items.key[item][0];
            key[1] += items.key[item][1];
            full += items.full[item];
            n_rows += items.n_rows[item];
            if (items.is_real()) weight += items.weight[item], square += items.square[item];
            if (items.n_answers <= 2)
                total += items.amount[item];
            else
                benefit_[static_cast<std::size_t>(items.answer[item])] += items.amount[item];
        }
        if (items.is_real()) {
            leaf = std::max<i64>(square - saved_by_mean(total, weight), 0);
            return;
        }
        // With two answers, what is dear for one is cheap for the other: (full - |total|) / 2 is paid.
        leaf = items.n_answers <= 2 ? (full - (total < 0 ? -total : total)) / 2
                                    : full - *std::max_element(benefit_.begin(), benefit_.end());
    }

  private:
    std::vector<i64> benefit_;
};

// The node of all items. A table without columns still has them in one list.
inline void fill_root(const Items& items, ItemNode& root) {
    root.m = static_cast<u32>(items.size());
    root.order.assign(items.n_columns() * (root.m + 1), 0);
    for (std::size_t c = 0; c < items.n_columns(); ++c)
        std::copy_n(items.order.begin() + static_cast<std::ptrdiff_t>(c * root.m), root.m,
                    root.order.begin() + static_cast<std::ptrdiff_t>(c * (root.m + 1) + 1));
    root.known = items.known;
    root.measure(items);
}

// Marks the items on the left side of a test: of the first `cut` in the list, or of a set of values.
inline void mark_left(const Items& items, const ItemNode& node, const Line& line, u32 cut, std::vector<u8>& left) {
    const u32* list = node.list(line.column);
    const u32 known = node.known[line.column];
    if (line.set != nullptr) {
        for (u32 i = 0; i < node.m; ++i)
            left[list[i] & kItem] = line.set->has(items.code(line.column, list[i] & kItem));
        return;
    }
    for (u32 i = 0; i < known; ++i) left[list[i] & kItem] = i < cut;
    for (u32 i = known; i < node.m; ++i) left[list[i] & kItem] = line.missing_left;
}

// Divides a node by the marks, every list in its order.
inline void divide(const Items& items, const ItemNode& node, const std::vector<u8>& left, ItemNode& a, ItemNode& b) {
    const std::size_t n_columns = node.known.size();
    u32 n_left = 0;
    const u32* first = node.list(0);
    for (u32 i = 0; i < node.m; ++i) n_left += left[first[i] & kItem];
    a.m = n_left;
    b.m = node.m - n_left;
    for (ItemNode* side : {&a, &b}) {  // both sides are written, one of them is kept; vectors never shrink
        side->order.reserve(n_columns * (node.m + 1) + 1);
        if (const std::size_t size = n_columns * (side->m + 1) + 1; side->order.size() < size) side->order.resize(size);
    }
    a.known.resize(n_columns);
    b.known.resize(n_columns);
    for (std::size_t c = 0; c < n_columns; ++c) {
        const u32* list = node.list(c);
        u32* to_a = a.order.data() + c * (a.m + 1) + 1;
        u32* to_b = b.order.data() + c * (b.m + 1) + 1;
        const auto put = [&](u32 item) {
            *to_a = *to_b = item;
            to_a += left[item];
            to_b += 1 - left[item];
        };
        for (u32 i = 0; i < node.known[c]; ++i) {
            put(list[i] & kItem);
            if (list[i] & kEnd) to_a[-1] |= kEnd, to_b[-1] |= kEnd;
        }
        a.known[c] = static_cast<u32>(to_a - a.list(c));
        b.known[c] = static_cast<u32>(to_b - b.list(c));
        for (u32 i = node.known[c]; i < node.m; ++i) put(list[i] & kItem);
    }
    a.measure(items);
    b.measure(items);
}

}  // namespace hornbeam::optimal
