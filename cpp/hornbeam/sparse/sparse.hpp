// The folder sparse/ looks at columns that are mostly zero without writing the zeros down.
//
// A cell is a value other than zero of one column. Cells are numbered by column and, within a column, by value:
//
//   columns          0        1     2
//   values        -1  2  5  | 1  | 1  3
//   cells          0  1  2  | 3  | 4  5          a row is the list of its cells
//
// A tally has the sums of each cell over the rows of a node; what the cells of a column leave of the node are its
// zeros. The columns whose best cut comes near the best of all are named to the core, which decides among them as it
// does among dense columns. So the scores here need to be near, not exact.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "hornbeam/types.hpp"

namespace hornbeam::sparse {

struct CellRows {
    std::span<const i64> start;  // of each row, and the end of the last
    std::span<const i32> cells;

    std::span<const i32> of(i64 row) const {
        const auto at = static_cast<std::size_t>(row);
        return cells.subspan(static_cast<std::size_t>(start[at]), static_cast<std::size_t>(start[at + 1] - start[at]));
    }
};

// What rows add up to. Classes: the weight of each class. Numbers: w, wy, wyy. With `copies`, one more lane counts
// rows; without, the weight does.
struct CellSums {
    int n_classes = 0;  // 0: numbers
    std::span<const i32> codes;
    std::span<const double> weights;  // of classes; none: each is 1
    std::span<const double> sums;     // of numbers: three for each row
    std::span<const double> copies;

    int n_lanes() const { return (n_classes > 0 ? n_classes : 3) + (copies.empty() ? 0 : 1); }
    void add(i64 row, double sign, double* lanes) const;
};

// Adds rows to a tally, or takes them away with a sign of -1.
void add_rows(const CellRows& rows, std::span<const i64> chosen, const CellSums& outcome, double sign, double* tally);

struct CellColumns {
    std::span<const i32> start;  // the first cell of each column, and the end of the last
    std::span<const i32> below;  // how many cells of each column are below zero
};

struct CutLimits {
    double rows = 1;    // on either side of a cut
    double weight = 0;  // likewise
};

// The columns, ascending, whose best cut scores nearly as much as the best of all; none if no cut is allowed.
std::vector<i32> best_columns(const CellColumns& cells, std::span<const double> tally, std::span<const double> total,
                              const CellSums& outcome, std::string_view criterion, const CutLimits& limits);

// The columns in which some rows differ, ascending, and their values with zeros, one column after the other.
template <class T>
struct DenseBlock {
    std::vector<i32> columns;
    std::vector<T> values;
    bool fits = true;  // false: it would have more than `most` values, and none are here
};
template <class T>
DenseBlock<T> dense_block(const CellRows& rows, std::span<const i64> chosen, std::span<const i32> column_of_cell,
                          std::span<const T> value_of_cell, i32 n_columns, std::size_t most);

// The leaf of each row of a matrix stored by rows; every test compares a column with a threshold.
struct ThresholdTree {
    std::span<const std::int8_t> kind;
    std::span<const i32> first_child, column;
    std::span<const double> threshold;
};
template <class T>
void leaves_of_rows(const ThresholdTree& tree, std::span<const i64> start, std::span<const i32> columns,
                    std::span<const T> values, i32 n_columns, i32* leaves);

}  // namespace hornbeam::sparse
