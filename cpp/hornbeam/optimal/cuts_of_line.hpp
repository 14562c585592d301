// The cuts of one line at one node, and what is known of their two sides.
//
// As a cut moves right, its left side gains items and can only cost more, its right side only less; and no item that
// changes sides saves more than its `full`. So two cuts that were searched bound all cuts between them, and most cuts
// are never searched. Where leaves have a least size, fewer items may cost more, since they allow fewer tests; what
// holds for more items then is what they cost without that limit, the *floor*.
#pragma once

#include "hornbeam/optimal/batch.hpp"

namespace hornbeam::optimal {

class CutsOfLine {
  public:
    struct Point {
        i64 index;        // of the cut; -1 and the number of cuts stand for the ends
        i64 left, right;  // what the sides cost at least
        i64 left_floor, right_floor;
    };

    void open(const Items& items, const ItemNode& node, const Line& of, i64 price, i64 min_rows) {
        line = of;
        points.clear();
        closed_ = false;
        all_ = node.full;
        const u32* list = node.list(of.column);
        const u32 known = node.known[of.column];
        cut.clear();
        weight.clear();
        square.clear();
        i64 full = 0, rows = 0, squares = 0;
        const auto add = [&](u32 item) {
            full += items.full[item];
            if (min_rows > 1) rows += items.n_rows[item];
            if (items.is_real()) squares += items.square[item];
        };
        const auto offer = [&](u32 at) {
            if (min_rows > 1 && (rows < min_rows || node.n_rows - rows < min_rows)) return;
            cut.push_back(at);
            weight.push_back(full);
            if (items.is_real()) square.push_back(squares);
        };
        if (of.set != nullptr) {
            u32 n_left = 0;
            for (u32 i = 0; i < node.m; ++i)
                if (of.set->has(items.code(of.column, list[i] & kItem))) add(list[i] & kItem), ++n_left;
            if (n_left > 0 && n_left < node.m) offer(0);
        } else {
            for (u32 i = known; of.missing_left && i < node.m; ++i) add(list[i]);
            // Behind the last known item there is a cut only if missing ones lie right of it.
            const u32 last = of.missing_left || known == node.m ? known - std::min<u32>(known, 1) : known;
            if (min_rows > 1 || items.is_real()) {
                for (u32 i = 0; i < last; ++i) {
                    add(list[i] & kItem);
                    if (list[i] & kEnd) offer(i + 1);
                }
            } else {  // written at once, kept if it is the last item of a value
                std::size_t n = 0;
                for (u32 i = 0; i < last; ++i) n += list[i] >> 31;
                cut.resize(n + 1);
                weight.resize(n + 1);
                n = 0;
                for (u32 i = 0; i < last; ++i) {
                    full += items.full[list[i] & kItem];
                    cut[n] = i + 1;
                    weight[n] = full;
                    n += list[i] >> 31;
                }
                cut.resize(n);
                weight.resize(n);
            }
        }
        points.push_back({-1, price, price, price, price});
        points.push_back({static_cast<i64>(cut.size()), price, price, price, price});
    }

