// Sums of leaves and of the nodes above them: what those who add up a finished tree share (node_sums.hpp,
// partition/far_sums.hpp).
#pragma once

#include <numeric>

#include "hornbeam/grow/leaf_of_rows.hpp"
#include "hornbeam/grow/node_sums.hpp"
#include "hornbeam/stats/node_stats.hpp"

namespace hornbeam {

constexpr std::size_t kManyNodes = 1 << 17;  // nodes whose memory is worth a call to the system

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
    ClassTally(const TargetView& target, const RealRows& rows, const ByLeaf& by_leaf, const ExactSum& weights)
        : target_(target), rows_(rows), by_leaf_(by_leaf), weights_(weights) {}
    static SumRange range(const RealRows& rows, const Live& live) {
        SumRange out;
        for (std::size_t i = 0; i < live.size(); ++i)
            rows.each_weight(live[i], [&](const Dyadic& w) { out.include(w); });
        return out;
    }
    std::size_t words() const { return weights_.words() * static_cast<std::size_t>(target_.n_classes); }

    // Returns the number of rows.
    i64 leaf(std::size_t n, u64* sums) const {
        i64 rows = 0;
        for (const u32 r : by_leaf_.rows(n)) {
            u64* const own = sums + weights_.words() * static_cast<std::size_t>(target_.codes[r]);
            rows_.each_weight(r, [&](const Dyadic& w) { weights_.add(own, w); });
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

// The rows of one table in the order of their leaves.
struct RowsInLeaves {
    TargetView target;
    RealRows rows;
    Live live;
    ByLeaf by_leaf;

    RowsInLeaves(const TableRows& table, const TreeArrays& tree, bool rates, Pool& pool)
        : target(table.target),
          rows{target.values, target.weights, target.counts, rates},
          live(rows, table.n_rows()),
          by_leaf(leaves(table, tree, live, pool), live, tree.n_nodes()) {}

  private:
    static std::vector<i32> leaves(const TableRows& table, const TreeArrays& tree, const Live& live, Pool& pool) {
        std::vector<i32> leaf = leaves_of(tree, *table.columns, live, table.n_rows(), pool);
        if (tree.n_nodes() >= kManyNodes) release_freed_memory();
        return leaf;
    }
};

// The tally of a tree whose leaves are added up already.
template <class Known, class Tally>
struct LeafSums {
    const Tally& tally;
    std::size_t n_words;
    std::vector<u64> sums;  // words for each node
    std::vector<Known> known;

    LeafSums(const TreeArrays& tree, const Tally& of, std::size_t words)
        : tally(of), n_words(words), sums(tree.n_nodes() * words, 0), known(tree.n_nodes()) {}

    u64* at(std::size_t n) { return sums.data() + n * n_words; }
    Known leaf(std::size_t n, u64* out) const {
        std::copy_n(sums.data() + n * n_words, n_words, out);
        return known[n];
    }
    void merge(u64* to, const u64* part) const { tally.merge(to, part); }
    Known above(const std::vector<Known>& members, const u64* of) const { return tally.above(members, of); }
};

// The first class that weighs most by the new Stats; an empty child answers like its parent.
inline void relabel(TreeArrays& tree, std::size_t width) {
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
inline void deviances(TreeArrays& tree) {
    for (std::size_t n = 0, test = 0; n < tree.n_nodes(); ++n) {
        if (tree.is_leaf(n) && tree.leaf_impurity.empty()) continue;
        double& impurity = tree.is_leaf(n) ? tree.leaf_impurity[n - test] : tree.impurity[test++];
        if (impurity <= 0) continue;
        const double* stats = tree.stats.data() + n * 4;
        impurity = std::max(0.0, stats[3] / stats[0] - stats[1] * std::log(stats[1]));
    }
}

// The leaves whose impurity is not known: their weights lie too far apart for the grid they grew on. Calls
// impurity(node) for each.
template <class Impurity>
void set_unknown_impurities(TreeArrays& tree, Impurity&& impurity) {
    for (std::size_t n = 0, leaf = 0; n < tree.n_nodes() && !tree.leaf_impurity.empty(); ++n) {
        if (!tree.is_leaf(n)) continue;
        double& of_leaf = tree.leaf_impurity[leaf++];
        if (std::isnan(of_leaf)) of_leaf = at_most_largest(impurity(n));
    }
    if (std::all_of(tree.leaf_impurity.begin(), tree.leaf_impurity.end(), [](double one) { return one == 0; }))
        tree.leaf_impurity.clear();
}

}  // namespace hornbeam
