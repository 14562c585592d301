// Stats and the grids they live on: sums of pieces are exact sums, in any order; grids lose no more than they say.

#include <cmath>

#include "hornbeam/stats/fixed_point.hpp"
#include "hornbeam/stats/outcome.hpp"
#include "hornbeam/stats/stats.hpp"
#include "tests/check.hpp"
#include "tests/random.hpp"

namespace hornbeam {
namespace {

using testing::Random;

struct Row {
    i64 n, w, y;
};

std::vector<Row> draw_rows(Random& random, std::size_t n, int weight_bits, int target_bits) {
    std::vector<Row> rows(n);
    const i64 w = i64{1} << weight_bits, y = i64{1} << (target_bits - 1);
    for (Row& row : rows) row = {random.whole(1, 3), random.whole(1, w), random.whole(-y, y)};
    return rows;
}

void add(const Row& row, i64* lanes) {
    i64 one[7];
    Moments::set(one, row.n, row.w, row.y);
    add_lanes(lanes, one, 7);
}

// The sum of w (y - mean)^2 in long double, in two passes.
double squares_of(const std::vector<Row>& rows) {
    long double w = 0, wy = 0, sum = 0;
    for (const Row& row : rows) {
        w += static_cast<long double>(row.w);
        wy += static_cast<long double>(row.w) * static_cast<long double>(row.y);
    }
    for (const Row& row : rows) {
        const long double d = static_cast<long double>(row.y) - wy / w;
        sum += static_cast<long double>(row.w) * d * d;
    }
    return static_cast<double>(sum);
}

}  // namespace

TEST("pieces of products add up to the exact sums") {
    Random random(1);
    for (int trial = 0; trial < 60; ++trial) {
        const std::size_t n = 1 + random.below(200);
        const Bits bits(n);
        const auto rows = draw_rows(random, n, bits.summed_weight() - 2, bits.summed_target());
        i64 lanes[7] = {};
        i64 count = 0, w = 0;
        i128 wy = 0, wyy = 0;
        for (const Row& row : rows) {
            add(row, lanes);
            count += row.n;
            w += row.w;
            wy += static_cast<i128>(row.w) * row.y;
            wyy += row.w * cut_square(row.y);
        }
        const Moments sums(lanes);
        CHECK(sums.n == count && sums.w == w && sums.wy == wy && sums.wyy == wyy);
    }
}

TEST("subtracting a part leaves the Stats of the rest") {
    Random random(2);
    const auto rows = draw_rows(random, 100, 40, 36);
    i64 all[7] = {}, part[7] = {}, rest[7] = {};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        add(rows[i], all);
        add(rows[i], i % 3 == 0 ? part : rest);
    }
    subtract_lanes(all, part, 7);
    const Moments left(all), expected(rest);
    CHECK(left.n == expected.n && left.w == expected.w && left.wy == expected.wy && left.wyy == expected.wyy);
}

TEST("squares about the mean keep their digits far from zero") {
    Random random(3);
    for (const i64 offset : {i64{0}, i64{1} << 20, i64{1} << 34}) {
        auto rows = draw_rows(random, 50, 10, 12);
        i64 lanes[7] = {};
        for (Row& row : rows) {
            row.y = 128 * (row.y + offset);  // of whose square nothing is cut off
            add(row, lanes);
        }
        CHECK(std::fabs(Moments(lanes).squares() / squares_of(rows) - 1) < 1e-12);
    }
    i64 same[7] = {};
    for (int i = 0; i < 9; ++i) add({1, 3, (i64{1} << 35) + 1}, same);
    CHECK(Moments(same).squares() == 0);
    const i64 none[7] = {};
    CHECK(Moments(none).squares() == 0);
}

TEST("a bin of means holds the sum of y exactly and squares that are no less than the true ones") {
    Random random(4);
    for (const std::size_t n : {std::size_t{3}, std::size_t{500}, std::size_t{40000}}) {
        const Bits bits(n);
        Mean outcome;
        outcome.n_bits = bits.size;
        outcome.square_shift = Mean::square_shift_of(bits);
        u64 bin[2] = {};
        i64 exact[7] = {}, lanes[7] = {};
        const i64 reach = i64{1} << (bits.plain_target() - 1);
        for (std::size_t i = 0; i < n; ++i) {
            const Mean::Carry row{random.chance(0.5) ? reach : random.whole(-reach, reach)};
            outcome.add(bin, row);
            outcome.row_lanes(row, exact);
        }
        outcome.lanes(bin, lanes);
        const Moments bounded(lanes), expected(exact);
        CHECK(bounded.n == expected.n && bounded.w == expected.w && bounded.wy == expected.wy);
        CHECK(bounded.wyy >= expected.wyy);
    }
}

TEST("weights keep their order of magnitude, and positive ones stay positive") {
    Random random(5);
    std::vector<double> weights;
    for (int i = 0; i < 200; ++i) weights.push_back(std::ldexp(random.real(), random.number(-80, 3)));
    weights.push_back(0);
    const WeightGrid grid(weights, Bits(weights.size()).class_weight());
    int exponent;
    CHECK(std::frexp(grid.unit, &exponent) == 0.5);
    i64 sum = 0;
    for (double w : weights) {
        CHECK((grid(w) > 0) == (w > 0));
        CHECK(std::fabs(static_cast<double>(grid(w)) * grid.unit - w) <= grid.unit);
        CHECK(grid(w) <= std::numeric_limits<i64>::max() - sum);
        sum += grid(w);
    }
    const double one[1] = {0.75};
    CHECK(WeightGrid(one, 52)(0.75) * 4 == 3 * WeightGrid(one, 52)(0.25) * 4);
}

TEST("targets are measured from the middle of their range, whatever it is") {
    const double huge = std::numeric_limits<double>::max();
    const double wide[2] = {-huge, huge}, dyadic[3] = {-1.25, 0, 6.5}, far[2] = {1e9, 1e9 + 1};
    const TargetGrid of_wide(wide[0], wide[1], 50);
    CHECK(of_wide.centre == 0 && of_wide(huge) == -of_wide(-huge) && of_wide(huge) > 0);
    const TargetGrid of_dyadic(dyadic[0], dyadic[2], 50);
    for (double y : dyadic) CHECK(of_dyadic.centre + of_dyadic.unit * static_cast<double>(of_dyadic(y)) == y);
    const TargetGrid of_far(far[0], far[1], 36);
    CHECK(of_far.centre + of_far.unit * static_cast<double>(of_far(far[1])) == far[1]);
    CHECK(TargetGrid(0.1, 0.1, 50)(0.1) == 0);
}

TEST("fine sums lose nothing and know no order") {
    Random random(6);
    for (const double scale : {1e-300, 1e-9, 1.0, 1e200}) {
        std::vector<double> values;
        long double expected = 0, magnitude = 0;
        for (int i = 0; i < 300; ++i) {
            values.push_back(scale * random.normal() * std::ldexp(1.0, random.number(-20, 0)));
            expected += static_cast<long double>(values.back());
            magnitude += std::fabs(static_cast<long double>(values.back()));
        }
        const FineSum fine(10 * scale);
        i128 sums[2] = {0, 0};
        for (double x : values) sums[0] += fine.whole(x);
        random.shuffle(values);
        for (double x : values) sums[1] += fine.whole(x);
        CHECK(sums[0] == sums[1]);
        CHECK(std::fabs(static_cast<long double>(fine.value(sums[0])) - expected) <= 1e-16L * magnitude);
    }
    const FineSum tenths(1.0);
    CHECK(tenths.value(tenths.whole(0.1)) == 0.1);
}

}  // namespace hornbeam
