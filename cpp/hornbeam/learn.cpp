#include "learn.hpp"

#include "fixed.hpp"
#include "grow.hpp"
#include "settle.hpp"

namespace hornbeam {
namespace {

// The rows that count: positive weight, at least one repetition.
std::vector<u32> live_rows(const TargetView& target, std::size_t n_rows) {
    std::vector<u32> rows;
    rows.reserve(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) {
        if (!target.weights.empty() && !(target.weights[i] > 0)) continue;
        if (!target.counts.empty() && target.counts[i] <= 0) continue;
        rows.push_back(static_cast<u32>(i));
    }
    return rows;
}

bool all_equal(std::span<const double> weights, const std::vector<u32>& rows) {
    return std::all_of(rows.begin(), rows.end(), [&](u32 r) { return weights[r] == weights[rows[0]]; });
}

// Turns the nodes into arrays. A node's weights leave the grid here.
class Flattener {
  public:
    Flattener(const Growth& growth, double weight_unit) : growth_(growth), weight_unit_(weight_unit) {
        out_.width = growth.layout.classes() ? growth.layout.n_classes : 3;
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
        out_.impurity.push_back(weight > 0 ? growth_.plan.criterion->potential(node->lanes, growth_.layout.n_classes) /
                                                 weight * growth_.impurity_unit()
                                           : 0);
        growth_.layout.classes() ? classes(node->lanes, weight, parent_label) : real(node->lanes);
    }
    void classes(const i64* lanes, double weight, i32 parent_label) {
        i32 label = 0;
        for (i32 k = 0; k < growth_.layout.n_classes; ++k) {
            out_.stats.push_back(static_cast<double>(lanes[k]) * weight_unit_);
            if (lanes[k] > lanes[label]) label = k;
        }
        out_.label.push_back(weight > 0 ? label : parent_label);
    }
    void real(const i64* lanes) {
        const Moments group(lanes);
        out_.stats.push_back(static_cast<double>(group.w) * weight_unit_);
        out_.stats.push_back(static_cast<double>(group.wy) * weight_unit_ * growth_.unit);
        out_.stats.push_back(static_cast<double>(group.wyy) * weight_unit_ * growth_.unit * growth_.unit);
        out_.label.push_back(-1);
    }
    void maps() {
        for (const Node* node : nodes_) {
            if (node != nullptr && node->map != nullptr)
                for (const auto& [code, branch] : *node->map) {
                    out_.map_code.push_back(code);
                    out_.map_branch.push_back(branch);
                }
            out_.map_offset.push_back(static_cast<i64>(out_.map_code.size()));
        }
    }

