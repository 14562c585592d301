#include "hornbeam/grow/flatten.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace hornbeam {

void release_freed_memory() {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

namespace {

class Flattener {
  public:
    explicit Flattener(const Growth& growth) : growth_(growth) {
        out_.width = growth.layout.classes() ? growth.layout.n_classes : growth.layout.rates ? 4 : 3;
        if (growth.plan.missing == MissingRule::surrogates) {
            out_.surrogates.offset.push_back(0);
            out_.surrogates.map_offset.push_back(0);
        }
    }

    TreeArrays run(const Node* root, std::size_t n_nodes) {
        reserve(n_nodes);
        place(root, -1);
        std::vector<Placed> stack;
        if (is_test(root)) stack.push_back({root, 0, 0});
        while (!stack.empty()) {
            const auto [node, at, test] = stack.back();
            stack.pop_back();
            const i32 first = size();
            out_.first_child[test] = first;
            if (node->packed != nullptr) {
                below(*node->packed);
                continue;
            }
            const i32 label = out_.label.empty() ? -1 : out_.label[at];
            for (i32 b = 0; b < node->n_children; ++b) place(node->children + b, label);
            std::size_t next = out_.n_tests();
            for (i32 b = node->n_children; b-- > 0;)
                if (is_test(node->children + b))
                    stack.push_back({node->children + b, static_cast<std::size_t>(first + b), --next});
        }
        if (!out_.map_code.empty())
            push(out_.map_offset, out_.n_nodes(), static_cast<i64>(out_.map_code.size()), i64{-1});
        return std::move(out_);
    }

  private:
    static constexpr std::size_t kReleaseBytes = std::size_t{8} << 20;

    // A test that has its place among nodes and among tests, and whose children wait for theirs.
    struct Placed {
        const Node* node;
        std::size_t at, test;
    };
    static bool is_test(const Node* node) { return node->packed != nullptr || (node->n_children > 0 && !node->hidden); }

    i32 size() const { return static_cast<i32>(out_.n_nodes()); }
    void reserve(std::size_t n) {
        out_.kind.reserve(n);
        const std::size_t tests = n / 2;  // each has two children or more
        for (auto* array : {&out_.first_child, &out_.column}) array->reserve(tests);
        for (auto* array : {&out_.threshold, &out_.gain, &out_.impurity}) array->reserve(tests);
        out_.gap.reserve(2 * tests);
        if (growth_.layout.classes()) out_.label.reserve(n);
        if (growth_.sums_later) return;
        out_.stats.reserve(n * static_cast<std::size_t>(out_.width));
        if (!growth_.rows_from_stats) out_.n_rows.reserve(n);
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
        if (node->packed != nullptr) return copy(*node->packed, {0, 1, 0, 1}, 0);
        const std::size_t at = out_.n_nodes(), test = out_.n_tests();
        add_sides(at, is_test(node) ? node->side : nullptr);
        if (is_test(node)) {
            out_.kind.push_back(static_cast<std::int8_t>(node->kind));
            out_.first_child.push_back(-1);
            out_.column.push_back(node->column);
            push(out_.n_children, test, node->n_children, 2);
            push(out_.missing, test, node->missing, -1);
            push(out_.absent, test, node->absent, -1);
            out_.threshold.push_back(one_zero(node->threshold));
            out_.gap.push_back(one_zero(node->low));
            out_.gap.push_back(one_zero(node->high));
            out_.gain.push_back(node->gain);
            out_.impurity.push_back(impurity(*node));
        } else {
            push(out_.leaf_impurity, at - test, impurity(*node), 0.0);
            out_.kind.push_back(static_cast<std::int8_t>(SplitKind::leaf));
        }
        if (!growth_.rows_from_stats && !growth_.sums_later) out_.n_rows.push_back(growth_.layout.rows(node->lanes));
        growth_.layout.classes() ? classes(at, *node, parent_label) : real(*node);
    }
    double impurity(const Node& node) const {
        if (!std::isnan(node.loss)) return node.loss;
        if (growth_.sums_later && node.grid->uneven) return node.loss;  // follows from the Stats (node_sums.hpp)
        const double weight = static_cast<double>(growth_.layout.weight(node.lanes));
        if (weight <= 0) return 0;
        return at_most_finite(growth_.plan.criterion->potential(node.lanes, growth_.layout.n_classes) / weight *
                              growth_.impurity_unit(*node.grid));
    }
    double weight_unit(const Node& node) const { return growth_.weight_unit / growth_.lightness(*node.grid); }
    void classes(std::size_t at, const Node& node, i32 parent_label) {
        const i64* lanes = node.lanes;
        const double unit = weight_unit(node);
        i32 label = 0;
        for (i32 k = 0; k < growth_.layout.n_classes; ++k) {
            if (!growth_.sums_later) out_.stats.push_back(static_cast<double>(lanes[k]) * unit);
            if (static_cast<double>(lanes[k]) > static_cast<double>(lanes[label])) label = k;  // as the Stats say
        }
        push(out_.label, at, growth_.layout.weight(lanes) > 0 ? label : parent_label, -1);
    }
    void real(const Node& node) {
        if (growth_.sums_later) return;
        const Moments group(node.lanes);
        const i64 whole = group.rounded_mean();
        const double one = weight_unit(node), unit = node.grid->unit, w = static_cast<double>(group.w);
        const double rest = group.w == 0 ? 0 : to_double(group.wy - static_cast<i128>(whole) * group.w) / w;
        out_.stats.push_back(w * one);
        out_.stats.push_back(group.w == 0 ? 0 : node.grid->centre + unit * (static_cast<double>(whole) + rest));
        out_.stats.push_back(at_most_finite(group.squares() * one * unit * unit));
        if (growth_.layout.rates)  // y = unit g: y ln y = unit (g ln g + g ln unit)
            out_.stats.push_back(one * unit * (to_double(log_sum(node.lanes)) + to_double(group.wy) * std::log(unit)));
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

    // All of a packed subtree but its root, which has its place.
    void below(TreeArrays& packed) {
        const std::size_t n = packed.n_nodes(), tests = packed.n_tests();
        copy(packed, {1, n, 1, tests}, size() - 1);
        freed_ += n + tests * 48 + packed.stats.size() * sizeof(double);
        packed = {};
        if (freed_ < kReleaseBytes) return;
        freed_ = 0;
        release_freed_memory();
    }
    // Some nodes, and the tests among them.
    struct Part {
        std::size_t first, last, first_test, last_test;
    };
    // Copies a part of a packed subtree; the children move by `shift`.
    void copy(const TreeArrays& from, const Part& part, i32 shift) {
        const std::size_t at = out_.n_nodes(), test = out_.n_tests(), width = static_cast<std::size_t>(out_.width);
        const std::size_t first = part.first, n = part.last - first, first_test = part.first_test,
                          tests = part.last_test - first_test;
        copy_sides(from, at, first, n);
        append(out_.leaf_impurity, at - test, from.leaf_impurity, first - first_test, n - tests, 0.0);
        append(out_.kind, from.kind, first, n);
        append(out_.label, at, from.label, first, n, -1);
        for (std::size_t i = first_test; i < part.last_test; ++i)
            out_.first_child.push_back(from.first_child[i] + shift);
        append(out_.column, from.column, first_test, tests);
        append(out_.n_children, test, from.n_children, first_test, tests, 2);
        append(out_.missing, test, from.missing, first_test, tests, -1);
        append(out_.absent, test, from.absent, first_test, tests, -1);
        append(out_.threshold, from.threshold, first_test, tests);
        append(out_.gap, from.gap, 2 * first_test, 2 * tests);
        append(out_.gain, from.gain, first_test, tests);
        append(out_.impurity, from.impurity, first_test, tests);
        if (growth_.sums_later) return;
        append(out_.stats, from.stats, width * first, width * n);
        if (!growth_.rows_from_stats) append(out_.n_rows, from.n_rows, first, n);
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

}  // namespace

TreeArrays flatten(const Growth& growth, const Node* root, std::size_t n_nodes) {
    return Flattener(growth).run(root, n_nodes);
}

}  // namespace hornbeam
