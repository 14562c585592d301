#include "hornbeam/optimal/batch.hpp"

#include "hornbeam/encode/cuts.hpp"
#include "hornbeam/optimal/test_pairs.hpp"

#if !defined(HORNBEAM_INLINE)
#define HORNBEAM_INLINE inline
#endif

// Vectors are passed to functions that are always inlined, so it does not matter in which registers.
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace hornbeam::optimal {

namespace plain {
#define HORNBEAM_TARGET
#include "hornbeam/optimal/lanes.hpp"
#include "hornbeam/optimal/many_answers.hpp"
#include "hornbeam/optimal/real_answers.hpp"
#include "hornbeam/optimal/two_answers.hpp"
#undef HORNBEAM_TARGET
}  // namespace plain

#if defined(HORNBEAM_AVX2)
namespace avx2 {
#define HORNBEAM_TARGET HORNBEAM_AVX2
#include "hornbeam/optimal/lanes.hpp"
#include "hornbeam/optimal/many_answers.hpp"
#include "hornbeam/optimal/real_answers.hpp"
#include "hornbeam/optimal/two_answers.hpp"
#undef HORNBEAM_TARGET
}  // namespace avx2
#endif

template <class T>
void search_below(Batch<T>& batch) {
#if defined(HORNBEAM_AVX2)
    if (chosen_kernel() == Kernel::avx2) return avx2::run_batch(batch);
#endif
    plain::run_batch(batch);
}

void count_pairs(TestPairs& pairs) {
#if defined(HORNBEAM_AVX2)
    if (chosen_kernel() == Kernel::avx2) return avx2::run_pairs(pairs);
#endif
    plain::run_pairs(pairs);
}

template void search_below(Batch<std::int16_t>&);
template void search_below(Batch<i32>&);
template void search_below(Batch<i64>&);
template void search_below(Batch<double>&);

}  // namespace hornbeam::optimal