    const Growth& growth_;
    double weight_unit_;
    TreeArrays out_;
    std::vector<const Node*> nodes_;
};

struct Work {
    Growth growth;
    const TargetView& target;    // as growth sees it
    const TargetView& original;  // as it came
    std::vector<u32> rows;
    double weight_unit;  // what one step of the weight lanes is worth
    const std::function<bool(double)>& progress;
};

template <class O>
TreeArrays run(Work& work, const O& outcome, std::vector<typename O::Carry> carry, double total_weight,
               double root_sd) {
    work.growth.total_weight = total_weight;
    work.growth.root_sd = root_sd;
    const std::size_t n = work.rows.size();
    const int threads = n * work.growth.columns.size() < work.growth.plan.serial_cells ? 1 : work.growth.plan.n_threads;
    std::function<std::size_t()> settled;
    Pool pool(threads, [&] {
        return work.progress && work.progress(settled ? static_cast<double>(settled()) / static_cast<double>(n) : 0.0);
    });
    TreeArrays out;
    {
        Grower<O> grower(work.growth, outcome, std::move(work.rows), std::move(carry), pool);
        settled = [&grower] { return grower.settled(); };
        const Node* root = grower.run();
        settled = nullptr;
        out = Flattener(work.growth, work.weight_unit).run(root, grower.n_nodes());
    }
    out.interrupted = pool.stopped();
    if (!work.growth.layout.classes() || !work.target.weights.empty())
        settle(work.growth.columns, work.original, pool, out);
    return out;
}

TreeArrays learn_classes(Work& work, bool weighted) {
    const TargetView& target = work.target;
    const auto n = work.rows.size();
    if (!weighted && target.n_classes == 2) {
        std::vector<u8> labels(n);
        for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<u8>(target.codes[work.rows[i]]);
        return run(work, TwoCounts{}, std::move(labels), static_cast<double>(n), 0);
    }
    if (!weighted) {
        std::vector<u32> labels(n);
        for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<u32>(target.codes[work.rows[i]]);
        return run(work, Counts{target.n_classes}, std::move(labels), static_cast<double>(n), 0);
    }
    const WeightGrid grid(target.weights, Bits(n).class_weight());
    std::vector<ClassWeights::Carry> carry(n);
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const u32 r = work.rows[i];
        const i32 count = target.counts.empty() ? 1 : static_cast<i32>(target.counts[r]);
        carry[i] = {static_cast<u32>(target.codes[r]), count, target.weights.empty() ? count : grid(target.weights[r])};
        total += static_cast<double>(carry[i].w);
    }
    if (!target.weights.empty()) work.weight_unit = grid.unit;
    return run(work, ClassWeights{target.n_classes}, std::move(carry), total, 0);
}

TreeArrays learn_real(Work& work, bool weighted) {
    const TargetView& target = work.target;
    const auto n = work.rows.size();
    std::vector<double> live(n);
    for (std::size_t i = 0; i < n; ++i) live[i] = target.values[work.rows[i]];
    const bool plain = !weighted && work.growth.plan.criterion->name == "variance";
    const Bits bits(n);
    i64 repetitions = static_cast<i64>(n);
    for (std::size_t i = 0; i < n && !target.counts.empty(); ++i) repetitions += target.counts[work.rows[i]];
    const int counted = Bits(static_cast<std::size_t>(repetitions)).counted_target();
    const TargetGrid grid(live, plain                    ? bits.plain_target()
                                : target.weights.empty() ? counted
                                                         : bits.weighted_target());
    work.growth.centre = grid.centre;
    work.growth.unit = grid.unit;
    i64 totals[7] = {};
    if (plain) {
        Mean outcome;
        outcome.n_bits = bits.size;
        outcome.square_shift = std::max(0, 2 * (bits.plain_target() - 1) - (63 - 2 * bits.size));
        std::vector<Mean::Carry> carry(n);
        for (std::size_t i = 0; i < n; ++i) {
            carry[i] = outcome.carry(grid(live[i]));
            Mean::row_lanes(carry[i], totals);
        }
        const double sd = grid.unit * std::sqrt(Moments(totals).squares() / static_cast<double>(n));
        live = {};
        return run(work, outcome, std::move(carry), static_cast<double>(n), sd);
    }
    const WeightGrid weights(target.weights, bits.target_weight());
    std::vector<Sums::Carry> carry(n);
    for (std::size_t i = 0; i < n; ++i) {
        const u32 r = work.rows[i];
        const i32 count = target.counts.empty() ? 1 : static_cast<i32>(target.counts[r]);
        carry[i] = {grid(live[i]), count, target.weights.empty() ? count : weights(target.weights[r])};
        Sums::row_lanes(carry[i], totals);
    }
    if (!target.weights.empty()) work.weight_unit = weights.unit;
    const Moments all(totals);
    const double total = static_cast<double>(all.w);
    return run(work, Sums{}, std::move(carry), total, grid.unit * std::sqrt(all.squares() / total));
}

}  // namespace

TreeArrays learn(const std::vector<ColumnView>& columns, std::size_t n_rows, const TargetView& target, Plan plan,
                 const std::function<bool(double)>& progress) {
    TargetView used = target;
    Work work{{columns, plan, {target.n_classes}}, used, target, live_rows(target, n_rows), 1.0, progress};
    work.growth.n_rows = n_rows;
    if (!used.weights.empty() && used.counts.empty() && all_equal(used.weights, work.rows)) {
        work.weight_unit = used.weights[work.rows[0]];  // equal weights: count, and scale at the end
        used.weights = {};
    }
    const bool weighted = !used.weights.empty() || !used.counts.empty();
    if (plan.limits.min_weight_leaf > 0) {  // a share of the total weight until here
        const WeightGrid grid(used.weights, used.n_classes > 0 ? Bits(work.rows.size()).class_weight()
                                                               : Bits(work.rows.size()).target_weight());
        double total = 0;
        for (u32 r : work.rows)
            total += !used.weights.empty()  ? static_cast<double>(grid(used.weights[r]))
                     : !used.counts.empty() ? static_cast<double>(used.counts[r])
                                            : 1.0;
        plan.limits.min_weight_leaf *= total;
    }
    return target.n_classes > 0 ? learn_classes(work, weighted) : learn_real(work, weighted);
}

}  // namespace hornbeam
