// The search of one thread: what does the best tree of a set of rows cost?
//
// One idea: `solve` answers exactly if the cost is below what the caller can use, and otherwise gives a lower bound;
// bounds of cuts beside each other (cuts_of_line.hpp) and of sets met before (cost_memo.hpp) leave few sets to be
// searched.
#pragma once

#include <functional>

#include "hornbeam/optimal/cost_memo.hpp"
#include "hornbeam/optimal/two_levels.hpp"

namespace hornbeam::optimal {

template <class T>
class OptimalSearch {
  public:
    // `floor` is the same search for leaves of any size, where they have a least size; `bits` what nodes are where
    // tests are few.
    OptimalSearch(const Items& items, CostMemo& memo, Stop& stop, i64 min_rows, OptimalSearch* floor,
                  const TestBits* bits)
        : items_(items),
          memo_(memo),
          stop_(stop),
          price_(items.problem().price),
          min_rows_(min_rows),
          floor_(floor),
          bits_(bits),
          last_(items, stop, min_rows, bits),
          marks_(items.size()),
          levels_(static_cast<std::size_t>(std::max(items.problem().max_depth, 2)) + 1) {}

    u64 n_solved = 0;
    std::function<void()> pause = [] {};  // called now and then, to look for signals

    Level& level(int depth) { return levels_[static_cast<std::size_t>(depth) - 2]; }

    // What the best tree of a size costs if that is below `upper`; otherwise a cost that no tree is below. After a stop
    // it is the latter.
    i64 solve(const ItemNode& node, Size size, i64 upper) {
        const i64 leaf = leaf_cost(node);
        if (size.depth == 0 || leaf <= 2 * price_) return leaf;
        if (2 * price_ >= upper) return 2 * price_;
        CostMemo::Entry known;
        if (memo_.find(node.key, size.code(), known) && (known.exact() || known.bound >= upper)) return known.bound;
        ++n_solved;
        Chosen test{leaf < upper ? 1U : 0U, 0};
        const i64 cost = size.depth == 1   ? last_.one_test(node)
                         : size.depth == 2 ? last_.search(node, size, upper, test, level(2))
                                           : deep(node, size, upper, test);
        if (stop_.stopped()) return cost;
        if (cost >= upper) test.line = 0;
        if (size.depth == 1) test.line = cost < upper ? 1 : 0;  // which one is easily seen again
        memo_.keep(node.key, size.code(), cost, test.line, test.cut);
        return cost;
    }

    i64 leaf_cost(const ItemNode& node) const { return last_.leaf_cost(node); }
    void open_lines(const ItemNode& node, Size size, Level& own) const { own.open(items_, node, size, min_rows_); }

    // Opens the lines of a node for `first_cut`.
    void open_canonical(const ItemNode& node, Size size, Level& own, i64 whole, i64 cost) {
        if (size.depth == 2) return last_.open(node, size, whole, cost, own);
        open_lines(node, size, own);
        own.set_whole(whole);
    }

    // Depths from three on: cut by cut, the most promising line first.
    i64 deep(const ItemNode& node, Size size, i64 upper, Chosen& test) {
        Level& own = level(size.depth);
        i64 best = upper;
        if (!open_deep(node, size, best, test)) return std::min(best, test.line > 0 ? best : 2 * price_);
        while (!stop_.now()) {
            const std::size_t next = most_promising(own, best, {});
            if (next == own.lines.size()) break;
            own.cuts[next].candidates(best, 1, own.picked);
            if (own.picked.empty())
                own.cuts[next].close();
            else
                try_cut(node, size, own, next, own.picked[0], best, test);
        }
        if (stop_.stopped())
            for (std::size_t j = 0; j < own.lines.size(); ++j) best = std::min(best, own.cuts[j].bound());
        return best;
    }

