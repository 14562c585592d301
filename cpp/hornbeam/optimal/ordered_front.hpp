// The trees of a node that are worth keeping where means are ordered: none is both as cheap as another and within its
// means.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "hornbeam/optimal/optimal.hpp"

namespace hornbeam::optimal {

// A tree of some items: what it costs, and between what its leaves' means lie.
struct OrderedTree {
    struct Test {
        OptimalNode node;
        std::shared_ptr<const Test> left, right;  // null: a leaf
    };
    i64 cost = 0;
    std::vector<double> low, high;
    std::shared_ptr<const Test> test;
};

// What the tests above a node ask of it: between what each mean of its leaves must lie, and which ends of the means are
// compared with those of other leaves.
struct Wishes {
    std::vector<double> least, most;
    std::vector<u8> low, high;

    explicit Wishes(std::size_t n)
        : least(n, -std::numeric_limits<double>::infinity()),
          most(n, std::numeric_limits<double>::infinity()),
          low(n, 0),
          high(n, 0) {}
    bool allows(std::size_t f, double mean) const { return mean >= least[f] && mean <= most[f]; }
    std::size_t n_ends() const {
        return static_cast<std::size_t>(std::ranges::count(low, 1) + std::ranges::count(high, 1));
    }
};

// The trees that are worth keeping, below a cost: the cheapest first.
class Front {
  public:
    Front(i64 below, Wishes asked) : wishes(std::move(asked)), below_(below), n_ends_(wishes.n_ends()) {}

    // A tree must cost less than this.
    i64 below() const { return n_ends_ == 0 && !trees.empty() ? trees.front().cost : below_; }
    void cap(i64 cost) { below_ = std::min(below_, cost); }

    // Whether a tree would be kept.
    bool wants(const OrderedTree& tree) const {
        if (tree.cost >= below()) return false;
        for (std::size_t f = 0; f < tree.low.size(); ++f)
            if (tree.low[f] < wishes.least[f] || tree.high[f] > wishes.most[f]) return false;
        const auto end = after(tree.cost);
        // Of one end alone, each tree has a better one than all that are cheaper.
        const auto first = n_ends_ == 1 && end != trees.begin() ? end - 1 : trees.begin();
        return std::none_of(first, end, [&](const OrderedTree& other) { return is_within(other, tree); });
    }

    void add(OrderedTree tree) {
        if (!wants(tree)) return;
        trees.erase(std::remove_if(trees.begin() + (after(tree.cost - 1) - trees.begin()), trees.end(),
                                   [&](const OrderedTree& other) { return is_within(tree, other); }),
                    trees.end());
        trees.insert(trees.begin() + (after(tree.cost) - trees.begin()), std::move(tree));
    }

    Wishes wishes;
    std::vector<OrderedTree> trees;

  private:
    // The first tree that costs more.
    std::vector<OrderedTree>::const_iterator after(i64 cost) const {
        return std::upper_bound(trees.begin(), trees.end(), cost,
                                [](i64 value, const OrderedTree& tree) { return value < tree.cost; });
    }
    // Whether `a`, which costs no more, lies within the means of `b`.
    bool is_within(const OrderedTree& a, const OrderedTree& b) const {
        for (std::size_t f = 0; f < a.low.size(); ++f)
            if ((wishes.low[f] && a.low[f] < b.low[f]) || (wishes.high[f] && a.high[f] > b.high[f])) return false;
        return true;
    }

    i64 below_;
    std::size_t n_ends_;
};

}  // namespace hornbeam::optimal
