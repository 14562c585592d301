// The folder apply/ sends rows down a finished tree.
//
// Apply: raw values -> leaves.
//
// Trees of thresholds on one dense array take the fast way: nodes packed to 16 bytes, a leaf that leads to itself, and
// several rows walked at once so that one row's memory access hides behind the others'. Everything else is walked row
// by row. A value no branch was learned for follows all paths; such rows come back as -1 and then, with weights, from
// apply_paths.
#pragma once

#include <span>
#include <vector>

#include "hornbeam/grow/tree_arrays.hpp"
#include "hornbeam/threads/pool.hpp"

namespace hornbeam {

// The arrays of a Tree that routing needs. `missing` and `absent` may be empty: no branch was learned for any.
struct TreeView {
    std::span<const std::int8_t> kind;
    std::span<const i32> first_child, n_children, column, missing, absent;
    std::span<const double> threshold;
    std::span<const i64> map_offset;
    std::span<const i32> map_code, map_branch;
    bool all_paths = false;         // a missing value follows all branches even where one was learned for it
    bool unseen_all_paths = false;  // a category never seen does
};

// Of a tree just grown; surrogates are not part of it.
inline TreeView view_of(const TreeArrays& tree, const TestsByNode& tests) {
    TreeView view;
    view.kind = tree.kind;
    view.first_child = tests.first_child;
    view.n_children = tests.n_children;
    view.column = tests.column;
    view.missing = tests.missing;
    view.absent = tests.absent;
    view.threshold = tests.threshold;
    view.map_offset = tree.map_offset;
    view.map_code = tree.map_code;
    view.map_branch = tree.map_branch;
    return view;
}

inline constexpr i32 kAllPaths = -1;

// The branch of any value, missing (NaN) or never seen (-infinity) or not; kAllPaths if none was learned for it.
i32 branch_taken(const TreeView& tree, std::size_t node, double x);

// x <= threshold goes to `first`, else to `first` + 1; a leaf has itself as `first`. The lowest two bits of
// `column_and_missing` are the branch of a missing value, 3 if it follows all paths.
template <class T>
struct PackedNode {
    T threshold;
    i32 first;
    u32 column_and_missing;
};

// The same for a tree whose tests are apart from its leaves (tree_arrays.hpp): all but `kind` by test.
struct CompactView {
    std::span<const std::int8_t> kind;
    std::span<const i32> first_child, column, missing;
    std::span<const double> threshold;
};

// Empty unless every test is a threshold.
template <class T>
std::vector<PackedNode<T>> pack(const TreeView& tree);
template <class T>
std::vector<PackedNode<T>> pack(const CompactView& tree);

// A dense array; strides in bytes. Of `chosen` rows, if there are any, `n_rows` is the number.
struct DenseRows {
    const std::byte* data;
    std::ptrdiff_t row_stride, column_stride;
    std::size_t n_rows, n_columns;
    const u32* chosen = nullptr;

    const std::byte* row(std::size_t r) const {
        return data + static_cast<std::ptrdiff_t>(chosen == nullptr ? r : chosen[r]) * row_stride;
    }
};

// The leaf of each row of a dense array. -1: all paths.
// Returns whether an infinite value was seen; chosen rows are not looked at for that.
template <class T>
bool apply_packed(std::span<const PackedNode<T>> tree, const DenseRows& rows, Pool& pool, i32* out);

void apply_columns(const TreeView& tree, const std::vector<ColumnView>& columns, std::size_t n_rows, Pool& pool,
                   i32* out);

// Where each of `rows` would end if its value in one column were that of another row: `orders` has, for each way of
// dealing the values, the row that every row of the table gets its value from. `out` has a row of leaves for each of
// them. -1: all paths.
void apply_dealt(const TreeView& tree, const std::vector<ColumnView>& columns, i32 dealt, std::span<const i64> rows,
                 const std::vector<std::span<const i64>>& orders, Pool& pool, i32* out);

// All leaves that each row of `rows` reaches, with weights that sum to 1.
struct Paths {
    std::vector<i64> offset;
    std::vector<i32> leaf;
    std::vector<double> weight;
};
// By leaf: leaves weigh what `weight` says, as much as they hold. By branch: a branch takes its `share` among its
// siblings, and shares multiply. One of the two is empty. Leaves of a row come in ascending order, those without
// weight are left out unless all are.
Paths apply_paths(const TreeView& tree, const std::vector<ColumnView>& columns, std::span<const i64> rows,
                  std::span<const double> weight, std::span<const double> share);

}  // namespace hornbeam
