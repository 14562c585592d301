#include "hornbeam/grow/node_sums.hpp"

#include <numeric>

#include "hornbeam/apply/apply.hpp"
#include "hornbeam/grow/flatten.hpp"
#include "hornbeam/stats/exact_stats.hpp"
#include "hornbeam/stats/node_stats.hpp"

namespace hornbeam {
namespace {

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
i32 leaf_by_surrogates(const TreeView& tree, const std::vector<std::vector<Surrogate>>& surrogates,
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
std::vector<i32> leaves_of(const TreeArrays& tree, const std::vector<ColumnView>& columns, const Live& live,
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

constexpr std::size_t kMany = 1 << 17;  // nodes whose memory is worth a call to the system

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
    std::span<const u32> rows(std::size_t leaf) const {
        return std::span(row).subspan(start[leaf], start[leaf + 1] - start[leaf]);
    }
    // Whoever goes from the last leaf to the first needs this row soon.
    std::size_t soon(std::size_t leaf) const {
        constexpr u32 kAhead = 24;
        return start[leaf] > kAhead ? row[start[leaf] - kAhead] : row[0];
    }
};

// Families of siblings come one after another (flatten.hpp): from the last to the first, a family finds the sums of
// those of its members that have children on top of a stack, so only few sums live at a time.
//
// Of the Tally is asked: leaf(node, words) adds up the rows of a leaf and returns what is known of it, merge adds the
// words of one node to those of another, above(members, words) says what is known of the node above some others.
// `write` gets what is known of every node.
template <class Known, class Tally, class Write>
void sum_up(const TreeArrays& tree, std::size_t n_words, const Tally& tally, Write&& write) {
    std::vector<bool> leads(tree.n_nodes(), false);
    leads[0] = true;
    for (i32 first : tree.first_child) leads[static_cast<std::size_t>(first)] = true;
    std::vector<u64> stack, total(n_words), one(n_words);
    std::vector<Known> known, members;
    for (std::size_t end = tree.n_nodes(), begin; end > 0; end = begin) {
        begin = end - 1;
        while (!leads[begin]) --begin;
        std::fill(total.begin(), total.end(), 0);
        members.clear();
        for (std::size_t n = begin; n < end; ++n) {
            if (tree.is_leaf(n)) {
                std::fill(one.begin(), one.end(), 0);
                members.push_back(tally.leaf(n, one.data()));
            } else {
                std::copy(stack.end() - static_cast<std::ptrdiff_t>(n_words), stack.end(), one.begin());
                stack.resize(stack.size() - n_words);
                members.push_back(known.back());
                known.pop_back();
            }
            write(n, members.back(), one.data());
            tally.merge(total.data(), one.data());
        }
        stack.insert(stack.end(), total.begin(), total.end());
        known.push_back(tally.above(members, total.data()));
    }
}

// The tally of a tree of classes: an exact sum for each class.
class ClassTally {
  public:
    ClassTally(const TargetView& target, const RealRows& rows, const Live& live, const ByLeaf& by_leaf)
        : target_(target), rows_(rows), by_leaf_(by_leaf) {
        SumRange range;
        for (std::size_t i = 0; i < live.size(); ++i) range.include(dyadic(rows.weight(live[i])));
        weights_ = ExactSum(range, live.size());
    }
    std::size_t words() const { return weights_.words() * static_cast<std::size_t>(target_.n_classes); }

    // Returns the number of rows.
    i64 leaf(std::size_t n, u64* sums) const {
        i64 rows = 0;
        for (const u32 r : by_leaf_.rows(n)) {
            weights_.add(sums + weights_.words() * static_cast<std::size_t>(target_.codes[r]), dyadic(rows_.weight(r)));
            rows += rows_.repetitions(r);
        }
        return rows;
    }
    void merge(u64* sums, const u64* part) const {
        for (std::size_t at = 0; at < words(); at += weights_.words()) weights_.merge(sums + at, part + at);
    }
    i64 above(const std::vector<i64>& rows, const u64*) const {
        return std::accumulate(rows.begin(), rows.end(), i64{0});
    }
    double weight(const u64* sums, std::size_t code) const {
        return weights_.scaled(sums + weights_.words() * code).value();
    }

  private:
    const TargetView& target_;
    const RealRows& rows_;
    const ByLeaf& by_leaf_;
    ExactSum weights_;
};

// The tally of a tree of numbers.
struct RealTally {
    const NodeTally& tally;
    const RealRows& rows;
    const ByLeaf& by_leaf;

    RealStats leaf(std::size_t n, u64* sums) const {
        const std::size_t soon = by_leaf.soon(n);
        prefetch(rows.values.data() + soon);
        if (!rows.counts.empty()) prefetch(rows.counts.data() + soon);
        return tally.leaf(by_leaf.rows(n), sums);
    }
    void merge(u64* sums, const u64* part) const { tally.merge(sums, part); }
    RealStats above(const std::vector<RealStats>& members, const u64* sums) const { return tally.above(members, sums); }
};

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
        impurity = std::max(0.0, stats[3] / stats[0] - stats[1] * std::log(stats[1]));
    }
}

// The impurity of leaves whose weights lie too far apart for the grid they grew on.
void unknown_impurities(const TargetView& target, const Criterion& criterion, const ByLeaf& by_leaf, TreeArrays& tree) {
    const Layout layout{target.n_classes, tree.width == 4 && target.n_classes == 0};
    for (std::size_t n = 0, leaf = 0; n < tree.n_nodes() && !tree.leaf_impurity.empty(); ++n) {
        if (!tree.is_leaf(n)) continue;
        double& impurity = tree.leaf_impurity[leaf++];
        if (!std::isnan(impurity)) continue;
        const std::span<const u32> rows = by_leaf.rows(n);
        impurity =
            at_most_largest(ExactStats(target, criterion, layout, kUnitGrid, rows.data(), rows.size()).impurity());
    }
}

}  // namespace

