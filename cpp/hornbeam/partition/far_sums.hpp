// Far sums: targets and weights that parts sent back joined as if in memory, and the Stats of a finished tree from
// them: the same numbers as those of node_sums.hpp.
#pragma once

#include <functional>

#include "hornbeam/grow/node_sums.hpp"
#include "hornbeam/partition/far_message.hpp"

namespace hornbeam {

// What one part adds to the sums of leaves.
void answer_leaves(Topic topic, Reader& in, const TableRows& table, FieldWriter& out);

// Adds the targets of some rows: codes, values, weights and counts, as far as there are any.
void add_targets(const TargetView& target, std::span<const u32> rows, FieldWriter& out);

// Targets that were joined.
struct JoinedTarget {
    std::vector<i32> codes;
    std::vector<double> values, weights;
    std::vector<i64> counts;
    std::vector<u32> rows;  // 0, 1, 2, ...

    explicit JoinedTarget(FieldReader& in);
    TargetView view(int n_classes) const { return {n_classes, codes, values, weights, counts, {}}; }
};

// Asks all parts about the finished tree, and sets what `sum_nodes` sets. The target has no rows; whether it has
// weights and repetitions is what all parts have.
using AskLeaves = std::function<std::string(Topic, const std::function<void(Writer&)>& details)>;
void sum_far_nodes(const AskLeaves& ask, const TargetView& target, const Criterion& criterion, TreeArrays& tree);

}  // namespace hornbeam
