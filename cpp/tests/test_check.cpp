// The checks themselves: a check that holds is counted, one that fails is counted as a failure, and an
// expected exception is recognised by its type.

#include <stdexcept>
#include <vector>

#include "tests/check.hpp"

using hornbeam::testing::tally;

TEST("a check that holds counts as a check and not as a failure") {
    const auto before = tally();
    CHECK(1 + 1 == 2);
    CHECK(tally().checks == before.checks + 1);
    CHECK(tally().failures == before.failures);
}

TEST("an expected exception is recognised by its type") {
    const std::vector<int> three{1, 2, 3};
    CHECK_THROWS(std::out_of_range, three.at(3));
}

TEST("a failing check is counted and answers false") {
    const auto before = tally();
    tally().report = nullptr;  // this failure is the point of the test, not news
    const bool held = CHECK(1 + 1 == 3);
    const bool counted = tally().failures == before.failures + 1;
    tally() = before;
    CHECK(!held);
    CHECK(counted);
}
