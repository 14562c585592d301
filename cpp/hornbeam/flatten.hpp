// Flatten: the nodes of a grown tree as arrays.
//
//   root | its children | the children of the first of them | ... | the children of the second | ...
//
// A family of siblings lies together, near its parent. A subtree that is arrays already (Node::packed) has the same
// order, so it is copied as a piece.
#pragma once

#include "learn.hpp"
#include "node.hpp"

namespace hornbeam {

// Gives memory that was freed in many small pieces back to the system.
void release_freed_memory();

// Turns nodes into arrays. A node's weights leave the grid here.
class Flattener {
  public:
    explicit Flattener(const Growth& growth) : growth_(growth) {
        out_.width = growth.layout.classes() ? growth.layout.n_classes : growth.layout.rates ? 4 : 3;
        out_.centre = growth.centre;
        if (growth.plan.missing == MissingRule::surrogates) {
            out_.surrogates.offset.push_back(0);
            out_.surrogates.map_offset.push_back(0);
        }
    }

    // Packed subtrees are empty afterwards.
    TreeArrays run(const Node* root, std::size_t n_nodes) {
        reserve(n_nodes);
        place(root, -1);
        std::vector<std::pair<const Node*, i32>> stack{{root, 0}};
        while (!stack.empty()) {
            const auto [node, at] = stack.back();
            stack.pop_back();
            if (node->packed != nullptr) {
                below(*node->packed, at);
                continue;
            }
            if (node->n_children == 0 || node->hidden) continue;
            const i32 first = size();
            out_.first_child[static_cast<std::size_t>(at)] = first;
            const i32 label = out_.label.empty() ? -1 : out_.label[static_cast<std::size_t>(at)];
            for (i32 b = 0; b < node->n_children; ++b) place(node->children + b, label);
            for (i32 b = node->n_children; b-- > 0;) stack.emplace_back(node->children + b, first + b);
        }
        if (!out_.map_code.empty())
            push(out_.map_offset, out_.kind.size(), static_cast<i64>(out_.map_code.size()), i64{-1});
        return std::move(out_);
    }

  private:
    static constexpr std::size_t kReleaseBytes = std::size_t{24} << 20;

    i32 size() const { return static_cast<i32>(out_.kind.size()); }
    void reserve(std::size_t n) {
        out_.kind.reserve(n);
        for (auto* array : {&out_.first_child, &out_.n_children, &out_.column}) array->reserve(n);
        for (auto* array : {&out_.threshold, &out_.gain, &out_.impurity}) array->reserve(n);
        out_.gap.reserve(2 * n);
        out_.stats.reserve(n * static_cast<std::size_t>(out_.width));
        out_.n_rows.reserve(n);
    }
    // Sets entry `at`, the next one, of an array that stays empty while all its values are `fill`.
    template <class T>
    static void push(std::vector<T>& array, std::size_t at, T value, T fill) {
        if (array.empty() && value == fill) return;
        array.resize(at, fill);
        array.push_back(value);
    }
    template <class T>
    static void append(std::vector<T>& array, std::size_t at, const std::vector<T>& more, std::size_t first,
                       std::size_t n, T fill) {
        if (array.empty() && more.empty()) return;
        array.resize(at, fill);
        if (more.empty())
            array.resize(at + n, fill);
        else
            append(array, more, first, n);
    }
    template <class T>
    static void append(std::vector<T>& array, const std::vector<T>& more, std::size_t first, std::size_t n) {
        const auto from = more.begin() + static_cast<std::ptrdiff_t>(first);
        array.insert(array.end(), from, from + static_cast<std::ptrdiff_t>(n));
    }

