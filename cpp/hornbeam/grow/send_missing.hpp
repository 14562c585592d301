// Missing values at a large node whose split was judged by its known rows alone: those rows are routed first, then the
// others go where the rule sends them (missing.hpp).
#pragma once

#include "hornbeam/grow/missing.hpp"
#include "hornbeam/grow/row_buffers.hpp"

namespace hornbeam {

template <class O>
class GapSender {
  public:
    using Own = std::vector<std::shared_ptr<OwnRows<O>>>;  // for each branch

    GapSender(const Growth& growth, const O& outcome, RowBuffers<O>& buffers)
        : growth_(growth), outcome_(outcome), buffers_(buffers) {}

    // Returns where each branch starts: in the other buffer, or in `own` where rows are divided. Sets the children's
    // lanes.
    std::vector<std::size_t> route(const Job<O>& job, const Candidate& chosen, Arena& arena, Own& own) {
        Node& node = *job.node;
        const Rows<O> from = buffers_.rows(job);
        std::vector<u32> branch(from.n);
        Router(growth_, buffers_.codes(), node, chosen).branches(from.id, 0, from.n, branch.data());
        std::vector<i64> weight(own.size(), 0);
        bool gaps = false;
        for (std::size_t i = 0; i < from.n; ++i) {
            if (branch[i] != Router::kGap) weight[branch[i]] += outcome_.weight(from.carry[i]);
            gaps |= branch[i] == Router::kGap;
        }
        if (growth_.plan.missing == MissingRule::fractional) return divide(node, from, branch, weight, own);
        std::vector<RowSide> row_sides;
        if (growth_.plan.missing == MissingRule::surrogates && gaps)
            for (std::size_t i = 0; i < from.n; ++i) {
                const i32 side = branch[i] == Router::kGap ? -1 : static_cast<i32>(branch[i]);
                row_sides.push_back({from.id[i], side, outcome_.weight(from.carry[i]), rows_of<O>(from.carry[i])});
            }
        GapRules rules(growth_);
        rules.set(node, weight, row_sides, arena);
        std::vector<std::size_t> start(own.size() + 1, 0);
        for (std::size_t i = 0; i < from.n; ++i) {
            if (branch[i] == Router::kGap) branch[i] = static_cast<u32>(rules.branch(node, from.id[i]));
            ++start[branch[i] + 1];
            outcome_.row_lanes(from.carry[i], node.children[branch[i]].lanes);
        }
        start[0] = job.begin;
        for (std::size_t b = 0; b < own.size(); ++b) start[b + 1] += start[b];
        std::vector<std::size_t> next = start;
        for (std::size_t i = 0; i < from.n; ++i)
            buffers_.put(1 - job.buffer, next[branch[i]]++, from.id[i], from.carry[i]);
        return start;
    }

  private:
    // A gap goes to every branch with the branch's share of its weight.
    std::vector<std::size_t> divide(Node& node, const Rows<O>& from, const std::vector<u32>& branch,
                                    const std::vector<i64>& weight, Own& own) {
        std::vector<std::size_t> count(own.size() + 1, 0);
        for (u32 b : branch) ++count[b == Router::kGap ? own.size() : b];
        for (std::size_t b = 0; b < own.size(); ++b) {
            own[b] = std::make_shared<OwnRows<O>>();
            own[b]->id.reserve(count[b] + count.back());
            own[b]->carry.reserve(count[b] + count.back());
        }
        const Fractions fractions(weight);
        const auto put = [&](std::size_t b, u32 id, const typename O::Carry& carry) {
            own[b]->id.push_back(id);
            own[b]->carry.push_back(carry);
            outcome_.row_lanes(carry, node.children[b].lanes);
        };
        for (std::size_t i = 0; i < from.n; ++i) {
            if (branch[i] != Router::kGap) {
                put(branch[i], from.id[i], from.carry[i]);
                continue;
            }
            fractions.divide(from.carry[i],
                             [&](std::size_t b, const typename O::Carry& part) { put(b, from.id[i], part); });
        }
        std::vector<std::size_t> start(own.size() + 1, 0);
        for (std::size_t b = 0; b < own.size(); ++b) start[b + 1] = start[b] + own[b]->id.size();
        return start;
    }

    const Growth& growth_;
    const O& outcome_;
    RowBuffers<O>& buffers_;
};

}  // namespace hornbeam
