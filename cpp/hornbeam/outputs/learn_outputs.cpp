#include "hornbeam/outputs/learn_outputs.hpp"

#include "hornbeam/outputs/search_outputs.hpp"
#include "hornbeam/quantile/run_ordered.hpp"

namespace hornbeam {
namespace {

OutputRows side_by_side(const TargetView& target, const Criterion& criterion, const std::vector<u32>& rows) {
    OutputRows out;
    out.criterion = criterion.on_classes ? &criterion : &kCriteria[0];
    std::vector<const OutputView*> classes, numbers;
    const double share = 1.0 / static_cast<double>(target.outputs.size());
    for (const OutputView& output : target.outputs) {
        if (output.n_classes > 0) {
            out.classes.push_back({output.n_classes, out.n_lanes, share});
            out.n_lanes += static_cast<std::size_t>(output.n_classes);
            classes.push_back(&output);
        } else {
            out.numbers.push_back({share, 0});
            numbers.push_back(&output);
        }
    }
    out.codes.reserve(rows.size() * classes.size());
    out.values.reserve(rows.size() * numbers.size());
    for (u32 row : rows) {
        for (std::size_t t = 0; t < classes.size(); ++t)
            out.codes.push_back(static_cast<i32>(out.classes[t].first_lane) + classes[t]->codes[row]);
        for (std::size_t t = 0; t < numbers.size(); ++t) out.values.push_back(numbers[t]->values[row]);
    }
    return out;
}

// The impurity of all rows, with the power of two that it is divided by.
template <class Sum>
std::pair<double, int> impurity_of(const OutputRows& outputs, const std::vector<Sums::Carry>& carry, const Plan& plan) {
    OutputsNode<Sum> root;
    root.outputs = &outputs;
    root.plan = &plan;
    root.clear(static_cast<u32>(carry.size()));
    for (u32 i = 0; i < carry.size(); ++i) root.set(i, carry[i]);
    root.finish();
    return {root.impurity(), root.lift()};
}

// How much the impurity of each target counts.
//
// Numbers alone are compared in their own units, as scikit-learn does; beside classes every target counts relative to
// its impurity at the root.
template <class Sum>
void scale_targets(OutputRows& outputs, const std::vector<Sums::Carry>& carry, const Plan& plan) {
    if (outputs.classes.empty() || outputs.numbers.empty()) return;
    const OutputRows all = outputs;
    const auto count_alone = [&](auto& scales, std::size_t which) {
        for (ClassOutput& output : outputs.classes) output.scale = 0;
        for (NumberOutput& output : outputs.numbers) output.scale = 0;
        scales[which].scale = 1;
        return impurity_of<Sum>(outputs, carry, plan);
    };
    std::vector<std::pair<double, int>> classes, numbers;
    for (std::size_t t = 0; t < all.classes.size(); ++t) classes.push_back(count_alone(outputs.classes, t));
    for (std::size_t t = 0; t < all.numbers.size(); ++t) numbers.push_back(count_alone(outputs.numbers, t));
    for (std::size_t t = 0; t < all.classes.size(); ++t)
        outputs.classes[t].scale = classes[t].first > 0 ? all.classes[t].scale / classes[t].first : 0;
    for (std::size_t t = 0; t < all.numbers.size(); ++t) {
        const auto [impurity, lift] = numbers[t];
        outputs.numbers[t] = {impurity > 0 ? all.numbers[t].scale / impurity : 0, lift};
    }
}

template <class Sum>
TreeArrays run_outputs(LearnState& state, OutputRows& outputs, std::vector<u32> rows, std::vector<Sums::Carry> carry) {
    scale_targets<Sum>(outputs, carry, state.plan);
    OutputsNode<Sum> blank;
    blank.outputs = &outputs;
    return run_ordered<OutputsKind<Sum>>(
        state, std::move(rows), std::move(carry), blank, [&](Pool& pool, TreeArrays& tree) {
            for (const OutputView& output : state.table.original.outputs) {
                TargetView one = state.table.original;
                one.n_classes = output.n_classes;
                one.codes = output.codes;
                one.values = output.values;
                one.outputs = {};
                tree.width = output.n_classes > 0 ? output.n_classes : 3;
                sum_nodes({&state.growth.columns, one}, *state.growth.plan.criterion, pool, tree);
                tree.output_stats.push_back(std::move(tree.stats));
                tree.stats = {};
            }
        });
}

}  // namespace

TreeArrays learn_outputs(LearnState& state) {
    const TargetView& target = state.target();
    std::vector<u32> rows = std::move(state.table.rows);
    OutputRows outputs = side_by_side(target, *state.growth.plan.criterion, rows);
    const std::size_t n = rows.size();
    std::vector<double> weight;
    for (std::size_t i = 0; i < n && !target.weights.empty(); ++i) weight.push_back(target.weight(rows[i]));
    const WeightGrid weights(weight, outputs.numbers.empty() ? Bits(n).class_weight() : Bits(n).summed_weight());
    std::vector<Sums::Carry> carry(n);
    i64 total = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const i64 count = target.repetitions(rows[i]);
        carry[i] = {static_cast<i64>(i), count, weight.empty() ? count : weights(weight[i])};
        total += carry[i].w;
    }
    if (!weight.empty()) state.weight_unit *= weights.unit;
    outputs.weight_bits = static_cast<int>(std::bit_width(static_cast<u64>(total)));
    state.growth.layout = {};
    state.growth.total_weight = static_cast<double>(total);
    state.plan.limits.min_weight_leaf *= state.growth.total_weight * kAlmostOne;
    const bool is_light = outputs.weight_bits <= 31;
    return is_light ? run_outputs<i64>(state, outputs, std::move(rows), std::move(carry))
                    : run_outputs<i128>(state, outputs, std::move(rows), std::move(carry));
}

}  // namespace hornbeam