    void place(const Node* node, i32 parent_label) {
        if (node->packed != nullptr) return copy(*node->packed, 0, 1, 0);
        const std::size_t at = out_.kind.size();
        const bool split = node->n_children > 0 && !node->hidden;
        add_sides(at, split ? node->side : nullptr);
        out_.first_child.push_back(-1);
        out_.kind.push_back(static_cast<std::int8_t>(split ? node->kind : SplitKind::leaf));
        out_.n_children.push_back(split ? node->n_children : 0);
        out_.column.push_back(split ? node->column : -1);
        push(out_.missing, at, split ? node->missing : -1, -1);
        push(out_.absent, at, split ? node->absent : -1, -1);
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
        growth_.layout.classes() ? classes(at, node->lanes, weight, parent_label) : real(node->lanes);
    }
    void classes(std::size_t at, const i64* lanes, double weight, i32 parent_label) {
        i32 label = 0;
        for (i32 k = 0; k < growth_.layout.n_classes; ++k) {
            out_.stats.push_back(static_cast<double>(lanes[k]) * growth_.weight_unit);
            if (static_cast<double>(lanes[k]) > static_cast<double>(lanes[label])) label = k;  // as the Stats say
        }
        push(out_.label, at, weight > 0 ? label : parent_label, -1);
    }
    void real(const i64* lanes) {
        const Moments group(lanes);
        out_.stats.push_back(static_cast<double>(group.w) * growth_.weight_unit);
        out_.stats.push_back(static_cast<double>(group.wy) * growth_.weight_unit * growth_.unit);
        out_.stats.push_back(static_cast<double>(group.wyy) * growth_.weight_unit * growth_.unit * growth_.unit);
        if (growth_.layout.rates)  // y = unit g: y ln y = unit (g ln g + g ln unit)
            out_.stats.push_back(
                growth_.weight_unit * growth_.unit *
                (static_cast<double>(log_sum(lanes)) + static_cast<double>(group.wy) * std::log(growth_.unit)));
    }
    // Where the maps and surrogates of node `at` begin, and what they are.
    void add_sides(std::size_t at, const NodeSide* side) {
        push(out_.map_offset, at, static_cast<i64>(out_.map_code.size()), i64{0});
        if (side != nullptr)
            for (const auto& [code, branch] : side->map) {
                out_.map_code.push_back(code);
                out_.map_branch.push_back(branch);
            }
        if (growth_.plan.missing != MissingRule::surrogates) return;
        if (side != nullptr)
            for (const Surrogate& one : side->surrogates) out_.surrogates.add(one);
        out_.surrogates.offset.push_back(static_cast<i64>(out_.surrogates.column.size()));
    }

    // All of a packed subtree but its root, which is node `at` here.
    void below(TreeArrays& packed, i32 at) {
        const std::size_t n = packed.kind.size() - 1;
        if (n > 0) out_.first_child[static_cast<std::size_t>(at)] = size();
        copy(packed, 1, n, size() - 1);
        freed_ += n * 96;
        packed = {};
        if (freed_ < kReleaseBytes) return;
        freed_ = 0;
        release_freed_memory();
    }
    // Copies n nodes from the first on; their children move by `shift`.
    void copy(const TreeArrays& from, std::size_t first, std::size_t n, i32 shift) {
        if (n == 0) return;
        const std::size_t at = out_.kind.size(), width = static_cast<std::size_t>(out_.width);
        copy_sides(from, at, first, n);
        append(out_.kind, from.kind, first, n);
        for (std::size_t i = first; i < first + n; ++i)
            out_.first_child.push_back(from.first_child[i] < 0 ? -1 : from.first_child[i] + shift);
        append(out_.n_children, from.n_children, first, n);
        append(out_.column, from.column, first, n);
        append(out_.missing, at, from.missing, first, n, -1);
        append(out_.absent, at, from.absent, first, n, -1);
        append(out_.label, at, from.label, first, n, -1);
        append(out_.threshold, from.threshold, first, n);
        append(out_.gap, from.gap, 2 * first, 2 * n);
        append(out_.gain, from.gain, first, n);
        append(out_.impurity, from.impurity, first, n);
        append(out_.stats, from.stats, width * first, width * n);
        append(out_.n_rows, from.n_rows, first, n);
    }
    void copy_sides(const TreeArrays& from, std::size_t at, std::size_t first, std::size_t n) {
        const i64 moved = static_cast<i64>(out_.map_code.size());
        if (!from.map_code.empty()) {
            const i64 begin = from.map_offset[first];
            for (std::size_t i = 0; i < n; ++i)
                push(out_.map_offset, at + i, moved + from.map_offset[first + i] - begin, i64{0});
            const auto skip = static_cast<std::size_t>(begin),
                       many = static_cast<std::size_t>(from.map_offset[first + n] - begin);
            append(out_.map_code, from.map_code, skip, many);
            append(out_.map_branch, from.map_branch, skip, many);
        } else {
            for (std::size_t i = 0; i < n && moved > 0; ++i) push(out_.map_offset, at + i, moved, i64{0});
        }
        if (growth_.plan.missing == MissingRule::surrogates)
            for (std::size_t i = first; i < first + n; ++i) out_.surrogates.take(from.surrogates, i);
    }

    const Growth& growth_;
    TreeArrays out_;
    std::size_t freed_ = 0;
};

}  // namespace hornbeam
