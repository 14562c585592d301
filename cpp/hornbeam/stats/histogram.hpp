// Histograms: Stats for every code of every one-byte column of a node. Tally fills them; a sibling's is the parent's
// minus the others'.
#pragma once

#include "hornbeam/encode/codes.hpp"
#include "hornbeam/stats/outcome.hpp"

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
    std::size_t at(i32 column) const { return at_[static_cast<std::size_t>(column)]; }
    u64* group(u64* histogram, std::size_t g) const { return histogram + group_at_[g]; }

  private:
    std::size_t words_, size_ = 0;
    std::vector<std::size_t> at_, group_at_;
};

// Adds the rows to the histograms of `N` columns of any groups.
template <std::size_t N, class O>
void tally_these(const O& outcome, const Codes& codes, const HistogramShape& shape, const u32* rows,
                 const typename O::Carry* carry, std::size_t n, const i32* columns, u64* out) {
    constexpr std::size_t kAhead = 24;
    const u8* bytes[N];
    std::size_t width[N];
    u64* at[N];
    for (std::size_t k = 0; k < N; ++k) {
        const CodedColumn& coded = codes.column(columns[k]);
        const Group& group = codes.groups()[static_cast<std::size_t>(coded.group)];
        bytes[k] = group.codes.get() + coded.offset;
        width[k] = group.width;
        at[k] = out + shape.at(columns[k]);
    }
    const std::size_t words = shape.words();
    for (std::size_t i = 0; i < n; ++i) {
        if (i + kAhead < n)
            for (std::size_t k = 0; k < N; ++k) prefetch(bytes[k] + std::size_t{rows[i + kAhead]} * width[k]);
        const typename O::Carry one = carry[i];
        for (std::size_t k = 0; k < N; ++k) outcome.add(at[k] + bytes[k][std::size_t{rows[i]} * width[k]] * words, one);
    }
}

// The same for up to four columns.
template <class O>
void tally_columns(const O& outcome, const Codes& codes, const HistogramShape& shape, const u32* rows,
                   const typename O::Carry* carry, std::size_t n, const i32* columns, std::size_t n_columns, u64* out) {
    constexpr decltype(&tally_these<1, O>) kBy[] = {&tally_these<1, O>, &tally_these<2, O>, &tally_these<3, O>,
                                                    &tally_these<4, O>};
    kBy[n_columns - 1](outcome, codes, shape, rows, carry, n, columns, out);
}

// Adds the rows to the histograms of one group. Four columns at a time: their codes come in one load, and their
// histograms are apart, so no addition waits for the one before.
template <class O>
void tally(const O& outcome, const Group& group, std::size_t words, const u32* rows, const typename O::Carry* carry,
           std::size_t n, u64* out) {
    constexpr std::size_t kAhead = 24;
    const u32 width = group.width;
    const std::size_t step = kBins * words;
    for (std::size_t i = 0; i < n; ++i) {
        if (i + kAhead < n) prefetch(group.row(rows[i + kAhead]));
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
