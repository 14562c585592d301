// Sides: the two groups of rows on either side of a cut, while it moves from the smallest value to the largest. One for
// each kind of arithmetic:
//
//   load(rows)         the rows in their order; all of them on the right
//   take(row)          the next of them moves to the left
//   kConvex            whether among cuts between rows of one class the first or the last is the best
//   gain()             how much less impure both sides together are than all, times the weight, up to rounding
//
// What a search finds is judged once more by the core, exactly; so doubles are good enough here.
#pragma once

#include "hornbeam/oblique/goal.hpp"

namespace hornbeam::oblique {

// What all share: the weight on the left, and of all rows that have a value.
struct Weights {
    static constexpr bool kConvex = false;
    explicit Weights(const Goal& goal) : weight_(goal.weight.data()) {}
    double left() const { return left_; }
    double right() const { return all_ - left_; }
    double all() const { return all_; }

  protected:
    const double* weight_;
    double left_ = 0, all_ = 0;
};

}  // namespace hornbeam::oblique
