#include "heldout.hpp"

#include <algorithm>

#include "fixed.hpp"

namespace hornbeam {
namespace {

// Calls use(node, from, to) for each node the row stands in, at the strengths from `from` up to before `to`.
template <class Use>
void climb(const ClimbTree& tree, i32 leaf, const Use& use) {
    i32 node = leaf, from = 0;
    while (from < tree.n_strengths) {
        const i32 above = tree.parent[static_cast<std::size_t>(node)];
        const i32 to =
            above < 0 ? tree.n_strengths : std::min(tree.until[static_cast<std::size_t>(above)], tree.n_strengths);
        if (to > from) {
            use(static_cast<std::size_t>(node), static_cast<std::size_t>(from), static_cast<std::size_t>(to));
            from = to;
        }
        node = above;
    }
}

}  // namespace

template <class Loss>
Losses held_out(const ClimbTree& tree, const HeldOutRows& rows, const Loss& loss) {
    const auto k = static_cast<std::size_t>(tree.n_strengths);
    Losses out{std::vector<double>(k, 0), std::vector<double>(k, 0), 0};
    double most = 0, most_square = 0;
    for (std::size_t r = 0; r < rows.leaf.size(); ++r) {
        const double w = rows.weight[r];
        if (w <= 0) continue;
        climb(tree, rows.leaf[r], [&](std::size_t node, std::size_t, std::size_t) {
            const double lost = loss(r, node);
            most = std::max(most, w * lost);
            most_square = std::max(most_square, w * lost * lost);
            ++out.steps;
        });
    }
    const FineSum sums(most), squares(most_square);
    std::vector<i128> first(k + 1, 0), second(k + 1, 0);
    for (std::size_t r = 0; r < rows.leaf.size(); ++r) {
        const double w = rows.weight[r];
        if (w <= 0) continue;
        climb(tree, rows.leaf[r], [&](std::size_t node, std::size_t from, std::size_t to) {
            const double lost = loss(r, node);
            const i128 a = sums.whole(w * lost), b = squares.whole(w * lost * lost);
            first[from] += a, first[to] -= a;
            second[from] += b, second[to] -= b;
        });
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
