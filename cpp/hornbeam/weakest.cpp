#include "weakest.hpp"

#include <algorithm>
#include <utility>

namespace hornbeam {
namespace {

constexpr double kRounding = 1e-12;  // a decrease of the risk below this share of it is none

// Heaps of nodes, the strongest on top, that merge in logarithmic time (leftist heaps).
class Heaps {
  public:
    explicit Heaps(std::size_t n) : strength(n), left_(n, -1), right_(n, -1), rank_(n, 1) {}

    i32 merge(i32 a, i32 b) {
        if (a < 0 || b < 0) return std::max(a, b);
        if (strength[at(a)] < strength[at(b)]) std::swap(a, b);
        right_[at(a)] = merge(right_[at(a)], b);
        if (rank(left_[at(a)]) < rank(right_[at(a)])) std::swap(left_[at(a)], right_[at(a)]);
        rank_[at(a)] = rank(right_[at(a)]) + 1;
        return a;
    }
    i32 without_top(i32 heap) { return merge(left_[at(heap)], right_[at(heap)]); }

    std::vector<double> strength;

  private:
    static std::size_t at(i32 i) { return static_cast<std::size_t>(i); }
    i32 rank(i32 heap) const { return heap < 0 ? 0 : rank_[at(heap)]; }
    std::vector<i32> left_, right_, rank_;
};

}  // namespace

std::vector<double> weakest_links(std::span<const i32> first_child, std::span<const i32> n_children,
                                  std::span<const double> risk) {
    const std::size_t n = risk.size();
    Heaps heaps(n);
    std::vector<i32> heap(n, -1);
    std::vector<double> lost(n, 0);  // risk a collapse adds, and leaves it saves
    std::vector<i64> saved(n, 0);
    for (std::size_t t = n; t-- > 0;) {
        if (first_child[t] < 0) {
            heaps.strength[t] = -std::numeric_limits<double>::infinity();
            continue;
        }
        i64 leaves = n_children[t];
        double below = 0;
        i32 top = -1;
        for (i32 k = 0; k < n_children[t]; ++k) {
            const auto child = static_cast<std::size_t>(first_child[t] + k);
            below += risk[child];
            top = heaps.merge(top, heap[child]);
        }
        const auto link = [&] { return (risk[t] - below) / static_cast<double>(leaves - 1); };
        while (top >= 0 && heaps.strength[static_cast<std::size_t>(top)] >= link()) {
            below -= lost[static_cast<std::size_t>(top)];
            leaves += saved[static_cast<std::size_t>(top)];
            top = heaps.without_top(top);
        }
        const bool idle = risk[t] - below <= kRounding * std::fabs(risk[t]);
        heaps.strength[t] = idle ? 0 : link();
        lost[t] = risk[t] - below;
        saved[t] = leaves - 1;
        heap[t] = heaps.merge(top, static_cast<i32>(t));
    }
    for (std::size_t t = 0; t < n; ++t)
        for (i32 k = 0; first_child[t] >= 0 && k < n_children[t]; ++k) {
            const auto child = static_cast<std::size_t>(first_child[t] + k);
            heaps.strength[child] = std::min(heaps.strength[child], heaps.strength[t]);
        }
    return std::move(heaps.strength);
}

}  // namespace hornbeam
