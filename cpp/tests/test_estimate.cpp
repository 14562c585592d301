// Bounds: no cut inside a bin gains more than the bound of the bin, in whatever order its rows lie.

#include <cmath>

#include "hornbeam/search/bounds.hpp"
#include "hornbeam/stats/fixed_point.hpp"
#include "hornbeam/stats/outcome.hpp"
#include "tests/check.hpp"
#include "tests/groups.hpp"

namespace hornbeam {
namespace {

using testing::Lanes;
using testing::Random;
using testing::RowMaker;
using testing::sum_of;

constexpr double kNothing = -std::numeric_limits<double>::infinity();

// A node cut into left, bin, right, and perhaps rows whose value is missing.
struct Cell {
    Lanes left, right, own;
    std::vector<Lanes> bin;
    Layout layout;

    Lanes total() const {
        const int width = layout.width();
        Lanes out = sum_of(bin, width);
        for (const Lanes* part : {&left, &right, &own}) add_lanes(out.data(), part->data(), width);
        return out;
    }
};

Cell draw_cell(Random& random, const Criterion& criterion, bool gaps) {
    RowMaker maker(random, criterion);
    Cell cell;
    cell.layout = maker.layout();
    const double low = random.real(), high = std::min(1.0, low + 0.2);
    cell.left = maker.group(random.below(40), 0, low);
    cell.bin = maker.rows(2 + random.below(8), low, high);
    cell.right = maker.group(random.below(40), high, 1);
    cell.own = maker.group(gaps ? 1 + random.below(10) : 0, 0, 1);
    return cell;
}

// Moves the rows of the bin over one by one and calls look(value) for every cut inside.
template <class Look>
void cut_everywhere(const Estimate& estimate, const Cell& cell, const i64* own, Look&& look) {
    const int width = cell.layout.width();
    Lanes left = cell.left, right = sum_of(cell.bin, width);
    add_lanes(right.data(), cell.right.data(), width);
    for (std::size_t i = 0; i + 1 < cell.bin.size(); ++i) {
        add_lanes(left.data(), cell.bin[i].data(), width);
        subtract_lanes(right.data(), cell.bin[i].data(), width);
        look(estimate.value(left.data(), right.data(), own));
    }
}

void check_bound(Random& random, Cell cell, const Plan& plan, bool gaps) {
    const Lanes total = cell.total(), bin = sum_of(cell.bin, cell.layout.width());
    Bounds free;
    free.low.assign(plan.functionals.size(), kNothing);
    free.high.assign(plan.functionals.size(), -kNothing);
    const Judge judge(plan, cell.layout, total.data(), plan.constrained() ? &free : nullptr);
    const Estimate estimate(judge);
    const i64* own = gaps ? cell.own.data() : nullptr;
    const double bound = estimate.bound(cell.left.data(), bin.data(), cell.right.data(), own, kNothing);
    for (int order = 0; order < 4; ++order) {
        random.shuffle(cell.bin);
        cut_everywhere(estimate, cell, own, [&](double value) { CHECK(value <= bound + estimate.slack(value)); });
    }
}

void check_bounds(const Criterion& criterion, bool gaps, u64 seed) {
    Random random(seed);
    Plan plan;
    plan.criterion = &criterion;
    plan.monotone.resize(1);
    plan.missing = MissingRule::branch;
    for (int trial = 0; trial < 150; ++trial) {
        plan.limits.min_rows_leaf = random.chance(0.5) ? 1 : random.number(2, 6);
        check_bound(random, draw_cell(random, criterion, gaps), plan, gaps);
    }
}

}  // namespace

TEST("a bound is above every cut inside its bin") {
    for (const Criterion& criterion : kCriteria) check_bounds(criterion, false, 1);
}

TEST("a bound is above every cut inside its bin when gaps have a branch of their own") {
    for (const Criterion& criterion : kCriteria) check_bounds(criterion, true, 2);
}

TEST("a bound is above every cut inside its bin when a class weighs next to nothing") {
    Random random(3);
    Plan plan;
    for (int trial = 0; trial < 300; ++trial) {
        Cell cell;
        cell.layout.n_classes = random.number(2, 4);
        const auto last = static_cast<std::size_t>(cell.layout.n_classes);
        const auto row = [&] {
            Lanes lanes(last + 1, 0);
            const std::size_t k = random.below(last);
            lanes[k] = k == 0 ? i64{1} << 48 : random.whole(1, 3);
            lanes[last] = 1;
            return lanes;
        };
        const auto rows = [&](std::size_t n) {
            std::vector<Lanes> out;
            for (std::size_t i = 0; i < n; ++i) out.push_back(row());
            return out;
        };
        cell.left = sum_of(rows(1 + random.below(20)), cell.layout.width());
        cell.right = sum_of(rows(1 + random.below(20)), cell.layout.width());
        cell.bin = rows(2 + random.below(8));
        cell.own.assign(last + 1, 0);
        check_bound(random, cell, plan, false);
    }
}

// The histograms of means hold rounded squares; bounds made of them must hold all the same.
TEST("a bound is above every cut inside its bin though the squares of a bin of means are rounded") {
    Random random(4);
    const Criterion* variance = nullptr;
    for (const Criterion& criterion : kCriteria)
        if (criterion.name == "variance") variance = &criterion;
    for (int trial = 0; trial < 200; ++trial) {
        const Bits bits(20000);
        Mean outcome;
        outcome.n_bits = bits.size;
        outcome.square_shift = Mean::square_shift_of(bits);
        const i64 far = i64{1} << (bits.plain_target() - 2);
        const auto lanes_of = [&](const std::vector<i64>& ys) {
            u64 bin[2] = {};
            for (i64 y : ys) outcome.add(bin, Mean::Carry{y});
            Lanes lanes(7);
            outcome.lanes(bin, lanes.data());
            return lanes;
        };
        const i64 step = i64{1} << random.number(7, 37);
        const std::vector<i64> low(20, far), high(20, far + step);
        Cell cell;
        cell.left = lanes_of(low);
        cell.right = lanes_of(high);
        for (int i = 0; i < 6; ++i) {
            Lanes row(7);
            Moments::set(row.data(), 1, 1, i < 3 ? far : far + step);
            cell.bin.push_back(row);
        }
        const std::vector<i64> bin_targets = {far, far, far, far + step, far + step, far + step};
        const bool gaps = trial % 2 == 0;
        cell.own = lanes_of(gaps ? std::vector<i64>{far} : std::vector<i64>{});
        Lanes total(7, 0);
        for (const auto* ys : {&low, &high, &bin_targets})
            for (i64 y : *ys) Mean::row_lanes(Mean::Carry{y}, total.data());
        if (gaps) Mean::row_lanes(Mean::Carry{far}, total.data());
        Plan plan;
        plan.criterion = variance;
        plan.monotone.resize(1);
        plan.missing = MissingRule::branch;
        if (trial % 4 == 1) plan.functionals.push_back({Functional::Kind::mean, 0});
        Bounds free{{kNothing}, {-kNothing}};
        const Judge judge(plan, cell.layout, total.data(), plan.constrained() ? &free : nullptr);
        const Estimate estimate(judge);
        const i64* own = gaps ? cell.own.data() : nullptr;
        const double bound =
            estimate.bound(cell.left.data(), lanes_of(bin_targets).data(), cell.right.data(), own, kNothing);
        cut_everywhere(estimate, cell, own, [&](double value) { CHECK(value <= bound + estimate.slack(value)); });
    }
}

TEST("an estimate is what the judge says, within the slack") {
    Random random(5);
    for (const Criterion& criterion : kCriteria) {
        Plan plan;
        plan.criterion = &criterion;
        for (int trial = 0; trial < 100; ++trial) {
            const Cell cell = draw_cell(random, criterion, false);
            const Lanes total = cell.total();
            const Judge judge(plan, cell.layout, total.data(), nullptr);
            const Estimate estimate(judge);
            Lanes right = total;
            const Lanes left = sum_of(cell.bin, cell.layout.width());
            subtract_lanes(right.data(), left.data(), cell.layout.width());
            const i64* parts[2] = {left.data(), right.data()};
            Candidate candidate;
            const double value = estimate.value(left.data(), right.data(), nullptr);
            if (!judge.judge(parts, 2, 0, SplitKind::threshold, candidate)) continue;
            const double expected = criterion.ratio ? candidate.score : candidate.decrease * judge.weight();
            CHECK(std::fabs(value - expected) <= estimate.slack(expected));
        }
    }
}

}  // namespace hornbeam
