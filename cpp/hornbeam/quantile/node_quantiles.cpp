#include "hornbeam/quantile/node_quantiles.hpp"

#include <algorithm>

#include "hornbeam/quantile/ordered_window.hpp"

namespace hornbeam {
namespace {

using Places = std::vector<u32>;

void node_answers(const Places& places, const LeafValues& rows, std::span<const double> levels, double* values,
                  double* losses) {
    double total = 0;
    for (u32 i : places) total += rows.weight[i];
    std::size_t at = 0;
    double upto = places.empty() ? 0 : rows.weight[places[0]];
    for (std::size_t k = 0; k < levels.size(); ++k) {
        const double level = levels[k], enough = (level - std::min(kShareTie, level / 2)) * total;
        while (upto < enough && at + 1 < places.size()) upto += rows.weight[places[++at]];
        const double here = rows.y[places[at]];
        const bool between = upto <= (level + kShareTie) * total && at + 1 < places.size();
        values[k] = one_zero(between ? here + (rows.y[places[at + 1]] - here) / 2 : here);
        double below = 0, above = 0;
        for (std::size_t i = 0; i < places.size(); ++i) {
            const double away = rows.weight[places[i]] * (rows.y[places[i]] - here);
            (i <= at ? below : above) += away;
        }
        losses[k] = (level * above - (1 - level) * below) / total;
    }
}

// Joins the lists of a node's children, two neighbours at a time.
Places merged(std::vector<Places>& lists, std::size_t first, std::size_t n) {
    for (std::size_t step = 1; step < n; step *= 2)
        for (std::size_t b = 0; b + step < n; b += 2 * step) {
            Places &left = lists[first + b], &right = lists[first + b + step];
            Places both(left.size() + right.size());
            std::merge(left.begin(), left.end(), right.begin(), right.end(), both.begin());
            left = std::move(both);
            right = {};
        }
    return std::move(lists[first]);
}

}  // namespace

void node_quantiles(std::span<const i32> first_child, std::span<const i32> n_children, const LeafValues& rows,
                    std::span<const double> levels, double* values, double* losses) {
    const std::size_t n_nodes = first_child.size(), n_levels = levels.size();
    std::vector<Places> lists(n_nodes);
    for (u32 i = 0; i < rows.leaf.size(); ++i) lists[static_cast<std::size_t>(rows.leaf[i])].push_back(i);
    std::fill(values, values + n_nodes * n_levels, std::numeric_limits<double>::quiet_NaN());
    std::fill(losses, losses + n_nodes * n_levels, 0.0);
    for (std::size_t node = n_nodes; node-- > 0;) {
        if (n_children[node] > 0)
            lists[node] =
                merged(lists, static_cast<std::size_t>(first_child[node]), static_cast<std::size_t>(n_children[node]));
        if (lists[node].empty()) continue;
        node_answers(lists[node], rows, levels, values + node * n_levels, losses + node * n_levels);
    }
}

}  // namespace hornbeam
