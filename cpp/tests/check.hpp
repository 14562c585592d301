// The whole test framework of the core: TEST registers a function, CHECK counts and reports, CHECK_THROWS
// expects an exception. One idea: a failed check does not stop its test, so one run shows every failure.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace hornbeam::testing {

struct Test {
    const char* name;
    void (*run)();
};

// All tests of the binary, in the order their files were linked.
inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

// What was counted so far, and where failures are reported (nowhere if null).
struct Tally {
    long checks = 0;
    long failures = 0;
    std::FILE* report = stderr;
};

inline Tally& tally() {
    static Tally counted;
    return counted;
}

struct Registration {
    Registration(const char* name, void (*run)()) { tests().push_back({name, run}); }
};

inline bool check(bool holds, const char* text, const char* file, int line) {
    ++tally().checks;
    if (!holds) {
        ++tally().failures;
        if (tally().report != nullptr) std::fprintf(tally().report, "%s:%d: check failed: %s\n", file, line, text);
    }
    return holds;
}

// How many of a test's random tables are tried: all of them with SLOW=1, as by `make test SLOW=1`, else a quarter.
inline int trials(int all) {
    const char* slow = std::getenv("SLOW");
    return slow != nullptr && *slow != '\0' ? all : (all + 3) / 4;
}

}  // namespace hornbeam::testing

#define HORNBEAM_JOIN2(a, b) a##b
#define HORNBEAM_JOIN(a, b) HORNBEAM_JOIN2(a, b)

// TEST("a sentence about what holds") { CHECK(...); }
#define TEST(sentence) HORNBEAM_TEST(sentence, HORNBEAM_JOIN(hornbeam_test_, __LINE__))
#define HORNBEAM_TEST(sentence, id)                                                               \
    static void id();                                                                             \
    static const ::hornbeam::testing::Registration HORNBEAM_JOIN(id, _registered){sentence, &id}; \
    static void id()

#define CHECK(...) (::hornbeam::testing::check(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__))

#define CHECK_THROWS(exception, ...)                                                                \
    do {                                                                                            \
        bool caught = false;                                                                        \
        try {                                                                                       \
            static_cast<void>(__VA_ARGS__);                                                         \
        } catch (const exception&) {                                                                \
            caught = true;                                                                          \
        }                                                                                           \
        ::hornbeam::testing::check(caught, #__VA_ARGS__ " throws " #exception, __FILE__, __LINE__); \
    } while (false)
