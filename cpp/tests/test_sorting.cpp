// Sorting a column of a block: the order of a stable sort by value, ranks that count the distinct values.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hornbeam/encode/sort.hpp"
#include "hornbeam/grow/presorted.hpp"
#include "tests/check.hpp"
#include "tests/random.hpp"

namespace hornbeam {
namespace {

using testing::Random;

template <class T>
T draw(Random& random, int shape) {
    const double z = random.normal();
    if (random.chance(0.05)) return shape % 2 == 0 ? std::numeric_limits<T>::quiet_NaN() : T(0);
    switch (shape / 2) {
        case 0:
            return static_cast<T>(z);
        case 1:
            return static_cast<T>(random.number(-3, 3));
        case 2:
            return static_cast<T>(std::exp(20 * z));
        case 3:
            return 1 + static_cast<T>(random.number(0, 60)) * std::numeric_limits<T>::epsilon();
        case 4:
            return random.chance(0.5) ? -T(0) : T(0);
        case 5:
            return static_cast<T>(z) * std::numeric_limits<T>::max() / 8;
        default:
            return static_cast<T>(random.number(-9, 9)) * std::numeric_limits<T>::denorm_min();
    }
}
constexpr int kShapes = 14;

void check_sorted(ColumnSorter& sorter, const ColumnView& view, const std::vector<u32>& rows) {
    const auto n = static_cast<u32>(rows.size());
    std::vector<u32> entries(n), ids;
    const u32 known = sorter.sort(view, rows.data(), n, entries.data());
    for (u32 i = 0; i < n; ++i)
        if (!std::isnan(view.value(rows[i]))) ids.push_back(i);
    CHECK(known == ids.size());
    if (known != ids.size()) return;
    std::stable_sort(ids.begin(), ids.end(), [&](u32 a, u32 b) { return view.value(rows[a]) < view.value(rows[b]); });
    bool same = true;
    for (u32 i = 0, rank = 0; i < known; ++i) {
        if (i > 0 && view.value(rows[ids[i - 1]]) < view.value(rows[ids[i]])) ++rank;
        same &= entries[i] == (rank << 16 | ids[i]);
    }
    CHECK(same);
    std::vector<u32> places;
    for (u32 i = known; i < n; ++i) {
        CHECK((entries[i] & 0xffff0000) == kMissingEntry);
        places.push_back(entries[i] & 0xffff);
    }
    std::sort(places.begin(), places.end());
    places.insert(places.end(), ids.begin(), ids.end());
    std::sort(places.begin(), places.end());
    for (u32 i = 0; i < n; ++i) CHECK(places[i] == i);
}

std::vector<u32> some_rows(Random& random, std::size_t n, std::size_t from) {
    std::vector<u32> rows(from);
    std::iota(rows.begin(), rows.end(), u32{0});
    random.shuffle(rows);
    rows.resize(n);
    return rows;
}

// Every second value of a longer array is the column.
template <class T>
void check_numbers(u64 seed, ValueType type) {
    Random random(seed);
    ColumnSorter sorter;
    for (int shape = 0; shape < kShapes; ++shape)
        for (const std::size_t n : {1, 2, 5, 48, 49, 300, 511, 512, 3000}) {
            std::vector<T> values(4 * n);
            for (T& x : values) x = draw<T>(random, shape);
            ColumnView view;
            view.data = reinterpret_cast<const std::byte*>(values.data());
            view.stride = 2 * sizeof(T);
            view.type = type;
            check_sorted(sorter, view, some_rows(random, n, 2 * n));
        }
}

// Values that are no gaps; 0 and -0 are one.
template <class T>
void check_values(u64 seed) {
    Random random(seed);
    for (int shape = 1; shape < kShapes; shape += 2)
        for (const std::size_t n : {0, 1, 2, 300, 5000}) {
            std::vector<T> values(n);
            for (T& x : values) x = draw<T>(random, shape);
            std::vector<T> sorted = values;
            std::sort(sorted.begin(), sorted.end());
            sort_values(values);
            CHECK(values == sorted);
            CHECK(std::none_of(values.begin(), values.end(), [](T x) { return x == 0 && std::signbit(x); }));
        }
}

}  // namespace

TEST("values are sorted by rounds of counting") {
    check_values<float>(6);
    check_values<double>(7);
}

TEST("floats are sorted stably, gaps last") { check_numbers<float>(1, ValueType::f32); }

TEST("doubles are sorted stably, gaps last") { check_numbers<double>(2, ValueType::f64); }

TEST("codes are sorted stably, gaps last") {
    Random random(3);
    ColumnSorter sorter;
    for (const int n_values : {1, 3, 300, 100000, std::numeric_limits<int>::max() - 1})
        for (const std::size_t n : {1, 40, 200, 2000}) {
            std::vector<i32> codes(n);
            for (i32& code : codes) code = random.chance(0.1) ? -1 : random.number(0, n_values);
            ColumnView view;
            view.data = reinterpret_cast<const std::byte*>(codes.data());
            view.stride = sizeof(i32);
            view.type = ValueType::codes;
            check_sorted(sorter, view, some_rows(random, n, n));
        }
}

TEST("presorted deal to every block what sorting it gives, and leave columns with gaps alone") {
    Random random(5);
    Pool pool(2, nullptr);
    ColumnSorter sorter;
    constexpr std::size_t kRows = 3000, kColumns = 4;
    for (int turn = 0; turn < 20; ++turn) {
        std::vector<double> cells(kRows * kColumns);
        for (std::size_t r = 0; r < kRows; ++r) {
            double* row = cells.data() + r * kColumns;
            row[0] = random.normal();
            row[1] = random.number(-3, 3);
            row[2] = std::nearbyint(1000 * random.normal());
            row[3] = random.chance(0.01) ? std::numeric_limits<double>::quiet_NaN() : random.normal();
        }
        std::vector<ColumnView> columns(kColumns);
        for (std::size_t j = 0; j < kColumns; ++j) {
            columns[j].data = reinterpret_cast<const std::byte*>(cells.data() + j);
            columns[j].stride = kColumns * sizeof(double);
        }
        std::vector<std::vector<u32>> rows(static_cast<std::size_t>(random.number(1, 30)));
        for (u32 r = 0; r < kRows; ++r)
            if (random.chance(0.6)) rows[random.below(rows.size())].push_back(r);
        const std::vector<std::span<const u32>> blocks(rows.begin(), rows.end());
        const PresortedColumns presorted(columns, kRows, pool);
        DealtLists dealt(presorted, blocks);
        for (std::size_t j = 0; j < kColumns; ++j) {
            CHECK(dealt.sorted(static_cast<i32>(j)) == (j < 3));
            for (std::size_t b = 0; b < blocks.size() && j < 3; ++b) {
                const auto n = static_cast<u32>(blocks[b].size());
                std::vector<u32> expected(n);
                sorter.sort(columns[j], blocks[b].data(), n, expected.data());
                CHECK(std::equal(expected.begin(), expected.end(), dealt.lists(b) + j * n));
            }
        }
    }
}

TEST("a midpoint is at least the lower value and below the upper one") {
    Random random(4);
    const double huge = std::numeric_limits<double>::max();
    CHECK(midpoint(-huge, huge) == 0);
    CHECK(midpoint(1, 2) == 1.5);
    for (int i = 0; i < 2000; ++i) {
        const double low = std::ldexp(random.normal(), random.number(-1070, 1015));
        const double high =
            random.chance(0.5) ? std::nextafter(low, huge) : std::max(std::nextafter(low, huge), random.real());
        const double middle = midpoint(low, high);
        CHECK(low <= middle && middle < high);
    }
}

}  // namespace hornbeam
