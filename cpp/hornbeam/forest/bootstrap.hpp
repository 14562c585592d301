// Bootstrap: rows drawn with replacement, as often as their mass says.
//
// Rows are put in an order that depends on what they hold, not on where they stand, and draws fall on positions of the
// whole mass:
//
//   mass    [ 2 | 1 | 3 ]       row a weighs 2, b 1, c 3, in the order of their keys
//   upto    [ 2   3   6 ]
//   draws     ^ ^     ^         position p goes to the first row whose `upto` is above p: a, a, c
//
// so a forest is the same for any order of the rows, and a row of mass 2 is two rows of mass 1. (Efron 1979; Breiman
// 1996.)
#pragma once

#include <span>
#include <vector>

#include "hornbeam/grow/learn.hpp"
#include "hornbeam/threads/pool.hpp"

namespace hornbeam {

// Row r's values and outcome as one number, equal for equal rows; different for different ones, as good as always.
std::vector<u64> row_keys(const std::vector<ColumnView>& columns, std::size_t n_rows, const TargetView& target,
                          Pool& pool);

struct Bootstrap {
    std::span<const i64> order;  // rows by key
    std::span<const i64> upto;   // mass up to and with each of them; empty: 1, 2, ...
    i64 n_draws = 0;

    // How often each row was drawn.
    std::vector<i64> counts(u64 seed) const;
};

}  // namespace hornbeam
