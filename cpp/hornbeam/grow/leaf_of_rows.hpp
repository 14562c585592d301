// The leaf of each row of a table that a grown tree has learned from.
#pragma once

#include "hornbeam/apply/apply.hpp"
#include "hornbeam/grow/flatten.hpp"
#include "hornbeam/stats/node_stats.hpp"

namespace hornbeam {

// The rows that take part, ascending.
class Live {
  public:
    Live(const RealRows& rows, std::size_t n_rows)
        : n_rows_(n_rows), all_(rows.weights.empty() && rows.counts.empty()) {
        for (std::size_t r = 0; r < n_rows && !all_; ++r)
            if (rows.weight(r) > 0) rows_.push_back(static_cast<u32>(r));
    }
    std::size_t size() const { return all_ ? n_rows_ : rows_.size(); }
    std::size_t operator[](std::size_t i) const { return all_ ? i : rows_[i]; }
    const u32* chosen() const { return all_ ? nullptr : rows_.data(); }

  private:
    std::size_t n_rows_;
    bool all_;
    std::vector<u32> rows_;
};

// Columns that lie side by side in one array, as a dense table; null data if they do not.
template <class T>
DenseRows dense_of(const std::vector<ColumnView>& columns, const Live& live, ValueType type) {
    const std::ptrdiff_t step =
        columns.size() > 1 ? columns[1].data - columns[0].data : static_cast<std::ptrdiff_t>(sizeof(T));
    for (std::size_t j = 0; j < columns.size(); ++j)
        if (columns[j].type != type || columns[j].stride != columns[0].stride ||
            columns[j].data != columns[0].data + static_cast<std::ptrdiff_t>(j) * step)
            return {nullptr, 0, 0, 0, 0};
    return {columns[0].data, columns[0].stride, step, live.size(), columns.size(), live.chosen()};
}

template <class T>
bool leaves_of_dense(const TreeArrays& tree, const std::vector<ColumnView>& columns, const Live& live, ValueType type,
                     Pool& pool, std::vector<i32>& out) {
    const DenseRows rows = dense_of<T>(columns, live, type);
    if (rows.data == nullptr) return false;
    const std::vector<PackedNode<T>> packed =
        pack<T>(CompactView{tree.kind, tree.first_child, tree.column, tree.missing, tree.threshold});
    if (packed.empty()) return false;
    apply_packed<T>(packed, rows, pool, out.data());
    return true;
}

// The leaf of a row of a tree with surrogates: where a value is missing, the first surrogate that knows decides.
inline i32 leaf_by_surrogates(const TreeView& tree, const std::vector<std::vector<Surrogate>>& surrogates,
                              const std::vector<ColumnView>& columns, std::size_t row) {
    std::size_t node = 0;
    while (tree.first_child[node] >= 0) {
        const double x = columns[static_cast<std::size_t>(tree.column[node])].value(row);
        i32 branch = -1;
        for (std::size_t k = 0; std::isnan(x) && branch < 0 && k < surrogates[node].size(); ++k) {
            const Surrogate& one = surrogates[node][k];
            branch = one.branch(columns[static_cast<std::size_t>(one.column)], row);
        }
        if (branch < 0) branch = branch_taken(tree, node, x);
        node = static_cast<std::size_t>(tree.first_child[node] + branch);
    }
    return static_cast<i32>(node);
}

// The leaf of each row that takes part.
inline std::vector<i32> leaves_of(const TreeArrays& tree, const std::vector<ColumnView>& columns, const Live& live,
                                  std::size_t n_rows, Pool& pool) {
    std::vector<i32> leaf(live.size());
    if (!tree.surrogates.column.empty()) {
        const TestsByNode tests(tree);
        const TreeView view = view_of(tree, tests);
        std::vector<std::vector<Surrogate>> surrogates(tree.n_nodes());
        for (std::size_t n = 0; n < tree.n_nodes(); ++n) surrogates[n] = tree.surrogates.of(n);
        for (std::size_t i = 0; i < live.size(); ++i) leaf[i] = leaf_by_surrogates(view, surrogates, columns, live[i]);
        return leaf;
    }
    if (leaves_of_dense<float>(tree, columns, live, ValueType::f32, pool, leaf) ||
        leaves_of_dense<double>(tree, columns, live, ValueType::f64, pool, leaf))
        return leaf;
    const TestsByNode tests(tree);
    leaf.resize(n_rows);
    apply_columns(view_of(tree, tests), columns, n_rows, pool, leaf.data());
    for (std::size_t i = 0; i < live.size(); ++i) leaf[i] = leaf[live[i]];  // never from before i
    leaf.resize(live.size());
    return leaf;
}

}  // namespace hornbeam
