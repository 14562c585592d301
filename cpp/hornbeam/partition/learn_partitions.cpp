#include "hornbeam/partition/learn_partitions.hpp"

#include <stdexcept>

#include "hornbeam/partition/partition_engine.hpp"

namespace hornbeam {

TreeArrays learn_partitions(const std::vector<Partition>& partitions, Plan plan,
                            const std::function<bool(double)>& progress) {
    if (plan.missing == MissingRule::surrogates)
        throw std::invalid_argument("missing='surrogates' needs all rows in memory; use missing='learn'");
    if (plan.level > 0) throw std::invalid_argument("quantiles need all rows in memory; use criterion='variance'");
    plan.n_threads = 1;
    plan.block_cells = 0;  // rows that lie apart are no block
    const auto some =
        std::find_if(partitions.begin(), partitions.end(), [](const Partition& p) { return p.n_rows > 0; });
    if (some == partitions.end()) throw std::invalid_argument("no partition has rows; at least one row is needed");
    if (plan.missing == MissingRule::fractional && some->target.n_classes == 0)
        throw std::invalid_argument(
            "missing='fractional' needs all rows of a real target in memory; use missing='learn'");
    JoinedRows rows(some->columns);
    LearnState state{{rows.columns, plan, {some->target.n_classes}, nullptr, 0}, plan, {}, 1.0, progress};
    std::deque<Growth> growths;
    for (const Partition& part : partitions) {
        if (part.n_rows == 0) continue;  // its answers would be nothing
        state.parts.push_back({&part.columns,
                               part.n_rows,
                               part.target,
                               part.target,
                               live_rows(part.target, part.n_rows),
                               {},
                               nullptr,
                               nullptr});
    }
    for (TablePart& part : state.parts) {
        growths.push_back({*part.columns, plan, state.growth.layout, &part.target, part.n_rows});
        part.growth = &growths.back();
    }
    state.joined.growth = &state.growth;
    state.growth.target = &state.joined.target;
    state.make_engine = [&](Pool& pool) -> std::unique_ptr<Engine> {
        state.joined.target = state.target();  // tells of weights and repetitions before rows are joined
        return std::make_unique<PartitionEngine>(state.growth, state.parts, state.joined, rows, pool);
    };
    return learn_parts(state);
}

}  // namespace hornbeam
