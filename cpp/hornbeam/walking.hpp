// Walking: rows through a tree that is being pruned, several at once.
//
// A row reads one small record of each node. Several rows go together, so that one's memory access hides behind the
// others'. Thresholds alone are walked; a row that meets a gap, a category never seen or another test is given back.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "types.hpp"

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
    u8 is_leaf, is_threshold;
};

// The columns of a table. If all lie alike in memory, a value is read without asking how.
class Values {
  public:
    explicit Values(const std::vector<ColumnView>& columns) : columns_(columns) {
        for (const ColumnView& column : columns) {
            at_.push_back(column.data);
            alike_ = alike_ && column.type == columns[0].type && column.stride == columns[0].stride;
        }
    }

    // Calls use(value): value(column, row) is NaN for a gap, -infinity for a category never seen.
    template <class Use>
    void read_by(Use&& use) const {
        if (!alike_ || columns_.empty() || columns_[0].type == ValueType::codes)
            use([this](i32 column, i64 row) {
                return columns_[static_cast<std::size_t>(column)].value(static_cast<std::size_t>(row));
            });
        else if (columns_[0].type == ValueType::f32)
            use(alike<float>());
        else
            use(alike<double>());
    }
    double operator()(i32 column, i64 row) const {
        return columns_[static_cast<std::size_t>(column)].value(static_cast<std::size_t>(row));
    }
    void fetch(i32 column, i64 row) const {
        const ColumnView& view = columns_[static_cast<std::size_t>(column)];
        __builtin_prefetch(view.data + row * view.stride);
    }

  private:
    template <class T>
    auto alike() const {
        return [at = at_.data(), stride = columns_[0].stride](i32 column, i64 row) {
            T value;
            std::memcpy(&value, at[column] + row * stride, sizeof(T));
            return static_cast<double>(value);
        };
    }

    const std::vector<ColumnView>& columns_;
    std::vector<const std::byte*> at_;
    bool alike_ = true;
};

class Steps {
  public:
    static constexpr i32 kOdd = -1;

    void add(double threshold, i32 column, bool is_threshold) {
        steps_.push_back({threshold, {-1, -1}, column, 0, is_threshold});
    }
    const Step& operator[](std::size_t node) const { return steps_[node]; }

    // The node is a leaf from now on.
    void end(std::size_t node) {
        const auto self = static_cast<i32>(node);
        steps_[node] = {std::numeric_limits<double>::infinity(), {self, self}, 0, 1, 0};
    }
    void link(std::size_t node, std::size_t first, std::size_t second) {
        steps_[node].next[0] = static_cast<i32>(first);
        steps_[node].next[1] = static_cast<i32>(second);
    }
    static bool is_plain(const Step& step, double x) {
        return step.is_threshold && x > -std::numeric_limits<double>::infinity();
    }

    // The leaf of each entry, from a node down; kOdd if it met anything but thresholds.
    void walk(const Values& values, std::size_t from, std::span<const Entry> rows, i32* out) const {
        values.read_by([&](auto&& value) {
            std::size_t i = 0;
            for (; i + kTogether <= rows.size(); i += kTogether) {
                for (std::size_t k = i + kTogether; k < std::min(rows.size(), i + 2 * kTogether); ++k)
                    values.fetch(steps_[from].column, rows[k].row);
                together<kTogether>(value, from, rows.data() + i, out + i);
            }
            for (; i < rows.size(); ++i) together<1>(value, from, rows.data() + i, out + i);
        });
    }

  private:
    static constexpr std::size_t kTogether = 8;

    template <std::size_t n, class Value>
    void together(Value&& value, std::size_t from, const Entry* rows, i32* out) const {
        i32 at[n];
        std::fill_n(at, n, static_cast<i32>(from));
        u32 odd = 0;
        for (i32 moved = 1; moved != 0;) {
            moved = 0;
            for (std::size_t i = 0; i < n; ++i) {
                const Step& step = steps_[static_cast<std::size_t>(at[i])];
                const double x = value(step.column, rows[i].row);
                const bool plain = step.is_leaf || is_plain(step, x);
                odd |= static_cast<u32>(!plain) << i;
                const i32 next = plain ? step.next[x > step.threshold] : at[i];
                moved |= next ^ at[i];
                at[i] = next;
            }
        }
        for (std::size_t i = 0; i < n; ++i) out[i] = odd >> i & 1 ? kOdd : at[i];
    }

    std::vector<Step> steps_;
};

}  // namespace hornbeam
