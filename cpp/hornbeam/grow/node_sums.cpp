#include "hornbeam/grow/node_sums.hpp"

#include <deque>
#include <numeric>

#include "hornbeam/grow/leaf_of_rows.hpp"
#include "hornbeam/stats/exact_stats.hpp"
#include "hornbeam/stats/node_stats.hpp"

namespace hornbeam {
namespace {

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

// The rows of one table in the order of their leaves.
struct LeafRows {
    TargetView target;
    RealRows rows;
    Live live;
    ByLeaf by_leaf;

    LeafRows(const TableRows& table, const TreeArrays& tree, bool rates, Pool& pool)
        : target(table.target),
          rows{target.values, target.weights, target.counts, rates},
          live(rows, table.n_rows()),
          by_leaf(leaves(table, tree, live, pool), live, tree.n_nodes()) {}

  private:
    static std::vector<i32> leaves(const TableRows& table, const TreeArrays& tree, const Live& live, Pool& pool) {
        std::vector<i32> leaf = leaves_of(tree, *table.columns, live, table.n_rows(), pool);
        if (tree.n_nodes() >= kMany) release_freed_memory();
        return leaf;
    }
};

// The tally of a tree whose leaves were added up table by table.
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

LeafSums<i64, ClassTally> class_leaves(const TreeArrays& tree, const std::deque<ClassTally>& tallies) {
    LeafSums<i64, ClassTally> out(tree, tallies[0], tallies[0].words());
    std::vector<u64> one(out.n_words);
    for (const ClassTally& part : tallies)
        for (std::size_t n = 0; n < tree.n_nodes(); ++n) {
            if (!tree.is_leaf(n)) continue;
            std::fill(one.begin(), one.end(), 0);
            out.known[n] += part.leaf(n, one.data());
            out.merge(out.at(n), one.data());
        }
    return out;
}

// Three times through the tables: sums, then the largest square around the mean, then the squares.
LeafSums<RealStats, RealTally> real_leaves(const TreeArrays& tree, const std::deque<LeafRows>& parts,
                                           const std::deque<NodeTally>& tallies, const RealTally& first) {
    LeafSums<RealStats, RealTally> out(tree, first, tallies[0].words());
    std::vector<double> largest(tree.n_nodes(), 0);
    std::vector<i128> squares(tree.n_nodes(), 0);
    const auto each = [&](const auto& body) {
        for (std::size_t k = 0; k < parts.size(); ++k)
            for (std::size_t n = 0; n < tree.n_nodes(); ++n)
                if (tree.is_leaf(n)) body(tallies[k], n, parts[k].by_leaf.rows(n));
    };
    std::vector<u64> one(out.n_words);
    each([&](const NodeTally& tally, std::size_t n, std::span<const u32> rows) {
        std::fill(one.begin(), one.end(), 0);
        out.known[n].rows += tally.add(rows, one.data());
        tally.merge(out.at(n), one.data());
    });
    for (std::size_t n = 0; n < tree.n_nodes(); ++n)
        if (out.known[n].rows > 0) tallies[0].summarize(out.at(n), out.known[n]);
    each([&](const NodeTally& tally, std::size_t n, std::span<const u32> rows) {
        largest[n] = std::max(largest[n], tally.largest_square(rows, out.known[n]));
    });
    each([&](const NodeTally& tally, std::size_t n, std::span<const u32> rows) {
        squares[n] += tally.fine_sum(rows, out.known[n], largest[n]);
    });
    for (std::size_t n = 0; n < tree.n_nodes(); ++n)
        if (out.known[n].rows > 0) out.known[n].squares = NodeTally::squares(largest[n], out.known[n].rows, squares[n]);
    return out;
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
        impurity = std::max(0.0, stats[3] / stats[0] - stats[1] * std::log(stats[1]));
    }
}

// Rows of several tables put together: what exact Stats ask of them.
struct JoinedTarget {
    std::vector<i32> codes;
    std::vector<double> values, weights;
    std::vector<i64> counts;
    std::vector<u32> rows;

