// Histograms: Stats for every code of every one-byte column of a node. Tally fills them; a sibling's is the parent's
// minus the others'.
#pragma once

#include "codes.hpp"
#include "outcome.hpp"

namespace hornbeam {

using Histogram = std::vector<u64>;

class HistogramShape {
  public:
    HistogramShape(const Codes& codes, std::size_t n_columns, int words) : words_(static_cast<std::size_t>(words)) {
        at_.assign(n_columns, 0);
        for (const Group& group : codes.groups()) {
            group_at_.push_back(size_);
            for (std::size_t i = 0; i < group.columns.size(); ++i)
                at_[static_cast<std::size_t>(group.columns[i])] = size_ + i * kBins * words_;
            size_ += group.width * kBins * words_;
        }
    }
    std::size_t size() const { return size_; }
    std::size_t words() const { return words_; }
    const u64* bin(const Histogram& histogram, i32 column, u32 code) const {
        return histogram.data() + at_[static_cast<std::size_t>(column)] + code * words_;
    }
    u64* group(u64* histogram, std::size_t g) const { return histogram + group_at_[g]; }

  private:
    std::size_t words_, size_ = 0;
    std::vector<std::size_t> at_, group_at_;
};

// Adds the rows to the histograms of one group. Four columns at a time: their codes come in one load, and their
// histograms are apart, so no addition waits for the one before.
template <class O>
void tally(const O& outcome, const Group& group, std::size_t words, const u32* rows, const typename O::Carry* carry,
           std::size_t n, u64* out) {
    constexpr std::size_t kAhead = 24;
    const u32 width = group.width;
    const std::size_t step = kBins * words;
    for (std::size_t i = 0; i < n; ++i) {
        if (i + kAhead < n) __builtin_prefetch(group.row(rows[i + kAhead]));
        const u8* codes = group.row(rows[i]);
        const typename O::Carry one = carry[i];
        u64* at = out;
        for (u32 j = 0; j < width; j += 4, at += 4 * step) {
            u32 four;
            std::memcpy(&four, codes + j, 4);
            outcome.add(at + (four & 255) * words, one);
            outcome.add(at + step + ((four >> 8) & 255) * words, one);
            outcome.add(at + 2 * step + ((four >> 16) & 255) * words, one);
            outcome.add(at + 3 * step + (four >> 24) * words, one);
        }
    }
}

}  // namespace hornbeam
