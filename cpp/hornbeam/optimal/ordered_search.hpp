// The search where means are ordered: with some columns a mean of the leaves may only rise, or only fall.
//
// Below every test of such a column no leaf on one side passes a leaf on the other, so whatever becomes of the tree
// later keeps the order, too. What a node costs then depends on how far its leaves' means go: a *front* has the trees
// of which none is both as cheap as another and within its means. What the search without any order proves is a bound
// of it, and rules most cuts out. One thread: the tree does not depend on how many there are.
#pragma once

#include "hornbeam/optimal/ordered_front.hpp"
#include "hornbeam/optimal/search_optimal.hpp"

namespace hornbeam::optimal {

template <class T>
class OrderedSearch {
  public:
    explicit OrderedSearch(OptimalSearch<T>& bounds)
        : bounds_(bounds), items_(bounds.items()), problem_(items_.problem()), n_(items_.n_means()) {
        whole_.clear(items_);
        left_ = right_ = whole_;
    }

    // Told the cost of the root's best tree, and its bound; true ends the search.
    std::function<bool(i64, i64)> report = [](i64, i64) { return false; };

    // The root's best tree below a cost; `bound`: what no tree is below.
    std::vector<OrderedTree> run(const ItemNode& root, Size size, i64 below, i64& bound) {
        Front front(below, Wishes(n_));
        bound = std::max(bound, fill(root, size, front, true));
        return std::move(front.trees);
    }

    // Writes the tests of a tree, each pair of children together.
    static void write(const OrderedTree& tree, std::vector<OptimalNode>& out) {
        out.assign(1, {});
        std::vector<std::pair<const OrderedTree::Test*, std::size_t>> open{{tree.test.get(), 0}};
        while (!open.empty()) {
            const auto [test, at] = open.back();
            open.pop_back();
            if (test == nullptr) continue;
            out[at] = test->node;
            out[at].left = static_cast<i32>(out.size());
            open.push_back({test->left.get(), out.size()});
            open.push_back({test->right.get(), out.size() + 1});
            out.resize(out.size() + 2);
        }
    }

  private:
    // What some items add up to, as leaves need it.
    struct Sums {
        i64 full = 0, total = 0, weight = 0, square = 0;
        std::vector<i64> benefit, means;
        void clear(const Items& items) {
            full = total = weight = square = 0;
            benefit.assign(static_cast<std::size_t>(items.n_answers), 0);
            means.assign(items.n_means() + 1, 0);
        }
        void add(const Items& items, u32 item) {
            full += items.full[item];
            if (items.n_answers > 2)
                benefit[static_cast<std::size_t>(items.answer[item])] += items.amount[item];
            else
                total += items.amount[item];
            if (items.is_real()) weight += items.weight[item], square += items.square[item];
            for (std::size_t f = 0; f < means.size(); ++f) means[f] += items.means[item * means.size() + f];
        }
        void set_rest(const Sums& all, const Sums& some) {
            full = all.full - some.full, total = all.total - some.total;
            weight = all.weight - some.weight, square = all.square - some.square;
            for (std::size_t a = 0; a < benefit.size(); ++a) benefit[a] = all.benefit[a] - some.benefit[a];
            for (std::size_t f = 0; f < means.size(); ++f) means[f] = all.means[f] - some.means[f];
        }
        i64 cost(const Items& items) const {
            if (items.is_real()) return std::max<i64>(square - saved_by_mean(total, weight), 0);
            if (items.n_answers <= 2) return (full - (total < 0 ? -total : total)) / 2;
            return full - *std::max_element(benefit.begin(), benefit.end());
        }
        double mean(std::size_t f) const {
            return static_cast<double>(means[f + 1]) / static_cast<double>(std::max<i64>(means[0], 1));
        }
    };

