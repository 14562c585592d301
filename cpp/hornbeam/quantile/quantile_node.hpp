// One node of a quantile tree while its split is searched: its rows in the order of y, and what a partition of them is
// worth.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "hornbeam/quantile/ordered_window.hpp"
#include "hornbeam/search/candidate.hpp"
#include "hornbeam/stats/outcome.hpp"

namespace hornbeam {

// What the search of a node counts in a unit of its own (outputs_node.hpp), in that of all nodes.
template <class SearchedNode>
double lowered(const SearchedNode& node, double x) {
    if constexpr (requires { node.lift(); })
        return std::min(std::ldexp(x, -node.lift()), std::numeric_limits<double>::max());
    return x;
}
template <class SearchedNode>
Candidate lowered(const SearchedNode& node, Candidate chosen) {
    chosen.score = lowered(node, chosen.score);
    chosen.decrease = lowered(node, chosen.decrease);
    return chosen;
}

// A row in the list of one column, which is in the order of the column's values; gaps come last.
struct Ranked {
    u32 id;    // the row's number in the order of y
    u32 rank;  // of its value: threshold columns count distinct values, nominal ones give the code
};
inline constexpr u32 kGapRank = ~u32{0};

// How many entries of a list are known, and how many values they have.
inline std::size_t known_size(std::span<const Ranked> list) {
    const auto is_gap = [](const Ranked& entry) { return entry.rank == kGapRank; };
    return static_cast<std::size_t>(std::find_if(list.begin(), list.end(), is_gap) - list.begin());
}
inline i64 n_values(std::span<const Ranked> list) {
    i64 n = 0;
    const std::size_t known = known_size(list);
    for (std::size_t i = 0; i < known; ++i) n += i == 0 || list[i].rank != list[i - 1].rank;
    return n;
}

// The one test that is drawn for a column at a node, in ranks of its list.
struct DrawnPart {
    u64 drawn = 0;
    u32 below = 0;         // threshold: the rank of the largest value of the first branch
    double cut = 0;        // where it was drawn
    std::vector<i32> set;  // subset: the values of the first branch

    bool holds(u32 rank) const { return std::binary_search(set.begin(), set.end(), static_cast<i32>(rank)); }
    void mark(Candidate& candidate) const {
        candidate.drawn = drawn;
        if (candidate.kind == SplitKind::threshold) candidate.threshold = cut;
    }
};

// One side of a partition.
struct Side {
    double loss = 0, value = 0;
    i64 rows = 0, weight = 0;
};

template <class Sum>
class QuantileNode {
  public:
    const Plan* plan = nullptr;
    const Bounds* bounds = nullptr;  // null: no monotonic constraints
    std::vector<i64> y, w, n;        // by place: position of a row in the node, in the order of y
    const u32* place = nullptr;      // by row id
    OrderedWindow<Sum> window;       // of all rows
    double loss = 0;                 // of all rows
    i64 weight = 0;

    void clear(u32 size) {
        for (auto* values : {&y, &w, &n}) values->resize(size);
        weight = 0;
    }
    void set(u32 at, const Sums::Carry& row) {
        y[at] = row.y;
        w[at] = row.w;
        n[at] = row.n;
        weight += row.w;
    }
    void finish() {
        window.build(y, w, plan->level);
        loss = window.loss();
    }

    double value() const { return window.value(); }
    double impurity() const { return loss / static_cast<double>(weight); }
    double margin() const { return 1e-12 * impurity(); }  // K4

    bool big_enough(const Side& side) const {
        if (side.rows == 0) return true;  // minimum sizes bind non-empty branches only (K6)
        return side.rows >= plan->limits.min_rows_leaf &&
               (plan->limits.min_weight_leaf <= 0 || static_cast<double>(side.weight) >= plan->limits.min_weight_leaf);
    }
    // Whether the sides may be the branches of a test; `ordered`: the first two lie below and above a threshold.
    bool admits(std::span<const Side> sides, i32 column, bool ordered) const {
        int filled = 0;
        for (const Side& side : sides) {
            if (!big_enough(side)) return false;
            filled += side.rows > 0;
        }
        return filled > 1 && (bounds == nullptr || monotone(sides, column, ordered));
    }

  private:
    bool monotone(std::span<const Side> sides, i32 column, bool ordered) const {
        for (const Side& side : sides) {
            if (side.rows == 0) continue;
            const double slack = 1e-12 * std::max(1.0, std::fabs(side.value));
            if (side.value < bounds->low[0] - slack || side.value > bounds->high[0] + slack) return false;
        }
        if (!ordered || sides[0].rows == 0 || sides[1].rows == 0) return true;
        for (const MonotoneTerm& term : plan->monotone[static_cast<std::size_t>(column)])
            if (term.sign * sides[0].value > term.sign * sides[1].value) return false;
        return true;
    }
};

// Candidates that may still win: those within the margin of the best, without what an earlier one is as good as.
class Ties {
  public:
    explicit Ties(double margin) : margin_(margin) {}

    bool empty() const { return held_.empty(); }
    bool wants(double score) const { return !(score < best_ - margin_); }
    void offer(Candidate candidate) {
        if (!wants(candidate.score)) return;
        for (const Candidate& other : held_)
            if (other.score >= candidate.score && other.before(candidate)) return;
        best_ = std::max(best_, candidate.score);
        std::erase_if(held_, [this](const Candidate& c) { return !wants(c.score); });
        held_.push_back(std::move(candidate));
    }
    void merge(Ties&& other) {
        for (Candidate& candidate : other.held_) offer(std::move(candidate));
    }
    Candidate winner() const {
        return *std::min_element(held_.begin(), held_.end(),
                                 [](const Candidate& a, const Candidate& b) { return a.before(b); });
    }

  private:
    double margin_, best_ = -std::numeric_limits<double>::infinity();
    std::vector<Candidate> held_;
};

}  // namespace hornbeam
