// What is built in and its twin give the same bits, on random numbers and at the ends of the ranges.

#include "hornbeam/portable.hpp"

#include <cstdio>

#include "hornbeam/portable_twins.hpp"
#include "hornbeam/stats/wide.hpp"
#include "tests/check.hpp"
#include "tests/random.hpp"

namespace hornbeam {
namespace {

using testing::Random;

#if defined(HORNBEAM_HAS_BUILTINS)

template <bool kSigned>
using BuiltIn = std::conditional_t<kSigned, builtin::i128, builtin::u128>;

template <bool kSigned>
BuiltIn<kSigned> built_in(twin::Int128<kSigned> x) {
    const auto upper = static_cast<builtin::u128>(static_cast<u64>(x >> 64)) << 64;
    return static_cast<BuiltIn<kSigned>>(upper | static_cast<u64>(x));
}
[[maybe_unused]] builtin::i128 built_in(builtin::i128 x) { return x; }

template <class Wide>
Wide wide_of(u64 high, u64 low) {
    return (static_cast<Wide>(high) << 64) | static_cast<Wide>(low);
}

// Words of all lengths; ends of the range, their neighbours, and sequences of ones are frequent.
u64 draw_word(Random& random) {
    u64 word = random.bits() >> random.number(0, 63);
    if (random.chance(0.3)) word = ~u64{0} << random.number(0, 63);
    if (random.chance(0.2)) word = static_cast<u64>(random.number(-2, 2));
    if (random.chance(0.1)) word = (u64{1} << 63) + static_cast<u64>(random.number(-1, 1));
    return word;
}

template <bool kSigned>
struct Pair {
    twin::Int128<kSigned> twin;
    BuiltIn<kSigned> own;

