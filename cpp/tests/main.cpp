// Runs every registered test, or those whose name contains the first argument; the exit code says whether all
// held. `--digest` prints a number instead that must be the same for all builds (digest.hpp).

#include <cstdio>
#include <exception>
#include <string_view>

#include "tests/check.hpp"
#include "tests/digest.hpp"

using hornbeam::testing::tally;
using hornbeam::testing::Test;
using hornbeam::testing::tests;

static void run(const Test& test) {
    const long before = tally().failures;
    try {
        test.run();
    } catch (const std::exception& error) {
        hornbeam::testing::check(false, error.what(), test.name, 0);
    }
    std::printf("%s  %s\n", tally().failures == before ? "ok  " : "FAIL", test.name);
}

int main(int argc, char** argv) {
    const std::string_view filter = argc > 1 ? argv[1] : "";
    if (filter == "--digest") {
        std::printf("%016llx\n", static_cast<unsigned long long>(hornbeam::testing::digest_of_trees()));
        return 0;
    }
    long ran = 0;
    for (const Test& test : tests()) {
        if (std::string_view(test.name).find(filter) == std::string_view::npos) continue;
        run(test);
        ++ran;
    }
    std::printf("%ld tests, %ld checks, %ld failures\n", ran, tally().checks, tally().failures);
    // Asking for tests that do not exist is a mistake, not a success.
    return ran > 0 && tally().failures == 0 ? 0 : 1;
}
