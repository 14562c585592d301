// The two kernels that code values: plain C++, and eight (four) lanes at a time with AVX2 gathers.
#include "hornbeam/encode/cuts.hpp"

#include <cstdlib>

#if defined(__x86_64__)
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // g++ 12 warns inside its own <immintrin.h>
#endif
#include <immintrin.h>
#endif

namespace hornbeam {

template <class T>
void code_values_portable(const Cuts<T>& cuts, const T* x, std::size_t n, u8* out, CodingFlags& flags) {
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

#if defined(__x86_64__)
#define HB_AVX2 __attribute__((target("avx2")))

namespace {

// Both return how many values they coded; the portable kernel does the rest.
HB_AVX2 std::size_t code_avx2(const Cuts<float>& cuts, const float* x, std::size_t n, u8* out, CodingFlags& flags) {
    const __m256 low = _mm256_set1_ps(cuts.low()), scale = _mm256_set1_ps(cuts.scale());
    const __m256 top = _mm256_set1_ps(static_cast<float>(Cuts<float>::kCells - 1)), zero = _mm256_setzero_ps();
    const __m256 huge = _mm256_set1_ps(std::numeric_limits<float>::infinity());
    const __m256 no_sign = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
    const __m256i byte = _mm256_set1_epi32(255);
    const __m256i pick = _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12, -1,
                                          -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    const int* start = reinterpret_cast<const int*>(cuts.start());
    const float* cut = cuts.cuts();
    __m256 gaps = zero, infinite = zero, differs = zero;
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m256 v = _mm256_loadu_ps(x + i);
        const __m256 gap = _mm256_cmp_ps(v, v, _CMP_UNORD_Q);
        // max(position, 0): with a NaN the second operand wins
        __m256 at = _mm256_max_ps(_mm256_mul_ps(_mm256_sub_ps(v, low), scale), zero);
        at = _mm256_min_ps(at, top);
        __m256i code = _mm256_and_si256(_mm256_i32gather_epi32(start, _mm256_cvttps_epi32(at), 1), byte);
        for (u32 half = cuts.first_half(); half > 0; half >>= 1) {
            const __m256 c = _mm256_i32gather_ps(cut + half - 1, code, 4);
            const __m256i below = _mm256_castps_si256(_mm256_cmp_ps(c, v, _CMP_LT_OQ));
            code = _mm256_add_epi32(code, _mm256_and_si256(below, _mm256_set1_epi32(static_cast<int>(half))));
        }
        gaps = _mm256_or_ps(gaps, gap);
        infinite = _mm256_or_ps(infinite, _mm256_cmp_ps(_mm256_and_ps(v, no_sign), huge, _CMP_EQ_OQ));
        if (cuts.maybe_exact()) {
            const __m256 c = _mm256_i32gather_ps(cut, code, 4);
            differs = _mm256_or_ps(differs, _mm256_andnot_ps(gap, _mm256_cmp_ps(c, v, _CMP_NEQ_OQ)));
        }
        code = _mm256_or_si256(code, _mm256_and_si256(_mm256_castps_si256(gap), byte));
        const __m256i packed = _mm256_shuffle_epi8(code, pick);
        const int a = _mm256_extract_epi32(packed, 0), b = _mm256_extract_epi32(packed, 4);
        std::memcpy(out + i, &a, 4);
        std::memcpy(out + i + 4, &b, 4);
    }
    flags.missing |= _mm256_movemask_ps(gaps) != 0;
    flags.infinite |= _mm256_movemask_ps(infinite) != 0;
    flags.inexact |= _mm256_movemask_ps(differs) != 0 || !cuts.maybe_exact();
    return i;
}

HB_AVX2 std::size_t code_avx2(const Cuts<double>& cuts, const double* x, std::size_t n, u8* out, CodingFlags& flags) {
    const __m256d low = _mm256_set1_pd(cuts.low()), scale = _mm256_set1_pd(cuts.scale());
    const __m256d top = _mm256_set1_pd(static_cast<double>(Cuts<double>::kCells - 1)), zero = _mm256_setzero_pd();
    const __m256d huge = _mm256_set1_pd(std::numeric_limits<double>::infinity());
    const __m256d no_sign = _mm256_castsi256_pd(_mm256_set1_epi64x(0x7fffffffffffffffLL));
    const __m128i byte = _mm_set1_epi32(255);
    const __m256i low_words = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    const __m128i pick = _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    const int* start = reinterpret_cast<const int*>(cuts.start());
    const double* cut = cuts.cuts();
    __m256d gaps = zero, infinite = zero, differs = zero;
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const __m256d v = _mm256_loadu_pd(x + i);
        const __m256d gap = _mm256_cmp_pd(v, v, _CMP_UNORD_Q);
        __m256d at = _mm256_max_pd(_mm256_mul_pd(_mm256_sub_pd(v, low), scale), zero);
        at = _mm256_min_pd(at, top);
        __m128i code = _mm_and_si128(_mm_i32gather_epi32(start, _mm256_cvttpd_epi32(at), 1), byte);
        for (u32 half = cuts.first_half(); half > 0; half >>= 1) {
            const __m256d c = _mm256_i32gather_pd(cut + half - 1, code, 8);
            const __m256i below = _mm256_castpd_si256(_mm256_cmp_pd(c, v, _CMP_LT_OQ));
            const __m128i narrow = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(below, low_words));
            code = _mm_add_epi32(code, _mm_and_si128(narrow, _mm_set1_epi32(static_cast<int>(half))));
        }
        gaps = _mm256_or_pd(gaps, gap);
        infinite = _mm256_or_pd(infinite, _mm256_cmp_pd(_mm256_and_pd(v, no_sign), huge, _CMP_EQ_OQ));
        if (cuts.maybe_exact()) {
            const __m256d c = _mm256_i32gather_pd(cut, code, 8);
            differs = _mm256_or_pd(differs, _mm256_andnot_pd(gap, _mm256_cmp_pd(c, v, _CMP_NEQ_OQ)));
        }
        const __m128i narrow_gap =
            _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(_mm256_castpd_si256(gap), low_words));
        code = _mm_or_si128(code, _mm_and_si128(narrow_gap, byte));
        const int a = _mm_extract_epi32(_mm_shuffle_epi8(code, pick), 0);
        std::memcpy(out + i, &a, 4);
    }
    flags.missing |= _mm256_movemask_pd(gaps) != 0;
    flags.infinite |= _mm256_movemask_pd(infinite) != 0;
    flags.inexact |= _mm256_movemask_pd(differs) != 0 || !cuts.maybe_exact();
    return i;
}

}  // namespace
#endif

bool use_avx2() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && std::getenv("HORNBEAM_PORTABLE") == nullptr;
#else
    return false;
#endif
}

template <class T>
void code_values(const Cuts<T>& cuts, const T* x, std::size_t n, u8* out, CodingFlags& flags) {
    std::size_t done = 0;
#if defined(__x86_64__)
    static const bool avx2 = use_avx2();
    if (avx2) done = code_avx2(cuts, x, n, out, flags);
#endif
    if (done < n) code_values_portable(cuts, x + done, n - done, out + done, flags);
    if (cuts.tied())
        for (std::size_t i = 0; i < n; ++i) flags.mixed[out[i]] |= static_cast<u8>(x[i] != cuts.value(out[i]));
}

template void code_values(const Cuts<float>&, const float*, std::size_t, u8*, CodingFlags&);
template void code_values(const Cuts<double>&, const double*, std::size_t, u8*, CodingFlags&);
template void code_values_portable(const Cuts<float>&, const float*, std::size_t, u8*, CodingFlags&);
template void code_values_portable(const Cuts<double>&, const double*, std::size_t, u8*, CodingFlags&);

}  // namespace hornbeam
