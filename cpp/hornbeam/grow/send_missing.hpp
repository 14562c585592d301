// Missing values at a large node whose split was judged by its known rows alone: those rows are routed first, then the
// others go where the rule sends them (missing.hpp).
#pragma once

#include "hornbeam/grow/missing.hpp"
#include "hornbeam/grow/row_buffers.hpp"

namespace hornbeam {

class GapSender {
  public:
    GapSender(const Growth& growth, const RowLoops& loops, RowBuffers& buffers, const Job& job, const Candidate& chosen)
        : growth_(growth), loops_(loops), buffers_(buffers), job_(job), from_(buffers.rows(job)), branch_(from_.n) {
        Router(growth_, buffers_.codes(), *job.node, chosen).branches(from_.id, 0, from_.n, branch_.data());
    }

    // The weight of one repetition of the heaviest row that is known, where the weights of the node lie too far apart
    // for its grid.
    double heaviest() const {
        double most = 0;
        for (std::size_t i = 0; i < from_.n && job_.node->grid->uneven; ++i)
            if (branch_[i] != Router::kGap) most = std::max(most, growth_.target->weights[from_.id[i]]);
        return most;
    }
    // The weight of the known rows of each branch.
    std::vector<i64> weights(const KnownWeights& weigh) const {
        std::vector<i64> weight(static_cast<std::size_t>(job_.node->n_children), 0);
        if (!weigh.own()) loops_.add_weights(from_, branch_.data(), weight.data());
        for (std::size_t i = 0; i < from_.n && weigh.own(); ++i)
            if (branch_[i] != Router::kGap) weight[branch_[i]] += weigh(from_.id[i], 0);
        return weight;
    }
    // Sends the rows to the branches, where all known ones weigh so much: in place, or into rows of their own where
    // rows are divided. Sets the children's lanes.
    std::vector<Place> route(const KnownWeights& weigh, const std::vector<i64>& weight, Arena& arena) {
        Node& node = *job_.node;
        if (growth_.plan.missing == MissingRule::fractional) return divide(node, weight);
        std::vector<RowSide> row_sides;
        if (growth_.plan.missing == MissingRule::surrogates &&
            std::find(branch_.begin(), branch_.end(), Router::kGap) != branch_.end())
            for (std::size_t i = 0; i < from_.n; ++i) {
                const i32 side = branch_[i] == Router::kGap ? -1 : static_cast<i32>(branch_[i]);
                const u32 id = from_.id[i];
                row_sides.push_back({id, side, weigh(id, loops_.weight(from_, i)), loops_.rows(from_, i)});
            }
        GapRules rules(growth_);
        rules.set(node, weight, row_sides, arena);
        for (std::size_t i = 0; i < from_.n; ++i)
            if (branch_[i] == Router::kGap) branch_[i] = static_cast<u32>(rules.branch(node, from_.id[i]));
        return buffers_.route(job_, branch_);
    }

  private:
    // A gap goes to every branch with the branch's share of its weight.
    std::vector<Place> divide(Node& node, const std::vector<i64>& weight) {
        std::vector<std::shared_ptr<OwnBytes>> own(weight.size());
        std::vector<std::size_t> count(own.size() + 1, 0);
        for (u32 b : branch_) ++count[b == Router::kGap ? own.size() : b];
        for (std::size_t b = 0; b < own.size(); ++b) {
            own[b] = std::make_shared<OwnBytes>();
            own[b]->id.reserve(count[b] + count.back());
            own[b]->carry.reserve((count[b] + count.back()) * from_.carry_size);
        }
        loops_.divide_rows(from_, branch_.data(), weight, node.children, own);
        std::vector<Place> places(own.size());
        for (std::size_t b = 0; b < own.size(); ++b) {
            places[b].end = own[b]->id.size();
            places[b].own = std::move(own[b]);
        }
        return places;
    }

    const Growth& growth_;
    const RowLoops& loops_;
    RowBuffers& buffers_;
    const Job& job_;
    const Rows from_;
    std::vector<u32> branch_;  // of each row
};

}  // namespace hornbeam