    // Opens a node of depth three or more: the best tree of less depth is never cheaper, and its first test is a good
    // one. False: nothing is left to search.
    bool open_deep(const ItemNode& node, Size size, i64& best, Chosen& test) {
        const Size shallower = size.shallower();
        const i64 shallow = solve(node, shallower, best);
        if (stop_.stopped()) return false;
        Chosen first;
        CostMemo::Entry known;
        if (shallow < best && memo_.find(node.key, shallower.code(), known) && known.exact()) {
            first = {known.line, known.cut};
            test = first;
        }
        best = std::min(best, shallow);
        if (shallow <= 2 * price_) return false;
        Level& own = level(size.depth);
        open_lines(node, size, own);
        own.set_whole(shallow);
        if (first.line < kFirstLine) return true;
        const Line same = Level::line_of(items_, first.line, shallower);
        for (std::size_t j = 0; j < own.lines.size(); ++j) {
            const Line& line = own.lines[j];
            if (line.column != same.column || line.missing_left != same.missing_left || line.set != same.set) continue;
            const auto& cut = own.cuts[j].cut;
            const auto at = std::find(cut.begin(), cut.end(), first.cut);
            if (at != cut.end()) try_cut(node, size, own, j, static_cast<u32>(at - cut.begin()), best, test);
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
    void try_cut(const ItemNode& node, Size size, Level& own, std::size_t j, u32 index, i64& best, Chosen& test) {
        CutsOfLine& line = own.cuts[j];
        const Sides cost = sides(node, size, line, index, best);
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
    Sides sides(const ItemNode& node, Size size, const CutsOfLine& line, u32 index, i64 best) {
        const auto [left, right] = line.sides_at(index);
        const auto [left_floor, right_floor] = line.floors_at(index);
        return sides(node, size, line.line, line.cut[index], best, {left, right, left_floor, right_floor});
    }
    Sides sides(const ItemNode& node, Size size, const Line& line, u32 cut, i64 best, Sides at_least) {
        ItemNode &a = level(size.depth).a, &b = level(size.depth).b;
        const Size left = size.left_of(line), right = size.right_of(line);
        Sides out = at_least;
        if (bits_ != nullptr) {
            bits_->divide(node, line, cut, a, b);
            out.left = out.left_floor = std::max(out.left, remembered(a, left));
            out.right = out.right_floor = std::max(out.right, remembered(b, right));
        }
        if (bits_ == nullptr || (out.left + out.right < best && (needs_lists(left) || needs_lists(right))))
            divide_lists(node, line, cut, a, b);
        if (floor_ != nullptr) {
            floor_->raise(a, left, b, right, best, out.left_floor, out.right_floor);
            out.left = std::max(out.left, out.left_floor);
            out.right = std::max(out.right, out.right_floor);
        }
        raise(a, left, b, right, best, out.left, out.right);
        if (floor_ == nullptr) out.left_floor = out.left, out.right_floor = out.right;
        out.left_floor = std::max(at_least.left_floor, out.left_floor - items_.slack());
        out.right_floor = std::max(at_least.right_floor, out.right_floor - items_.slack());
        pause();
        return out;
    }

    // Divides a node by a test.
    void divide_lists(const ItemNode& node, const Line& line, u32 cut, ItemNode& a, ItemNode& b) {
        mark_left(items_, node, line, cut, marks_);
        divide(items_, node, marks_, a, b);
        if (bits_ != nullptr) bits_->divide(node, line, cut, a, b);
    }

    // Of nodes that are sets of bits: whether their search needs their lists, too.
    static bool needs_lists(Size size) { return size.depth > 0 && (size.depth != 2 || !size.is_full()); }

    // Raises what two nodes cost at least until both are exact, or together reach `best`.
    void raise(const ItemNode& a, Size of_a, const ItemNode& b, Size of_b, i64 best, i64& left, i64& right) {
        left = std::max(left, remembered(a, of_a));
        right = std::max(right, remembered(b, of_b));
        const bool left_first = bits_ != nullptr ? a.full >= b.full : a.m >= b.m;
        for (const bool is_left : {left_first, !left_first}) {
            if (left + right >= best || stop_.stopped()) return;
            i64 &one = is_left ? left : right, &other = is_left ? right : left;
            // A little more than is needed: the cuts nearby profit from a higher bound.
            one = std::max(one, solve(is_left ? a : b, is_left ? of_a : of_b, best - other + best / 4));
        }
    }

    // The first cut of a line that costs no more than `cost`; none: kNoCut.
    static constexpr u32 kNoCut = std::numeric_limits<u32>::max();
    u32 first_cut(const ItemNode& node, Size size, Level& own, std::size_t j, i64 cost) {
        CutsOfLine& line = own.cuts[j];
        u32 hit = kNoCut;
        for (const CutsOfLine::Point& point : line.points)
            if (hit == kNoCut && point.left + point.right <= cost && line.is_cut(point.index))
                hit = static_cast<u32>(point.index);
        while (!stop_.now()) {
            line.candidates(cost + 1, size.depth == 2 ? Batch<T>::kLanes : 1, own.picked);
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
            if (size.depth == 2) last_.try_wanted(own, cost + 1);
            for (u32 index : own.picked) {
                if (size.depth > 2) {
                    const Sides own_cost = sides(node, size, line, index, cost + 1);
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
    bool time_over() { return stop_.now(); }

  private:
    i64 remembered(const ItemNode& node, Size size) {
        CostMemo::Entry known;
        return memo_.find(node.key, size.code(), known) ? known.bound : 0;
    }

    const Items& items_;
    CostMemo& memo_;
    Stop& stop_;
    const i64 price_, min_rows_;
    OptimalSearch* const floor_;
    const TestBits* const bits_;  // null: nodes have lists only
    TwoLevels<T> last_;
    std::vector<u8> marks_;
    std::vector<Level> levels_;
};

}  // namespace hornbeam::optimal
