// Cuts: where a numeric column is cut, and how values become one-byte codes by them.
//
//   cuts   c0 < c1 < ... < c(m-1), m <= 254, real values of a sample
//   code   the number of cuts below x, so bin j holds c(j-1) < x <= cj; 255 is "missing"
//
// A value first falls into one of 1024 equal cells by one multiplication; a table says how many cuts lie in earlier
// cells, and a few comparisons settle the rest. Rounding is monotone, so this equals a binary search over all cuts.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "hornbeam/encode/sort.hpp"
#include "hornbeam/types.hpp"

namespace hornbeam {

constexpr u32 kBins = 256;
constexpr u32 kMissingCode = 255;
constexpr u32 kMaxCuts = 254;

struct CodingFlags {
    bool missing = false, infinite = false, inexact = false;
    std::array<u8, kBins> mixed{};  // 1: the bin has a value below its cut; known where the cuts are `tied`

    void merge(const CodingFlags& other) {
        missing |= other.missing;
        infinite |= other.infinite;
        inexact |= other.inexact;
        for (u32 code = 0; code < kBins; ++code) mixed[code] |= other.mixed[code];
    }
};

template <class T>
class Cuts {
  public:
    static constexpr int kCells = 1024;

    Cuts() { set({}); }
    explicit Cuts(std::vector<T> sample) { set(quantiles(std::move(sample))); }
    // The same cuts as others.
    Cuts(const std::vector<T>& cuts, bool maybe_exact, bool tied) : maybe_exact_(maybe_exact), tied_(tied) {
        set(cuts);
    }

    u32 size() const { return n_; }
    // The sample had so few values that the codes may hold every value apart.
    bool maybe_exact() const { return maybe_exact_; }
    // So many values of the sample occur more than once that whole bins may hold one value.
    bool tied() const { return tied_; }
    T value(u32 j) const { return cut_[j]; }

    u32 code(T x) const {
        T position = (x - low_) * scale_;
        position = position > 0 ? position : 0;
        const T top = static_cast<T>(kCells - 1);
        position = position < top ? position : top;
        u32 at = start_[static_cast<std::size_t>(position)];
        for (u32 half = first_half_; half > 0; half >>= 1) at += cut_[at + half - 1] < x ? half : 0;
        return at;
    }

    const T* cuts() const { return cut_.data(); }
    const u8* start() const { return start_.data(); }
    T low() const { return low_; }
    T scale() const { return scale_; }
    u32 first_half() const { return first_half_; }

  private:
    std::vector<T> quantiles(std::vector<T> sample) {
        sort_values(sample);
        std::size_t distinct = sample.empty() ? 0 : 1;
        for (std::size_t i = 1; i < sample.size(); ++i) distinct += sample[i - 1] != sample[i];
        maybe_exact_ = distinct <= kMaxCuts;
        tied_ = 2 * distinct <= sample.size();
        if (maybe_exact_) {
            sample.erase(std::unique(sample.begin(), sample.end()), sample.end());
            return sample;
        }
        std::vector<T> cuts;
        for (u32 j = 0; j < kMaxCuts; ++j) cuts.push_back(sample[(j + 1) * sample.size() / (kMaxCuts + 1)]);
        cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
        return cuts;
    }

    void set(const std::vector<T>& cuts) {
        n_ = static_cast<u32>(cuts.size());
        cut_.fill(std::numeric_limits<T>::infinity());
        std::copy(cuts.begin(), cuts.end(), cut_.begin());
        u32 best = n_ + 1;  // the most cuts of any cell; fewer is faster
        choose_cells(0, 0, best);
        if (n_ < 2) return;
        for (u32 trim : {0U, n_ / 16, n_ / 6})
            if (trim + 1 < n_ - trim) choose_cells(cut_[trim], cut_[n_ - 1 - trim], best);
    }

    // Cells of equal width over [low, high]; kept if their fullest cell beats `best`.
    void choose_cells(T low, T high, u32& best) {
        const T width = high - low;
        const T scale = width > 0 && std::isfinite(width) ? static_cast<T>(kCells) / width : 0;
        if (!std::isfinite(scale)) return;
        std::array<u32, kCells> held{};
        for (u32 j = 0; j < n_; ++j) ++held[cell(cut_[j], low, scale)];
        const u32 most = *std::max_element(held.begin(), held.end());
        if (most >= best) return;
        best = most;
        low_ = low;
        scale_ = scale;
        u32 before = 0;
        for (int c = 0; c < kCells; ++c) {
            start_[static_cast<std::size_t>(c)] = static_cast<u8>(before);
            before += held[static_cast<std::size_t>(c)];
        }
        first_half_ = 0;
        for (u32 reach = 0, half = 1; reach < most; reach += half, half <<= 1) first_half_ = half;
    }

    static std::size_t cell(T x, T low, T scale) {
        T position = (x - low) * scale;
        position = position > 0 ? position : 0;
        const T top = static_cast<T>(kCells - 1);
        return static_cast<std::size_t>(position < top ? position : top);
    }

    u32 n_ = 0;
    bool maybe_exact_ = true, tied_ = false;
    T low_ = 0, scale_ = 0;
    u32 first_half_ = 0;
    std::array<T, 512> cut_{};
    alignas(8) std::array<u8, kCells + 8> start_{};
};

// What codes values: plain C++, the vectors that every machine of the architecture has, or those of AVX2. All give the
// same bytes. The machine decides, or the environment variable HORNBEAM_PORTABLE: "vectors", or any other text for
// plain.
enum class Kernel : u8 { plain, vectors, avx2 };
bool has_kernel(Kernel kernel);
Kernel chosen_kernel();
const char* instructions_of(Kernel kernel);

// Codes `n` values lying one after the other.
template <class T>
void code_values(const Cuts<T>& cuts, const T* x, std::size_t n, u8* out, CodingFlags& flags,
                 Kernel kernel = chosen_kernel());

}  // namespace hornbeam
