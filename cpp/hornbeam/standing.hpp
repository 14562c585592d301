// Standing: a tree that is being pruned, and rows on their way through it.
//
// `stand` names the node in each place. A row reads one small record of each node, and several rows go together.
#pragma once

#include <algorithm>
#include <vector>

#include "replacing.hpp"

namespace hornbeam {

struct Placed {
    i64 row;
    double weight;
};
using Entries = std::vector<Placed>;

// What a row on its way reads of a node, together in memory. A leaf there is by now leads to itself.
struct Step {
    double threshold;
    i32 next[2];  // where a threshold leads
    i32 column;
    u8 is_leaf, is_threshold;
};

class Standing {
  public:
    static constexpr std::size_t kTogether = 8;
    std::vector<i32> stand;
    std::vector<u8> is_leaf;

    explicit Standing(const ReplacingInput& input) : in_(input) {
        const TreeView& tree = in_.held_tree;
        is_leaf.assign(tree.kind.size(), 0);
        for (std::size_t v = 0; v < tree.kind.size(); ++v) {
            const bool plain = static_cast<SplitKind>(tree.kind[v]) == SplitKind::threshold;
            stand.push_back(static_cast<i32>(v));
            steps_.push_back({tree.threshold[v], {-1, -1}, tree.column[v], 0, plain});
            if (tree.first_child[v] < 0) end(v);
        }
    }

    std::size_t child(std::size_t v, i32 branch) const {
        return static_cast<std::size_t>(stand[static_cast<std::size_t>(in_.held_tree.first_child[v] + branch)]);
    }
    i32 n_children(std::size_t v) const { return in_.held_tree.n_children[v]; }
    std::size_t column(std::size_t v) const { return static_cast<std::size_t>(steps_[v].column); }

    // The node is a leaf from now on.
    void end(std::size_t v) {
        const auto self = static_cast<i32>(v);
        steps_[v] = {std::numeric_limits<double>::infinity(), {self, self}, 0, 1, 0};
        is_leaf[v] = 1;
    }
    // What stands below the node will not change any more, as long as the node stands.
    void link(std::size_t v) {
        for (i32 b = 0; b < std::min<i32>(2, n_children(v)); ++b) steps_[v].next[b] = static_cast<i32>(child(v, b));
    }

    // `stack` is scratch.
    void leaves_below(std::size_t from, std::vector<std::size_t>& stack, std::vector<std::size_t>& out) const {
        stack.assign(1, from);
        while (!stack.empty()) {
            const std::size_t at = stack.back();
            stack.pop_back();
            if (is_leaf[at])
                out.push_back(at);
            else
                for (i32 b = 0; b < n_children(at); ++b) stack.push_back(child(at, b));
        }
    }

    // An entry from a node down to leaves, in parts where it follows all paths. `visit` sees the leaves, and the nodes
    // on the way if it matters.
    template <class Visit>
    void send(int which, std::size_t from, Placed entry, bool way_matters, Visit&& visit) const {
        const ColumnView* columns = (which ? in_.held : in_.training).columns.data();
        const auto row = static_cast<std::size_t>(entry.row);
        for (std::size_t at = from;;) {
            const Step& step = steps_[at];
            if (step.is_leaf) {
                visit(at, entry, true);
                return;
            }
            if (way_matters) visit(at, entry, false);
            const double x = columns[static_cast<std::size_t>(step.column)].value(row);
            if (step.is_threshold && x == x) {
                at = static_cast<std::size_t>(step.next[x > step.threshold]);
                continue;
            }
            const i32 branch = branch_taken(which ? in_.held_tree : in_.training_tree, at, x);
            if (branch == kAllPaths) {
                const i32 first = in_.held_tree.first_child[at];
                for (i32 b = 0; b < n_children(at); ++b) {
                    const double part = entry.weight * in_.share[static_cast<std::size_t>(first + b)];
                    if (part > 0) send(which, child(at, b), {entry.row, part}, way_matters, visit);
                }
                return;
            }
            at = child(at, branch);
        }
    }

    // Several entries at once through thresholds alone, so that one's memory access hides behind the others'; an entry
    // that meets a gap or another test is sent alone.
    template <class Visit>
    void send_together(int which, std::size_t from, const Placed* entries, Visit&& visit) const {
        const ColumnView* columns = (which ? in_.held : in_.training).columns.data();
        i32 at[kTogether];
        std::fill_n(at, kTogether, static_cast<i32>(from));
        u32 odd = 0;
        for (i32 moved = 1; moved != 0;) {
            moved = 0;
            for (std::size_t i = 0; i < kTogether; ++i) {
                const Step& step = steps_[static_cast<std::size_t>(at[i])];
                const double x =
                    columns[static_cast<std::size_t>(step.column)].value(static_cast<std::size_t>(entries[i].row));
                const bool plain = step.is_leaf || (step.is_threshold && x == x);
                odd |= static_cast<u32>(!plain) << i;
                const i32 next = plain ? step.next[x > step.threshold] : at[i];
                moved |= next ^ at[i];
                at[i] = next;
            }
        }
        for (std::size_t i = 0; i < kTogether; ++i) {
            if (odd >> i & 1)
                send(which, from, entries[i], false, visit);
            else
                visit(static_cast<std::size_t>(at[i]), entries[i], true);
        }
    }

  private:
    const ReplacingInput& in_;
    std::vector<Step> steps_;
};

}  // namespace hornbeam
