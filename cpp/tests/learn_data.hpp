// Random tables and plans to learn from, and whether two trees are the same bits.
#pragma once

#include <cmath>
#include <cstring>
#include <memory>

#include "hornbeam/grow/learn.hpp"
#include "tests/random.hpp"

namespace hornbeam::testing {

// Columns, target and weights that own their memory.
struct Data {
    std::size_t n_rows = 0;
    std::vector<std::unique_ptr<std::vector<double>>> numbers;
    std::vector<std::unique_ptr<std::vector<float>>> narrow;
    std::vector<std::unique_ptr<std::vector<i32>>> codes;
    std::vector<ColumnView> columns;
    std::vector<i32> labels;
    std::vector<double> values, weights;
    std::vector<i64> counts;
    TargetView target;

    template <class T>
    void add(std::vector<std::unique_ptr<std::vector<T>>>& owners, std::vector<T> column, ValueType type,
             ColumnKind kind, SplitKind split, i32 n_values) {
        owners.push_back(std::make_unique<std::vector<T>>(std::move(column)));
        ColumnView view;
        view.data = reinterpret_cast<const std::byte*>(owners.back()->data());
        view.stride = sizeof(T);
        view.type = type;
        view.kind = kind;
        view.split = split;
        view.n_values = n_values;
        columns.push_back(view);
    }
    void add_numbers(Random& random, double gaps, int n_values) {
        std::vector<double> column(n_rows);
        for (double& x : column) {
            x = n_values > 0 ? random.number(0, n_values - 1) : random.normal();
            if (random.chance(gaps)) x = std::numeric_limits<double>::quiet_NaN();
        }
        if (random.chance(0.5)) {
            std::vector<float> rounded(column.begin(), column.end());
            return add(narrow, std::move(rounded), ValueType::f32, ColumnKind::numeric, SplitKind::threshold, 0);
        }
        add(numbers, std::move(column), ValueType::f64, ColumnKind::numeric, SplitKind::threshold, 0);
    }
    void add_codes(Random& random, double gaps, SplitKind split, i32 n_values) {
        std::vector<i32> column(n_rows);
        for (i32& code : column) code = random.chance(gaps) ? -1 : random.number(0, n_values - 1);
        const ColumnKind kind = split == SplitKind::threshold ? ColumnKind::ordinal : ColumnKind::nominal;
        add(codes, std::move(column), ValueType::codes, kind, split, n_values);
    }
    // The outcome follows the columns, more or less.
    void add_target(Random& random, int n_classes) {
        target.n_classes = n_classes;
        for (std::size_t r = 0; r < n_rows; ++r) {
            double sum = random.normal();
            for (const ColumnView& view : columns) {
                const double x = view.value(r);
                sum += std::isnan(x) ? 1 : std::sin(x);
            }
            if (n_classes > 0)
                labels.push_back(std::min(n_classes - 1, static_cast<int>(std::fabs(sum) / 4 * n_classes)));
            else
                values.push_back(sum);
        }
        target.codes = labels;
        target.values = values;
    }
    void add_weights(Random& random, int how) {
        for (std::size_t r = 0; r < n_rows && how == 1; ++r)
            weights.push_back(random.chance(0.1) ? 0 : 3 * random.real());
        for (std::size_t r = 0; r < n_rows && how == 2; ++r) counts.push_back(random.number(0, 3));
        if (how == 1) weights[0] = 1;
        if (how == 2) counts[0] = 1;
        target.weights = weights;
        target.counts = counts;
    }
};

inline Data draw_data(Random& random, std::size_t n_rows, int n_classes) {
    Data data;
    data.n_rows = n_rows;
    const double gaps = random.chance(0.5) ? 0 : 0.15;
    data.add_numbers(random, gaps, 0);
    data.add_numbers(random, gaps, random.number(1, 20));
    data.add_codes(random, gaps, SplitKind::threshold, random.chance(0.3) ? 300 : 6);
    constexpr SplitKind kinds[] = {SplitKind::subset, SplitKind::equals, SplitKind::multiway};
    data.add_codes(random, gaps, kinds[random.below(3)], random.chance(0.3) ? 300 : random.number(1, 7));
    data.add_target(random, n_classes);
    data.add_weights(random, random.number(0, 2));
    return data;
}

inline void draw_selection(Random& random, int n_classes, Selection& out) {
    out.kind = static_cast<Selection::Kind>(random.number(n_classes > 0 ? 1 : 2, 3));
    out.correction = static_cast<Selection::Correction>(random.below(3));
    out.min_branch = random.number(1, 3);
    for (int j = 0; j < 4; ++j) out.price.push_back(0.25 * random.number(0, 4));
    out.w = 0.5;
}

inline Plan draw_plan(Random& random, const Criterion& criterion, int n_classes) {
    Plan plan;
    plan.criterion = &criterion;
    plan.missing = static_cast<MissingRule>(random.below(5));
    if (random.chance(0.4)) draw_selection(random, n_classes, plan.selection);
    plan.serial_cells = 0;
    plan.monotone.resize(4);
    if (random.chance(0.3)) plan.limits.max_leaves = random.number(2, 40);
    if (random.chance(0.3)) plan.limits.min_rows_leaf = random.number(1, 8);
    if (random.chance(0.2)) plan.limits.min_weight_leaf = 0.02;
    if (random.chance(0.2)) plan.limits.max_depth = random.number(1, 6);
    if (random.chance(0.2)) {
        const auto kind = n_classes > 0 ? Functional::Kind::at_least_class : Functional::Kind::mean;
        plan.functionals.push_back({kind, n_classes > 0 ? 1 : 0});
        plan.monotone[0].push_back({0, random.chance(0.5) ? 1 : -1});
    }
    return plan;
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

inline bool same(const TreeArrays& a, const TreeArrays& b) {
    return same(a.kind, b.kind) && same(a.first_child, b.first_child) && same(a.n_children, b.n_children) &&
           same(a.column, b.column) && same(a.missing, b.missing) && same(a.absent, b.absent) &&
           same(a.label, b.label) && same(a.threshold, b.threshold) && same(a.gap, b.gap) && same(a.gain, b.gain) &&
           same(a.impurity, b.impurity) && same(a.leaf_impurity, b.leaf_impurity) && same(a.stats, b.stats) &&
           same(a.n_rows, b.n_rows) && same(a.surrogates.column, b.surrogates.column) &&
           same(a.surrogates.low, b.surrogates.low) && same(a.surrogates.threshold, b.surrogates.threshold) &&
           same(a.surrogates.map_code, b.surrogates.map_code) &&
           same(a.surrogates.association, b.surrogates.association) && same(a.map_offset, b.map_offset) &&
           same(a.map_code, b.map_code) && same(a.map_branch, b.map_branch) && a.width == b.width;
}

}  // namespace hornbeam::testing
