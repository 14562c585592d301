// Learn far: the tree of rows that are elsewhere, the same bits as that of all rows in memory, however they are
// divided.
#pragma once

#include "hornbeam/partition/far_engine.hpp"

namespace hornbeam {

// `columns` say what the columns are, and `target` how many classes there are and, by arrays of any length that is not
// 0, whether there are weights and repetitions; neither has rows. At least one row of a part counts. Surrogates,
// quantiles, divided rows and C4.5's charge for thresholds are refused: what they ask of rows does not add up. `kept`
// may be empty.
TreeArrays learn_far(const std::vector<ColumnView>& columns, const TargetView& target, Plan plan, FarLimits limits,
                     const SendMessage& send, const std::function<bool(double)>& progress,
                     const KeptAnswers& kept = {});

}  // namespace hornbeam
