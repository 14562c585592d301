// The door of quantile trees, from the other real targets.
#pragma once

#include "hornbeam/grow/learn_target.hpp"

namespace hornbeam {

// `target_bits`: of the grid of y.
TreeArrays learn_quantile(Work& work, int target_bits, bool weighted);

}  // namespace hornbeam
