// Criteria: the decrease is what the potentials say, it is never negative, and no digits are lost near zero.

#include <cmath>

#include "hornbeam/criteria/criteria.hpp"
#include "tests/check.hpp"
#include "tests/groups.hpp"

namespace hornbeam {
namespace {

using testing::Lanes;
using testing::pointers;
using testing::Random;
using testing::RowMaker;
using testing::sum_of;

std::vector<Lanes> draw_parts(Random& random, RowMaker& maker) {
    std::vector<Lanes> parts;
    const int n_parts = random.number(2, 5);
    for (int i = 0; i < n_parts; ++i) {
        const double low = random.real();
        parts.push_back(maker.group(random.below(40) + (i < 2 ? 1 : 0), low, std::min(1.0, low + 0.3)));
    }
    return parts;
}

// w * impurity in long double, from the definitions.
long double by_definition(std::string_view name, const i64* lanes, int n_classes) {
    long double w = 0, sum = 0;
    for (int k = 0; k < n_classes; ++k) w += static_cast<long double>(lanes[k]);
    if (w == 0) return 0;
    for (int k = 0; k < n_classes; ++k) {
        const long double p = static_cast<long double>(lanes[k]) / w;
        if (name == "gini") sum += p * (1 - p);
        if (name == "entropy" || name == "gain-ratio") sum -= p > 0 ? p * std::log2(p) : 0;
        if (name == "root") sum += std::sqrt(p * (1 - p)) / 2;
        if (name == "error") sum = std::max(sum, p);
    }
    return w * (name == "error" ? 1 - sum : sum);
}

}  // namespace

TEST("potentials are weight times impurity") {
    Random random(1);
    for (const Criterion& criterion : kCriteria) {
        if (!criterion.on_classes) continue;
        for (int trial = 0; trial < 200; ++trial) {
            RowMaker maker(random, criterion);
            const Lanes group = maker.group(1 + random.below(30), 0, 1);
            const int k = maker.layout().n_classes;
            const double potential = criterion.potential(group.data(), k);
            const long double expected = by_definition(criterion.name, group.data(), k);
            const double weight = static_cast<double>(maker.layout().weight(group.data()));
            CHECK(std::fabs(static_cast<long double>(potential) - expected) <=
                  1e-14L * static_cast<long double>(weight));
        }
    }
}

TEST("a decrease is the difference of the potentials, and not negative") {
    Random random(2);
    for (const Criterion& criterion : kCriteria)
        for (int trial = 0; trial < 300; ++trial) {
            RowMaker maker(random, criterion);
            std::vector<Lanes> parts = draw_parts(random, maker);
            const int n = static_cast<int>(parts.size()), k = maker.layout().n_classes;
            const Lanes total = sum_of(parts, maker.layout().width());
            const double all = criterion.potential(total.data(), k);
            double expected = all;
            for (const Lanes& part : parts) expected -= criterion.potential(part.data(), k);
            const double decrease = criterion.decrease(total.data(), pointers(parts).data(), n, k);
            const double rounding = maker.layout().rates ? 4 * poisson::rounding(total.data()) : 0;
            CHECK(std::fabs(decrease - expected) <= 1e-9 * all + rounding);
            CHECK(decrease >= -1e-12 * all);
            random.shuffle(parts);
            const double again = criterion.decrease(total.data(), pointers(parts).data(), n, k);
            CHECK(std::fabs(decrease - again) <= 1e-13 * all);
        }
}

TEST("parts of equal make-up gain nothing") {
    Random random(3);
    for (const Criterion& criterion : kCriteria) {
        RowMaker maker(random, criterion);
        const Lanes part = maker.group(20, 0, 1);
        const std::vector<Lanes> parts(3, part);
        const Lanes total = sum_of(parts, maker.layout().width());
        const int k = maker.layout().n_classes;
        const double gain = criterion.decrease(total.data(), pointers(parts).data(), 3, k);
        CHECK(std::fabs(gain) <= 1e-14 * criterion.potential(total.data(), k));
    }
}

TEST("pure and empty groups have no impurity") {
    for (const Criterion& criterion : kCriteria) {
        const int k = criterion.on_classes ? 3 : 0;
        const i64 empty[10] = {};
        CHECK(criterion.potential(empty, k) == 0);
        i64 pure[10] = {0, 12, 0, 12};
        if (!criterion.on_classes) Moments::set(pure, 4, 12, 123456789);
        CHECK(criterion.potential(pure, k) == 0);
    }
}

TEST("the series of the entropy meets its logarithm, and keeps digits near zero") {
    for (int i = -1000; i <= 4000; ++i) {
        const double d = i / 1000.0;
        const long double x = 1 + static_cast<long double>(d);
        const long double expected = x > 0 ? x * std::log(x) - static_cast<long double>(d) : 1.0L;
        CHECK(std::fabs(static_cast<long double>(entropy::h(d)) - expected) <= 2e-15L * std::max(1.0L, expected));
    }
    for (const double d : {1e-3, -1e-3, 1e-6, -1e-6, 1e-9, -1e-12})
        CHECK(std::fabs(entropy::h(d) / (d * d / 2) - 1) <= std::fabs(d));
}

TEST("split information is the entropy of the sizes") {
    const i64 halves[2] = {5, 5}, quarters[5] = {2, 2, 0, 2, 2}, whole[2] = {0, 7};
    CHECK(split_information(halves, 2, 10) == 1);
    CHECK(split_information(quarters, 5, 8) == 2);
    CHECK(split_information(whole, 2, 7) == 0);
}

TEST("every criterion has a name of its own") {
    for (const Criterion& a : kCriteria)
        for (const Criterion& b : kCriteria) CHECK(&a == &b || a.name != b.name);
}

}  // namespace hornbeam
