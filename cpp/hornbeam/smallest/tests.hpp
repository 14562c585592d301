// The tests a set of rows can be parted by, in the order that settles ties: columns as they stand; cuts from the
// lowest; values in domain order; of value sets the side of the first present value, fewest values first, then
// lexicographic. A test that leaves all rows together is none.
#pragma once

#include <algorithm>
#include <span>

#include "hornbeam/smallest/rowset.hpp"
#include "hornbeam/smallest/smallest.hpp"

namespace hornbeam {

// The rows of each value of a column.
template <int W>
struct ValueRows {
    SplitKind split;
    std::vector<RowSet<W>> values;

    i32 branches() const { return split == SplitKind::multiway ? static_cast<i32>(values.size()) : 2; }
};

// The value sets of p present values as bits (bit 0 is the first value, which is always in), in order; made once.
class ValueSets {
  public:
    const std::vector<u32>& of(std::size_t p) {
        if (made_.size() <= p) made_.resize(p + 1);
        std::vector<u32>& sets = made_[p];
        if (sets.empty()) {
            for (u32 rest = 0; rest + 1 < u32{1} << (p - 1); ++rest) sets.push_back(2 * rest + 1);
            std::sort(sets.begin(), sets.end(), [](u32 a, u32 b) {
                const int n = std::popcount(a), m = std::popcount(b);
                return n != m ? n < m : ((a ^ b) & (0 - (a ^ b)) & a) != 0;  // the lowest value in one of them only
            });
        }
        return sets;
    }

  private:
    std::vector<std::vector<u32>> made_;
};

template <int W>
class TestsOf {
  public:
    explicit TestsOf(const SmallestProblem& problem) {
        for (const SmallestColumn& column : problem.columns) {
            ValueRows<W> rows{column.split, std::vector<RowSet<W>>(static_cast<std::size_t>(column.n_values))};
            for (std::size_t i = 0; i < column.codes.size(); ++i)
                rows.values[static_cast<std::size_t>(column.codes[i])].add(i);
            most_branches_ = std::max(most_branches_, rows.branches());
            columns_.push_back(std::move(rows));
        }
    }

    i32 most_branches() const { return most_branches_; }
    // How many tests of a path can lead to their first branch.
    u64 most_yes() const {
        const auto one = [](const ValueRows<W>& column) { return column.split == SplitKind::equals; };
        return std::all_of(columns_.begin(), columns_.end(), one) ? columns_.size() : kMostSmallestRows;
    }

    // visit(column, branches, branches without rows) for each test, until it returns true.
    template <class Visit>
    void each(const RowSet<W>& rows, Visit visit) {
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const ValueRows<W>& column = columns_[c];
            present_.clear();
            for (const RowSet<W>& value : column.values)
                if (const RowSet<W> here = rows & value; !here.empty()) present_.push_back(here);
            if (present_.size() >= 2 && each_of(column, static_cast<i32>(c), rows, visit)) return;
        }
    }

    // Whether one binary test parts the rows into `one` and the others.
    bool separates(const RowSet<W>& rows, const RowSet<W>& one) const {
        const RowSet<W> other = rows - one;
        return std::any_of(columns_.begin(), columns_.end(),
                           [&](const ValueRows<W>& column) { return separates(column, rows, one, other); });
    }

  private:
    template <class Visit>
    bool each_of(const ValueRows<W>& column, i32 c, const RowSet<W>& rows, Visit& visit) {
        const std::size_t p = present_.size();
        const auto two = [&](const RowSet<W>& first) {
            const std::array<RowSet<W>, 2> sides{first, rows - first};
            return visit(c, std::span<const RowSet<W>>(sides), 0);
        };
        RowSet<W> first;
        switch (column.split) {
            case SplitKind::multiway:
                return visit(c, std::span<const RowSet<W>>(present_), static_cast<i32>(column.values.size() - p));
            case SplitKind::equals:  // of two values the second says nothing new
                for (std::size_t i = 0; i < (p == 2 ? 1 : p); ++i)
                    if (two(present_[i])) return true;
                return false;
            case SplitKind::subset:
                for (u32 set : sets_.of(p)) {
                    first = {};
                    for (std::size_t i = 0; i < p; ++i)
                        if (set >> i & 1) first = first | present_[i];
                    if (two(first)) return true;
                }
                return false;
            default:
                for (std::size_t i = 0; i + 1 < p; ++i) {
                    first = first | present_[i];
                    if (two(first)) return true;
                }
                return false;
        }
    }

    static bool separates(const ValueRows<W>& column, const RowSet<W>& rows, const RowSet<W>& one,
                          const RowSet<W>& other) {
        if (column.split == SplitKind::equals)
            return std::any_of(column.values.begin(), column.values.end(), [&](const RowSet<W>& value) {
                const RowSet<W> here = rows & value;
                return here == one || here == other;
            });
        const auto pure = [&](const RowSet<W>& here) { return here.inside(one) || here.inside(other); };
        if (column.split == SplitKind::subset)
            return std::all_of(column.values.begin(), column.values.end(),
                               [&](const RowSet<W>& value) { return pure(rows & value); });
        RowSet<W> low;  // grows from the lowest value while it is pure
        for (const RowSet<W>& value : column.values) {
            low = low | (rows & value);
            if (low == one || low == other) return true;
            if (!pure(low)) return false;
        }
        return false;
    }

    std::vector<ValueRows<W>> columns_;
    i32 most_branches_ = 2;
    ValueSets sets_;
    std::vector<RowSet<W>> present_;  // of the column being visited
};

}  // namespace hornbeam
