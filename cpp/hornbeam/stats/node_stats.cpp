#include "hornbeam/stats/node_stats.hpp"

namespace hornbeam {
namespace {

// Numbers 0 .. n - 1.
struct AllRows {
    std::size_t n;
    std::size_t size() const { return n; }
    std::size_t operator[](std::size_t i) const { return i; }
};

}  // namespace

std::vector<double> stats_of_nodes(std::span<const i32> first_child, std::span<const i32> n_children,
                                   std::span<const i32> leaf, const RealRows& rows) {
    const std::size_t n = first_child.size(), width = rows.rates ? 4 : 3;
    std::vector<u32> start(n + 1, 0), by_leaf(leaf.size());
    for (std::size_t r = 0; r < leaf.size(); ++r)
        if (rows.weight(r) > 0) ++start[static_cast<std::size_t>(leaf[r]) + 1];
    for (std::size_t v = 0; v < n; ++v) start[v + 1] += start[v];
    std::vector<u32> next(start.begin(), start.end() - 1);
    for (std::size_t r = 0; r < leaf.size(); ++r)
        if (rows.weight(r) > 0) by_leaf[next[static_cast<std::size_t>(leaf[r])]++] = static_cast<u32>(r);
    const NodeTally tally(rows, AllRows{leaf.size()});
    std::vector<std::vector<u64>> sums(n);  // of nodes whose parents wait for them
    std::vector<RealStats> stats(n);
    for (std::size_t v = n; v-- > 0;) {
        sums[v].assign(tally.words(), 0);
        if (first_child[v] < 0) {
            stats[v] = tally.leaf(std::span(by_leaf).subspan(start[v], start[v + 1] - start[v]), sums[v].data());
            continue;
        }
        const auto first = static_cast<std::size_t>(first_child[v]), many = static_cast<std::size_t>(n_children[v]);
        for (std::size_t c = first; c < first + many; ++c) {
            tally.merge(sums[v].data(), sums[c].data());
            sums[c] = {};
        }
        stats[v] = tally.above(std::span(stats).subspan(first, many), sums[v].data());
    }
    std::vector<double> out(n * width);
    for (std::size_t v = 0; v < n; ++v) stats[v].write(out.data() + v * width, width);
    return out;
}

}  // namespace hornbeam
