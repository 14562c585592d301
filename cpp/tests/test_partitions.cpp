// Partitions: rows divided among tables that never see each other grow the tree that all of them grow together.

#include "hornbeam/partition/learn_partitions.hpp"

#include "tests/check.hpp"
#include "tests/learn_data.hpp"

namespace hornbeam {
namespace {

using testing::Data;
using testing::draw_data;
using testing::draw_plan;
using testing::Random;
using testing::same;

// Some rows of a table in memory of their own, as long as they need, so that a sanitizer sees who reads beyond.
struct Copy {
    std::vector<std::unique_ptr<std::byte[]>> columns;
    std::vector<i32> labels;
    std::vector<double> values, weights;
    std::vector<i64> counts;
    Partition partition;

    Copy(const Data& data, const std::vector<std::size_t>& rows) {
        partition.n_rows = rows.size();
        for (ColumnView view : data.columns) {
            const std::size_t width = view.type == ValueType::f64 ? 8 : 4;
            columns.push_back(std::make_unique<std::byte[]>(rows.size() * width));
            for (std::size_t i = 0; i < rows.size(); ++i)
                std::memcpy(columns.back().get() + i * width,
                            view.data + static_cast<std::ptrdiff_t>(rows[i]) * view.stride, width);
            view.data = columns.back().get();
            view.stride = static_cast<std::ptrdiff_t>(width);
            partition.columns.push_back(view);
        }
        const auto take = [&](const auto& from, auto& to) {
            for (std::size_t r : rows)
                if (!from.empty()) to.push_back(from[r]);
        };
        take(data.labels, labels);
        take(data.values, values);
        take(data.weights, weights);
        take(data.counts, counts);
        partition.target = {data.target.n_classes, labels, values, weights, counts};
    }
};

// The tree of up to seven partitions, some of which may be empty.
TreeArrays grow_divided(Random& random, const Data& data, const Plan& plan) {
    const std::size_t k = 1 + random.below(7), first = random.below(k);
    std::vector<std::vector<std::size_t>> rows(k);
    for (std::size_t r = 0; r < data.n_rows; ++r)
        rows[random.chance(0.3) ? first : first + random.below(k - first)].push_back(r);
    std::vector<Copy> copies;
    for (const auto& part : rows) copies.emplace_back(data, part);
    std::vector<Partition> partitions;
    for (Copy& copy : copies) partitions.push_back(copy.partition);
    return learn_partitions(partitions, plan, {});
}

void check_partitions(Random& random, const Data& data, Plan plan) {
    if (plan.missing == MissingRule::surrogates) plan.missing = MissingRule::learn;
    if (plan.missing == MissingRule::fractional && data.target.n_classes == 0) plan.missing = MissingRule::majority;
    constexpr u32 sizes[] = {1, 1, 6, 60, 4096};
    const TreeArrays whole = learn(data.columns, data.n_rows, data.target, plan, {});
    for (int trial = 0; trial < 2; ++trial) {
        plan.block_rows = sizes[random.below(5)];
        CHECK(same(whole, grow_divided(random, data, plan)));
    }
}

// Values so far apart that nodes get grids of their own.
void spread_out(Random& random, Data& data) {
    for (double& y : data.values) y = random.chance(0.1) ? y * 1e13 : y * 1e-4 + 3;
    for (double& w : data.weights) w *= random.chance(0.1) ? 1e9 : 1;
}

}  // namespace

TEST("partitions grow the tree of all rows") {
    Random random(40);
    for (const Criterion& criterion : kCriteria)
        for (int trial = 0; trial < 25; ++trial) {
            const int n_classes = criterion.on_classes ? random.number(2, 5) : 0;
            Data data = draw_data(random, 1 + random.below(300), n_classes);
            if (trial % 3 == 0 && criterion.name != "poisson") spread_out(random, data);
            Plan plan = draw_plan(random, criterion, n_classes);
            plan.seed = random.bits();
            if (random.chance(0.3)) plan.max_features = random.number(1, 4);
            check_partitions(random, data, plan);
        }
}

TEST("partitions answer for bins that hold many values") {
    Random random(41);
    for (const std::size_t c : {0, 2, 5}) {
        Data data;
        data.n_rows = 30000;
        for (int j = 0; j < 2; ++j) data.add_numbers(random, 0.05, 0);
        data.add_target(random, kCriteria[c].on_classes ? 3 : 0);
        data.add_weights(random, random.number(0, 2));
        Plan plan;
        plan.criterion = &kCriteria[c];
        plan.monotone.resize(2);
        plan.limits.max_depth = 2;
        check_partitions(random, data, plan);
    }
}

TEST("what does not add up is refused") {
    Random random(42);
    const Data data = draw_data(random, 40, 0);
    const auto refused = [&](Plan plan) {
        try {
            grow_divided(random, data, plan);
        } catch (const std::invalid_argument&) {
            return true;
        }
        return false;
    };
    Plan plan;
    plan.criterion = &kCriteria[5];
    plan.monotone.resize(4);
    CHECK(!refused(plan));
    for (const MissingRule rule : {MissingRule::surrogates, MissingRule::fractional}) {
        plan.missing = rule;
        CHECK(refused(plan));
    }
    plan.missing = MissingRule::learn;
    plan.level = 0.5;
    CHECK(refused(plan));
}

}  // namespace hornbeam
