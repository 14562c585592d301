#include "hornbeam/prune/held_out_loss.hpp"

#include <algorithm>

#include "hornbeam/stats/fixed_point.hpp"

namespace hornbeam {
namespace {

std::vector<i32> parents(const PrunedTree& tree) {
    std::vector<i32> parent(tree.first_child.size(), -1);
    for (std::size_t t = 0; t < parent.size(); ++t)
        for (i32 b = 0; tree.first_child[t] >= 0 && b < tree.n_children[t]; ++b)
            parent[static_cast<std::size_t>(tree.first_child[t] + b)] = static_cast<i32>(t);
    return parent;
}

// The leaf of a row that comes to a node: the node itself, or the nearest above it that is a leaf at some alpha.
std::vector<i32> leaf_places(const PrunedTree& tree, const std::vector<i32>& parent, const std::vector<i32>& ends) {
    std::vector<i32> place(parent.size());
    for (std::size_t t = 0; t < place.size(); ++t)
        place[t] = t == 0 || tree.until[t] < ends[t] ? static_cast<i32>(t) : place[static_cast<std::size_t>(parent[t])];
    return place;
}

}  // namespace

template <class Loss>
Losses held_out_losses(const PrunedTree& tree, const HeldOutRows& rows, const Loss& loss) {
    const auto k = static_cast<std::size_t>(tree.n_alphas);
    Losses out{std::vector<double>(k, 0), std::vector<double>(k, 0), 0};
    const std::vector<i32> parent = parents(tree);
    std::vector<i32> ends(parent.size(), tree.n_alphas);  // the first alpha at which a row has left a node
    for (std::size_t t = 1; t < ends.size(); ++t)
        ends[t] = std::min(tree.until[static_cast<std::size_t>(parent[t])], tree.n_alphas);
    const std::vector<i32> place = leaf_places(tree, parent, ends);
    double heaviest = 0;
    for (double w : rows.weight) heaviest = std::max(heaviest, w);
    const double most = loss.most();
    const FineSum sums(heaviest * most), squares(heaviest * most * most);
    std::vector<i128> first(k + 1, 0), second(k + 1, 0);
    for (std::size_t r = 0; r < rows.leaf.size() && k > 0; ++r) {
        const double w = rows.weight[r];
        if (w <= 0) continue;
        i32 above = rows.leaf[r];
        for (std::size_t from = 0; from < k; ++out.steps) {
            const auto node = static_cast<std::size_t>(place[static_cast<std::size_t>(above)]);
            const auto to = static_cast<std::size_t>(ends[node]);
            const double row_loss = loss(r, node);
            const i128 a = sums.whole(w * row_loss), b = squares.whole(w * row_loss * row_loss);
            first[from] += a, first[to] -= a;
            second[from] += b, second[to] -= b;
            from = to;
            above = parent[node];
        }
    }
    i128 a = 0, b = 0;
    for (std::size_t i = 0; i < k; ++i) {
        out.sum[i] = sums.value(a += first[i]);
        out.squares[i] = squares.value(b += second[i]);
    }
    return out;
}

template Losses held_out_losses(const PrunedTree&, const HeldOutRows&, const ClassLoss&);
template Losses held_out_losses(const PrunedTree&, const HeldOutRows&, const RowCostLoss&);
template Losses held_out_losses(const PrunedTree&, const HeldOutRows&, const SquaredLoss&);

}  // namespace hornbeam
