#include "hornbeam/prune/held_out_loss.hpp"

#include <algorithm>

#include "hornbeam/stats/fixed_point.hpp"

namespace hornbeam {
namespace {

std::vector<i32> parents(const ClimbTree& tree) {
    std::vector<i32> found(tree.first_child.size(), -1);
    for (std::size_t t = 0; t < found.size(); ++t)
        for (i32 b = 0; tree.first_child[t] >= 0 && b < tree.n_children[t]; ++b)
            found[static_cast<std::size_t>(tree.first_child[t] + b)] = static_cast<i32>(t);
    return found;
}

// Where a row that comes to a node stands next: the node itself, or the nearest above it that is a leaf at some
// strength.
std::vector<i32> standing_places(const ClimbTree& tree, const std::vector<i32>& parent, const std::vector<i32>& ends) {
    std::vector<i32> found(parent.size());
    for (std::size_t t = 0; t < found.size(); ++t)
        found[t] = t == 0 || tree.until[t] < ends[t] ? static_cast<i32>(t) : found[static_cast<std::size_t>(parent[t])];
    return found;
}

}  // namespace

template <class Loss>
Losses held_out(const ClimbTree& tree, const HeldOutRows& rows, const Loss& loss) {
    const auto k = static_cast<std::size_t>(tree.n_strengths);
    Losses out{std::vector<double>(k, 0), std::vector<double>(k, 0), 0};
    const std::vector<i32> parent = parents(tree);
    std::vector<i32> ends(parent.size(), tree.n_strengths);  // the first strength at which a row has left a node
    for (std::size_t t = 1; t < ends.size(); ++t)
        ends[t] = std::min(tree.until[static_cast<std::size_t>(parent[t])], tree.n_strengths);
    const std::vector<i32> place = standing_places(tree, parent, ends);
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
            const double lost = loss(r, node);
            const i128 a = sums.whole(w * lost), b = squares.whole(w * lost * lost);
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

template Losses held_out(const ClimbTree&, const HeldOutRows&, const ClassLoss&);
template Losses held_out(const ClimbTree&, const HeldOutRows&, const RowCostLoss&);
template Losses held_out(const ClimbTree&, const HeldOutRows&, const SquaredLoss&);

}  // namespace hornbeam
