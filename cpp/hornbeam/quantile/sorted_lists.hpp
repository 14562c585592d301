// Lists: every column sorted once, each row an entry, and the rows by themselves in the order of y. A node is the same
// range of all lists; a split reorders each list stably by the branch of the row, so nothing is ever sorted again.
//
//   by y         [ 3 0 4 | 1 2 ]     rows are numbered in the order of y
//   by column 0  [ 0 4 3 | 2 1 ]     node A | node B
#pragma once

#include <numeric>

#include "hornbeam/encode/codes.hpp"
#include "hornbeam/quantile/quantile_node.hpp"
#include "hornbeam/search/random_cut.hpp"

namespace hornbeam {

class Lists {
  public:
    // `rows`: the caller's row numbers, in the order of y.
    Lists(const std::vector<ColumnView>& columns, std::vector<u32> rows)
        : columns_(columns), rows_(std::move(rows)), ids_(rows_.size()), branch_(rows_.size()), lists_(columns.size()) {
        std::iota(ids_.begin(), ids_.end(), 0U);
    }

    u32 size() const { return static_cast<u32>(ids_.size()); }
    u32 id(u32 at) const { return ids_[at]; }
    void set_branch(u32 id, u32 branch) { branch_[id] = branch; }
    // The value of an entry's row in a column.
    double value(i32 column, const Ranked& entry) const {
        return columns_[static_cast<std::size_t>(column)].value(rows_[entry.id]);
    }
    std::span<const Ranked> entries(i32 column, u32 begin, u32 end) const {
        return std::span(lists_[static_cast<std::size_t>(column)]).subspan(begin, end - begin);
    }
    // Whether the rows in [begin, end) have one value and no gap, or gaps alone.
    bool is_constant(i32 column, u32 begin, u32 end) const {
        const std::span<const Ranked> list = entries(column, begin, end);
        return list.front().rank == list.back().rank;
    }

    void sort(i32 column) {
        const ColumnView& view = columns_[static_cast<std::size_t>(column)];
        std::vector<std::pair<double, u32>> known;
        std::vector<u32> gaps;
        for (u32 id = 0; id < rows_.size(); ++id) {
            const double x = view.value(rows_[id]);
            if (std::isnan(x))
                gaps.push_back(id);
            else
                known.emplace_back(x + 0.0, id);
        }
        std::sort(known.begin(), known.end());
        std::vector<Ranked>& list = lists_[static_cast<std::size_t>(column)];
        list.reserve(rows_.size());
        const bool coded = view.split != SplitKind::threshold;
        u32 rank = 0;
        for (std::size_t i = 0; i < known.size(); ++i) {
            if (view.is_numeric() && std::isinf(known[i].first)) throw InfiniteValue(column);
            if (i > 0 && known[i].first != known[i - 1].first) ++rank;
            list.push_back({known[i].second, coded ? static_cast<u32>(known[i].first) : rank});
        }
        for (u32 id : gaps) list.push_back({id, kGapRank});
    }

    // The test that this number draws for a column, of values that are not all gaps.
    DrawnPart draw(i32 column, std::span<const Ranked> list, u64 drawn) const {
        DrawnPart out{drawn, 0, std::numeric_limits<double>::quiet_NaN(), {}};
        const std::span<const Ranked> known = list.first(known_size(list));
        if (columns_[static_cast<std::size_t>(column)].split != SplitKind::threshold) {
            std::vector<i32> present;
            for (const Ranked& entry : known)
                if (present.empty() || present.back() != static_cast<i32>(entry.rank))
                    present.push_back(static_cast<i32>(entry.rank));
            out.set = drawn_set(drawn, present);
            return out;
        }
        if (known.front().rank == known.back().rank) return out;
        out.cut = drawn_cut(drawn, value(column, known.front()), value(column, known.back()));
        const auto above = std::partition_point(known.begin(), known.end(),
                                                [&](const Ranked& entry) { return value(column, entry) <= out.cut; });
        out.below = (above - 1)->rank;
        return out;
    }

    // What the winner needs to be written: the values beside its threshold, or those its column has here.
    void describe(std::span<const Ranked> list, Candidate& chosen) const {
        find_neighbours(list, chosen);
        if (std::isnan(chosen.threshold) || std::isinf(chosen.low)) return;
        const std::span<const Ranked> known = list.first(known_size(list));
        chosen.threshold = drawn_threshold(columns_[static_cast<std::size_t>(chosen.column)].kind, chosen.threshold,
                                           value(chosen.column, known.front()), value(chosen.column, known.back()),
                                           chosen.low, chosen.high);
    }
    // Where each branch of the rows in [begin, end) will begin, and the end.
    std::vector<u32> starts(u32 begin, u32 end, std::size_t n_branches) const {
        std::vector<u32> start(n_branches + 1, 0);
        for (u32 i = begin; i < end; ++i) ++start[branch_[ids_[i]] + 1];
        start[0] = begin;
        for (std::size_t b = 0; b < n_branches; ++b) start[b + 1] += start[b];
        return start;
    }
    // Reorder one list, or the rows themselves, by branch. `spare` is memory to work in.
    void part(i32 column, const std::vector<u32>& start, std::vector<Ranked>& spare) {
        reorder(lists_[static_cast<std::size_t>(column)].data(), start, spare, [](const Ranked& e) { return e.id; });
    }
    void part_rows(const std::vector<u32>& start, std::vector<u32>& spare) {
        reorder(ids_.data(), start, spare, [](u32 id) { return id; });
    }

  private:
    void find_neighbours(std::span<const Ranked> list, Candidate& chosen) const {
        for (std::size_t i = 0; i < list.size() && list[i].rank != kGapRank; ++i) {
            if (i > 0 && list[i].rank == list[i - 1].rank) continue;
            if (chosen.kind != SplitKind::threshold) {
                chosen.present.push_back(static_cast<i32>(list[i].rank));
            } else if (!std::isinf(chosen.low)) {
                if (list[i].rank <= static_cast<u32>(chosen.below)) chosen.low = value(chosen.column, list[i]);
                if (list[i].rank > static_cast<u32>(chosen.below)) {
                    chosen.high = value(chosen.column, list[i]);
                    return;
                }
            }
        }
    }
    template <class Item, class Id>
    void reorder(Item* list, const std::vector<u32>& start, std::vector<Item>& spare, Id&& id) const {
        const u32 begin = start.front(), end = start.back();
        spare.resize(std::max<std::size_t>(spare.size(), end - begin));
        if (start.size() == 3) {  // two branches: the first stays in place
            u32 first = begin, other = 0;
            for (u32 i = begin; i < end; ++i) {
                const Item item = list[i];
                const u32 to = branch_[id(item)];
                list[first] = item;
                spare[other] = item;
                first += 1 - to;
                other += to;
            }
            std::copy(spare.data(), spare.data() + other, list + first);
            return;
        }
        std::vector<u32> next = start;
        for (u32 i = begin; i < end; ++i) spare[next[branch_[id(list[i])]]++ - begin] = list[i];
        std::copy(spare.data(), spare.data() + (end - begin), list + begin);
    }

    const std::vector<ColumnView>& columns_;
    std::vector<u32> rows_, ids_, branch_;
    std::vector<std::vector<Ranked>> lists_;
};

}  // namespace hornbeam