    void add(const TargetView& target, std::span<const u32> some) {
        const auto take = [&](const auto& from, auto& to) {
            for (std::size_t i = 0; i < some.size() && !from.empty(); ++i) to.push_back(from[some[i]]);
        };
        take(target.codes, codes);
        take(target.values, values);
        take(target.weights, weights);
        take(target.counts, counts);
        while (rows.size() < std::max(codes.size(), values.size())) rows.push_back(static_cast<u32>(rows.size()));
    }
};

// The impurity of leaves whose weights lie too far apart for the grid they grew on.
void unknown_impurities(const Criterion& criterion, const std::deque<LeafRows>& parts, TreeArrays& tree) {
    const int n_classes = parts[0].target.n_classes;
    const Layout layout{n_classes, tree.width == 4 && n_classes == 0};
    for (std::size_t n = 0, leaf = 0; n < tree.n_nodes() && !tree.leaf_impurity.empty(); ++n) {
        if (!tree.is_leaf(n)) continue;
        double& impurity = tree.leaf_impurity[leaf++];
        if (!std::isnan(impurity)) continue;
        JoinedTarget all;
        for (const LeafRows& part : parts) all.add(part.target, part.by_leaf.rows(n));
        const TargetView target{n_classes, all.codes, all.values, all.weights, all.counts};
        impurity = at_most_largest(
            ExactStats(target, criterion, layout, kUnitGrid, all.rows.data(), all.rows.size()).impurity());
    }
    if (std::all_of(tree.leaf_impurity.begin(), tree.leaf_impurity.end(),
                    [](double impurity) { return impurity == 0; }))
        tree.leaf_impurity.clear();
}

}  // namespace

void sum_nodes(std::span<const TableRows> tables, const Criterion& criterion, Pool& pool, TreeArrays& tree) {
    const TargetView& target = tables[0].target;
    const bool classes = target.n_classes > 0;
    const auto width = static_cast<std::size_t>(tree.width);
    std::deque<LeafRows> parts;
    for (const TableRows& table : tables) parts.emplace_back(table, tree, !classes && width > 3, pool);
    unknown_impurities(criterion, parts, tree);
    const bool counts_rows = !target.weights.empty();  // else the Stats do
    tree.stats.resize(tree.n_nodes() * width);
    if (counts_rows) tree.n_rows.resize(tree.n_nodes());
    if (classes) {
        SumRange range;
        std::size_t n_live = 0;
        for (const LeafRows& part : parts) {
            range.merge(ClassTally::range(part.rows, part.live));
            n_live += part.live.size() * part.rows.n_weights();
        }
        std::deque<ClassTally> tallies;
        for (const LeafRows& part : parts)
            tallies.emplace_back(part.target, part.rows, part.by_leaf, ExactSum(range, n_live));
        const ClassTally& first = tallies[0];
        const auto write = [&](std::size_t n, i64 n_here, const u64* sums) {
            if (counts_rows) tree.n_rows[n] = n_here;
            for (std::size_t k = 0; k < width; ++k) tree.stats[n * width + k] = first.weight(sums, k);
        };
        if (parts.size() == 1)
            sum_up<i64>(tree, first.words(), first, write);
        else
            sum_up<i64>(tree, first.words(), class_leaves(tree, tallies), write);
        relabel(tree, width);
        return;
    }
    SumRanges ranges;
    for (const LeafRows& part : parts) ranges.merge(NodeTally::ranges(part.rows, part.live));
    std::deque<NodeTally> tallies;
    for (const LeafRows& part : parts) tallies.emplace_back(part.rows, ranges);
    const RealTally first{tallies[0], parts[0].rows, parts[0].by_leaf};
    const std::size_t words = tallies[0].words();
    const auto write = [&](std::size_t n, const RealStats& stats, const u64*) {
        if (counts_rows) tree.n_rows[n] = stats.rows;
        stats.write(tree.stats.data() + n * width, width);
    };
    if (parts.size() == 1)
        sum_up<RealStats>(tree, words, first, write);
    else
        sum_up<RealStats>(tree, words, real_leaves(tree, parts, tallies, first), write);
    if (width > 3) deviances(tree);
}

}  // namespace hornbeam
