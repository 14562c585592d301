// A tree as it is after the prunings so far, and how rows go through it. `stand` names the node that now stands in each
// place.
#pragma once

#include "hornbeam/apply/apply.hpp"
#include "hornbeam/prune/replace_by_child.hpp"
#include "hornbeam/prune/route_rows.hpp"

namespace hornbeam {

class CurrentTree {
  public:
    std::vector<i32> stand;
    std::vector<u8> is_leaf;

    explicit CurrentTree(const ReplacingInput& input)
        : in_(input), values_{Values(input.training.columns), Values(input.held.columns)} {
        const TreeView& tree = in_.held_tree;
        is_leaf.assign(tree.kind.size(), 0);
        stand.reserve(tree.kind.size());
        router_.reserve(tree.kind.size());
        for (std::size_t v = 0; v < tree.kind.size(); ++v) {
            stand.push_back(static_cast<i32>(v));
            router_.add(tree.threshold[v], tree.column[v], static_cast<SplitKind>(tree.kind[v]));
            if (tree.first_child[v] < 0) end(v);
        }
    }

    std::size_t child(std::size_t v, i32 branch) const {
        return static_cast<std::size_t>(stand[static_cast<std::size_t>(in_.held_tree.first_child[v] + branch)]);
    }
    i32 n_children(std::size_t v) const { return in_.held_tree.n_children[v]; }

    // The node is a leaf from now on.
    void end(std::size_t v) {
        router_.end(v);
        is_leaf[v] = 1;
    }
    // What stands below the node will not change any more, as long as the node stands.
    void link(std::size_t v) { router_.link(v, child(v, 0), child(v, std::min(1, n_children(v) - 1))); }

    // The last branch first; `stack` is scratch.
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

    // The leaf of each entry of a sample below a node, Strides::kOdd where it has to be sent alone.
    void route(int which, std::size_t from, std::span<const Entry> rows, i32* out) const {
        router_.route(values_[which], from, rows, out);
    }

    // An entry from a node down to leaves, in parts where it follows all paths. `visit` sees the leaves, and the nodes
    // on the way if it matters.
    template <class Visit>
    void send(int which, std::size_t from, Entry entry, bool way_matters, Visit&& visit) const {
        for (std::size_t at = from;;) {
            const Step& step = router_[at];
            if (step.is_leaf) {
                visit(at, entry, true);
                return;
            }
            if (way_matters) visit(at, entry, false);
            const double x = values_[which](step.column, entry.row);
            if (step.is_plain(x)) {
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

  private:
    const ReplacingInput& in_;
    const Values values_[2];
    RowRouter router_;
};

}  // namespace hornbeam
