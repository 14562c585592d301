#include "hornbeam/forest/bootstrap.hpp"

#include <algorithm>
#include <bit>

namespace hornbeam {
namespace {

// -0 and 0 are one value, and so are all gaps.
u64 bits_of(double x) { return x == x ? std::bit_cast<u64>(x + 0.0) : ~u64{0}; }

}  // namespace

std::vector<u64> row_keys(const std::vector<ColumnView>& columns, std::size_t n_rows, const TargetView& target,
                          Pool& pool) {
    constexpr std::size_t kChunk = 4096;
    std::vector<u64> key(n_rows);
    pool.each((n_rows + kChunk - 1) / kChunk, [&](std::size_t c, int) {
        const std::size_t first = c * kChunk, last = std::min(n_rows, first + kChunk);
        for (std::size_t r = first; r < last; ++r)
            key[r] = mix_bits(target.n_classes > 0 ? static_cast<u64>(target.codes[r]) : bits_of(target.values[r]));
        for (const ColumnView& column : columns)
            for (std::size_t r = first; r < last; ++r) key[r] = mix_bits(key[r] + kMixStep + bits_of(column.value(r)));
    });
    return key;
}

std::vector<i64> Bootstrap::counts(u64 seed) const {
    std::vector<i64> out(order.size(), 0);
    const auto mass = static_cast<u64>(upto.empty() ? static_cast<i64>(order.size()) : upto.back());
    u64 state = mix_bits(seed ^ 0x626F6F7473747261ULL);  // another stream than the columns of the same tree
    for (i64 draw = 0; draw < n_draws; ++draw) {
        const auto at = static_cast<i64>(static_cast<u128>(mix_bits(state += kMixStep)) * mass >> 64);
        const auto place = upto.empty() ? at : std::upper_bound(upto.begin(), upto.end(), at) - upto.begin();
        ++out[static_cast<std::size_t>(order[static_cast<std::size_t>(place)])];
    }
    return out;
}

}  // namespace hornbeam
