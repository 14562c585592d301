// The folder survival/ grows trees by the log-rank statistic, which is no sum over rows: what is at risk at each event
// time of a node, and a search that keeps the statistic along a column.
//
// `learn_log_rank` is called by `learn_real` for survival times; the finished nodes have the Stats of rates.
#pragma once

#include "hornbeam/grow/learn_target.hpp"

namespace hornbeam {

TreeArrays learn_log_rank(LearnState& state);

}  // namespace hornbeam