void sum_nodes(const std::vector<ColumnView>& columns, const TargetView& target, const Criterion& criterion, Pool& pool,
               TreeArrays& tree) {
    const bool classes = target.n_classes > 0;
    const std::size_t n_rows = classes ? target.codes.size() : target.values.size();
    const auto width = static_cast<std::size_t>(tree.width);
    const RealRows rows{target.values, target.weights, target.counts, !classes && width > 3};
    const Live live(rows, n_rows);
    std::vector<i32> leaf = leaves_of(tree, columns, live, n_rows, pool);
    if (tree.n_nodes() >= kMany) release_freed_memory();
    const ByLeaf by_leaf(leaf, live, tree.n_nodes());
    leaf = {};
    unknown_impurities(target, criterion, by_leaf, tree);
    const bool counts_rows = !target.weights.empty();  // else the Stats do
    tree.stats.resize(tree.n_nodes() * width);
    if (counts_rows) tree.n_rows.resize(tree.n_nodes());
    if (classes) {
        const ClassTally tally(target, rows, live, by_leaf);
        sum_up<i64>(tree, tally.words(), tally, [&](std::size_t n, i64 n_here, const u64* sums) {
            if (counts_rows) tree.n_rows[n] = n_here;
            for (std::size_t k = 0; k < width; ++k) tree.stats[n * width + k] = tally.weight(sums, k);
        });
        relabel(tree, width);
        return;
    }
    const NodeTally tally(rows, live);
    const RealTally of_leaves{tally, rows, by_leaf};
    sum_up<RealStats>(tree, tally.words(), of_leaves, [&](std::size_t n, const RealStats& stats, const u64*) {
        if (counts_rows) tree.n_rows[n] = stats.rows;
        stats.write(tree.stats.data() + n * width, width);
    });
    if (width > 3) deviances(tree);
}

void sum_divided_rows(const std::vector<ColumnView>& columns, const TargetView& target, Pool& pool, TreeArrays& tree) {
    const auto width = static_cast<std::size_t>(tree.width);
    const RealRows rows{target.values, target.weights, target.counts};
    const std::size_t n_rows = target.values.size();
    const TestsByNode tests(tree);
    const TreeView view = view_of(tree, tests);
    std::vector<double> share(tree.n_nodes(), 1);
    for (std::size_t t = 0; t < tree.n_tests(); ++t) {
        const auto first = static_cast<std::size_t>(tree.first_child[t]);
        const std::size_t last = first + static_cast<std::size_t>(tree.children(t));
        double all = 0;
        for (std::size_t c = first; c < last; ++c) all += tree.stats[c * width];
        for (std::size_t c = first; c < last; ++c) share[c] = all > 0 ? tree.stats[c * width] / all : 0;
    }
    std::vector<i32> reached(n_rows), leaf;
    apply_columns(view, columns, n_rows, pool, reached.data());
    std::vector<double> values, weights;
    const auto add = [&](std::size_t row, i32 node, double part) {
        leaf.push_back(node);
        values.push_back(target.values[row]);
        weights.push_back(rows.weight(row) * part);
    };
    std::vector<i64> divided;
    for (std::size_t r = 0; r < n_rows; ++r) {
        if (!(rows.weight(r) > 0)) continue;
        if (reached[r] >= 0)
            add(r, reached[r], 1);
        else
            divided.push_back(static_cast<i64>(r));
    }
    const Paths paths = apply_paths(view, columns, divided, {}, share);
    for (std::size_t i = 0; i < divided.size(); ++i)
        for (auto k = static_cast<std::size_t>(paths.offset[i]); k < static_cast<std::size_t>(paths.offset[i + 1]); ++k)
            add(static_cast<std::size_t>(divided[i]), paths.leaf[k], paths.weight[k]);
    const RealRows parts{values, weights, {}, width > 3};
    const std::vector<double> stats = stats_of_nodes(tests.first_child, tests.n_children, leaf, parts);
    for (std::size_t i = 0; i < stats.size(); ++i)
        if (i % width != 0) tree.stats[i] = stats[i];
}

}  // namespace hornbeam
