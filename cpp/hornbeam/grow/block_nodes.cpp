#include "hornbeam/grow/block_nodes.hpp"

#include "hornbeam/grow/flatten.hpp"
#include "hornbeam/grow/regrid.hpp"

namespace hornbeam {
namespace {

i32 branch_of(const Node& node, i32 code, std::size_t at) {
    if (node.kind == SplitKind::equals) return static_cast<double>(code) == node.threshold ? 0 : 1;
    return node.side->map[at].second;
}

std::shared_ptr<const std::vector<i32>> without(std::vector<i32> columns, i32 column) {
    std::erase(columns, column);
    return std::make_shared<const std::vector<i32>>(std::move(columns));
}

}  // namespace

BlockNodes::BlockNodes(const Growth& growth, Arena* arena, const Pool& pool)
    : scratch_(growth.layout.width()),
      growth_(growth),
      arena_(arena == nullptr ? scratch_ : *arena),
      pool_(pool),
      width_(growth.layout.width()),
      lists_(growth),
      neighbours_(growth) {
    const Plan& plan = growth.plan;
    simple_ = !plan.constrained() && !known_only(plan.missing) && !plan.selection.by_column() &&
              plan.limits.min_weight_leaf <= 0;
}

void BlockNodes::finish() {
    lists_.clear();
    scratch_ = Arena(width_);
}

void BlockNodes::drop_constant(Open& open) {
    const auto constant = [&](i32 j) { return lists_.constant(j, open.begin, open.end); };
    if (std::none_of(open.columns->begin(), open.columns->end(), constant)) return;
    std::vector<i32> rest = *open.columns;
    std::erase_if(rest, constant);
    open.columns = std::make_shared<const std::vector<i32>>(std::move(rest));
}

void BlockNodes::make_children(Open& open, const Candidate& chosen) {
    Node& node = *open.node;
    const i32 n_children = write_split(growth_, node, chosen, arena_);
    arena_.add_children(node, n_children);
}

u32 BlockNodes::part_known(Open& open, Candidate& chosen) {
    const u32* entries = lists_.list(chosen.column);
    const u32 known = lists_.known_end(chosen.column, open.begin, open.end);
    std::vector<i32>& present = chosen.present;
    if (chosen.kind == SplitKind::threshold) {
        u32 cut = open.begin;
        while (cut < known && rank(entries[cut]) <= static_cast<u32>(chosen.below)) ++cut;
        if (!std::isinf(chosen.low)) {
            chosen.low = lists_.value(chosen.column, entries[cut - 1]);
            chosen.high = lists_.value(chosen.column, entries[cut]);
        }
        for (u32 i = open.begin; i < known; ++i) lists_.side(id(entries[i])) = i < cut ? 0 : 1;
        make_children(open, chosen);
        return known;
    }
    const auto next = [&](u32 i) { return i > open.begin && rank(entries[i]) != rank(entries[i - 1]); };
    for (u32 i = open.begin; i < known; ++i)
        if (i == open.begin || next(i)) present.push_back(lists_.code(chosen.column, entries[i]));
    make_children(open, chosen);
    std::size_t at = 0;
    for (u32 i = open.begin; i < known; ++i) {
        if (next(i)) ++at;
        lists_.side(id(entries[i])) = static_cast<u16>(branch_of(*open.node, present[at], at));
    }
    return known;
}

bool BlockNodes::open_children(const Judge& judge, const Open& open) {
    Node& node = *open.node;
    const i32 n_children = node.n_children;
    parts_.clear();
    for (i32 b = 0; b < n_children; ++b) parts_.push_back(node.children[b].lanes);
    bool any = false;
    for (i32 b = 0; b < n_children; ++b) {
        Node& child = node.children[b];
        if (growth_.layout.rows(child.lanes) == 0) continue;
        const NodeState state = state_of(growth_, child, open.depth + 1);
        if (state == NodeState::leaf) continue;
        any = true;
        Columns columns = open.columns;
        if (node.kind == SplitKind::multiway) columns = without(*columns, node.column);
        Bounds bounds;
        if (growth_.plan.constrained())
            bounds = judge.child_bounds(parts_.data(), open.ends, node.column, node.ordered(), b);
        stack_.push_back({&child, start_[static_cast<std::size_t>(b)], start_[static_cast<std::size_t>(b) + 1],
                          open.depth + 1, std::move(columns), std::move(bounds), child_key(open.key, b),
                          state == NodeState::coarse});
    }
    return any;
}

void BlockNodes::part_lists(const Open& open) {
    for (i32 j : *open.columns) {
        if (open.node->n_children == 2)
            lists_.part_in_two(j, open.begin, open.end);
        else
            lists_.part(j, open.begin, open.end, start_);
    }
}

void BlockNodes::pack(Node* root) {
    neighbours_.read();
    if (&arena_ != &scratch_ || root->n_children == 0) return;
    packed_.push_back(flatten(growth_, root, scratch_.count() + 1));
    packed_nodes_ += scratch_.count();
    root->packed = &packed_.back();
    scratch_.clear();
}

}  // namespace hornbeam
