// From costs to a tree: which tests make a tree of least cost?
//
// The canonical tree prefers a leaf to a test and few levels to many; of all tests that keep the cost it takes the
// first column, then the first cut. It does not depend on how the search went, on the threads or on what was forgotten.
// Where time is short, the tests are those that the search has met.
#pragma once

#include "hornbeam/optimal/search_optimal.hpp"

namespace hornbeam::optimal {

template <class T>
class TreeBuilder {
  public:
    TreeBuilder(OptimalSearch<T>& search, std::vector<OptimalNode>& out)
        : search_(search), items_(search.items()), out_(out) {}

    // Whether it could be finished. `cost` is that of the best tree of this depth.
    bool canonical(const ItemNode& node, Size size, i64 cost) {
        out_.assign(1, {});
        return below(node, size, cost, 0, true);
    }

    // The tests that the search has met, from the given one on.
    bool met(const ItemNode& node, Size size, Chosen test, i64 cost) {
        out_.assign(1, {});
        if (test.line < kFirstLine) return below(node, Size::of(std::min(size.depth, 1), size.leaves), cost, 0, false);
        return divided(node, size, Level::line_of(items_, test.line, size), test.cut, 0, false);
    }

    i64 cost = 0;  // of the tree, if its root is a test

  private:
    bool below(const ItemNode& node, Size size, i64 cost, std::size_t at, bool canonical) {
        if (search_.leaf_cost(node) <= cost) return true;
        if (size.depth == 0) return false;
        if (size.depth == 1) return one_test(node, cost, at);
        if (search_.solve(node, size.shallower(), cost + 1) <= cost && !search_.stopped())
            return below(node, size.shallower(), cost, at, canonical);
        if (search_.stopped()) return false;
        CostMemo::Entry known;
        if (!canonical && search_.memo().find(node.key, size.code(), known) && known.line >= kFirstLine)
            return divided(node, size, Level::line_of(items_, known.line, size), known.cut, at, false);
        return first_test(node, size, cost, at, canonical);
    }

    bool first_test(const ItemNode& node, Size size, i64 cost, std::size_t at, bool canonical) {
        Level& level = search_.level(size.depth);
        const i64 whole = search_.solve(node, size.shallower(), cost + 1);
        search_.open_canonical(node, size, level, whole, cost);
        for (std::size_t j = 0, end; j < level.lines.size(); j = end) {
            std::size_t best = level.lines.size();
            u32 cut = search_.kNoCut, index;
            for (end = j; end < level.lines.size() && level.lines[end].column == level.lines[j].column; ++end) {
                index = search_.first_cut(node, size, level, end, cost);
                if (search_.stopped()) return false;
                if (index == search_.kNoCut) continue;
                if (const u32 place = level.cuts[end].cut[index]; best == level.lines.size() || place < cut)
                    best = end, cut = place;
                if (level.lines[end].set != nullptr) {
                    while (++end < level.lines.size() && level.lines[end].column == level.lines[j].column) {
                    }
                    break;
                }
            }
            if (best < level.lines.size()) return divided(node, size, Line(level.lines[best]), cut, at, canonical);
        }
        return false;
    }

    bool divided(const ItemNode& node, Size size, const Line& line, u32 cut, std::size_t at, bool canonical) {
        ItemNode a, b;  // of their own: the levels are used below
        search_.divide_lists(node, line, cut, a, b);
        OptimalNode test;
        test.column = static_cast<i32>(line.column);
        if (line.set != nullptr) {
            test.left_set = line.set->left;
        } else {
            test.code = items_.code(line.column, node.list(line.column)[cut - 1] & kItem);
            test.missing_left = line.missing_left;
        }
        const Size left_size = size.left_of(line), right_size = size.right_of(line);
        const i64 of_a = search_.solve(a, left_size, kNever), of_b = search_.solve(b, right_size, kNever);
        if (search_.stopped()) return false;
        if (at == 0) cost = of_a + of_b;
        const std::size_t left = add(std::move(test), at);
        return below(a, left_size, of_a, left, canonical) && below(b, right_size, of_b, left + 1, canonical);
    }

    std::size_t add(OptimalNode&& test, std::size_t at) {
        test.left = static_cast<i32>(out_.size());
        const std::size_t left = out_.size();
        out_[at] = std::move(test);
        out_.resize(left + 2);
        return left;
    }

