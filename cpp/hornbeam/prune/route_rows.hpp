// Walking: rows through a tree that is being pruned, several at once.
//
// A row reads one small record of each node. Several rows go together, so that one's memory access hides behind the
// others'. Thresholds alone are walked; a row that meets a gap, a category never seen or another test is given back.
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

// What a row on its way reads of a node, together in memory. A leaf there is by now leads to itself.
struct Step {
    double threshold;
    i32 next[2];  // where a threshold leads
    i32 column;
    bool is_leaf, is_other;  // other than a threshold

    // Whether the threshold says where a value goes.
    bool is_plain(double x) const { return !is_other & (x > -std::numeric_limits<double>::infinity()); }
};

// The columns of a table. If all lie alike in memory, a value is read without asking how.
class Values {
    // Above their use: a function whose type is deduced must be defined before it is called.
    auto place() const {
        return [stride = columns_[0].stride](i64 row) { return row * stride; };
    }
    template <class T>
    auto alike() const {
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
            alike_ = alike_ && column.type == columns[0].type && column.stride == columns[0].stride;
        }
        short_rows_ = alike_ && !at_.empty() && std::abs(at_.back() - at_.front()) <= 128;
    }

    // Calls use(place, value): value(column, place(row)) is NaN for a gap, -infinity for a category never seen.
    template <class Use>
    void read_by(Use&& use) const {
        if (!alike_ || columns_.empty() || columns_[0].type == ValueType::codes)
            use([](i64 row) { return row; }, [this](i32 column, i64 row) { return (*this)(column, row); });
        else if (columns_[0].type == ValueType::f32)
            use(place(), alike<float>());
        else
            use(place(), alike<double>());
    }
    double operator()(i32 column, i64 row) const {
        return columns_[static_cast<std::size_t>(column)].value(static_cast<std::size_t>(row));
    }
    // Asks for the values of a row, of which `column` is needed first.
    void fetch(i32 column, i64 row) const {
        const ColumnView& view = columns_[static_cast<std::size_t>(column)];
        __builtin_prefetch(view.data + row * view.stride);
        if (!short_rows_) return;
        __builtin_prefetch(at_.front() + row * view.stride);
        __builtin_prefetch(at_.back() + row * view.stride);
    }

  private:
    const std::vector<ColumnView>& columns_;
    std::vector<const std::byte*> at_;
    bool alike_ = true, short_rows_ = false;  // short: a row is in two or three lines of the cache
};

class Strides {
  public:
    static constexpr i32 kOdd = -1;

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
    void walk(const Values& values, std::size_t from, std::span<const Entry> rows, i32* out) const {
        values.read_by([&](auto&& place, auto&& value) {
            std::size_t i = 0;
            for (; i + 8 <= rows.size(); i += 8) {
                for (std::size_t k = i + 16; k < std::min(rows.size(), i + 24); ++k)
                    values.fetch(steps_[from].column, rows[k].row);
                together<8>(place, value, from, rows.data() + i, out + i);
            }
            for (; i + 3 <= rows.size(); i += 3) together<3>(place, value, from, rows.data() + i, out + i);
            for (; i < rows.size(); ++i) together<1>(place, value, from, rows.data() + i, out + i);
        });
    }

  private:
    // There is no branch but the loop's: an odd row goes anywhere.
    template <std::size_t n, class Place, class Value>
    void together(Place&& place, Value&& value, std::size_t from, const Entry* rows, i32* out) const {
        i32 at[n];
        std::ptrdiff_t row[n];
        for (std::size_t i = 0; i < n; ++i) {
            at[i] = static_cast<i32>(from);
            row[i] = place(rows[i].row);
        }
        u32 odd = 0;
        for (i32 moved = 1; moved != 0;) {
            moved = 0;
            for (std::size_t i = 0; i < n; ++i) {
                const Step& step = steps_[static_cast<std::size_t>(at[i])];
                const double x = value(step.column, row[i]);
                odd |= static_cast<u32>(!(step.is_leaf | step.is_plain(x))) << i;
                const i32 next = step.next[x > step.threshold];
                moved |= next ^ at[i];
                at[i] = next;
            }
        }
        for (std::size_t i = 0; i < n; ++i) out[i] = odd >> i & 1 ? kOdd : at[i];
    }

    std::vector<Step> steps_;
};

}  // namespace hornbeam