    explicit Pair(Random& random) {
        const u64 high = draw_word(random), low = draw_word(random);
        twin = wide_of<twin::Int128<kSigned>>(high, low);
        own = wide_of<BuiltIn<kSigned>>(high, low);
        if (random.chance(0.3)) {  // fewer bits than 64
            const int shift = random.number(64, 127);
            twin >>= shift;
            own >>= shift;
        }
    }
};

template <bool kSigned>
void compare_operators(u64 seed) {
    Random random(seed);
    using T = twin::Int128<kSigned>;
    using B = BuiltIn<kSigned>;
    constexpr B kLeast = kSigned ? static_cast<B>(static_cast<builtin::u128>(1) << 127) : 0;
    for (int i = 0; i < 200000; ++i) {
        const Pair<kSigned> a(random), b(random);
        CHECK(built_in(a.twin) == a.own);
        CHECK(built_in(a.twin & b.twin) == (a.own & b.own));
        CHECK(built_in(a.twin | b.twin) == (a.own | b.own));
        CHECK(built_in(a.twin ^ b.twin) == (a.own ^ b.own));
        CHECK(built_in(~a.twin) == ~a.own);
        CHECK((a.twin == b.twin) == (a.own == b.own) && a.twin == T(a.twin));
        CHECK((a.twin < b.twin) == (a.own < b.own) && (a.twin >= b.twin) == (a.own >= b.own));
        CHECK((a.twin > b.twin) == (a.own > b.own) && (a.twin <= b.twin) == (a.own <= b.own));
        CHECK((a.twin < 0) == (a.own < 0) && (0 < a.twin) == (0 < a.own));
        const int shift = random.number(0, 127);
        CHECK(built_in(a.twin << shift) == (a.own << shift));
        CHECK(built_in(a.twin >> shift) == (a.own >> shift));
        CHECK(static_cast<i64>(a.twin) == static_cast<i64>(a.own) && static_cast<u8>(a.twin) == static_cast<u8>(a.own));
        CHECK(static_cast<bool>(a.twin) == static_cast<bool>(a.own));
        CHECK(static_cast<double>(a.twin) == static_cast<double>(a.own));

        const auto c = static_cast<builtin::u128>(a.own), d = static_cast<builtin::u128>(b.own);  // these may overflow
        CHECK(built_in(a.twin + b.twin) == static_cast<B>(c + d));
        CHECK(built_in(a.twin - b.twin) == static_cast<B>(c - d));
        CHECK(built_in(a.twin * b.twin) == static_cast<B>(c * d));
        if (b.own != 0 && !(kSigned && a.own == kLeast && b.own == static_cast<B>(-1))) {
            CHECK(built_in(a.twin / b.twin) == a.own / b.own);
            CHECK(built_in(a.twin % b.twin) == a.own % b.own);
        }
        if (!kSigned || a.own != kLeast) CHECK(built_in(-a.twin) == -a.own);

        const auto narrow = static_cast<i64>(draw_word(random));  // numbers of fewer bits convert by themselves
        CHECK((a.twin == narrow) == (a.own == static_cast<B>(narrow)));
        CHECK(built_in(narrow + a.twin) == built_in(T(narrow) + a.twin));
        if (narrow != 0 && !(kSigned && a.own == kLeast && narrow == -1))
            CHECK(built_in(a.twin / narrow) == a.own / static_cast<B>(narrow));
        const auto other = static_cast<twin::Int128<!kSigned>>(a.twin);
        CHECK(built_in(other) == static_cast<BuiltIn<!kSigned>>(a.own));

        T changed = a.twin;
        changed += b.twin;
        changed -= narrow;
        CHECK(changed == a.twin + b.twin - narrow);
        T stepped = changed;
        CHECK(++stepped == changed + 1 && --stepped == changed);
    }
}

#endif

template <class Wide>
void compare_products(Random& random) {
    for (int i = 0; i < 20000; ++i) {  // of 32-bit pieces, what no 128-bit number is needed for
        const u64 a = random.bits() >> 32, b = random.bits() >> 32, c = (random.bits() >> 32) | 1;
        CHECK(static_cast<u64>(static_cast<Wide>(a) * b) == a * b);
        CHECK(((static_cast<Wide>(a) << 64) + static_cast<Wide>(b)) / c * c + ((static_cast<Wide>(a) << 64) + b) % c ==
              (static_cast<Wide>(a) << 64) + b);
    }
}

}  // namespace

#if defined(HORNBEAM_HAS_BUILTINS)

TEST("the twin of signed numbers of 128 bits has the bits of the type built in") { compare_operators<true>(1); }

TEST("the twin of unsigned numbers of 128 bits has the bits of the type built in") { compare_operators<false>(2); }

TEST("wide integers become doubles, and doubles wide integers, as the compiler has it") {
    Random random(9);
    for (int i = 0; i < 20000; ++i) {
        const auto high = static_cast<i64>(random.bits());
        const u64 low = random.bits();
        const int shift = random.number(0, 127);
        i128 x = ((static_cast<i128>(high) << 64) | low) >> shift;
        if (i % 3 == 0) x &= ~((i128{1} << random.number(0, 80)) - 1);  // halves between two doubles
        if (i % 3 == 1) x = (x & 1) == 0 ? x + 1 : x - 1;
        CHECK(to_double(x) == static_cast<double>(built_in(x)));
        const double y = std::ldexp(random.normal(), random.number(-10, 120));
        CHECK(built_in(to_wide(y)) == static_cast<builtin::i128>(y));
    }
    for (const double y : {0.0, -0.0, 0.9, -0.9, 9223372036854775808.0, -9223372036854775808.0, 1e30, -1e30})
        CHECK(built_in(to_wide(y)) == static_cast<builtin::i128>(y));
    for (const i128 x : {i128{0}, i128{1} << 63, -(i128{1} << 63), (i128{1} << 64) - 1, ~i128{0} ^ (i128{1} << 127)})
        CHECK(to_double(x) == static_cast<double>(built_in(x)));
}

TEST("the twin of a vector computes as the vector built in") {
    Random random(4);
    using T = twin::PlainVector<double, 2>;
    using B = builtin::Vector<double, 2>;
    for (int i = 0; i < 20000; ++i) {
        T a{}, b{};
        B c{}, d{};
        for (std::size_t k = 0; k < 2; ++k) {
            c.x[k] = a.x[k] = std::ldexp(random.normal(), random.number(-1000, 1000));
            d.x[k] = b.x[k] = i % 7 == 0 ? 0.0 : std::ldexp(random.normal(), random.number(-1000, 1000));
        }
        const double s = random.normal();
        T e{a.x};
        B f{c.x};
        e.x += b.x * s;
        f.x += d.x * s;
        e.x -= s / (b.x + 1);
        f.x -= s / (d.x + 1);
        const T results[] = {{a.x + b.x}, {a.x - b.x}, {a.x * b.x}, {a.x / b.x}, {s + a.x}, {a.x - s},
                             {s - a.x},   {s * a.x},   {a.x / s},   {s / a.x},   e};
        const B expected[] = {{c.x + d.x}, {c.x - d.x}, {c.x * d.x}, {c.x / d.x}, {s + c.x}, {c.x - s},
                              {s - c.x},   {s * c.x},   {c.x / s},   {s / c.x},   f};
        for (std::size_t r = 0; r < std::size(results); ++r)
            for (std::size_t k = 0; k < 2; ++k) {
                const double x = results[r].x[k], y = expected[r].x[k];
                CHECK(std::bit_cast<u64>(x) == std::bit_cast<u64>(y) || (std::isnan(x) && std::isnan(y)));
            }
    }
}

#endif

TEST("numbers are read from text as they were written, by the library and by its twin") {
    Random random(5);
    for (int i = 0; i < 50000; ++i) {
        auto x = std::bit_cast<double>(random.bits());
        if (!std::isfinite(x)) continue;
        if (i % 5 == 0) x = std::bit_cast<double>(random.bits() >> random.number(12, 63));  // below the normal numbers
        char text[64];
        const int digits = random.chance(0.5) ? 17 : random.number(18, 40);
        const auto length = static_cast<std::size_t>(std::snprintf(text, sizeof text, "%.*e", digits - 1, x));
        double own = 1, twin = 1;
        CHECK(parse_double({text, length}, own) && own == x);
        CHECK(twin::parse_double({text, length}, twin) && std::bit_cast<u64>(twin) == std::bit_cast<u64>(x));
    }
    for (const std::string_view text : {"1e400", "-1e400", "1e-400", "", "1.5x", "1e5 "}) {
        double unchanged = 7;
        CHECK(!parse_double(text, unchanged) && unchanged == 7);
        CHECK(!twin::parse_double(text, unchanged) && unchanged == 7);
    }
    for (const std::string_view text : {"0.0e-5", "-0.0", "0e999", "5e-324", "1.7976931348623157e308", "2.5"}) {
        double own = 7, twin = 8;
        CHECK(parse_double(text, own) && twin::parse_double(text, twin));
        CHECK(std::bit_cast<u64>(own) == std::bit_cast<u64>(twin));
    }
}

TEST("numbers of 128 bits multiply and divide as those of 64 bits do") {
    Random random(3);
    compare_products<u128>(random);
    compare_products<i128>(random);
}

}  // namespace hornbeam