    // One test with two leaves that costs no more than `cost`, the first in order.
    bool one_test(const ItemNode& node, i64 cost, std::size_t at) {
        Level& level = search_.level(2);
        search_.open_lines(node, Size::of(1, 2), level);
        const i64 price = items_.problem().price;
        ItemNode a, b;
        for (std::size_t c = 0; c < items_.n_columns(); ++c) {
            if (items_.problem().columns[c].nominal && items_.problem().min_rows <= 1 && !items_.is_real()) {
                if (best_set(node, c, cost, at)) return true;
                continue;
            }
            std::size_t best = level.lines.size();
            u32 least = search_.kNoCut;
            for (std::size_t j = 0; j < level.lines.size(); ++j) {
                if (level.lines[j].column != c) continue;
                for (u32 cut : level.cuts[j].cut) {
                    if (cut >= least) break;
                    if (leaves(node, level.lines[j], cut) + 2 * price > cost) continue;
                    best = j, least = cut;
                    break;
                }
                if (best < level.lines.size() && level.lines[best].set != nullptr) break;
            }
            if (best == level.lines.size()) continue;
            const Line& line = level.lines[best];
            OptimalNode test;
            test.column = static_cast<i32>(c);
            if (line.set != nullptr) {
                test.left_set = line.set->left;
            } else {
                test.code = items_.code(c, node.list(c)[least - 1] & kItem);
                test.missing_left = line.missing_left;
            }
            add(std::move(test), at);
            return true;
        }
        return false;
    }

    // What the best answers of two sides cost.
    i64 leaves(const ItemNode& node, const Line& line, u32 cut) {
        mark_left(items_, node, line, cut, search_.marks());
        const auto k = static_cast<std::size_t>(items_.n_answers);
        std::vector<i64> sums(2 * k, 0), total(2, 0), weight(2, 0), square(2, 0);
        for (u32 i = 0; i < node.m; ++i) {
            const u32 item = node.list(0)[i] & kItem;
            const std::size_t side = search_.marks()[item] ? 0 : 1;
            if (k > 2)
                sums[2 * static_cast<std::size_t>(items_.answer[item]) + side] += items_.amount[item];
            else
                total[side] += items_.amount[item];
            if (items_.is_real()) weight[side] += items_.weight[item], square[side] += items_.square[item];
        }
        if (items_.is_real())
            return std::max<i64>(square[0] - saved_by_mean(total[0], weight[0]), 0) +
                   std::max<i64>(square[1] - saved_by_mean(total[1], weight[1]), 0);
        if (k <= 2) return (node.full - std::abs(total[0]) - std::abs(total[1])) / 2;
        i64 best[2]{};
        for (std::size_t j = 0; j < 2 * k; ++j) best[j & 1] = std::max(best[j & 1], sums[j]);
        return node.full - best[0] - best[1];
    }

    // The best set of values of a nominal column: for the first pair of answers that keeps the cost, every value gets
    // the better one; values that do not care go with the first.
    bool best_set(const ItemNode& node, std::size_t column, i64 cost, std::size_t at) {
        const auto n_values = static_cast<std::size_t>(items_.problem().columns[column].n_values) + 1;
        const auto k = static_cast<std::size_t>(std::max(items_.n_answers, 2));
        std::vector<i64> benefit(n_values * k, 0);
        std::vector<u8> present(n_values, 0);
        for (u32 i = 0; i < node.m; ++i) {
            const u32 item = node.list(column)[i] & kItem;
            const i32 code = items_.code(column, item);
            const std::size_t v = code < 0 ? n_values - 1 : static_cast<std::size_t>(code);
            present[v] = 1;
            const i64 amount = items_.amount[item];
            if (items_.n_answers > 2)
                benefit[v * k + static_cast<std::size_t>(items_.answer[item])] += amount;
            else
                benefit[v * k + (amount > 0 ? 0 : 1)] += std::abs(amount);
        }
        for (std::size_t u = 0; u < k; ++u)
            for (std::size_t w = u + 1; w < k; ++w) {
                i64 gained = 0;
                OptimalNode test;
                test.column = static_cast<i32>(column);
                test.left_set.assign(n_values, 0);
                std::size_t n_left = 0, n_right = 0;
                for (std::size_t v = 0; v < n_values; ++v) {
                    gained += std::max(benefit[v * k + u], benefit[v * k + w]);
                    if (!present[v]) continue;
                    test.left_set[v] = benefit[v * k + u] >= benefit[v * k + w];
                    ++(test.left_set[v] ? n_left : n_right);
                }
                if (node.full - gained + 2 * items_.problem().price > cost || n_left == 0 || n_right == 0) continue;
                add(std::move(test), at);
                return true;
            }
        return false;
    }

    OptimalSearch<T>& search_;
    const Items& items_;
    std::vector<OptimalNode>& out_;
};

}  // namespace hornbeam::optimal
