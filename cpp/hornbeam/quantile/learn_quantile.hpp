// The folder quantile/ grows trees by the pinball loss of a quantile, which is no sum over rows: windows in the order
// of y, buckets with their losses, and a growth of its own.
//
// `learn_quantile` is called by `learn_real` for real targets that are judged by a quantile.
#pragma once

#include "hornbeam/grow/learn_target.hpp"

namespace hornbeam {

// `target_bits`: of the grid of y.
TreeArrays learn_quantile(LearnState& state, int target_bits, bool weighted);

}  // namespace hornbeam
