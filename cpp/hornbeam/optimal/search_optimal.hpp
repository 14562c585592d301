// The search of one thread: what does the best tree of a set of rows cost?
//
// One idea: `solve` answers exactly if the cost is below what the caller can use, and otherwise gives a lower bound;
// bounds of cuts beside each other (cuts_of_line.hpp) and of sets met before (cost_memo.hpp) leave few sets to be
// searched.
#pragma once

#include <functional>

#include "hornbeam/optimal/cost_memo.hpp"
#include "hornbeam/optimal/search_state.hpp"

namespace hornbeam::optimal {

template <class T>
class OptimalSearch {
  public:
    // `floor` is the same search for leaves of any size, where they have a least size.
    OptimalSearch(const Items& items, CostMemo& memo, Stop& stop, i64 min_rows, OptimalSearch* floor)
        : items_(items),
          memo_(memo),
          stop_(stop),
          price_(items.problem().price),
          min_rows_(min_rows),
          floor_(floor),
          batch_(items),
          marks_(items.size()),
          levels_(static_cast<std::size_t>(std::max(items.problem().max_depth, 2)) + 1) {}

    u64 n_solved = 0;
    std::function<void()> pause = [] {};  // called now and then, to look for signals

    Level& level(int depth) { return levels_[static_cast<std::size_t>(depth) - 2]; }

    // What the best tree of a depth costs if that is below `upper`; otherwise a cost that no tree is below. After a
    // stop it is the latter.
    i64 solve(const ItemNode& node, int depth, i64 upper) {
        const i64 leaf = leaf_cost(node);
        if (depth == 0 || leaf <= 2 * price_) return leaf;
        if (2 * price_ >= upper) return 2 * price_;
        CostMemo::Entry known;
        if (memo_.find(node.key, depth, known) && (known.exact() || known.bound >= upper)) return known.bound;
        ++n_solved;
        Chosen test{leaf < upper ? 1U : 0U, 0};
        const i64 cost = depth == 1   ? one_test(node)
                         : depth == 2 ? two_levels(node, upper, test)
                                      : deep(node, depth, upper, test);
        if (stop_.stopped()) return cost;
        if (cost >= upper) test.line = 0;
        if (depth == 1) test.line = cost < upper ? 1 : 0;  // which one is easily seen again
        memo_.keep(node.key, depth, cost, test.line, test.cut);
        return cost;
    }

    i64 leaf_cost(const ItemNode& node) const {
        return min_rows_ > 1 && node.n_rows < min_rows_ ? kNever : node.leaf + price_;
    }

    // Opens the lines of a node, in the order of its columns. `whole`: what the node costs at least with a level less.
    void open_lines(const ItemNode& node, Level& level, i64 whole) const {
        level.lines.clear();
        std::size_t set = 0;
        for (std::size_t c = 0; c < items_.n_columns(); ++c) {
            const u32 number = kFirstLine + 2 * static_cast<u32>(c);
            if (items_.problem().columns[c].nominal) {
                for (; set < items_.sets.size() && items_.sets[set].column == c; ++set)
                    level.lines.push_back(
                        {c, false, &items_.sets[set],
                         kFirstLine + 2 * static_cast<u32>(items_.n_columns()) + static_cast<u32>(set)});
            } else if (node.known[c] > 0) {
                level.lines.push_back({c, false, nullptr, number});
                if (node.known[c] < node.m) level.lines.push_back({c, true, nullptr, number + 1});
            }
        }
        if (level.cuts.size() < level.lines.size()) level.cuts.resize(level.lines.size());
        for (std::size_t j = 0; j < level.lines.size(); ++j)
            level.cuts[j].open(items_, node, level.lines[j], price_, whole, min_rows_);
    }

    Line line_of(u32 number) const {
        const u32 i = number - kFirstLine, n_columns = static_cast<u32>(items_.n_columns());
        if (i < 2 * n_columns) return {i / 2, i % 2 == 1, nullptr, number};
        const ValueSet& set = items_.sets[i - 2 * n_columns];
        return {set.column, false, &set, number};
    }

    // The best of a leaf and one test.
    i64 one_test(const ItemNode& node) {
        const Line all{0, true, nullptr, 0};  // everything on the left
        batch_.node = &node;
        batch_.tests.assign(1, {&all, node.known[0], node.full});
        search_batch(min_rows_);
        return std::min(leaf_cost(node), below(0, 0));
    }