    // Leaves out the cuts that are refused: `allows(cut)` is asked in their order.
    template <class Allows>
    void keep_cuts(Allows allows) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < cut.size(); ++i) {
            if (!allows(cut[i])) continue;
            cut[kept] = cut[i];
            weight[kept] = weight[i];
            if (!square.empty()) square[kept] = square[i];
            ++kept;
        }
        cut.resize(kept);
        weight.resize(kept);
        if (!square.empty()) square.resize(kept);
        points.back().index = static_cast<i64>(kept);
    }

    // What the node costs at least when all its items lie on one side.
    void set_whole(i64 whole) { points.front().right = points.back().left = whole; }

    // The least that any cut costs that was not searched; kNever: there is none.
    i64 bound() const {
        if (closed_) return kNever;
        i64 least = kNever;
        for (std::size_t g = 0; g + 1 < points.size(); ++g) {
            if (points[g + 1].index - points[g].index > 1)
                least = std::min(least, points[g].left_floor + points[g + 1].right_floor);
        }
        return least;
    }
    void close() { closed_ = true; }

    // Cuts that might cost less than `best`: at most `most` of them, evenly spread. Between two points the bound falls
    // and then rises with the weight on the left side, so the cuts of a gap that are left are beside each other.
    void candidates(i64 best, std::size_t most, std::vector<u32>& out) const {
        out.clear();
        spare_.clear();
        std::size_t n = 0;
        for (std::size_t g = 0; g + 1 < points.size(); ++g) {
            const Point &a = points[g], &b = points[g + 1];
            if (b.index - a.index <= 1 || a.left_floor + b.right_floor >= best) continue;
            // Where neither side's own bound rules a cut out: on the left, and on the right, of these.
            const auto at = [&](i64 index) { return weight.begin() + static_cast<std::ptrdiff_t>(index); };
            const i64 least = a.right - best + weight_at(a.index), most_left = best - b.left + weight_at(b.index);
            const auto first = std::partition_point(at(a.index + 1), at(b.index), [&](i64 w) {
                return std::max(a.left_floor, b.left - weight_at(b.index) + w) + least - w >= 0;
            });
            const auto end = std::partition_point(first, at(b.index), [&](i64 w) {
                return w + std::max(b.right_floor, a.right + weight_at(a.index) - w) < most_left;
            });
            if (first == end) continue;
            spare_.push_back({static_cast<u32>(first - weight.begin()), static_cast<u32>(end - first)});
            n += spare_.back().second;
        }
        most = std::min(most, n);
        std::size_t passed = 0, gap = 0;
        for (std::size_t j = 0; j < most; ++j) {
            const std::size_t nth = n <= most ? j : (2 * j + 1) * n / (2 * most);
            while (nth - passed >= spare_[gap].second) passed += spare_[gap++].second;
            out.push_back(spare_[gap].first + static_cast<u32>(nth - passed));
        }
    }

    // The floors of a cut.
    std::pair<i64, i64> floors_at(u32 index) const {
        const std::size_t g = gap_of(index);
        if (points[g].index == index) return {points[g].left_floor, points[g].right_floor};
        return {points[g].left_floor, points[g + 1].right_floor};
    }

    // What a cut costs at least.
    std::pair<i64, i64> sides_at(u32 index) const {
        const std::size_t g = gap_of(index);
        if (points[g].index == index) return {points[g].left, points[g].right};
        return {left_at(g, index), right_at(g, index)};
    }

    // The last point that is not right of a cut.
    std::size_t gap_of(u32 index) const {
        std::size_t g = 0;
        while (points[g + 1].index <= static_cast<i64>(index)) ++g;
        return g;
    }

    void add(u32 index, i64 left, i64 right, i64 left_floor, i64 right_floor) {
        std::size_t p = gap_of(index);
        if (points[p].index != index)
            points.insert(points.begin() + static_cast<std::ptrdiff_t>(++p),
                          {index, left, right, left_floor, right_floor});
        points[p].left = std::max(points[p].left, left);
        points[p].right = std::max(points[p].right, right);
        points[p].left_floor = std::max(points[p].left_floor, left_floor);
        points[p].right_floor = std::max(points[p].right_floor, right_floor);
    }

    bool is_cut(i64 index) const { return index >= 0 && index < static_cast<i64>(cut.size()); }

    i64 weight_at(i64 index) const {
        return index < 0                                  ? 0
               : index == static_cast<i64>(weight.size()) ? all_
                                                          : weight[static_cast<std::size_t>(index)];
    }

    Line line{};
    std::vector<u32> cut;
    std::vector<i64> weight;  // `full` of the left side
    std::vector<i64> square;  // of numbers: `square` of the left side
    std::vector<Point> points;

  private:
    i64 left_at(std::size_t gap, i64 i) const {
        const Point &a = points[gap], &b = points[gap + 1];
        return std::max(a.left_floor, b.left - (weight_at(b.index) - weight[static_cast<std::size_t>(i)]));
    }
    i64 right_at(std::size_t gap, i64 i) const {
        const Point &a = points[gap], &b = points[gap + 1];
        return std::max(b.right_floor, a.right - (weight[static_cast<std::size_t>(i)] - weight_at(a.index)));
    }

    bool closed_ = false;
    i64 all_ = 0;
    mutable std::vector<std::pair<u32, u32>> spare_;
};

}  // namespace hornbeam::optimal
