// The last two levels: tests are tried many at a time, with the best test below each side; or all pairs are counted.
#pragma once

#include "hornbeam/optimal/test_bits.hpp"

namespace hornbeam::optimal {

template <class T>
class TwoLevels {
  public:
    TwoLevels(const Items& items, Stop& stop, i64 min_rows, const TestBits* bits)
        : items_(items),
          stop_(stop),
          bits_(bits),
          price_(items.problem().price),
          min_rows_(min_rows),
          slack_(items.slack()),
          batch_(items) {}

    i64 leaf_cost(const ItemNode& node) const {
        return min_rows_ > 1 && node.n_rows < min_rows_ ? kNever : node.leaf + price_;
    }

    // The best of a leaf and one test.
    i64 one_test(const ItemNode& node) {
        batch_.set_node(node);
        return one_test_of_set_node(node);
    }

    // What the best tree of two levels costs if that is below `upper`, and its first test.
    i64 search(const ItemNode& node, Size size, i64 upper, Chosen& test, Level& level) {
        if (bits_ != nullptr && size.is_full()) return best_pair_of_bits(node, upper, test);
        level.open(items_, node, size, min_rows_);
        if (open_pairs(node, size, level)) return best_pair(node, level, upper, test);
        batch_.set_node(node);
        const i64 whole = one_test_of_set_node(node);
        i64 best = std::min(upper, whole);
        level.set_whole(whole);
        while (!stop_.now()) {
            level.wanted.clear();
            level.open_lines.clear();
            for (std::size_t j = 0; j < level.lines.size(); ++j)
                if (level.cuts[j].bound() < best) level.open_lines.push_back(j);
            const std::size_t most =
                std::max(cuts_needed(best, whole), Batch<T>::kLanes / (level.open_lines.size() + 1));
            for (std::size_t j : level.open_lines) {
                level.cuts[j].candidates(best, most, level.picked);
                if (level.picked.empty()) level.cuts[j].close();
                for (u32 index : level.picked) level.wanted.push_back({j, index});
            }
            if (level.wanted.empty()) break;
            for (std::size_t first = 0; first < level.wanted.size() && !stop_.now();) {
                first = fill_batch(level, first, best);
                if (batch_.tests.empty()) break;
                const i64 cost = search_tried(level, best);
                if (cost < best) {
                    best = cost;
                    test = cheapest_;
                }
            }
        }
        return stop_.stopped() ? 2 * price_ : best;
    }

    // Opens the lines of a node, and tries a cut of each that may cost no more than `cost`.
    void open(const ItemNode& node, Size size, i64 whole, i64 cost, Level& own) {
        own.open(items_, node, size, min_rows_);
        own.set_whole(whole);
        if (open_pairs(node, size, own)) {
            each_pair(node, own, [&](std::size_t line, u32 index, i64 left, i64 right) {
                own.cuts[line].add(index, left, right, left, right);
            });
            return;
        }
        batch_.set_node(node);
        own.wanted.clear();
        for (std::size_t j = 0; j < own.lines.size(); ++j) {
            own.cuts[j].candidates(cost + 1, 1, own.picked);
            if (!own.picked.empty()) own.wanted.push_back({j, own.picked[0]});
        }
        for (std::size_t first = 0; first < own.wanted.size() && !stop_.now();) {
            first = fill_batch(own, first, cost + 1);
            if (!batch_.tests.empty()) search_tried(own, cost + 1);
        }
    }

    // Tries the wanted tests of an opened level, at most a batch of them, that may cost less than `best`.
    void try_wanted(Level& level, i64 best) {
        fill_batch(level, 0, best);
        if (!batch_.tests.empty()) search_tried(level, best);
    }

  private:
    i64 one_test_of_set_node(const ItemNode& node) {
        const Line all{0, true, nullptr, 0};  // everything on the left
        batch_.tests.assign(1, {&all, node.known[0], items_.is_real() ? node.square : node.full});
        search_batch(min_rows_);
        return std::min(leaf_cost(node), below(0, 0, all));
    }

    // Whether all pairs of tests are counted faster than tests are searched in lanes.
    bool open_pairs(const ItemNode& node, Size size, const Level& level) {
        if (items_.is_real() || min_rows_ > 1 || !size.is_full() || !items_.problem().count_pairs) return false;
        std::size_t steps = 0, n_cuts = 0;
        for (std::size_t j = 0; j < level.lines.size(); ++j) {
            n_cuts += std::min<std::size_t>(level.cuts[j].cut.size(), 4);
            if (j > 0 && level.lines[j].column == level.lines[j - 1].column) continue;
            // A walk passes through all items but those between two cuts, where many are.
            u32 longest = 0, last = 0;
            const u32 known = node.known[level.lines[j].column];
            for (const u32 cut : level.cuts[j].cut) longest = std::max(longest, cut - last), last = cut;
            longest = std::max(longest, known - last);
            const bool is_long = level.lines[j].set == nullptr && 4 * longest > known;
            steps += node.m + 4 - (is_long ? longest : 0);
        }
        const std::size_t of_item = items_.n_answers > 2 ? 12 : 3;
        return pairs_.open(items_, node, level.lines, level.cuts,
                           static_cast<double>(of_item * steps * (1 + n_cuts / Batch<T>::kLanes)));
    }