    // All trees of a node that belong to a front; what no other tree of it is below.
    i64 fill(const ItemNode& node, Size size, Front& front, bool is_root = false) {
        const i64 price = problem_.price, leaf = bounds_.leaf_cost(node);
        whole_.clear(items_);
        for (u32 i = 0; i < node.m; ++i) whole_.add(items_, node.list(0)[i] & kItem);
        front.add(leaf_of(whole_, leaf));
        // The mean of all items lies between those of any leaves: a tree that is no cheaper than a leaf is not needed.
        front.cap(leaf);
        if (size.depth == 0 || 2 * price >= front.below()) return front.below();
        if (size.depth == 1) return one_test(node, front), front.below();
        const i64 shallow = bounds_.solve(node, size.shallower(), front.below());
        Level& own = bounds_.level(size.depth);
        bounds_.open_lines(node, size, own);
        own.set_whole(shallow);
        refuse_cuts(node, own, front.wishes);
        i64 unfinished = kNever;
        while (!bounds_.time_over()) {
            const std::size_t next = bounds_.most_promising(own, front.below(), {});
            if (next == own.lines.size()) break;
            CutsOfLine& line = own.cuts[next];
            line.candidates(front.below(), 1, own.picked);
            if (own.picked.empty()) {
                line.close();
                continue;
            }
            const u32 index = own.picked[0];
            const auto cost = bounds_.sides(node, size, line, index, front.below());
            if (bounds_.stopped()) break;
            cost.add_to(line, index);
            const i64 both = cost.left + cost.right;
            if (both < front.below()) divide(node, size, own, next, index, cost.left, cost.right, front);
            if (bounds_.stopped()) unfinished = both;
            if (is_root && !bounds_.stopped() && report(front.below(), open_bound(own, front.below())))
                return open_bound(own, front.below());
        }
        return bounds_.stopped() ? std::min(unfinished, open_bound(own, front.below())) : front.below();
    }

    static i64 open_bound(const Level& own, i64 below) {
        for (std::size_t j = 0; j < own.lines.size(); ++j) below = std::min(below, own.cuts[j].bound());
        return below;
    }

    // The trees of one test, whose sides cost at least so much.
    void divide(const ItemNode& node, Size size, Level& own, std::size_t j, u32 index, i64 left, i64 right,
                Front& front) {
        const Line line = own.lines[j];
        const u32 cut = own.cuts[j].cut[index];
        const OptimalNode test = test_of(node, line, cut);
        Wishes of_left = front.wishes, of_right = front.wishes;
        const bool is_ordered = orders(node, line, cut);
        for (const OptimalOrder& order : problem_.orders) {
            if (!is_ordered || static_cast<std::size_t>(order.column) != line.column) continue;
            const auto f = static_cast<std::size_t>(order.mean);
            // Some leaf of a side passes the mean of all its items, or meets it.
            if (order.sign > 0) {
                of_left.high[f] = of_right.low[f] = 1;
                of_left.most[f] = std::min(of_left.most[f], mean_of(own.b, f));
                of_right.least[f] = std::max(of_right.least[f], mean_of(own.a, f));
            } else {
                of_left.low[f] = of_right.high[f] = 1;
                of_left.least[f] = std::max(of_left.least[f], mean_of(own.b, f));
                of_right.most[f] = std::min(of_right.most[f], mean_of(own.a, f));
            }
        }
        Front lefts(front.below() - right, std::move(of_left));
        fill(own.a, size.left_of(line), lefts);
        if (lefts.trees.empty() || bounds_.stopped()) return;
        Front rights(front.below() - std::max(left, lefts.trees.front().cost), std::move(of_right));
        fill(own.b, size.right_of(line), rights);
        for (const OrderedTree& a : lefts.trees)
            for (const OrderedTree& b : rights.trees) {
                if (a.cost + b.cost >= front.below() || bounds_.time_over()) break;
                if (is_ordered && !in_order(line.column, a, b)) continue;
                OrderedTree tree = joined(a, b);
                if (!front.wants(tree)) continue;
                tree.test = std::make_shared<OrderedTree::Test>(OrderedTree::Test{test, a.test, b.test});
                front.add(std::move(tree));
            }
    }

    // The trees of one test and two leaves.
    void one_test(const ItemNode& node, Front& front) {
        bounds_.open_lines(node, Size::of(1, 2), leaves_);
        OrderedTree a = leaf_of(whole_, 0), b = a, both = a;
        for (std::size_t j = 0; j < leaves_.lines.size() && !bounds_.time_over(); ++j) {
            const Line& line = leaves_.lines[j];
            each_cut(node, line, leaves_.cuts[j].cut, [&](u32 cut) {
                a.cost = left_.cost(items_) + problem_.price, b.cost = right_.cost(items_) + problem_.price;
                if (a.cost + b.cost >= front.below()) return;
                for (std::size_t f = 0; f < n_; ++f) {
                    a.low[f] = a.high[f] = left_.mean(f), b.low[f] = b.high[f] = right_.mean(f);
                    both.low[f] = std::min(a.low[f], b.low[f]), both.high[f] = std::max(a.high[f], b.high[f]);
                }
                both.cost = a.cost + b.cost;
                if ((orders(node, line, cut) && !in_order(line.column, a, b)) || !front.wants(both)) return;
                OrderedTree tree = both;
                tree.test =
                    std::make_shared<OrderedTree::Test>(OrderedTree::Test{test_of(node, line, cut), nullptr, nullptr});
                front.add(std::move(tree));
            });
        }
    }

