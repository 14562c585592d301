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

// Rows in the order of their leaves.
struct ByLeaf {
    std::vector<u32> start, row;  // rows of leaf n: row[start[n]] up to row[start[n + 1]]

    ByLeaf(const std::vector<i32>& leaf, std::size_t n_nodes) : start(n_nodes + 2, 0), row(leaf.size()) {
        for (i32 n : leaf) ++start[static_cast<std::size_t>(n) + 2];
        for (std::size_t n = 2; n < start.size(); ++n) start[n] += start[n - 1];
        for (std::size_t r = 0; r < leaf.size(); ++r)
            row[start[static_cast<std::size_t>(leaf[r]) + 1]++] = static_cast<u32>(r);
        start.pop_back();
    }
};

// Calls sum(leaf, out) for every leaf and value(node, sums) for every node. Families of siblings come one after another
// (flatten.hpp): from the last to the first, a family finds the sums of those of its members that have children on top
// of a stack, so only few sums live at a time.
template <class Sum, class Value>
void sum_up(const TreeArrays& tree, std::size_t width, Sum&& sum, Value&& value) {
    std::vector<bool> leads(tree.kind.size(), false);
    leads[0] = true;
    for (i32 first : tree.first_child)
        if (first >= 0) leads[static_cast<std::size_t>(first)] = true;
    std::vector<i128> stack, total(width), one(width);
    for (std::size_t end = tree.kind.size(), begin; end > 0; end = begin) {
        begin = end - 1;
        while (!leads[begin]) --begin;
        std::fill(total.begin(), total.end(), 0);
        for (std::size_t n = begin; n < end; ++n) {
            if (tree.first_child[n] < 0) {
                std::fill(one.begin(), one.end(), 0);
                sum(n, one.data());
            } else {
                std::copy(stack.end() - static_cast<std::ptrdiff_t>(width), stack.end(), one.begin());
                stack.resize(stack.size() - width);
            }
            value(n, one.data());
            for (std::size_t j = 0; j < width; ++j) total[j] += one[j];
        }
        stack.insert(stack.end(), total.begin(), total.end());
    }
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
    const ByLeaf rows(leaf, tree.kind.size());
    leaf = {};
    const auto sum = [&](std::size_t n, i128* out) {
        for (u32 i = rows.start[n]; i < rows.start[n + 1]; ++i) {
            const u32 r = rows.row[i];
            const double w = weight_of(r);
            if (w <= 0) continue;
            if (classes) {
                out[target.codes[r]] += ones.whole(w);
                continue;
            }
            const double y = target.values[r] - tree.centre;
            out[0] += ones.whole(w);
            out[1] += firsts.whole(w * y);
            out[2] += squares.whole(w * y * y);
            if (width > 3) out[3] += logs.whole(w * y_log_y(y));
        }
    };
    sum_up(tree, width, sum, [&](std::size_t n, const i128* sums) {
        for (std::size_t j = 0; j < width; ++j)
            tree.stats[n * width + j] = (classes || j == 0 ? ones
                                         : j == 1          ? firsts
                                         : j == 2          ? squares
                                                           : logs)
                                            .value(sums[j]);
    });
    if (classes) relabel(tree, width);
    if (!classes && width > 3) deviances(tree);
}

}  // namespace hornbeam
