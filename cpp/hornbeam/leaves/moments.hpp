// Moments: what least squares needs to know of some rows, and no more: their weight, the means of the columns and of
// the target, and the sums of products of deviations from those means.
//
// Moments add up like Stats (Chan, Golub & LeVeque 1979): with d the difference of two groups' means,
//     products(a + b) = products(a) + products(b) + d d' w_a w_b / (w_a + w_b)
// so that the rows are read once, and the moments of every inner node follow from those of its children, in the order
// of the tree. Within a group the products are summed in 128-bit integers, on a grid of 51 bits around the middle of
// the group's values: no order of rows changes them.
#pragma once

#include <span>
#include <vector>

#include "hornbeam/types.hpp"

namespace hornbeam {

// The last of `width` variables is the target.
struct RowMoments {
    double weight = 0;
    double low = std::numeric_limits<double>::infinity(), high = -low;  // of the target
    bool point = true;            // one row, or none: all products are 0, whatever `product` holds
    std::vector<double> mean;     // width
    std::vector<double> product;  // width * width, the lower triangle

    explicit RowMoments(std::size_t width = 0) : mean(width), product(width * width) {}
    void clear();
    void add(const RowMoments& other);
    // The same; `other` may be left with anything.
    void take(RowMoments& other);

  private:
    std::vector<double> apart_;  // of the means, while groups are added
};

// Entries (row, weight) of one group, and the numbers they have: `columns` may hold NaN for a gap, which counts as the
// mean of the group's known values, or as `fallback` where none is known.
struct GroupRows {
    const std::vector<ColumnView>& columns;
    std::span<const double> target;
    std::span<const double> fallback;
    std::span<const i64> row;        // of each entry
    std::span<const double> weight;  // of each entry; empty: all 1
    std::span<const u32> entries;    // which entries are of this group
};

// Reads a group twice: once for the range of every variable, which decides its grid; then block by block, so that the
// memory it takes does not grow with the group.
class Summing {
  public:
    // Replaces `out`.
    void sum(const GroupRows& group, RowMoments& out);

  private:
    struct Scaled {
        double centre = 0, unit = 1;
        double fill = 0;  // where a gap counts, in units from the centre
        bool usable = true, constant = false;
    };
    void sum_one(const GroupRows& group, RowMoments& out) const;
    Scaled scale(const GroupRows& group, std::size_t j, RowMoments& out) const;
    double known_mean(const GroupRows& group, std::size_t j, const Scaled& scaled) const;
    void add_block(const GroupRows& group, std::size_t begin, std::size_t end);
    void finish(const GroupRows& group, RowMoments& out) const;

    std::vector<Scaled> scaled_;
    std::vector<i64> grid_;               // one block, variable by variable, the ones last
    std::vector<i128> first_, products_;  // sums of variables, and of products of two
    double largest_root_ = 1, one_ = 1;   // roots of weights: the largest, and the unit of their grid
};

}  // namespace hornbeam
