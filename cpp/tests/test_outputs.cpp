// Several targets: rows may join and leave a side in any order, and a tree grows to the end whatever its columns are.

#include "hornbeam/outputs/output_side.hpp"
#include "tests/check.hpp"
#include "tests/learn_data.hpp"

namespace hornbeam {
namespace {

using testing::Data;
using testing::Random;

// Two targets of classes and one of numbers, a row each.
OutputRows draw(Random& random, std::size_t n) {
    OutputRows out;
    out.classes = {{2, 0, 0.5}, {3, 2, 0.25}};
    out.numbers = {{0.25, 0}};
    out.n_lanes = 5;
    for (std::size_t i = 0; i < n; ++i) {
        out.codes.push_back(random.number(0, 1));
        out.codes.push_back(2 + random.number(0, 2));
    }
    return out;
}

template <class Sum>
void add_and_take(Random& random) {
    const std::size_t n = 2 + random.below(20);
    const OutputRows outputs = draw(random, n);
    const std::vector<double> units{1.5};
    std::vector<Sum> sums;
    for (std::size_t i = 0; i < n; ++i) sums.push_back(random.number(-50, 50));
    const auto row = [&](std::size_t i) {
        return OutputRow<Sum>{1, 1 + static_cast<i64>(i % 3), outputs.row_codes(i), sums.data() + i};
    };
    OutputSide<Sum> all, first, second;
    for (auto* side : {&all, &first, &second}) side->clear(outputs);
    for (std::size_t i = 0; i < n; ++i) all.add(row(i));
    for (std::size_t i = 0; i < n; ++i) (random.chance(0.5) ? first : second).add(row(i));
    OutputSide<Sum> rest = all, merged = first;
    rest.part(first, outputs);
    merged.merge(second, outputs);
    CHECK(rest.cost(outputs, units) == second.cost(outputs, units));
    CHECK(merged.cost(outputs, units) == all.cost(outputs, units));
    for (std::size_t i = n; i-- > 0;) all.take(row(i));
    CHECK(all.rows == 0 && all.weight == 0 && all.cost(outputs, units) == 0);
}

TEST("a side of several targets is the sum of its rows, in whatever order they come and go") {
    Random random(5);
    for (int trial = 0; trial < 200; ++trial) {
        add_and_take<i64>(random);
        add_and_take<i128>(random);
    }
}

TEST("a tree of several targets grows to the end on columns of every kind, with gaps and with threads") {
    Random random(17);
    for (int trial = 0; trial < 60; ++trial) {
        Data data;
        data.n_rows = 2 + random.below(80);
        data.add_numbers(random, 0.2, 9);
        data.add_codes(random, 0.2, SplitKind::equals, 5);
        data.add_codes(random, 0.2, SplitKind::subset, 4);
        data.add_codes(random, 0.2, SplitKind::subset, 20);
        data.add_codes(random, 0.2, SplitKind::multiway, 3);
        std::vector<i32> codes(data.n_rows);
        std::vector<double> values(data.n_rows), weights(data.n_rows);
        for (std::size_t i = 0; i < data.n_rows; ++i) {
            codes[i] = random.number(0, 2);
            values[i] = random.normal() * 1e6;
            weights[i] = 0.25 + random.real();
        }
        const OutputView outputs[2] = {{3, codes, {}}, {0, {}, values}};
        TargetView target;
        target.n_classes = 3;
        target.codes = codes;
        if (random.chance(0.5)) target.weights = weights;
        target.outputs = outputs;
        Plan plan;
        const MissingRule rules[3] = {MissingRule::learn, MissingRule::branch, MissingRule::majority};
        plan.missing = rules[random.below(3)];
        plan.n_threads = 2;
        plan.serial_cells = random.chance(0.5) ? 0 : 100000;
        plan.monotone.resize(data.columns.size());
        if (random.chance(0.3)) plan.limits.max_leaves = 6;
        const TreeArrays tree = learn(data.columns, data.n_rows, target, plan, {});
        CHECK(tree.output_stats.size() == 2 && tree.output_stats[0].size() == 3 * tree.n_nodes());
        const std::vector<double>& stats = tree.output_stats[1];
        for (std::size_t node = 0, test = 0; node < tree.n_nodes(); ++node) {
            if (tree.is_leaf(node)) continue;
            double weight = 0;
            for (i32 b = 0; b < tree.children(test); ++b)
                weight += stats[3 * static_cast<std::size_t>(tree.first_child[test] + b)];
            ++test;
            CHECK(std::fabs(weight - stats[3 * node]) <= 1e-9 * stats[0]);
        }
    }
}

}  // namespace
}  // namespace hornbeam
