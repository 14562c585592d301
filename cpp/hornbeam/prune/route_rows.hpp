// Routes rows through a tree that is being pruned, several at once.
//
// A row reads one small record of each node. Several rows are routed in step, so that one's memory access hides behind
// the others'. Only thresholds are followed; a row that meets a missing value, a new category or another kind of test
// is reported as not routed.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

#include "hornbeam/types.hpp"

namespace hornbeam {

// A row, or the part of it that is in a leaf.
struct Entry {
    i64 row;
    double weight;
};
using Entries = std::vector<Entry>;

// What routing reads of a node, side by side in memory. A leaf leads to itself.
struct Step {
    double threshold;
    i32 next[2];  // where a threshold leads
    i32 column;
    bool is_leaf, is_other;  // other than a threshold

    // Whether the threshold says where a value goes.
    bool is_plain(double x) const { return !is_other & (x > -std::numeric_limits<double>::infinity()); }
};

// The columns of a table. If all have one type and stride, values are read without looking these up.
class Values {
    // Above their use: a function whose type is deduced must be defined before it is called.
    auto place() const {
        return [stride = columns_[0].stride](i64 row) { return row * stride; };
    }
    template <class T>
    auto value_reader() const {
        return [at = at_.data()](i32 column, std::ptrdiff_t place) {
            T value;
            std::memcpy(&value, at[column] + place, sizeof(T));
            return static_cast<double>(value);
        };
    }

  public:
    explicit Values(const std::vector<ColumnView>& columns) : columns_(columns) {
        for (const ColumnView& column : columns) {
            at_.push_back(column.data);
            same_layout_ = same_layout_ && column.type == columns[0].type && column.stride == columns[0].stride;
        }
        short_rows_ = same_layout_ && !at_.empty() && std::abs(at_.back() - at_.front()) <= 128;
    }

    // Calls use(place, value): value(column, place(row)) is NaN for a gap, -infinity for a category never seen.
    template <class Use>
    void read_by(Use&& use) const {
        if (!same_layout_ || columns_.empty() || columns_[0].type == ValueType::codes)
            use([](i64 row) { return row; }, [this](i32 column, i64 row) { return (*this)(column, row); });
        else if (columns_[0].type == ValueType::f32)
            use(place(), value_reader<float>());
        else
            use(place(), value_reader<double>());
    }
    double operator()(i32 column, i64 row) const {
        return columns_[static_cast<std::size_t>(column)].value(static_cast<std::size_t>(row));
    }
    // Asks for the values of a row, of which `column` is needed first.
    void fetch(i32 column, i64 row) const {
        const ColumnView& view = columns_[static_cast<std::size_t>(column)];
        prefetch(view.data + row * view.stride);
        if (!short_rows_) return;
        prefetch(at_.front() + row * view.stride);
        prefetch(at_.back() + row * view.stride);
    }

  private:
    const std::vector<ColumnView>& columns_;
    std::vector<const std::byte*> at_;
    bool same_layout_ = true, short_rows_ = false;  // short: a row is in two or three lines of the cache
};

// The tree as routing reads it; leaves and links change while it is pruned.
class RowRouter {
  public:
    static constexpr i32 kNotRouted = -1;

    void reserve(std::size_t n_nodes) { steps_.reserve(n_nodes); }
    void add(double threshold, i32 column, SplitKind kind) {
        steps_.push_back({threshold, {-1, -1}, column, false, kind != SplitKind::threshold});
    }
    const Step& operator[](std::size_t node) const { return steps_[node]; }

    // The node is a leaf from now on.
    void end(std::size_t node) {
        const auto self = static_cast<i32>(node);
        steps_[node] = {std::numeric_limits<double>::infinity(), {self, self}, 0, true, false};
    }
    void link(std::size_t node, std::size_t first, std::size_t second) {
        steps_[node].next[0] = static_cast<i32>(first);
        steps_[node].next[1] = static_cast<i32>(second);
    }

    // The leaf of each entry, from a node down; kOdd if it met anything but thresholds.
    void route(const Values& values, std::size_t from, std::span<const Entry> rows, i32* out) const {
        values.read_by([&](auto&& place, auto&& value) {
            std::size_t i = 0;
            for (; i + 8 <= rows.size(); i += 8) {
                for (std::size_t k = i + 16; k < std::min(rows.size(), i + 24); ++k)
                    values.fetch(steps_[from].column, rows[k].row);
                route_some<8>(place, value, from, rows.data() + i, out + i);
            }
            for (; i + 3 <= rows.size(); i += 3) route_some<3>(place, value, from, rows.data() + i, out + i);
            for (; i < rows.size(); ++i) route_some<1>(place, value, from, rows.data() + i, out + i);
        });
    }

  private:
    // There is no branch but the loop's: a row that cannot be routed goes anywhere until the others have arrived.
    template <std::size_t n, class Place, class Value>
    void route_some(Place&& place, Value&& value, std::size_t from, const Entry* rows, i32* out) const {
        i32 at[n];
        std::ptrdiff_t row[n];
        for (std::size_t i = 0; i < n; ++i) {
            at[i] = static_cast<i32>(from);
            row[i] = place(rows[i].row);
        }
        u32 not_routed = 0;
        for (i32 moved = 1; moved != 0;) {
            moved = 0;
            for (std::size_t i = 0; i < n; ++i) {
                const Step& step = steps_[static_cast<std::size_t>(at[i])];
                const double x = value(step.column, row[i]);
                not_routed |= static_cast<u32>(!(step.is_leaf | step.is_plain(x))) << i;
                const i32 next = step.next[x > step.threshold];
                moved |= next ^ at[i];
                at[i] = next;
            }
        }
        for (std::size_t i = 0; i < n; ++i) out[i] = not_routed >> i & 1 ? kNotRouted : at[i];
    }

    std::vector<Step> steps_;
};

}  // namespace hornbeam