    // Leaves out cuts that no tree can keep in order: of each side some leaf lies on either side of its mean.
    void refuse_cuts(const ItemNode& node, Level& own, const Wishes& wishes) {
        for (std::size_t j = 0; j < own.lines.size(); ++j) {
            const Line& line = own.lines[j];
            std::vector<u8> allowed;
            each_cut(node, line, own.cuts[j].cut, [&](u32 cut) {
                bool is_allowed = true;
                for (std::size_t f = 0; f < n_; ++f)
                    is_allowed = is_allowed && wishes.allows(f, left_.mean(f)) && wishes.allows(f, right_.mean(f));
                for (const OptimalOrder& order : problem_.orders)
                    if (static_cast<std::size_t>(order.column) == line.column && orders(node, line, cut)) {
                        const double a = left_.mean(static_cast<std::size_t>(order.mean)),
                                     b = right_.mean(static_cast<std::size_t>(order.mean));
                        is_allowed = is_allowed && (order.sign > 0 ? a <= b : a >= b);
                    }
                allowed.push_back(is_allowed);
            });
            own.cuts[j].keep_cuts([&, i = std::size_t{0}](u32) mutable { return allowed[i++] != 0; });
        }
    }

    // Tells each cut of a line, with the sums of its sides in `left_` and `right_`; those of the node are in `whole_`.
    template <class Tell>
    void each_cut(const ItemNode& node, const Line& line, const std::vector<u32>& cuts, Tell tell) {
        const u32* list = node.list(line.column);
        left_.clear(items_);
        if (line.set != nullptr) {
            for (u32 i = 0; i < node.m && !cuts.empty(); ++i)
                if (line.set->has(items_.code(line.column, list[i] & kItem))) left_.add(items_, list[i] & kItem);
        } else {
            for (u32 i = node.known[line.column]; line.missing_left && i < node.m; ++i) left_.add(items_, list[i]);
        }
        u32 i = 0;
        for (const u32 cut : cuts) {
            for (; i < cut; ++i) left_.add(items_, list[i] & kItem);
            right_.set_rest(whole_, left_);
            tell(cut);
        }
    }

    double mean_of(const ItemNode& node, std::size_t f) {
        left_.clear(items_);
        for (u32 i = 0; i < node.m; ++i) left_.add(items_, node.list(0)[i] & kItem);
        return left_.mean(f);
    }

    OrderedTree leaf_of(const Sums& sums, i64 cost) const {
        OrderedTree leaf{cost, {}, {}, nullptr};
        for (std::size_t f = 0; f < n_; ++f) leaf.low.push_back(sums.mean(f));
        leaf.high = leaf.low;
        return leaf;
    }

    OrderedTree joined(const OrderedTree& a, const OrderedTree& b) const {
        OrderedTree tree{a.cost + b.cost, a.low, a.high, nullptr};
        for (std::size_t f = 0; f < n_; ++f) {
            tree.low[f] = std::min(a.low[f], b.low[f]);
            tree.high[f] = std::max(a.high[f], b.high[f]);
        }
        return tree;
    }

    bool in_order(std::size_t column, const OrderedTree& left, const OrderedTree& right) const {
        for (const OptimalOrder& order : problem_.orders) {
            const auto f = static_cast<std::size_t>(order.mean);
            if (static_cast<std::size_t>(order.column) != column) continue;
            if (order.sign > 0 ? left.high[f] > right.low[f] : left.low[f] < right.high[f]) return false;
        }
        return true;
    }

    // Whether known values lie on both sides of a test: a gap is neither more nor less than a value.
    static bool orders(const ItemNode& node, const Line& line, u32 cut) {
        return line.set == nullptr && cut < node.known[line.column];
    }

    OptimalNode test_of(const ItemNode& node, const Line& line, u32 cut) const {
        OptimalNode test;
        test.column = static_cast<i32>(line.column);
        if (line.set != nullptr) {
            test.left_set = line.set->left;
            return test;
        }
        test.code = items_.code(line.column, node.list(line.column)[cut - 1] & kItem);
        test.missing_left = line.missing_left;
        return test;
    }

    OptimalSearch<T>& bounds_;
    const Items& items_;
    const OptimalProblem& problem_;
    const std::size_t n_;
    Sums whole_, left_, right_;
    Level leaves_;
};

}  // namespace hornbeam::optimal
