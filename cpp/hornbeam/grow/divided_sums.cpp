// Sums of nodes whose rows were divided among branches.
#include "hornbeam/apply/apply.hpp"
#include "hornbeam/grow/flatten.hpp"
#include "hornbeam/grow/node_sums.hpp"
#include "hornbeam/stats/node_stats.hpp"

namespace hornbeam {

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
    std::vector<double> values, weights;  // a row of several repetitions is summed as its copies would be
    std::vector<i64> copies;
    const auto add = [&](std::size_t row, i32 node, double part) {
        leaf.push_back(node);
        values.push_back(target.values[row]);
        weights.push_back(target.weights.empty() ? part : target.weights[row] * part);
        copies.push_back(target.repetitions(row));
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
    const RealRows parts{values, weights, copies, width > 3};
    const std::vector<double> stats = stats_of_nodes(tests.first_child, tests.n_children, leaf, parts);
    for (std::size_t i = 0; i < stats.size(); ++i)
        if (i % width != 0) tree.stats[i] = stats[i];
}

}  // namespace hornbeam
