// Missing values at a large node whose split was judged by its known rows alone: those rows are routed first, then the
// others go where the rule sends them (missing.hpp).
#pragma once

#include "hornbeam/grow/missing.hpp"
#include "hornbeam/grow/row_buffers.hpp"

namespace hornbeam {

class GapSender {
  public:
    using Own = std::vector<std::shared_ptr<OwnBytes>>;  // for each branch

    GapSender(const Growth& growth, const RowLoops& loops, RowBuffers& buffers)
        : growth_(growth), loops_(loops), buffers_(buffers) {}

    // Returns where each branch starts: in the other buffer, or in `own` where rows are divided. Sets the children's
    // lanes.
    std::vector<std::size_t> route(const Job& job, const Candidate& chosen, Arena& arena, Own& own) {
        Node& node = *job.node;
        const Rows from = buffers_.rows(job);
        std::vector<u32> branch(from.n);
        Router(growth_, buffers_.codes(), node, chosen).branches(from.id, 0, from.n, branch.data());
        std::vector<i64> weight(own.size(), 0);
        loops_.add_weights(from, branch.data(), weight.data());
        if (growth_.plan.missing == MissingRule::fractional) return divide(node, from, branch, weight, own);
        const KnownWeights weigh(growth_, node, from.n, [&](std::size_t i) {
            return branch[i] == Router::kGap ? std::nullopt : std::optional(from.id[i]);
        });
        if (weigh.own()) std::fill(weight.begin(), weight.end(), 0);
        for (std::size_t i = 0; i < from.n && weigh.own(); ++i)
            if (branch[i] != Router::kGap) weight[branch[i]] += weigh(from.id[i], 0);
        std::vector<RowSide> row_sides;
        if (growth_.plan.missing == MissingRule::surrogates &&
            std::find(branch.begin(), branch.end(), Router::kGap) != branch.end())
            for (std::size_t i = 0; i < from.n; ++i) {
                const i32 side = branch[i] == Router::kGap ? -1 : static_cast<i32>(branch[i]);
                row_sides.push_back(
                    {from.id[i], side, weigh(from.id[i], loops_.weight(from, i)), loops_.rows(from, i)});
            }
        GapRules rules(growth_);
        rules.set(node, weight, row_sides, arena);
        for (std::size_t i = 0; i < from.n; ++i)
            if (branch[i] == Router::kGap) branch[i] = static_cast<u32>(rules.branch(node, from.id[i]));
        return buffers_.route(job, branch.data());
    }

  private:
    // A gap goes to every branch with the branch's share of its weight.
    std::vector<std::size_t> divide(Node& node, const Rows& from, const std::vector<u32>& branch,
                                    const std::vector<i64>& weight, Own& own) {
        std::vector<std::size_t> count(own.size() + 1, 0);
        for (u32 b : branch) ++count[b == Router::kGap ? own.size() : b];
        for (std::size_t b = 0; b < own.size(); ++b) {
            own[b] = std::make_shared<OwnBytes>();
            own[b]->id.reserve(count[b] + count.back());
            own[b]->carry.reserve((count[b] + count.back()) * from.carry_size);
        }
        loops_.divide_rows(from, branch.data(), weight, node.children, own);
        std::vector<std::size_t> start(own.size() + 1, 0);
        for (std::size_t b = 0; b < own.size(); ++b) start[b + 1] = start[b] + own[b]->id.size();
        return start;
    }

    const Growth& growth_;
    const RowLoops& loops_;
    RowBuffers& buffers_;
};

}  // namespace hornbeam
