// What compilers do differently, all in one place: whole numbers of 128 bits, vectors, prefetching, instruction sets,
// numbers read from text.
//
// g++ and clang++ have them built in. Other compilers, and every compiler with HORNBEAM_PORTABLE, take the twins in
// portable_twins.hpp, which need nothing but C++20 and give the same bits.
#pragma once

#include <cstddef>
#include <string_view>

#if defined(__GNUC__) && defined(__SIZEOF_INT128__)
#define HORNBEAM_HAS_BUILTINS 1
#endif

#if defined(HORNBEAM_HAS_BUILTINS) && !defined(HORNBEAM_PORTABLE)
#define HORNBEAM_USES_BUILTINS 1
#else
#include "hornbeam/portable_twins.hpp"
#endif

// Vectors as kernels use them: comparisons, conversions, shuffles of bytes. Kernels have a twin without.
#if defined(HORNBEAM_USES_BUILTINS) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HORNBEAM_VECTORS 1
#define HORNBEAM_INLINE __attribute__((always_inline)) inline
#if defined(__x86_64__)
#define HORNBEAM_AVX2 __attribute__((target("avx2")))
#endif
#endif

namespace hornbeam {

#if defined(HORNBEAM_HAS_BUILTINS)
namespace builtin {

__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

// N numbers; arithmetic goes number by number. In a struct, since templates drop attributes of types.
template <class T, std::size_t N>
struct Vector {
    T __attribute__((vector_size(N * sizeof(T)))) x;
};

}  // namespace builtin
#endif

#if defined(HORNBEAM_USES_BUILTINS)

using builtin::i128;
using builtin::u128;
using builtin::Vector;

// Always inlined: g++ takes a function that only prefetches for one without any effect.
__attribute__((always_inline)) inline void prefetch(const void* address) { __builtin_prefetch(address); }

#else

using i128 = twin::Int128<true>;
using u128 = twin::Int128<false>;
template <class T, std::size_t N>
using Vector = twin::PlainVector<T, N>;

inline void prefetch(const void*) {}

#endif

// The double nearest to a decimal number, which must be the whole text and within the range of doubles:
// std::from_chars, or a twin where the standard library lacks it (libc++ before version 20).
bool parse_double(std::string_view text, double& out);

// The vectors that every machine of this architecture has.
#if defined(__x86_64__)
inline constexpr const char* kVectorInstructions = "SSE2";
#elif defined(__aarch64__)
inline constexpr const char* kVectorInstructions = "NEON";
#else
inline constexpr const char* kVectorInstructions = "vectors";
#endif

// Whether this machine has more.
inline bool has_avx2() {
#if defined(HORNBEAM_AVX2)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

}  // namespace hornbeam
