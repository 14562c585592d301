// Coding: every kernel gives the number of cuts below a value, as a binary search over all cuts would.

#include <algorithm>
#include <cmath>

#include "hornbeam/encode/cuts.hpp"
#include "tests/check.hpp"
#include "tests/random.hpp"

namespace hornbeam {
namespace {

using testing::Random;

template <class T>
using Limit = std::numeric_limits<T>;

// Shapes of columns that could defeat the cells: ties, tails, neighbouring numbers, the ends of the range.
template <class T>
std::vector<T> draw(Random& random, int shape, std::size_t n) {
    std::vector<T> out(n);
    for (T& x : out) {
        const double z = random.normal();
        switch (shape) {
            case 0:
                x = static_cast<T>(z);
                break;
            case 1:
                x = static_cast<T>(random.number(0, 40));
                break;
            case 2:
                x = static_cast<T>(std::exp(12 * z));
                break;
            case 3:
                x = static_cast<T>(z) * Limit<T>::max() / 8;
                break;
            case 4:
                x = static_cast<T>(random.number(-300, 300)) * Limit<T>::denorm_min();
                break;
            case 5:
                x = 1 + static_cast<T>(random.number(0, 500)) * Limit<T>::epsilon();
                break;
            case 6:
                x = random.chance(0.9) ? T(0) : static_cast<T>(z);
                break;
            case 7:
                x = random.chance(0.001) ? Limit<T>::max() : static_cast<T>(random.real());
                break;
            case 8:
                x = random.chance(0.5) ? -Limit<T>::max() : Limit<T>::max();
                break;
            default:
                x = T(2.5);
                break;
        }
    }
    return out;
}
constexpr int kShapes = 10;

// The values themselves, their neighbours, and what no sample holds.
template <class T>
std::vector<T> probes(Random& random, const std::vector<T>& sample, bool special) {
    std::vector<T> out(sample);
    for (std::size_t i = 0; i < sample.size(); i += 7) {
        out.push_back(std::nextafter(sample[i], Limit<T>::max()));
        out.push_back(std::nextafter(sample[i], Limit<T>::lowest()));
        out.push_back(static_cast<T>(3 * random.normal()));
    }
    for (T x : {T(0), -T(0), Limit<T>::denorm_min(), -Limit<T>::denorm_min(), Limit<T>::max(), Limit<T>::lowest()})
        out.push_back(x);
    if (special)
        for (T x : {Limit<T>::quiet_NaN(), Limit<T>::infinity(), -Limit<T>::infinity()}) out.push_back(x);
    random.shuffle(out);
    return out;
}

struct Expected {
    std::vector<u8> codes;
    CodingFlags flags;
};

template <class T>
Expected by_search(const Cuts<T>& cuts, const T* x, std::size_t n) {
    Expected out;
    out.flags.inexact = !cuts.maybe_exact();
    for (std::size_t i = 0; i < n; ++i) {
        if (std::isnan(x[i])) {
            out.codes.push_back(static_cast<u8>(kMissingCode));
            out.flags.missing = true;
            continue;
        }
        const T* end = cuts.cuts() + cuts.size();
        const T* at = std::lower_bound(cuts.cuts(), end, x[i]);
        out.codes.push_back(static_cast<u8>(at - cuts.cuts()));
        out.flags.infinite |= std::isinf(x[i]);
        out.flags.inexact |= cuts.maybe_exact() && (at == end ? !std::isinf(x[i]) || x[i] < 0 : *at != x[i]);
    }
    return out;
}

bool same(const CodingFlags& a, const CodingFlags& b) {
    return a.missing == b.missing && a.infinite == b.infinite && a.inexact == b.inexact;
}

template <class T>
void check_kernel(Kernel kernel, const Cuts<T>& cuts, const std::vector<T>& x, std::size_t skip) {
    const std::size_t n = x.size() - skip;
    const Expected expected = by_search(cuts, x.data() + skip, n);
    std::vector<u8> codes(n);
    CodingFlags flags;
    code_values(cuts, x.data() + skip, n, codes.data(), flags, kernel);
    CHECK(codes == expected.codes);
    CHECK(same(flags, expected.flags));
}

template <class T>
void check_shape(Random& random, int shape, std::size_t n) {
    const std::vector<T> sample = draw<T>(random, shape, n);
    const Cuts<T> cuts(sample);
    for (const bool special : {false, true}) {
        const std::vector<T> x = probes(random, sample, special);
        for (std::size_t skip = 0; skip < std::min<std::size_t>(3, x.size()); ++skip) {
            for (const Kernel kernel : {Kernel::plain, Kernel::vectors, Kernel::avx2})
                if (has_kernel(kernel)) check_kernel<T>(kernel, cuts, x, skip);
        }
    }
}

template <class T>
void check_all_shapes(u64 seed) {
    Random random(seed);
    for (int shape = 0; shape < kShapes; ++shape)
        for (const std::size_t n : {0, 1, 2, 3, 7, 100, 254, 255, 256, 1500}) check_shape<T>(random, shape, n);
}

}  // namespace

TEST("all kernels of the machine code floats as a binary search does") { check_all_shapes<float>(1); }

TEST("all kernels of the machine code doubles as a binary search does") { check_all_shapes<double>(2); }

TEST("cuts rise, are values of the sample, and hold few values apart") {
    Random random(3);
    for (int shape = 0; shape < kShapes; ++shape) {
        std::vector<double> sample = draw<double>(random, shape, 600);
        const Cuts<double> cuts(sample);
        std::sort(sample.begin(), sample.end());
        std::vector<double> distinct(sample);
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        CHECK(cuts.size() >= 1 && cuts.size() <= kMaxCuts);
        CHECK(cuts.maybe_exact() == (distinct.size() <= kMaxCuts));
        if (cuts.maybe_exact()) CHECK(cuts.size() == distinct.size());
        for (u32 j = 0; j < cuts.size(); ++j) {
            CHECK(std::binary_search(sample.begin(), sample.end(), cuts.value(j)));
            if (j > 0) CHECK(cuts.value(j - 1) < cuts.value(j));
        }
    }
}

TEST("a column without known values has no cuts") {
    const Cuts<float> cuts(std::vector<float>{});
    const float x[3] = {std::nanf(""), 1, -1};
    u8 codes[3];
    CodingFlags flags;
    code_values(cuts, x, 3, codes, flags);
    CHECK(codes[0] == kMissingCode && codes[1] == 0 && codes[2] == 0);
    CHECK(flags.missing && flags.inexact && !flags.infinite);
}

}  // namespace hornbeam