    // What each test costs, with the best test below it on either side: `offer(line, index, left, right)`. Returns what
    // the best single test costs.
    template <class Offer>
    i64 each_pair(const ItemNode& node, const Level& level, Offer offer) {
        return each_pair(
            node, [&](const TestPairs::Test& test) { return level.cuts[test.line].weight[test.index]; }, offer);
    }
    template <class FullLeft, class Offer>
    i64 each_pair(const ItemNode& node, FullLeft full_left, Offer offer) {
        count_pairs(pairs_);
        const i64 unit = items_.unit;
        i64 single = kNever;
        for (std::size_t t = 0; t < pairs_.tests.size(); ++t) {
            const TestPairs::Test& test = pairs_.tests[t];
            const auto [inside, outside] = pairs_.one_answer(t);
            single = std::min(single, node.full - (inside + outside) * unit + 2 * price_);
            const i64 weight = full_left(test);
            const i64 full = test.is_right ? node.full - weight : weight;
            const i64 in = full + std::min(price_ - inside * unit, 2 * price_ - test.inside * unit);
            const i64 out = node.full - full + std::min(price_ - outside * unit, 2 * price_ - test.outside * unit);
            offer(test.line, test.index, test.is_right ? out : in, test.is_right ? in : out);
        }
        return single;
    }

    i64 best_pair(const ItemNode& node, const Level& level, i64 upper, Chosen& test) {
        i64 best = std::min(upper, leaf_cost(node));
        const i64 single = each_pair(node, level, [&](std::size_t line, u32 index, i64 left, i64 right) {
            if (left + right >= best) return;
            best = left + right;
            test = {level.lines[line].number, level.cuts[line].cut[index]};
        });
        return std::min(best, single);
    }

    // The same of a node without lists.
    i64 best_pair_of_bits(const ItemNode& node, i64 upper, Chosen& test) {
        bits_->open(node, pairs_, moves_);
        i64 best = std::min(upper, leaf_cost(node));
        std::size_t chosen = 0;
        bool is_better = false;
        const i64 single = each_pair(
            node, [&](const TestPairs::Test& one) { return bits_->full_left(node, one.line); },
            [&](std::size_t number, u32, i64 left, i64 right) {
                if (left + right >= best) return;
                best = left + right;
                chosen = number;
                is_better = true;
            });
        if (is_better) test = bits_->chosen(node, chosen);
        return std::min(best, single);
    }

    // If the costs of the sides grow evenly along a line from nothing to `whole`, this many cuts prove that none of it
    // costs less than `best`.
    static std::size_t cuts_needed(i64 best, i64 whole) {
        const i64 rest = std::max<i64>(whole - best, 1), n = (best + rest - 1) / rest;
        return static_cast<std::size_t>(std::clamp<i64>(n, 1, Batch<T>::kLanes));
    }

    // Searches the tests of the batch, and adds what is learned to their lines; what the cheapest one costs.
    i64 search_tried(Level& level, i64 best) {
        search_batch(1);
        bool is_sure = min_rows_ <= 1;
        std::array<std::array<i64, Batch<T>::kLanes>, 2> floor;
        i64 least = kNever;
        for (std::size_t lane = 0; lane < level.tried.size(); ++lane) {
            for (std::size_t side = 0; side < 2; ++side)
                floor[side][lane] = below(side, lane, level.lines[level.tried[lane].first]) - slack_;
            least = std::min(least, floor[0][lane] + floor[1][lane]);
        }
        if (!is_sure && least < best) search_batch(min_rows_), is_sure = true;
        least = kNever;
        for (std::size_t lane = 0; lane < level.tried.size(); ++lane) {
            const auto [j, index] = level.tried[lane];
            const i64 left = below(0, lane, level.lines[j]), right = below(1, lane, level.lines[j]);
            level.cuts[j].add(index, left, right, floor[0][lane], floor[1][lane]);
            if (left + right >= least || !is_sure) continue;
            least = left + right;
            cheapest_ = {level.lines[j].number, level.cuts[j].cut[index]};
        }
        return least;
    }

    void search_batch(i64 min_rows) {
        batch_.min_rows = static_cast<T>(min_rows);
        search_below(batch_);
    }

    // Fills the batch with wanted tests, from the given one on, that may still be better; where to go on.
    std::size_t fill_batch(Level& level, std::size_t first, i64 best) {
        batch_.tests.clear();
        level.tried.clear();
        for (; first < level.wanted.size() && batch_.tests.size() < Batch<T>::kLanes; ++first) {
            const auto [j, index] = level.wanted[first];
            const CutsOfLine& line = level.cuts[j];
            if (const auto [left, right] = line.sides_at(index); left + right >= best) continue;
            const auto& left = items_.is_real() ? line.square : line.weight;
            batch_.tests.push_back({&level.lines[j], line.cut[index], left[index]});
            level.tried.push_back({j, index});
        }
        return first;
    }

    // What a lane's side costs: a leaf, or one more test where it may have one.
    i64 below(std::size_t side, std::size_t lane, const Line& line) const {
        const i64 leaf = batch_.leaf[side][lane], test = batch_.test[side][lane];
        const i64 one = leaf >= kNever ? kNever : leaf + price_;
        if ((side == 0 ? line.left_leaves : line.right_leaves) == 1) return one;
        return std::min(one, test >= kNever ? kNever : test + 2 * price_);
    }

    const Items& items_;
    Stop& stop_;
    const TestBits* const bits_;  // null: nodes have lists only
    const i64 price_, min_rows_, slack_;
    Batch<T> batch_;
    TestPairs pairs_;
    std::vector<TestBits::Move> moves_;
    Chosen cheapest_;
};

}  // namespace hornbeam::optimal
