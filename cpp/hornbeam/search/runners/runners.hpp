// Runners: how a fast scan of a sorted list keeps score. A runner walks the entries of one column in value order and
// gives W * decrease at each cut, up to rounding, from a few numbers it updates row by row. What comes near the best is
// then judged exactly, so a runner decides nothing; it only saves work. Outcomes without a runner are judged cut by
// cut.
//
//   start(left)    the state with the rows `left` already on the left side (the missing ones, or none)
//   take(id)       one more row to the left
//   value(n)       W * decrease with n rows on the left
//   left_lanes(n)  the Stats of the left side, exact (for a mean without its squares, which no criterion here asks for)
#pragma once

#include "hornbeam/search/runners/class_weights.hpp"
#include "hornbeam/search/runners/counts.hpp"
#include "hornbeam/search/runners/mean.hpp"
#include "hornbeam/search/runners/rates.hpp"
#include "hornbeam/search/runners/sums.hpp"
#include "hornbeam/search/runners/two_counts.hpp"
#include "hornbeam/search/runners/two_repeats.hpp"
