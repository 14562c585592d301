// Best first: the open node with the largest (w/W) * decrease is split next, until there are leaves or nodes enough.
// Ties go to the leftmost. Subtrees that fit a block are grown whole and revealed node by node; what stays beyond the
// limit is hidden.
#pragma once

#include <set>

#include "hornbeam/grow/open_node.hpp"
#include "hornbeam/threads/pool.hpp"

namespace hornbeam {

// `Grower` chooses and expands jobs, and grows blocks.
template <class Grower>
class BestFirst {
  public:
    BestFirst(const Growth& growth, Grower& grower, Pool& pool) : growth_(growth), grower_(grower), pool_(pool) {}

    void run(Job root) {
        const Limits& limits = growth_.plan.limits;
        const double tie = 1e-12 * growth_.root_impurity;
        i64 leaves = 1, nodes = 1;
        add_open(std::move(root), {});
        const auto is_full = [&] { return leaves >= limits.max_leaves || nodes + 2 > limits.max_nodes; };
        while (!queue_.empty() && !is_full() && !pool_.stopped()) {
            auto next = queue_.begin();
            for (auto it = queue_.begin(); it != queue_.end() && it->priority >= queue_.begin()->priority - tie; ++it)
                if (it->path < next->path) next = it;
            QueueEntry open = std::move(queue_.extract(next).value());
            Node& node = *open.node;
            std::vector<Job> children;
            if (open.job) children = grower_.expand(*open.job, open.chosen, 0);
            const i64 added = node.n_children + std::max<i64>(0, node.absent_values - 1);
            if (leaves + added - 1 > limits.max_leaves || nodes + added > limits.max_nodes) {
                node.hidden = true;
                continue;
            }
            leaves += added - 1;
            nodes += added;
            for (Job& child : children) {
                auto path = open.path;
                path.push_back(static_cast<i32>(child.node - node.children));
                add_open(std::move(child), std::move(path));
            }
            if (!open.job) reveal(node, open.path);
        }
        for (const QueueEntry& open : queue_) open.node->hidden = true;
    }

  private:
    struct QueueEntry {
        double priority;
        std::vector<i32> path;  // branches from the root: lexicographic order is left to right
        Node* node;
        std::shared_ptr<Job> job;  // null: its subtree is grown already
        Candidate chosen;
        bool operator<(const QueueEntry& other) const {
            return priority != other.priority ? priority > other.priority : path < other.path;
        }
    };

    void add_open(Job job, std::vector<i32> path) {
        Node& node = *job.node;
        if (grower_.grows_to_end(job)) {
            grower_.grow_to_end(job, 0);
            if (node.n_children > 0)
                queue_.insert({priority(node, node.decrease), std::move(path), &node, nullptr, {}});
            return;
        }
        Candidate chosen;
        if (!grower_.choose(job, 0, chosen)) return;
        const double first = priority(node, chosen.decrease * growth_.relative_unit(*node.grid));
        queue_.insert({first, std::move(path), &node, std::make_shared<Job>(std::move(job)), std::move(chosen)});
    }
    void reveal(Node& node, const std::vector<i32>& path) {
        for (i32 b = 0; b < node.n_children; ++b) {
            Node& child = node.children[b];
            if (child.n_children == 0) continue;
            auto below = path;
            below.push_back(b);
            queue_.insert({priority(child, child.decrease), std::move(below), &child, nullptr, {}});
        }
    }
    double priority(const Node& node, double decrease) const { return growth_.share(node) * decrease; }

    const Growth& growth_;
    Grower& grower_;
    Pool& pool_;
    std::set<QueueEntry> queue_;
};

}  // namespace hornbeam
