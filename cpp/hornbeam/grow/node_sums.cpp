#include "hornbeam/grow/node_sums.hpp"

#include "hornbeam/apply/apply.hpp"
#include "hornbeam/grow/flatten.hpp"
#include "hornbeam/stats/fixed_point.hpp"

namespace hornbeam {
namespace {

// The weight of a row, 0 if it does not take part.
struct RowWeight {
    const TargetView& target;

    bool all_take_part() const { return target.counts.empty() && target.weights.empty(); }
    double operator()(std::size_t row) const {
        if (!target.counts.empty() && target.counts[row] <= 0) return 0;
        if (!target.weights.empty()) return std::max(target.weights[row], 0.0);
        return target.counts.empty() ? 1.0 : static_cast<double>(target.counts[row]);
    }
};

// The rows that take part, ascending.
class Live {
  public:
    Live(const RowWeight& weight_of, std::size_t n_rows) : n_rows_(n_rows), all_(weight_of.all_take_part()) {
        for (std::size_t r = 0; r < n_rows && !all_; ++r)
            if (weight_of(r) > 0) rows_.push_back(static_cast<u32>(r));
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

// The leaf of each row that takes part.
std::vector<i32> leaves_of(const TreeArrays& tree, const std::vector<ColumnView>& columns, const Live& live,
                           std::size_t n_rows, Pool& pool) {
    std::vector<i32> leaf(live.size());
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

constexpr std::size_t kMany = 1 << 17;  // nodes whose memory is worth a call to the system

double y_log_y(double y) { return y > 0 ? y * std::log(y) : 0; }

// Rows in the order of their leaves.
struct ByLeaf {
    std::vector<u32> start, row;  // rows of leaf n: row[start[n]] up to row[start[n + 1]]

    ByLeaf(const std::vector<i32>& leaf, const Live& live, std::size_t n_nodes)
        : start(n_nodes + 2, 0), row(leaf.size()) {
        for (i32 n : leaf) ++start[static_cast<std::size_t>(n) + 2];
        for (std::size_t n = 2; n < start.size(); ++n) start[n] += start[n - 1];
        for (std::size_t i = 0; i < leaf.size(); ++i)
            row[start[static_cast<std::size_t>(leaf[i]) + 1]++] = static_cast<u32>(live[i]);
        start.pop_back();
    }
    // Whoever goes from the last leaf to the first needs this row soon.
    std::size_t soon(std::size_t leaf) const {
        constexpr u32 kAhead = 24;
        return start[leaf] > kAhead ? row[start[leaf] - kAhead] : row[0];
    }
};

// Calls sum(leaf, out) for every leaf and value(node, sums) for every node. Families of siblings come one after another
// (flatten.hpp): from the last to the first, a family finds the sums of those of its members that have children on top
// of a stack, so only few sums live at a time.
template <class Sum, class Value>
void sum_up(const TreeArrays& tree, std::size_t width, Sum&& sum, Value&& value) {
    std::vector<bool> leads(tree.n_nodes(), false);
    leads[0] = true;
    for (i32 first : tree.first_child) leads[static_cast<std::size_t>(first)] = true;
    std::vector<i128> stack, total(width), one(width);
    for (std::size_t end = tree.n_nodes(), begin; end > 0; end = begin) {
        begin = end - 1;
        while (!leads[begin]) --begin;
        std::fill(total.begin(), total.end(), 0);
        for (std::size_t n = begin; n < end; ++n) {
            if (tree.is_leaf(n)) {
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

// The first class that weighs most by the new Stats; an empty child answers like its parent.
void relabel(TreeArrays& tree, std::size_t width) {
    for (std::size_t n = 0, test = 0; n < tree.n_nodes(); ++n) {
        const double* stats = tree.stats.data() + n * width;
        if (tree.n_rows[n] > 0) tree.label[n] = static_cast<i32>(std::max_element(stats, stats + width) - stats);
        if (tree.is_leaf(n)) continue;
        for (i32 b = 0; b < tree.children(test); ++b)
            tree.label[static_cast<std::size_t>(tree.first_child[test] + b)] = tree.label[n];
        ++test;
    }
}

// Half the mean Poisson deviance of rates, with more digits of y ln y than the grid has.
void deviances(TreeArrays& tree) {
    for (std::size_t n = 0, test = 0; n < tree.n_nodes(); ++n) {
        if (tree.is_leaf(n) && tree.leaf_impurity.empty()) continue;
        double& impurity = tree.is_leaf(n) ? tree.leaf_impurity[n - test] : tree.impurity[test++];
        if (impurity <= 0) continue;
        const double* stats = tree.stats.data() + n * 4;
        const double deviance = stats[3] - stats[1] * std::log(stats[1] / stats[0]);
        impurity = std::max(0.0, deviance / stats[0]);
    }
}

}  // namespace

void sum_nodes(const std::vector<ColumnView>& columns, const TargetView& target, Pool& pool, TreeArrays& tree) {
    const bool classes = target.n_classes > 0;
    const std::size_t n_rows = classes ? target.codes.size() : target.values.size();
    const auto width = static_cast<std::size_t>(tree.width);
    const RowWeight weight_of{target};
    const Live live(weight_of, n_rows);
    std::vector<i32> leaf = leaves_of(tree, columns, live, n_rows, pool);
    if (tree.n_nodes() >= kMany) release_freed_memory();
    double heaviest = 0, farthest = 0, largest_log = 0;
    for (std::size_t i = 0; i < live.size(); ++i) {
        const std::size_t r = live[i];
        const double w = weight_of(r);
        heaviest = std::max(heaviest, w);
        if (classes) continue;
        farthest = std::max(farthest, std::fabs(target.values[r] - tree.centre));
        if (width > 3) largest_log = std::max(largest_log, std::fabs(y_log_y(target.values[r])));
    }
    const FineSum ones(heaviest), firsts(heaviest * farthest), squares(heaviest * farthest * farthest),
        logs(heaviest * largest_log);
    const ByLeaf rows(leaf, live, tree.n_nodes());
    leaf = {};
    const bool counts_rows = !target.weights.empty();  // else the Stats do
    tree.stats.resize(tree.n_nodes() * width);
    if (counts_rows) tree.n_rows.resize(tree.n_nodes());
    const auto sum = [&](std::size_t n, i128* out) {
        const std::size_t soon = rows.soon(n);
        if (!classes) __builtin_prefetch(target.values.data() + soon);
        if (!target.counts.empty()) __builtin_prefetch(target.counts.data() + soon);
        for (u32 i = rows.start[n]; i < rows.start[n + 1]; ++i) {
            const std::size_t r = rows.row[i];
            const double w = weight_of(r);
            out[width] += target.counts.empty() ? 1 : target.counts[r];
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
    sum_up(tree, width + 1, sum, [&](std::size_t n, const i128* sums) {
        if (counts_rows) tree.n_rows[n] = static_cast<i64>(sums[width]);
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
