// Density trees: the cuts, the boxes and their shares; the weakest links against pruning step by step.

#include "hornbeam/density/density.hpp"

#include "hornbeam/prune/weakest_links.hpp"
#include "tests/check.hpp"
#include "tests/random.hpp"

namespace hornbeam {
namespace {

using testing::Random;

template <class T>
ColumnView view_of(const std::vector<T>& values, ValueType type, ColumnKind kind, i32 n_values) {
    ColumnView view;
    view.data = reinterpret_cast<const std::byte*>(values.data());
    view.stride = sizeof(T);
    view.type = type;
    view.kind = kind;
    view.n_values = n_values;
    return view;
}

DensityPlan one_cut() {
    DensityPlan plan;
    plan.limits.max_depth = 1;
    return plan;
}

// Strengths by the book: collapse the weakest node of the smallest optimal subtree, again and again.
std::vector<double> links_step_by_step(const std::vector<i32>& first, const std::vector<double>& risk) {
    const std::size_t n = first.size();
    std::vector<i32> now = first;
    std::vector<double> alpha_of(n, -std::numeric_limits<double>::infinity());
    double alpha = 0;
    while (now[0] >= 0) {
        std::vector<double> below(risk);
        std::vector<i64> leaves(n, 1);
        std::vector<bool> alive(n, false);
        alive[0] = true;
        for (std::size_t t = 0; t < n; ++t)
            if (alive[t] && now[t] >= 0)
                alive[static_cast<std::size_t>(now[t])] = alive[static_cast<std::size_t>(now[t]) + 1] = true;
        for (std::size_t t = n; t-- > 0;)
            if (now[t] >= 0) {
                const auto child = static_cast<std::size_t>(now[t]);
                below[t] = below[child] + below[child + 1];
                leaves[t] = leaves[child] + leaves[child + 1];
            }
        std::size_t weakest = n;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t t = 0; t < n; ++t) {
            if (!alive[t] || now[t] < 0) continue;
            const double link = (risk[t] - below[t]) / static_cast<double>(leaves[t] - 1);
            if (link < least) {
                least = link;
                weakest = t;
            }
        }
        alpha = std::max(alpha, least);
        std::vector<std::size_t> below_it{weakest};
        while (!below_it.empty()) {
            const std::size_t t = below_it.back();
            below_it.pop_back();
            if (now[t] < 0) continue;
            alpha_of[t] = alpha;
            below_it.push_back(static_cast<std::size_t>(now[t]));
            below_it.push_back(static_cast<std::size_t>(now[t]) + 1);
            now[t] = -1;
        }
    }
    return alpha_of;
}

}  // namespace

TEST("the cut of five numbers on [0, 10] is at 2.75") {
    const std::vector<double> x{1, 2, 2.5, 3, 9};
    const std::vector<DensityColumn> columns{{view_of(x, ValueType::f64, ColumnKind::numeric, 0), 0, 10}};
    const DensityArrays tree = grow_density(columns, {x.size(), {}, {}}, one_cut(), nullptr);
    CHECK(tree.kind.size() == 3);
    CHECK(tree.threshold[0] == 2.75);
    CHECK(tree.n_rows == std::vector<i64>{5, 3, 2});
    CHECK(std::fabs(0.1 * (1 + tree.rise[0]) - 0.152978) < 1e-6);
    CHECK(std::fabs(std::exp(tree.log_share[1]) - 0.275) < 1e-15);
}

TEST("values nobody has go with the rarest, and every value has a branch") {
    const std::vector<i32> code{1, 1, 1, 1, 2, 4, 4, 4};
    const std::vector<DensityColumn> columns{{view_of(code, ValueType::codes, ColumnKind::nominal, 5), 0, 5}};
    const DensityArrays tree = grow_density(columns, {code.size(), {}, {}}, one_cut(), nullptr);
    CHECK(tree.map_code == std::vector<i32>{0, 1, 2, 3, 4});
    CHECK(tree.map_branch == std::vector<i32>{1, 0, 1, 1, 0});  // {1, 4} against {0, 2, 3}
    CHECK(tree.n_rows == std::vector<i64>{8, 7, 1});
}

TEST("an ordinal column is cut at the better end of a gap") {
    const std::vector<i32> code{0, 0, 0, 0, 5};
    const std::vector<DensityColumn> columns{{view_of(code, ValueType::codes, ColumnKind::ordinal, 6), -0.5, 5.5}};
    const DensityArrays tree = grow_density(columns, {code.size(), {}, {}}, one_cut(), nullptr);
    CHECK(tree.threshold[0] == 0.5);
}

TEST("threads, counts and weights of one size change nothing") {
    Random random(7);
    std::vector<double> x(3000), y(3000), weights(3000, 0.1);
    std::vector<i64> counts(3000, 2);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = random.normal();
        y[i] = random.number(0, 20);
    }
    const std::vector<DensityColumn> columns{{view_of(x, ValueType::f64, ColumnKind::numeric, 0), -6, 6},
                                             {view_of(y, ValueType::f64, ColumnKind::numeric, 0), 0, 20}};
    DensityPlan plan;
    const DensityArrays alone = grow_density(columns, {x.size(), {}, {}}, plan, nullptr);
    plan.n_threads = 3;
    plan.shared_rows = 200;
    plan.serial_cells = 0;
    const DensityArrays threaded = grow_density(columns, {x.size(), weights, {}}, plan, nullptr);
    CHECK(alone.threshold.size() > 1000);
    CHECK(alone.first_child == threaded.first_child);
    CHECK(alone.n_rows == threaded.n_rows);
    CHECK(std::fabs(threaded.weight[0] - 300) < 1e-9);
    plan.limits.min_rows_leaf = 2;
    CHECK(grow_density(columns, {x.size(), {}, counts}, plan, nullptr).first_child == alone.first_child);
    plan.limits.min_rows_leaf = 1;
    plan.limits.max_leaves = 40;
    CHECK(grow_density(columns, {x.size(), {}, counts}, plan, nullptr).kind.size() == 79);
    CHECK(grow_density(columns, {x.size(), {}, counts}, plan, [](double) { return true; }).interrupted);
}

TEST("the weakest links are those of pruning step by step") {
    Random random(11);
    for (int round = 0; round < 300; ++round) {
        std::vector<i32> first{-1}, count{0};
        std::vector<double> risk{-1};
        const int tests = random.number(0, 30);
        for (int i = 0; i < tests; ++i) {
            const std::size_t at = random.below(first.size());
            if (first[at] >= 0) continue;
            first[at] = static_cast<i32>(first.size());
            count[at] = 2;
            const double gain = random.chance(0.2) ? 0 : random.number(1, 64), part = risk[at] / 2;
            for (double side : {part, part - gain}) {
                first.push_back(-1);
                count.push_back(0);
                risk.push_back(side);
            }
        }
        const std::vector<i64> leaves(first.size(), 1);
        u64 steps = 0;
        const std::vector<double> alphas = weakest_links({first, count, risk, leaves}, steps),
                                  expected = links_step_by_step(first, risk);
        bool same = true;
        for (std::size_t t = 0; t < alphas.size(); ++t)
            same &= first[t] < 0 ? std::isnan(alphas[t]) : std::fabs(alphas[t] - expected[t]) < 1e-9;
        CHECK(same);
    }
}

}  // namespace hornbeam
