#include "hornbeam/prune/weakest_links.hpp"

#include <algorithm>
#include <numeric>

namespace hornbeam {
namespace {

constexpr double kTie = 1e-12;  // K4: differences below this share of a node's risk are rounding
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr i32 kNone = -1;

// Leftist heaps of tests, the largest alpha on top; a heap is the number of its top, kNone if it is empty.
class Corners {
  public:
    explicit Corners(std::size_t n) : alpha(n, 0), left_(n, kNone), right_(n, kNone), rank_(n, 0) {}

    std::vector<double> alpha;
    u64 steps = 0;

    i32 join(i32 a, i32 b) {
        if (a == kNone || b == kNone) return a == kNone ? b : a;
        ++steps;
        if (at(alpha, b) > at(alpha, a) || (at(alpha, b) == at(alpha, a) && b < a)) std::swap(a, b);
        at(right_, a) = join(at(right_, a), b);
        if (rank(at(left_, a)) < rank(at(right_, a))) std::swap(at(left_, a), at(right_, a));
        at(rank_, a) = rank(at(right_, a)) + 1;
        return a;
    }
    i32 without_top(i32 top) { return join(at(left_, top), at(right_, top)); }
    // The alpha of `top` is at least that of all of `below`.
    i32 on_top(i32 top, i32 below) {
        at(left_, top) = below;
        at(rank_, top) = 1;
        return top;
    }

  private:
    std::vector<i32> left_, right_, rank_;

    template <class T>
    static T& at(std::vector<T>& values, i32 i) {
        return values[static_cast<std::size_t>(i)];
    }
    i32 rank(i32 a) { return a == kNone ? 0 : at(rank_, a); }
};

// What the branch of one node is while corners are taken off: a line, risk + penalty * leaves.
struct Line {
    double risk = 0;
    i64 leaves = 0;
};

// The penalty from which on a single leaf of this risk is no worse than the line.
double crossing(double risk, const Line& line) {
    const double more_risk = risk - line.risk;
    if (more_risk <= kTie * std::fabs(risk)) return 0;
    return line.leaves > 1 ? more_risk / static_cast<double>(line.leaves - 1) : kInfinity;
}

// Alphas of different branches that differ by rounding become the largest of them.
void merge_ties(std::vector<i32>& order, const std::vector<double>& margin, std::vector<double>& alpha) {
    const auto at = [&](i32 t) -> double& { return alpha[static_cast<std::size_t>(t)]; };
    const auto margin_of = [&](i32 t) { return margin[static_cast<std::size_t>(t)]; };
    std::sort(order.begin(), order.end(), [&](i32 a, i32 b) { return at(a) < at(b) || (at(a) == at(b) && a < b); });
    for (std::size_t i = 0, j = 0; i < order.size(); i = j) {
        double widest = margin_of(order[i]);
        for (j = i + 1; j < order.size(); ++j) {
            widest = std::max(widest, margin_of(order[j]));
            if (at(order[j]) - at(order[i]) > widest) break;
        }
        const double largest = at(order[j - 1]);
        for (std::size_t k = i; k < j; ++k) at(order[k]) = largest;
    }
}

}  // namespace

std::vector<double> weakest_links(const RiskTree& tree, u64& steps) {
    const std::size_t n = tree.first_child.size();
    Corners corners(n);
    std::vector<double>& alpha = corners.alpha;
    std::vector<double> margin(n, 0), adds(n, 0);  // of a corner: what its collapse adds to the risk,
    std::vector<i64> takes(n, 0);                  // and how many leaves it takes away
    std::vector<i32> heap(n, kNone);
    for (std::size_t t = n; t-- > 0;) {
        if (tree.first_child[t] < 0) continue;
        Line line;
        i32 top = kNone;
        for (i32 b = 0; b < tree.n_children[t]; ++b) {
            const auto child = static_cast<std::size_t>(tree.first_child[t] + b);
            line.risk += tree.risk[child];
            line.leaves += tree.first_child[child] < 0 ? tree.leaves[child] : 1;
            top = corners.join(top, heap[child]);
        }
        double at = crossing(tree.risk[t], line);
        while (top != kNone) {
            const auto u = static_cast<std::size_t>(top);
            const double spread = std::fabs(tree.risk[t]) / static_cast<double>(std::max<i64>(line.leaves - 1, 1));
            if (at > alpha[u] + kTie * (alpha[u] + spread)) break;
            line.risk -= adds[u];
            line.leaves += takes[u];
            top = corners.without_top(top);
            alpha[u] = kInfinity;  // it goes when t goes, not before
            at = crossing(tree.risk[t], line);
            ++corners.steps;
        }
        alpha[t] = at;
        margin[t] = kTie * (at + std::fabs(tree.risk[t]) / static_cast<double>(std::max<i64>(line.leaves - 1, 1)));
        adds[t] = tree.risk[t] - line.risk;
        takes[t] = line.leaves - 1;
        heap[t] = at > 0 ? corners.on_top(static_cast<i32>(t), top) : kNone;  // at 0 it is a leaf for good
    }
    std::vector<i32> order;
    for (std::size_t t = 0; t < n; ++t)
        if (tree.first_child[t] >= 0 && alpha[t] > 0 && alpha[t] < kInfinity) order.push_back(static_cast<i32>(t));
    merge_ties(order, margin, alpha);
    for (std::size_t t = 0; t < n; ++t) {
        if (tree.first_child[t] < 0) {
            alpha[t] = std::numeric_limits<double>::quiet_NaN();
            continue;
        }
        for (i32 b = 0; b < tree.n_children[t]; ++b) {
            const auto child = static_cast<std::size_t>(tree.first_child[t] + b);
            alpha[child] = std::min(alpha[child], alpha[t]);
        }
    }
    steps = corners.steps + n;
    return std::move(alpha);
}

}  // namespace hornbeam
