// What a search for optimal trees carries along: when to stop, which test was chosen, and for each level of the tree
// the lines of the node that is being searched there.
#pragma once

#include <atomic>
#include <chrono>

#include "hornbeam/optimal/test_pairs.hpp"

namespace hornbeam::optimal {

// Ends every search under way: at a time, or when somebody says so.
class Stop {
  public:
    using Clock = std::chrono::steady_clock;
    explicit Stop(double seconds)
        : endless_(!(seconds < 1e9)),
          end_(Clock::now() + std::chrono::microseconds(endless_ ? 0 : static_cast<i64>(seconds * 1e6))) {}
    bool now() {
        if (!endless_ && !stopped() && Clock::now() >= end_) set();
        return stopped();
    }
    void set() { stopped_.store(true, std::memory_order_relaxed); }
    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

  private:
    const bool endless_;
    const Clock::time_point end_;
    std::atomic<bool> stopped_{false};
};

// A test by the number of its line and the number of items left of it; line 0: none.
struct Chosen {
    u32 line = 0;
    u32 cut = 0;
};
inline constexpr u32 kFirstLine = 2;  // 1 stands for a leaf

// How large a tree may be: d levels have at most 2^d leaves, n leaves at most n - 1 levels.
struct Size {
    int depth = 0;
    i32 leaves = 1;

    static constexpr int kDeepest = 20;  // of trees whose leaves are counted
    static i32 most_leaves(int depth) { return i32{1} << std::min(depth, kDeepest); }
    static Size of(int depth, i32 leaves) {
        if (leaves <= 0 || leaves >= most_leaves(depth)) return {depth, most_leaves(depth)};
        depth = std::min(depth, static_cast<int>(leaves) - 1);
        return {depth, std::min(leaves, most_leaves(depth))};
    }
    bool is_full() const { return leaves == most_leaves(depth); }
    Size shallower() const { return of(depth - 1, leaves); }
    Size left_of(const Line& line) const { return of(depth - 1, line.left_leaves); }
    Size right_of(const Line& line) const { return of(depth - 1, line.right_leaves); }
    int code() const { return depth + 64 * static_cast<int>(leaves); }
};

// The lines of a node and their cuts.
struct Level {
    std::vector<Line> lines;
    std::vector<CutsOfLine> cuts;
    std::vector<u32> picked;
    std::vector<std::size_t> open_lines;
    std::vector<std::pair<std::size_t, u32>> wanted, tried;
    ItemNode a, b;

    // Opens the lines of a node, in the order of its columns: where leaves are counted, one for each way to share them.
    void open(const Items& items, const ItemNode& node, Size size, i64 min_rows) {
        lines.clear();
        const i32 half = Size::most_leaves(size.depth - 1);
        const i32 fewest = size.is_full() ? 0 : std::max<i32>(1, size.leaves - half);
        const i32 most = size.is_full() ? 0 : std::min<i32>(half, size.leaves - 1);
        const auto add = [&](Line line) {
            if (cuts.size() < lines.size() + 1) cuts.resize(2 * lines.size() + 1);
            CutsOfLine& first = cuts[lines.size()];
            first.open(items, node, line, items.problem().price, min_rows);
            const std::size_t of_first = lines.size();
            const u32 number = line.number;
            for (i32 left = fewest; left <= most; ++left) {
                line.left_leaves = left;
                line.right_leaves = size.is_full() ? 0 : size.leaves - left;
                line.number = number + n_lines(items) * static_cast<u32>(left);
                if (cuts.size() < lines.size() + 1) cuts.resize(2 * lines.size() + 1);
                if (lines.size() > of_first) cuts[lines.size()] = cuts[of_first];
                cuts[lines.size()].line = line;
                lines.push_back(line);
            }
        };
        std::size_t set = 0;
        for (std::size_t c = 0; c < items.n_columns(); ++c) {
            const u32 number = kFirstLine + 2 * static_cast<u32>(c);
            if (items.problem().columns[c].nominal) {
                for (; set < items.sets.size() && items.sets[set].column == c; ++set)
                    add({c, false, &items.sets[set],
                         kFirstLine + 2 * static_cast<u32>(items.n_columns()) + static_cast<u32>(set)});
            } else if (node.known[c] > 0) {
                add({c, false, nullptr, number});
                if (node.known[c] < node.m) add({c, true, nullptr, number + 1});
            }
        }
    }

    // What the node costs at least with a level less.
    void set_whole(i64 whole) {
        for (std::size_t j = 0; j < lines.size(); ++j) cuts[j].set_whole(whole);
    }

    static u32 n_lines(const Items& items) {
        return kFirstLine + 2 * static_cast<u32>(items.n_columns()) + static_cast<u32>(items.sets.size());
    }
    static Line line_of(const Items& items, u32 number, Size size) {
        const auto left = static_cast<i32>(number / n_lines(items));
        const u32 i = number % n_lines(items) - kFirstLine, n_columns = static_cast<u32>(items.n_columns());
        const i32 right = left > 0 ? size.leaves - left : 0;
        if (i < 2 * n_columns) return {i / 2, i % 2 == 1, nullptr, number, left, right};
        const ValueSet& set = items.sets[i - 2 * n_columns];
        return {set.column, false, &set, number, left, right};
    }
};

}  // namespace hornbeam::optimal
