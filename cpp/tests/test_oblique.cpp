// The search along directions: rows come in the order of their values, cuts score what they gain, climbs rise.

#include <algorithm>
#include <numeric>

#include "hornbeam/oblique/look_ahead.hpp"
#include "hornbeam/oblique/order.hpp"
#include "tests/check.hpp"
#include "tests/random.hpp"

namespace hornbeam::oblique {
namespace {

using hornbeam::testing::Random;

// Two columns, and the classes of the side of a slanted line.
struct Slant {
    std::vector<float> z;
    std::vector<i32> code;
    std::size_t n;

    Slant(u64 seed, std::size_t size) : z(2 * size), code(size), n(size) {
        Random random(seed);
        for (float& value : z) value = static_cast<float>(random.normal());
        for (std::size_t i = 0; i < n; ++i) code[i] = z[i] > z[n + i];
    }
    Points points() const { return {z.data(), n, 2}; }
    Goal goal(std::string_view criterion) const {
        GoalView view;
        view.criterion = criterion;
        view.n_classes = 2;
        view.codes = code;
        return Goal(view, n);
    }
};

}  // namespace

TEST("rows come in the order of their values, equal ones in their own, gaps not at all") {
    Random random(1);
    for (u32 n : {1U, 5U, 24U, 25U, 300U, 5000U}) {
        std::vector<float> values(n);
        for (float& value : values) {
            value = static_cast<float>(std::floor(8 * random.normal()));
            if (random.chance(0.1)) value = std::numeric_limits<float>::quiet_NaN();
        }
        if (n > 1) values[0] = 1e30F;
        std::vector<u32> rows(n), expected;
        std::iota(rows.begin(), rows.end(), 0U);
        for (u32 row : rows)
            if (values[row] == values[row]) expected.push_back(row);
        std::stable_sort(expected.begin(), expected.end(), [&](u32 a, u32 b) { return values[a] < values[b]; });
        Order order;
        const auto sorted = order.sort(values.data(), rows);
        CHECK(std::equal(sorted.begin(), sorted.end(), expected.begin(), expected.end()));
    }
}

TEST("the line that parts two classes gains all of the impurity") {
    const Slant slant(2, 400);
    const double ones = static_cast<double>(std::count(slant.code.begin(), slant.code.end(), 1)) / 400;
    const std::vector<double> across{1.0, -1.0};
    const double gini = scores(slant.points(), slant.goal("gini"), across, 1)[0];
    CHECK(std::fabs(gini - 2 * ones * (1 - ones)) < 1e-12);
    CHECK(std::fabs(scores(slant.points(), slant.goal("error"), across, 1)[0] - std::min(ones, 1 - ones)) < 1e-12);
}

TEST("a climb from a column finds the line, with any number of threads") {
    const Slant slant(3, 500);
    const Goal goal = slant.goal("entropy");
    const std::vector<double> starts{1, 0, 0, 1, 1, 1};
    const std::vector<u8> free(6, 1);
    const Steps steps{0.5, 1e-3, 2, 1e-12, 2.0};
    const ClimbResult one = climb(slant.points(), goal, starts, free, steps, 1, {});
    const ClimbResult many = climb(slant.points(), goal, starts, free, steps, 3, {});
    CHECK(one.score == many.score);
    CHECK(one.direction == many.direction);
    CHECK(std::fabs(one.direction[0] + one.direction[1]) < 0.05);
    CHECK(one.score[0] > 0.95);
}

TEST("looking ahead sees that a line leaves two leaves, and that exclusive or takes four") {
    const Slant slant(4, 200);
    const std::vector<double> directions{1, 0, 0, 1, 1, -1};
    const Choice line = look_ahead(slant.points(), slant.goal("gini"), directions, {-1, 9, 24, 1 << 20});
    CHECK(line.direction == 2);
    CHECK(line.cost == 2);
    Slant board(5, 200);
    for (std::size_t i = 0; i < board.n; ++i) {  // at the corners of a square, as many at each
        board.z[i] = static_cast<float>(i % 2);
        board.z[board.n + i] = static_cast<float>(i / 2 % 2);
        board.code[i] = i % 2 != i / 2 % 2;
    }
    const Choice first = look_ahead(board.points(), board.goal("gini"), std::span(directions).first(4),
                                    {-std::numeric_limits<double>::infinity(), 9, 1000, 1 << 30});
    CHECK(first.cost == 4);
    CHECK(look_ahead(board.points(), board.goal("gini"), directions, {0.6, 9, 24, 1 << 20}).direction == -1);
}

TEST("a goal needs a criterion that is known") {
    const Slant slant(6, 10);
    const Goal goal = slant.goal("loudness");
    CHECK_THROWS(std::invalid_argument, scorer_of(goal));
}

}  // namespace hornbeam::oblique
