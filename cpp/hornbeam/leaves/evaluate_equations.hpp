// What the equations in the leaves of a tree answer.
//
// y = intercept + sum of weight * (x - centre)^power, or weight where power is 0 and the value is one of the term's
// codes; a missing value adds the term's `gap` instead. The sum is kept between `low` and `high`.
#pragma once

#include <span>
#include <vector>

#include "hornbeam/threads/pool.hpp"
#include "hornbeam/types.hpp"

namespace hornbeam {

// The pools of a Tree: the entries of node n are those from offset[n] to offset[n + 1], of which there is at most one.
struct ModelView {
    std::span<const i64> offset;
    std::span<const double> intercept, low, high;
    std::span<const i64> term_offset;
    std::span<const i32> column, power;
    std::span<const double> centre, weight, gap;
    std::span<const i64> member_offset;
    std::span<const i32> member;
};

// Entry i is row `rows[i]` (i itself if `rows` is empty) in leaf `leaves[i]`; a leaf without an equation answers `own`.
void evaluate(const ModelView& models, const std::vector<ColumnView>& columns, std::span<const i64> rows,
              std::span<const i32> leaves, std::span<const double> own, Pool& pool, double* out);

}  // namespace hornbeam
