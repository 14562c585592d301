// The kernels that code values: plain C++, the vectors that every machine of an architecture has, and AVX2.
#include "hornbeam/encode/cuts.hpp"

#include <cstdlib>
#include <string_view>
#include <type_traits>

#if defined(HORNBEAM_AVX2)
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // g++ 12 warns inside its own <immintrin.h>
#endif
#include <immintrin.h>
#endif

namespace hornbeam {
namespace {

template <class T>
void code_plain(const Cuts<T>& cuts, const T* x, std::size_t n, u8* out, CodingFlags& flags) {
    const bool check = cuts.maybe_exact();
    bool missing = false, infinite = false, inexact = false;
    for (std::size_t i = 0; i < n; ++i) {
        const bool gap = x[i] != x[i];
        const u32 code = cuts.code(gap ? T(0) : x[i]);
        missing |= gap;
        infinite |= std::isinf(x[i]);
        inexact |= check && !gap && cuts.value(code) != x[i];
        out[i] = static_cast<u8>(gap ? kMissingCode : code);
    }
    flags.missing |= missing;
    flags.infinite |= infinite;
    flags.inexact |= inexact || !check;
}

#if defined(HORNBEAM_VECTORS)
// Of 16 bytes, as SSE2 and NEON have them.
namespace vectors {

constexpr std::size_t kBytes = 16;

template <class T, class Codes>
HORNBEAM_INLINE auto gather(const T* from, Codes at) {
    constexpr std::size_t kLanes = sizeof(Codes) / sizeof(i32);
    decltype(Vector<std::conditional_t<std::is_same_v<T, u8>, i32, T>, kLanes>::x) out{};
    for (std::size_t k = 0; k < kLanes; ++k) out[k] = from[static_cast<std::size_t>(at[k])];
    return out;
}
template <class Codes>
HORNBEAM_INLINE auto pack(Codes code) {
    using Packed = decltype(Vector<u8, sizeof(Codes) / sizeof(i32)>::x);
    return __builtin_convertvector(code, Packed);
}

#define HORNBEAM_TARGET
#include "hornbeam/encode/code_lanes.hpp"
#undef HORNBEAM_TARGET

}  // namespace vectors
#endif

#if defined(HORNBEAM_AVX2)
namespace avx2 {

constexpr std::size_t kBytes = 32;

using Codes8 = decltype(Vector<i32, 8>::x);
using Codes4 = decltype(Vector<i32, 4>::x);

// A start is one byte of the four read.
HORNBEAM_AVX2 HORNBEAM_INLINE Codes8 gather(const u8* from, Codes8 at) {
    const auto* words = reinterpret_cast<const int*>(from);
    return reinterpret_cast<Codes8>(_mm256_i32gather_epi32(words, reinterpret_cast<__m256i>(at), 1)) & 255;
}
HORNBEAM_AVX2 HORNBEAM_INLINE Codes4 gather(const u8* from, Codes4 at) {
    const auto* words = reinterpret_cast<const int*>(from);
    return reinterpret_cast<Codes4>(_mm_i32gather_epi32(words, reinterpret_cast<__m128i>(at), 1)) & 255;
}
HORNBEAM_AVX2 HORNBEAM_INLINE __m256 gather(const float* from, Codes8 at) {
    return _mm256_i32gather_ps(from, reinterpret_cast<__m256i>(at), 4);
}
HORNBEAM_AVX2 HORNBEAM_INLINE __m256d gather(const double* from, Codes4 at) {
    return _mm256_i32gather_pd(from, reinterpret_cast<__m128i>(at), 8);
}
// The lowest bytes, by one shuffle: g++ converts in more steps.
HORNBEAM_AVX2 HORNBEAM_INLINE auto pack(Codes8 code) {
    const auto bytes = reinterpret_cast<decltype(Vector<u8, 32>::x)>(code);
    return __builtin_shufflevector(bytes, bytes, 0, 4, 8, 12, 16, 20, 24, 28);
}
HORNBEAM_AVX2 HORNBEAM_INLINE auto pack(Codes4 code) {
    const auto bytes = reinterpret_cast<decltype(Vector<u8, 16>::x)>(code);
    return __builtin_shufflevector(bytes, bytes, 0, 4, 8, 12);
}

#define HORNBEAM_TARGET HORNBEAM_AVX2
#include "hornbeam/encode/code_lanes.hpp"
#undef HORNBEAM_TARGET

}  // namespace avx2
#endif

Kernel choose_kernel() {
    const char* portable = std::getenv("HORNBEAM_PORTABLE");
    const bool vectors = portable == nullptr || std::string_view(portable) == "vectors";
    if (portable == nullptr && has_kernel(Kernel::avx2)) return Kernel::avx2;
    return vectors && has_kernel(Kernel::vectors) ? Kernel::vectors : Kernel::plain;
}

}  // namespace

bool has_kernel(Kernel kernel) {
    if (kernel == Kernel::avx2) return has_avx2();
#if defined(HORNBEAM_VECTORS)
    return true;
#else
    return kernel == Kernel::plain;
#endif
}

Kernel chosen_kernel() {
    static const Kernel chosen = choose_kernel();
    return chosen;
}

const char* instructions_of(Kernel kernel) {
    return kernel == Kernel::avx2 ? "AVX2" : kernel == Kernel::vectors ? kVectorInstructions : "plain";
}

template <class T>
void code_values(const Cuts<T>& cuts, const T* x, std::size_t n, u8* out, CodingFlags& flags,
                 [[maybe_unused]] Kernel kernel) {
    std::size_t done = 0;
#if defined(HORNBEAM_VECTORS)
    if (kernel == Kernel::vectors) done = vectors::code_lanes(cuts, x, n, out, flags);
#endif
#if defined(HORNBEAM_AVX2)
    if (kernel == Kernel::avx2) done = avx2::code_lanes(cuts, x, n, out, flags);
#endif
    if (done < n) code_plain(cuts, x + done, n - done, out + done, flags);
    if (cuts.tied())
        for (std::size_t i = 0; i < n; ++i) flags.mixed[out[i]] |= static_cast<u8>(x[i] != cuts.value(out[i]));
}

template void code_values(const Cuts<float>&, const float*, std::size_t, u8*, CodingFlags&, Kernel);
template void code_values(const Cuts<double>&, const double*, std::size_t, u8*, CodingFlags&, Kernel);

}  // namespace hornbeam
