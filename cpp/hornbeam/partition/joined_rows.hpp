// Rows of several tables copied into one: nodes of few rows are grown to the end there.
#pragma once

#include "hornbeam/grow/learn_target.hpp"

namespace hornbeam {

class JoinedRows {
  public:
    // Columns like those of a table, without rows yet.
    explicit JoinedRows(const std::vector<ColumnView>& like) : columns(like), bytes_(like.size()) {
        for (ColumnView& view : columns) view.stride = width(view);
    }

    void clear() {
        for (auto& bytes : bytes_) bytes.clear();
        id_.clear();
        carry_.clear();
        codes_.clear();
        values_.clear();
        weights_.clear();
        counts_.clear();
    }
    void add(const TablePart& table, const Rows& rows) {
        for (std::size_t j = 0; j < columns.size(); ++j) {
            const ColumnView& view = (*table.columns)[j];
            for (std::size_t i = 0; i < rows.n; ++i) {
                const std::byte* at = view.data + static_cast<std::ptrdiff_t>(rows.id[i]) * view.stride;
                bytes_[j].insert(bytes_[j].end(), at, at + width(view));
            }
        }
        for (std::size_t i = 0; i < rows.n; ++i) {
            id_.push_back(static_cast<u32>(id_.size()));
            take(table.target.codes, rows.id[i], codes_);
            take(table.target.values, rows.id[i], values_);
            take(table.target.weights, rows.id[i], weights_);
            take(table.target.counts, rows.id[i], counts_);
        }
        carry_.insert(carry_.end(), rows.carry, rows.carry + rows.n * rows.carry_size);
    }
    // Shows the rows to whoever looks at `columns` and at the table's target.
    Rows view(TablePart& table) {
        for (std::size_t j = 0; j < columns.size(); ++j) columns[j].data = bytes_[j].data();
        const int n_classes = table.target.n_classes;
        table.target = {n_classes, codes_, values_, weights_, counts_};
        return {id_.data(), carry_.data(), id_.size(), id_.empty() ? 0 : carry_.size() / id_.size()};
    }

    std::vector<ColumnView> columns;

  private:
    static std::ptrdiff_t width(const ColumnView& view) { return view.type == ValueType::f64 ? 8 : 4; }
    template <class T>
    static void take(std::span<const T> from, u32 row, std::vector<T>& to) {
        if (!from.empty()) to.push_back(from[row]);
    }

    std::vector<std::vector<std::byte>> bytes_;
    std::vector<u32> id_;
    std::vector<std::byte> carry_;
    std::vector<i32> codes_;
    std::vector<double> values_, weights_;
    std::vector<i64> counts_;
};

}  // namespace hornbeam
