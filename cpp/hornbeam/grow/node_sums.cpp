#include "hornbeam/grow/node_sums.hpp"

#include "hornbeam/grow/leaf_sums.hpp"
#include "hornbeam/stats/exact_stats.hpp"

namespace hornbeam {
namespace {

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

}  // namespace

void sum_nodes(const TableRows& table, const Criterion& criterion, Pool& pool, TreeArrays& tree) {
    const TargetView& target = table.target;
    const bool classes = target.n_classes > 0;
    const auto width = static_cast<std::size_t>(tree.width);
    const RowsInLeaves leaves(table, tree, !classes && width > 3, pool);
    const Layout layout{target.n_classes, tree.width == 4 && !classes};
    set_unknown_impurities(tree, [&](std::size_t n) {
        const std::span<const u32> rows = leaves.by_leaf.rows(n);
        return ExactStats(target, criterion, layout, kUnitGrid, rows.data(), rows.size()).impurity();
    });
    const bool counts_rows = !target.weights.empty();  // else the Stats do
    tree.stats.resize(tree.n_nodes() * width);
    if (counts_rows) tree.n_rows.resize(tree.n_nodes());
    if (classes) {
        const ExactSum sums(ClassTally::range(leaves.rows, leaves.live), leaves.live.size() * leaves.rows.n_weights());
        const ClassTally tally(leaves.target, leaves.rows, leaves.by_leaf, sums);
        sum_up<i64>(tree, tally.words(), tally, [&](std::size_t n, i64 n_here, const u64* words) {
            if (counts_rows) tree.n_rows[n] = n_here;
            for (std::size_t k = 0; k < width; ++k) tree.stats[n * width + k] = tally.weight(words, k);
        });
        if (!tree.label.empty()) relabel(tree, width);
        return;
    }
    const NodeTally numbers(leaves.rows, leaves.live);
    const RealTally tally{numbers, leaves.rows, leaves.by_leaf};
    sum_up<RealStats>(tree, numbers.words(), tally, [&](std::size_t n, const RealStats& stats, const u64*) {
        if (counts_rows) tree.n_rows[n] = stats.rows;
        stats.write(tree.stats.data() + n * width, width);
    });
    if (width > 3) deviances(tree);
}

}  // namespace hornbeam
