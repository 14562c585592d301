// Flatten: the nodes of a grown tree as arrays.
#pragma once

#include "learn.hpp"
#include "node.hpp"

namespace hornbeam {

// Turns the nodes into arrays. A node's weights leave the grid here.
class Flattener {
  public:
    Flattener(const Growth& growth, double weight_unit) : growth_(growth), weight_unit_(weight_unit) {
        out_.width = growth.layout.classes() ? growth.layout.n_classes : growth.layout.rates ? 4 : 3;
        out_.centre = growth.centre;
    }

    TreeArrays run(const Node* root, std::size_t n_nodes) {
        reserve(n_nodes);
        out_.map_offset.push_back(0);
        place(root, -1);
        std::vector<std::pair<const Node*, i32>> stack{{root, 0}};
        // Pre-order over families: a family of siblings lies together, near its parent.
        while (!stack.empty()) {
            const auto [node, at] = stack.back();
            stack.pop_back();
            if (node->n_children == 0 || node->hidden) continue;
            const i32 first = static_cast<i32>(out_.kind.size());
            out_.first_child[static_cast<std::size_t>(at)] = first;
            const i32 label = out_.label[static_cast<std::size_t>(at)];
            for (i32 b = 0; b < node->n_children; ++b) place(node->children + b, label);
            for (i32 b = node->n_children; b-- > 0;) stack.emplace_back(node->children + b, first + b);
        }
        maps();
        surrogates();
        return std::move(out_);
    }

  private:
    void reserve(std::size_t n) {
        nodes_.reserve(n);
        out_.kind.reserve(n);
        for (auto* array :
             {&out_.first_child, &out_.n_children, &out_.column, &out_.missing, &out_.absent, &out_.label})
            array->reserve(n);
        for (auto* array : {&out_.threshold, &out_.gain, &out_.impurity}) array->reserve(n);
        out_.gap.reserve(2 * n);
        out_.stats.reserve(n * static_cast<std::size_t>(out_.width));
        out_.n_rows.reserve(n);
        out_.map_offset.reserve(n + 1);
    }
    void place(const Node* node, i32 parent_label) {
        const bool split = node->n_children > 0 && !node->hidden;
        nodes_.push_back(split ? node : nullptr);
        out_.first_child.push_back(-1);
        out_.kind.push_back(static_cast<std::int8_t>(split ? node->kind : SplitKind::leaf));
        out_.n_children.push_back(split ? node->n_children : 0);
        out_.column.push_back(split ? node->column : -1);
        out_.missing.push_back(split ? node->missing : -1);
        out_.absent.push_back(split ? node->absent : -1);
        const double none = std::numeric_limits<double>::quiet_NaN();
        out_.threshold.push_back(split ? node->threshold : none);
        out_.gap.push_back(split ? node->low : none);
        out_.gap.push_back(split ? node->high : none);
        out_.gain.push_back(split ? node->gain : 0);
        out_.n_rows.push_back(growth_.layout.rows(node->lanes));
        const double weight = static_cast<double>(growth_.layout.weight(node->lanes));
        out_.impurity.push_back(!std::isnan(node->loss) ? node->loss
                                : weight > 0
                                    ? growth_.plan.criterion->potential(node->lanes, growth_.layout.n_classes) /
                                          weight * growth_.impurity_unit()
                                    : 0);
        growth_.layout.classes() ? classes(node->lanes, weight, parent_label) : real(node->lanes);
    }
    void classes(const i64* lanes, double weight, i32 parent_label) {
        i32 label = 0;
        for (i32 k = 0; k < growth_.layout.n_classes; ++k) {
            out_.stats.push_back(static_cast<double>(lanes[k]) * weight_unit_);
            if (static_cast<double>(lanes[k]) > static_cast<double>(lanes[label])) label = k;  // as the Stats say
        }
        out_.label.push_back(weight > 0 ? label : parent_label);
    }
    void real(const i64* lanes) {
        const Moments group(lanes);
        out_.stats.push_back(static_cast<double>(group.w) * weight_unit_);
        out_.stats.push_back(static_cast<double>(group.wy) * weight_unit_ * growth_.unit);
        out_.stats.push_back(static_cast<double>(group.wyy) * weight_unit_ * growth_.unit * growth_.unit);
        if (growth_.layout.rates)  // y = unit g: y ln y = unit (g ln g + g ln unit)
            out_.stats.push_back(
                weight_unit_ * growth_.unit *
                (static_cast<double>(log_sum(lanes)) + static_cast<double>(group.wy) * std::log(growth_.unit)));
        out_.label.push_back(-1);
    }
    void maps() {
        for (const Node* node : nodes_) {
            if (node != nullptr && node->side != nullptr)
                for (const auto& [code, branch] : node->side->map) {
                    out_.map_code.push_back(code);
                    out_.map_branch.push_back(branch);
                }
            out_.map_offset.push_back(static_cast<i64>(out_.map_code.size()));
        }
    }
    void surrogates() {
        if (growth_.plan.missing != MissingRule::surrogates) return;
        SurrogateArrays& out = out_.surrogates;
        out.offset.push_back(0);
        out.map_offset.push_back(0);
        for (const Node* node : nodes_) {
            if (node != nullptr && node->side != nullptr)
                for (const Surrogate& one : node->side->surrogates) out.add(one);
            out.offset.push_back(static_cast<i64>(out.column.size()));
        }
    }

    const Growth& growth_;
    double weight_unit_;
    TreeArrays out_;
    std::vector<const Node*> nodes_;
};

}  // namespace hornbeam
