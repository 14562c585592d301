// The nodes of a density tree while it grows, and as arrays when it is done.
#pragma once

#include "hornbeam/density/density_cuts.hpp"

namespace hornbeam {

struct DensityNode {
    DensityNode* children = nullptr;  // two
    DensityCut cut;
    std::vector<std::pair<i32, i32>> map;  // nominal cuts: (value, branch), by value
    double log_share = 0;
    i64 weight = 0, rows = 0;
    i128 fine = 0;  // leaves: the exact weight
};

inline void place(const DensityNode& node, const std::vector<DensityColumn>& columns, DensityArrays& out) {
    const bool leaf = node.children == nullptr;
    const bool nominal = !leaf && columns[static_cast<std::size_t>(node.cut.column)].view.kind == ColumnKind::nominal;
    const SplitKind kind = leaf ? SplitKind::leaf : nominal ? SplitKind::subset : SplitKind::threshold;
    out.kind.push_back(static_cast<std::int8_t>(kind));
    out.first_child.push_back(-1);
    out.column.push_back(leaf ? -1 : node.cut.column);
    out.threshold.push_back(one_zero(node.cut.threshold));
    out.gap.insert(out.gap.end(), {one_zero(node.cut.low), one_zero(node.cut.high)});
    out.rise.push_back(leaf ? 0 : node.cut.rise);
    out.log_share.push_back(node.log_share);
    out.n_rows.push_back(node.rows);
    for (const auto& [code, branch] : node.map) {
        out.map_code.push_back(code);
        out.map_branch.push_back(branch);
    }
    out.map_offset.push_back(static_cast<i64>(out.map_code.size()));
}

inline DensityArrays flatten(const DensityNode* root, const std::vector<DensityColumn>& columns,
                             const SortedRows& rows) {
    DensityArrays out;
    out.map_offset.push_back(0);
    std::vector<const DensityNode*> nodes{root};
    place(*root, columns, out);
    std::vector<std::pair<const DensityNode*, std::size_t>> stack{{root, 0}};
    while (!stack.empty()) {  // pre-order over families
        const auto [node, at] = stack.back();
        stack.pop_back();
        if (node->children == nullptr) continue;
        const std::size_t first = nodes.size();
        out.first_child[at] = static_cast<i32>(first);
        for (std::size_t b = 0; b < 2; ++b) {
            place(node->children[b], columns, out);
            nodes.push_back(node->children + b);
        }
        stack.emplace_back(node->children + 1, first + 1);
        stack.emplace_back(node->children, first);
    }
    std::vector<i128> fine(nodes.size());
    out.weight.resize(nodes.size());
    for (std::size_t i = nodes.size(); i-- > 0;) {
        const auto first = static_cast<std::size_t>(out.first_child[i]);
        fine[i] = nodes[i]->children == nullptr ? nodes[i]->fine : fine[first] + fine[first + 1];
        out.weight[i] = rows.fine_value(fine[i]);
    }
    return out;
}

}  // namespace hornbeam
