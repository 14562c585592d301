#include "settle.hpp"

#include "apply.hpp"
#include "fixed.hpp"

namespace hornbeam {
namespace {

TreeView view_of(const TreeArrays& tree) {
    TreeView view;
    view.kind = tree.kind;
    view.first_child = tree.first_child;
    view.n_children = tree.n_children;
    view.column = tree.column;
    view.missing = tree.missing;
    view.absent = tree.absent;
    view.threshold = tree.threshold;
    view.map_offset = tree.map_offset;
    view.map_code = tree.map_code;
    view.map_branch = tree.map_branch;
    return view;
}

// Columns that lie side by side in one array, as a dense table; null data if they do not.
template <class T>
DenseRows dense_of(const std::vector<ColumnView>& columns, std::size_t n_rows, ValueType type) {
    const std::ptrdiff_t step =
        columns.size() > 1 ? columns[1].data - columns[0].data : static_cast<std::ptrdiff_t>(sizeof(T));
    for (std::size_t j = 0; j < columns.size(); ++j)
        if (columns[j].type != type || columns[j].stride != columns[0].stride ||
            columns[j].data != columns[0].data + static_cast<std::ptrdiff_t>(j) * step)
            return {nullptr, 0, 0, 0, 0};
    return {columns[0].data, columns[0].stride, step, n_rows, columns.size()};
}

template <class T>
bool leaves_of_dense(const TreeView& tree, const std::vector<ColumnView>& columns, ValueType type, Pool& pool,
                     std::vector<i32>& out) {
    const DenseRows rows = dense_of<T>(columns, out.size(), type);
    if (rows.data == nullptr) return false;
    const std::vector<PackedNode<T>> packed = pack<T>(tree);
    if (packed.empty()) return false;
    apply_packed<T>(packed, rows, pool, out.data());
    return true;
}

// The weight of a row, 0 if it does not take part.
struct RowWeight {
    const TargetView& target;

    double operator()(std::size_t row) const {
        if (!target.counts.empty() && target.counts[row] <= 0) return 0;
        if (!target.weights.empty()) return std::max(target.weights[row], 0.0);
        return target.counts.empty() ? 1.0 : static_cast<double>(target.counts[row]);
    }
};

double y_log_y(double y) { return y > 0 ? y * std::log(y) : 0; }

// Parents come before their children, so one backward pass carries every sum up to the root.
void carry_up(const TreeArrays& tree, std::size_t width, std::vector<i128>& sums) {
    for (std::size_t n = tree.kind.size(); n-- > 0;)
        for (i32 b = 0; b < tree.n_children[n]; ++b)
            for (std::size_t j = 0; j < width; ++j)
                sums[n * width + j] += sums[static_cast<std::size_t>(tree.first_child[n] + b) * width + j];
}

// The first class that weighs most by the settled Stats; an empty child answers like its parent.
void relabel(TreeArrays& tree, std::size_t width) {
    for (std::size_t n = 0; n < tree.kind.size(); ++n) {
        const double* stats = tree.stats.data() + n * width;
        if (tree.n_rows[n] > 0) tree.label[n] = static_cast<i32>(std::max_element(stats, stats + width) - stats);
        for (i32 b = 0; b < tree.n_children[n]; ++b)
            tree.label[static_cast<std::size_t>(tree.first_child[n] + b)] = tree.label[n];
    }
}

// Half the mean Poisson deviance of rates, with more digits of y ln y than the grid has.
void deviances(TreeArrays& tree) {
    for (std::size_t n = 0; n < tree.kind.size(); ++n) {
        if (tree.impurity[n] <= 0) continue;
        const double* stats = tree.stats.data() + n * 4;
        const double deviance = stats[3] - stats[1] * std::log(stats[1] / stats[0]);
        tree.impurity[n] = std::max(0.0, deviance / stats[0]);
    }
}

}  // namespace

void settle(const std::vector<ColumnView>& columns, const TargetView& target, Pool& pool, TreeArrays& tree) {
    const bool classes = target.n_classes > 0;
    const std::size_t n_rows = classes ? target.codes.size() : target.values.size();
    const auto width = static_cast<std::size_t>(tree.width);
    std::vector<i32> leaf(n_rows);
    const TreeView view = view_of(tree);
    if (!leaves_of_dense<float>(view, columns, ValueType::f32, pool, leaf) &&
        !leaves_of_dense<double>(view, columns, ValueType::f64, pool, leaf))
        apply_columns(view, columns, n_rows, pool, leaf.data());
    const RowWeight weight_of{target};
    double heaviest = 0, farthest = 0, largest_log = 0;
    for (std::size_t r = 0; r < n_rows; ++r) {
        const double w = weight_of(r);
        if (w <= 0) continue;
        heaviest = std::max(heaviest, w);
        if (classes) continue;
        farthest = std::max(farthest, std::fabs(target.values[r] - tree.centre));
        if (width > 3) largest_log = std::max(largest_log, std::fabs(y_log_y(target.values[r])));
    }
    const FineSum ones(heaviest), firsts(heaviest * farthest), squares(heaviest * farthest * farthest),
        logs(heaviest * largest_log);
    std::vector<i128> sums(tree.kind.size() * width, 0);
    for (std::size_t r = 0; r < n_rows; ++r) {
        const double w = weight_of(r);
        if (w <= 0) continue;
        i128* at = sums.data() + static_cast<std::size_t>(leaf[r]) * width;
        if (classes) {
            at[target.codes[r]] += ones.whole(w);
            continue;
        }
        const double y = target.values[r] - tree.centre;
        at[0] += ones.whole(w);
        at[1] += firsts.whole(w * y);
        at[2] += squares.whole(w * y * y);
        if (width > 3) at[3] += logs.whole(w * y_log_y(y));
    }
    carry_up(tree, width, sums);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const std::size_t lane = classes ? 0 : i % width;
        tree.stats[i] = (lane == 0 ? ones : lane == 1 ? firsts : lane == 2 ? squares : logs).value(sums[i]);
    }
    if (classes) relabel(tree, width);
    if (!classes && width > 3) deviances(tree);
}

}  // namespace hornbeam