    i64 two_levels(const ItemNode& node, i64 upper, Chosen& test) {
        Level& level = levels_[0];
        const i64 whole = one_test(node);
        i64 best = std::min(upper, whole);
        open_lines(node, level, whole);
        while (!stop_.now()) {
            level.wanted.clear();
            level.open.clear();
            for (std::size_t j = 0; j < level.lines.size(); ++j)
                if (level.cuts[j].bound() < best) level.open.push_back(j);
            const std::size_t most =
                std::max<std::size_t>(2, Batch<T>::kLanes / std::max<std::size_t>(level.open.size(), 1));
            for (std::size_t j : level.open) {
                level.cuts[j].candidates(best, most, level.picked);
                if (level.picked.empty()) level.cuts[j].close();
                for (u32 index : level.picked) level.wanted.push_back({j, index});
            }
            if (level.wanted.empty()) break;
            for (std::size_t first = 0; first < level.wanted.size() && !stop_.now();) {
                first = fill_batch(node, level, first, best);
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

    // Searches the tests of the batch, and adds what is learned to their lines; what the cheapest one costs.
    i64 search_tried(Level& level, i64 best) {
        search_batch(1);
        bool is_sure = min_rows_ <= 1;
        std::array<std::array<i64, Batch<T>::kLanes>, 2> floor;
        i64 least = kNever;
        for (std::size_t lane = 0; lane < level.tried.size(); ++lane) {
            for (std::size_t side = 0; side < 2; ++side) floor[side][lane] = below(side, lane);
            least = std::min(least, floor[0][lane] + floor[1][lane]);
        }
        if (!is_sure && least < best) search_batch(min_rows_), is_sure = true;
        least = kNever;
        for (std::size_t lane = 0; lane < level.tried.size(); ++lane) {
            const auto [j, index] = level.tried[lane];
            const i64 left = below(0, lane), right = below(1, lane);
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

    // Depths from three on: cut by cut, the most promising line first.
    i64 deep(const ItemNode& node, int depth, i64 upper, Chosen& test) {
        Level& own = level(depth);
        i64 best = upper;
        if (!open_deep(node, depth, best, test)) return std::min(best, test.line > 0 ? best : 2 * price_);
        while (!stop_.now()) {
            const std::size_t next = most_promising(own, best, {});
            if (next == own.lines.size()) break;
            own.cuts[next].candidates(best, 1, own.picked);
            if (own.picked.empty())
                own.cuts[next].close();
            else
                try_cut(node, depth, own, next, own.picked[0], best, test);
        }
        if (stop_.stopped())
            for (std::size_t j = 0; j < own.lines.size(); ++j) best = std::min(best, own.cuts[j].bound());
        return best;
    }

    // Opens a node of depth three or more: the best tree of less depth is never cheaper, and its first test is a good
    // one. False: nothing is left to search.
    bool open_deep(const ItemNode& node, int depth, i64& best, Chosen& test) {
        const i64 shallow = solve(node, depth - 1, best);
        if (stop_.stopped()) return false;
        Chosen first;
        CostMemo::Entry known;
        if (shallow < best && memo_.find(node.key, depth - 1, known) && known.exact()) {
            first = {known.line, known.cut};
            test = first;
        }
        best = std::min(best, shallow);
        if (shallow <= 2 * price_) return false;
        Level& own = level(depth);
        open_lines(node, own, shallow);
        for (std::size_t j = 0; j < own.lines.size() && first.line >= kFirstLine; ++j) {
            if (own.lines[j].number != first.line) continue;
            const auto& cut = own.cuts[j].cut;
            const auto at = std::find(cut.begin(), cut.end(), first.cut);
            if (at != cut.end()) try_cut(node, depth, own, j, static_cast<u32>(at - cut.begin()), best, test);
        }
        return true;
    }

    // The line whose cuts cost least at least, if below `best`; lines that others work at come last.
    static std::size_t most_promising(const Level& level, i64 best, const std::vector<u8>& busy) {
        std::size_t next = level.lines.size();
        for (const bool free : {true, false}) {
            i64 lowest = best;
            for (std::size_t j = 0; j < level.lines.size(); ++j) {
                if (!busy.empty() && (busy[j] == 0) != free) continue;
                if (const i64 bound = level.cuts[j].bound(); bound < lowest) lowest = bound, next = j;
            }
            if (next < level.lines.size()) break;
        }
        return next;
    }

    // Searches both sides of a test as far as needed, and takes it if it is better.
    void try_cut(const ItemNode& node, int depth, Level& own, std::size_t j, u32 index, i64& best, Chosen& test) {
        CutsOfLine& line = own.cuts[j];
        const Sides cost = sides(node, depth, line, index, best);
        if (stop_.stopped()) return;
        cost.add_to(line, index);
        if (cost.left + cost.right < best) {
            best = cost.left + cost.right;
            test = {line.line.number, line.cut[index]};
        }
    }

    struct Sides {
        i64 left, right, left_floor, right_floor;
        void add_to(CutsOfLine& line, u32 index) const { line.add(index, left, right, left_floor, right_floor); }
    };

    // What both sides of a test cost: exactly, or at least and together no less than `best`.
    Sides sides(const ItemNode& node, int depth, const CutsOfLine& line, u32 index, i64 best) {
        const auto [left, right] = line.sides_at(index);
        const auto [left_floor, right_floor] = line.floors_at(index);
        return sides(node, depth, line.line, line.cut[index], best, {left, right, left_floor, right_floor});
    }
    Sides sides(const ItemNode& node, int depth, const Line& line, u32 cut, i64 best, Sides at_least) {
        ItemNode &a = level(depth).a, &b = level(depth).b;
        mark_left(items_, node, line, cut, marks_);
        divide(items_, node, marks_, a, b);
        Sides out = at_least;
        if (floor_ != nullptr) {
            floor_->raise(a, b, depth - 1, best, out.left_floor, out.right_floor);
            out.left = std::max(out.left, out.left_floor);
            out.right = std::max(out.right, out.right_floor);
        }
        raise(a, b, depth - 1, best, out.left, out.right);
        if (floor_ == nullptr) out.left_floor = out.left, out.right_floor = out.right;
        pause();
        return out;
    }

    // Raises what two nodes cost at least until both are exact, or together reach `best`.
    void raise(const ItemNode& a, const ItemNode& b, int depth, i64 best, i64& left, i64& right) {
        left = std::max(left, remembered(a, depth));
        right = std::max(right, remembered(b, depth));
        const bool left_first = a.m >= b.m;
        for (const bool is_left : {left_first, !left_first}) {
            if (left + right >= best || stop_.stopped()) return;
            i64 &one = is_left ? left : right, &other = is_left ? right : left;
            one = std::max(one, solve(is_left ? a : b, depth, best - other));
        }
    }

    // Fills the batch with wanted tests, from the given one on, that may still be better; where to go on.
    std::size_t fill_batch(const ItemNode& node, Level& level, std::size_t first, i64 best) {
        batch_.node = &node;
        batch_.tests.clear();
        level.tried.clear();
        for (; first < level.wanted.size() && batch_.tests.size() < Batch<T>::kLanes; ++first) {
            const auto [j, index] = level.wanted[first];
            const CutsOfLine& line = level.cuts[j];
            const auto [left, right] = line.sides_at(index);
            if (left + right >= best) continue;
            batch_.tests.push_back({&level.lines[j], line.cut[index], line.weight[index]});
            level.tried.push_back({j, index});
        }
        return first;
    }

    // What a lane's side costs: a leaf, or one more test.
    i64 below(std::size_t side, std::size_t lane) const {
        const i64 leaf = batch_.leaf[side][lane], test = batch_.test[side][lane];
        return std::min(leaf >= kNever ? kNever : leaf + price_, test >= kNever ? kNever : test + 2 * price_);
    }

    // The two sides of the first cut of a line that costs no more than `cost`; none: kNoCut.
    static constexpr u32 kNoCut = std::numeric_limits<u32>::max();
    u32 first_cut(const ItemNode& node, int depth, Level& own, std::size_t j, i64 cost) {
        CutsOfLine& line = own.cuts[j];
        u32 hit = kNoCut;
        while (!stop_.now()) {
            line.candidates(cost + 1, depth == 2 ? Batch<T>::kLanes : 1, own.picked);
            std::erase_if(own.picked, [&](u32 index) { return index >= hit; });
            if (own.picked.empty()) {
                // The evenly spread ones may all lie behind the hit while some before it do not.
                line.candidates(cost + 1, line.cut.size(), own.picked);
                std::erase_if(own.picked, [&](u32 index) { return index >= hit; });
                if (own.picked.empty()) break;
                own.picked.resize(1);
            }
            own.wanted.clear();
            for (u32 index : own.picked) own.wanted.push_back({j, index});
            if (depth == 2) {
                fill_batch(node, own, 0, cost + 1);
                search_tried(own, cost + 1);
            }
            for (u32 index : own.picked) {
                if (depth > 2) {
                    const Sides own_cost = sides(node, depth, line, index, cost + 1);
                    if (stop_.stopped()) return kNoCut;
                    own_cost.add_to(line, index);
                }
                const auto [left, right] = line.sides_at(index);
                if (left + right <= cost) hit = std::min(hit, index);
            }
        }
        return hit;
    }

    const Items& items() const { return items_; }
    CostMemo& memo() { return memo_; }
    std::vector<u8>& marks() { return marks_; }
    bool stopped() const { return stop_.stopped(); }

  private:
    i64 remembered(const ItemNode& node, int depth) {
        CostMemo::Entry known;
        return memo_.find(node.key, depth, known) ? known.bound : 0;
    }

    const Items& items_;
    CostMemo& memo_;
    Stop& stop_;
    const i64 price_, min_rows_;
    OptimalSearch* const floor_;
    Batch<T> batch_;
    std::vector<u8> marks_;
    std::vector<Level> levels_;
    Chosen cheapest_;
};

}  // namespace hornbeam::optimal
