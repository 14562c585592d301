// Exact sums, and the Stats that are made of them.

#include "hornbeam/stats/node_stats.hpp"
#include "tests/check.hpp"
#include "tests/random.hpp"

using namespace hornbeam;
using hornbeam::testing::Random;

namespace {

// The sum of some numbers, exact.
struct Summed {
    ExactSum layout;
    std::vector<u64> words;

    explicit Summed(const std::vector<double>& values) {
        SumRange range;
        for (const double x : values) range.include(dyadic(x));
        layout = ExactSum(range, values.size());
        words.assign(layout.words(), 0);
        for (const double x : values) layout.add(words.data(), dyadic(x));
    }
    double value() const { return layout.scaled(words.data()).value(); }
};

RealStats stats_of(const std::vector<double>& values, const std::vector<double>& weights) {
    const std::vector<i32> leaf(values.size(), 0);
    const i32 first = -1, count = 0;
    const std::vector<double> stats = stats_of_nodes({&first, 1}, {&count, 1}, leaf, {values, weights, {}, false});
    RealStats out;
    out.weight = stats[0];
    out.mean = stats[1];
    out.squares = stats[2];
    return out;
}

}  // namespace

TEST("a double is a whole number times a power of two") {
    for (const double x : {0.0, 1.0, -0.1, 5e-324, -1e-310, 1.7976931348623157e308, 1e16 + 2}) {
        const Dyadic parts = dyadic(x);
        CHECK(std::ldexp(to_double(parts.whole), parts.exponent) == x);
        const Dyadic square = parts * dyadic(3.0);
        CHECK(square.whole == parts.whole * dyadic(3.0).whole);
    }
}

TEST("what is added and taken off again leaves no trace") {
    CHECK(Summed({1e300, 1.0, -1e300}).value() == 1.0);
    CHECK(Summed({5e-324, 1e308, -1e308}).value() == 5e-324);
    CHECK(Summed({0.1, -0.1}).value() == 0.0);
    CHECK(Summed({-1e16, -1.0, 1e16}).value() == -1.0);
    CHECK(Summed({}).value() == 0.0);
    CHECK(Summed({1.7e308, 1.7e308}).value() == std::numeric_limits<double>::max());
}

TEST("a sum is rounded once, halves to even, whatever lies far below") {
    const double one = 1.0, half_step = std::ldexp(1.0, -53);
    CHECK(Summed({one, half_step}).value() == 1.0);
    CHECK(Summed({one, half_step, 1e-300}).value() == 1.0 + 2 * half_step);
    CHECK(Summed({-one, -half_step, -1e-300}).value() == -1.0 - 2 * half_step);
    CHECK(Summed({one, half_step, -1e-300}).value() == 1.0);
}

TEST("exact sums know no order, and parts merge to the whole") {
    Random random(31);
    for (int trial = 0; trial < 50; ++trial) {
        std::vector<double> values;
        for (int i = 0; i < 40; ++i) values.push_back(random.normal() * std::ldexp(1.0, random.number(-400, 400)));
        const Summed whole(values);
        std::vector<u64> first(whole.words.size(), 0), second(whole.words.size(), 0), backward(whole.words.size(), 0);
        for (std::size_t i = 0; i < values.size(); ++i)
            whole.layout.add(i % 3 == 0 ? first.data() : second.data(), dyadic(values[i]));
        for (std::size_t i = values.size(); i-- > 0;) whole.layout.add(backward.data(), dyadic(values[i]));
        whole.layout.merge(first.data(), second.data());
        CHECK(first == whole.words && backward == whole.words);
    }
}

TEST("the mean of equal numbers is that number, and it does not vary") {
    Random random(32);
    for (const double y : {0.1, -0.3, 1e-300, 5e-324, 1e150, 1.7e308}) {
        std::vector<double> weights;
        for (int i = 0; i < 7; ++i) weights.push_back(0.1 + std::fabs(random.normal()));
        const RealStats stats = stats_of(std::vector<double>(7, y), weights);
        CHECK(stats.mean == y && stats.squares == 0);
    }
}

TEST("one large number takes no digit of the mean of small ones") {
    const RealStats stats = stats_of({1e20, 0.1, -1e20, 0.3}, {1, 1, 1, 1});
    CHECK(stats.mean == 0.1);
    CHECK(stats.squares == 2e40);
    CHECK(stats_of({-1.0, 1.0}, {1, 1}).mean == 0 && !std::signbit(stats_of({-5e-324, 0.0}, {1, 1}).mean));
}

TEST("squares beyond the range of doubles are the largest double") {
    CHECK(stats_of({1e200, -1e200}, {1, 1}).squares == std::numeric_limits<double>::max());
    CHECK(std::fabs(stats_of({1e200, -1e200}, {1e-300, 1e-300}).squares / 2e100 - 1) < 1e-12);
}
