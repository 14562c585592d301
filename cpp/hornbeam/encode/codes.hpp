// The folder encode/ turns values into small integers before a tree grows: cuts of numeric columns, codes, ranks and
// sorted orders.
//
// Codes: every column coded once, before growth, by its cuts (cuts.hpp).
//
//   group 0                group 1                 wide columns keep the caller's 32-bit codes
//   row 0  [a b c d]       row 0  [e f g h]
//   row 1  [a b c d]       row 1  [e f g h]        one byte a cell; the columns of a group lie side by side, so
//   ...                    ...                     one cache line of a row feeds several histograms
#pragma once

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "hornbeam/encode/cuts.hpp"
#include "hornbeam/threads/pool.hpp"
#include "hornbeam/types.hpp"

namespace hornbeam {

// Thrown while coding; the caller knows the column's name.
struct InfiniteValue : std::runtime_error {
    explicit InfiniteValue(i32 at) : std::runtime_error("infinite value"), column(at) {}
    i32 column;
};

struct Group {
    std::vector<i32> columns;
    u32 width = 0;                // bytes a row: columns.size(), rounded up to a multiple of 4
    std::shared_ptr<u8[]> codes;  // its own, or lent

    const u8* row(std::size_t r) const { return codes.get() + r * width; }
};

struct CodedColumn {
    i32 group = -1;  // -1: wide
    u32 offset = 0;
    bool exact = true;             // a code stands for one value
    bool tied = false;             // many rows have the same value
    std::array<u8, kBins> flat{};  // 1: this code stands for one value
    std::variant<std::monostate, Cuts<float>, Cuts<double>> cuts;

    bool wide() const { return group < 0; }
};

struct SavedCuts {
    bool maybe_exact = true, tied = false;
    std::vector<double> cuts;
};

class Codes {
  public:
    static constexpr std::size_t kSample = 8192;

    // `bin_bytes` is the size of one histogram bin; a group's histograms should fit the first-level cache.
    Codes(const std::vector<ColumnView>& columns, std::size_t n_rows, std::size_t bin_bytes, Pool& pool);

    // The same step by step, for rows that are some of many: cuts follow from the samples of all of them, and what is
    // known of columns from all flags. Before `code` there are no codes.
    Codes(const std::vector<ColumnView>& columns, std::size_t bin_bytes);
    std::vector<double> sample(i32 j, std::size_t n_rows, std::size_t most = kSample) const;
    void set_cuts(i32 j, const std::vector<double>& sample);
    // The cuts of a column as doubles, and the same cuts again.
    SavedCuts saved_cuts(i32 j) const;
    void set_cuts(i32 j, const SavedCuts& cuts);
    // Memory for the codes of so many rows: `bytes_for(n)` of them, which may hold them already.
    std::size_t bytes_for(std::size_t n_rows) const;
    void lend(u8* memory, std::size_t n_rows);
    std::vector<CodingFlags> code(std::size_t n_rows, Pool& pool);
    void settle(const std::vector<CodingFlags>& flags);

    const std::vector<Group>& groups() const { return groups_; }
    const CodedColumn& column(i32 j) const { return columns_[static_cast<std::size_t>(j)]; }

    i32 code(i32 j, std::size_t row) const {
        const CodedColumn& coded = column(j);
        if (coded.wide()) return views_[static_cast<std::size_t>(j)].raw<i32>(row);
        return groups_[static_cast<std::size_t>(coded.group)].row(row)[coded.offset];
    }
    // Whether all rows of the table that have this code have one value.
    bool flat(i32 j, i32 code) const { return column(j).flat[static_cast<std::size_t>(code)] != 0; }
    // What lies between these values falls into bin `code`; for the first and the last bin a guess.
    std::pair<double, double> edges(i32 j, i32 code) const;
    // The code of a value that is there.
    i32 code_of(i32 j, double value) const;
    // The largest value of bin `code` if the column is exact; NaN otherwise.
    double exact_value(i32 j, i32 code) const;

  private:
    void code_block(std::size_t first, std::size_t n, Group& group, std::vector<CodingFlags>& flags) const;

    const std::vector<ColumnView>& views_;
    std::vector<Group> groups_;
    std::vector<CodedColumn> columns_;
};

// Codes that several trees of one table share: made by whoever needs them first, once.
class SharedCodes {
  public:
    const Codes& get(const std::vector<ColumnView>& columns, std::size_t n_rows, std::size_t bin_bytes, Pool& pool) {
        std::lock_guard lock(mutex_);
        if (!codes_) codes_ = std::make_unique<Codes>(columns, n_rows, bin_bytes, pool);
        return *codes_;
    }
    void clear() { codes_ = nullptr; }

  private:
    std::mutex mutex_;
    std::unique_ptr<Codes> codes_;
};

}  // namespace hornbeam
