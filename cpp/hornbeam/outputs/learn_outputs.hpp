// The folder outputs/ grows one tree for several targets: sums of all of them at every node, and a search that adds up
// what each would gain.
//
// `learn_outputs` is called by `learn` for targets that have outputs.
#pragma once

#include "hornbeam/grow/learn_target.hpp"

namespace hornbeam {

TreeArrays learn_outputs(LearnState& state);

}  // namespace hornbeam
