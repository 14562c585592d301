// Forests: every tree is the tree `learn` grows from its counts and seed, whoever grows it; draws follow masses alone.

#include <numeric>

#include "hornbeam/forest/forest.hpp"
#include "tests/check.hpp"
#include "tests/random.hpp"

namespace hornbeam {
namespace {

using testing::Random;

struct Data {
    std::vector<float> cells;
    std::vector<i32> labels;
    std::vector<double> values;
    std::vector<ColumnView> columns;
    std::vector<i64> order;
    std::size_t n_rows;

    Data(Random& random, std::size_t n, std::size_t d) : cells(n * d), labels(n), values(n), order(n), n_rows(n) {
        for (float& x : cells) x = static_cast<float>(random.number(0, 40));
        for (std::size_t r = 0; r < n; ++r) {
            values[r] = static_cast<double>(cells[r * d]) + 10 * random.normal();
            labels[r] = std::clamp(static_cast<i32>(values[r] / 20), 0, 2);
        }
        for (std::size_t j = 0; j < d; ++j) {
            ColumnView view;
            view.data = reinterpret_cast<const std::byte*>(cells.data() + j);
            view.stride = static_cast<std::ptrdiff_t>(d * sizeof(float));
            view.type = ValueType::f32;
            columns.push_back(view);
        }
        std::iota(order.begin(), order.end(), 0);
    }
    TargetView target(bool real) const {
        TargetView out;
        if (real) {
            out.values = values;
        } else {
            out.n_classes = 3;
            out.codes = labels;
        }
        return out;
    }
};

bool same(const TreeArrays& a, const TreeArrays& b) {
    return a.kind == b.kind && a.first_child == b.first_child && a.column == b.column && a.stats == b.stats &&
           a.n_rows == b.n_rows && a.gain == b.gain && a.label == b.label;
}

// The same tests on the same rows; settled sums of repeated rows are rounded elsewhere.
bool same_tests(const TreeArrays& a, const TreeArrays& b) {
    if (!(a.kind == b.kind && a.first_child == b.first_child && a.column == b.column && a.n_rows == b.n_rows &&
          a.gain == b.gain && a.label == b.label && a.stats.size() == b.stats.size()))
        return false;
    for (std::size_t i = 0; i < a.stats.size(); ++i)
        if (std::fabs(a.stats[i] - b.stats[i]) > 1e-9 * (1 + std::fabs(a.stats[i]))) return false;
    return true;
}

Plan plan_for(bool real, std::size_t n_columns) {
    Plan plan;
    plan.criterion = &kCriteria[real ? 5 : 0];
    plan.max_features = 2;
    plan.monotone.resize(n_columns);
    plan.block_rows = 64;
    plan.block_cells = 0;
    return plan;
}

}  // namespace

TEST("a tree of a forest is the tree of its counts and seed, for any number of threads") {
    Random random(7);
    const Data data(random, 700, 6);
    const Bootstrap draws{data.order, {}, 700};
    const std::vector<u64> seeds{3, 1, 4, 1, 5, 9, 2, 6, 5};
    for (const bool real : {false, true}) {
        Plan plan = plan_for(real, 6);
        for (const int threads : {1, 2, 7}) {
            plan.n_threads = threads;
            const auto trees = learn_forest(data.columns, data.n_rows, data.target(real), plan, seeds, &draws, {});
            CHECK(trees.size() == seeds.size() && same(trees[1], trees[3]) && !same(trees[0], trees[1]));
            for (std::size_t i = 0; i < seeds.size(); ++i) {
                TargetView target = data.target(real);
                const std::vector<i64> counts = draws.counts(seeds[i]);
                target.counts = counts;
                Plan alone = plan;
                alone.seed = seeds[i];
                CHECK(same(trees[i], learn(data.columns, data.n_rows, target, alone, {})));
            }
        }
    }
}

TEST("repetitions are repeated rows, however they are counted") {
    Random random(8);
    const Data data(random, 400, 5);
    for (const bool real : {false, true})
        for (const i64 most : {3, 5000}) {  // few enough for the quick tables, and too many
            std::vector<i64> counts(400);
            for (i64& c : counts) c = random.number(0, 3);
            counts[0] = most;
            TargetView counted = data.target(real);
            counted.counts = counts;
            Data written = data;
            written.cells.clear();
            written.labels.clear();
            written.values.clear();
            for (std::size_t r = 0; r < 400; ++r)
                for (i64 c = 0; c < counts[r]; ++c) {
                    written.cells.insert(written.cells.end(), data.cells.begin() + static_cast<std::ptrdiff_t>(5 * r),
                                         data.cells.begin() + static_cast<std::ptrdiff_t>(5 * r + 5));
                    written.labels.push_back(data.labels[r]);
                    written.values.push_back(data.values[r]);
                }
            for (std::size_t j = 0; j < 5; ++j)
                written.columns[j].data = reinterpret_cast<const std::byte*>(written.cells.data() + j);
            Plan plan = plan_for(real, 5);
            plan.block_rows = 4096;
            const TreeArrays a = learn(data.columns, 400, counted, plan, {});
            CHECK(same_tests(a, learn(written.columns, written.labels.size(), written.target(real), plan, {})));
        }
}

TEST("draws follow the masses, and a row of mass 2 is two rows of mass 1") {
    const std::vector<i64> two{0, 1}, three{0, 1, 2}, upto{2, 3};
    const Bootstrap merged{two, upto, 3000}, apart{three, {}, 3000};
    const std::vector<i64> a = merged.counts(5), b = apart.counts(5);
    CHECK(a[0] == b[0] + b[1] && a[1] == b[2]);
    CHECK(a[0] + a[1] == 3000 && a[0] > 1900 && a[0] < 2100);
    CHECK(merged.counts(6) != a);
}

TEST("keys tell rows apart by what they hold") {
    Random random(9);
    Data data(random, 50, 2);
    data.cells[2] = data.cells[0];  // row 1 is row 0
    data.cells[3] = data.cells[1];
    data.labels[1] = data.labels[0];
    Pool pool(2, nullptr);
    const std::vector<u64> keys = row_keys(data.columns, 50, data.target(false), pool);
    CHECK(keys[0] == keys[1]);
    data.labels[1] = (data.labels[0] + 1) % 3;
    CHECK(row_keys(data.columns, 50, data.target(false), pool)[1] != keys[1]);
}

TEST("a forest that is stopped returns the trees begun") {
    Random random(10);
    const Data data(random, 3000, 6);
    Plan plan = plan_for(false, 6);
    plan.n_threads = 2;
    const std::vector<u64> seeds(400, 1);
    const auto trees =
        learn_forest(data.columns, data.n_rows, data.target(false), plan, seeds, nullptr, [](double) { return true; });
    CHECK(trees.size() == 400 && trees.back().kind.empty());
}

}  // namespace hornbeam
