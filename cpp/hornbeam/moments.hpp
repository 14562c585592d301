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

#include "types.hpp"

namespace hornbeam {

// The last of `width` variables is the target.
struct Moments {
    double weight = 0;
    double low = std::numeric_limits<double>::infinity(), high = -low;  // of the target
    std::vector<double> mean;                                           // width
    std::vector<double> product;                                        // width * width, the lower triangle

    explicit Moments(std::size_t width = 0) : mean(width), product(width * width) {}
    void clear();
    void add(const Moments& other);
};

// Entries (row, weight) of one group, and the numbers they have: `columns` may hold NaN for a gap, which counts as the
// mean of the group's known values, or as `fallback` where none is known.
struct Group {
    const std::vector<ColumnView>& columns;
    std::span<const double> target;
    std::span<const double> fallback;
    std::span<const i64> row;        // of each entry
    std::span<const double> weight;  // of each entry; empty: all 1
    std::span<const u32> entries;    // which entries are of this group
};

class Summing {
  public:
    // Replaces `out`.
    void sum(const Group& group, Moments& out);

  private:
    struct Scaled {
        double centre, unit, mean;
        bool usable;
    };
    Scaled scale(const Group& group, std::size_t j, double largest_root);
    double known_mean(const Group& group, std::span<const double> values, double centre, double unit,
                      double largest_root);

    std::vector<double> values_, root_;
    std::vector<i64> grid_;  // variable by variable
    std::vector<Scaled> scaled_;
};

}  // namespace hornbeam
