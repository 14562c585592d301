// Two classes without weights.
#pragma once

#include "hornbeam/search/runners/base.hpp"

namespace hornbeam {

// Two classes. Gini: W * decrease = 2 d^2 / (N n_l n_r) with d = N l_1 - n_l t_1, an integer.
// Entropy: sums of n log n from a table.
template <>
class Runner<TwoCounts> : public RunnerBase<Runner<TwoCounts>, u8> {
  public:
    void load(const TwoCounts&, const std::vector<u8>& carry) {
        label_ = carry.data();
        n_log_n_ = SmallNumbers::get().n_log_n.data();
    }
    void lanes(u32 id, i64* out) const { TwoCounts::row_lanes(label_[id], out); }
    double slack(double best) const { return slack_ + 1e-12 * best; }

    void prepare(const Judge& judge) {
        const std::string_view name = judge.plan().criterion->name;
        gini_ = name == "gini";
        allow(judge, gini_ || name == "entropy" || (name == "gain-ratio" && !judge.ratio()));
        if (!usable_) return;
        n_ = judge.layout().rows(judge.total());
        ones_ = judge.total()[1];
        const auto size = static_cast<std::size_t>(n_);
        position_.resize(size + 1);
        const SmallNumbers& small = SmallNumbers::get();
        const double n = static_cast<double>(n_);
        if (gini_) {
            for (std::size_t l = 1; l < size; ++l)
                position_[l] = 2 / (n * static_cast<double>(l) * static_cast<double>(size - l));
            slack_ = 2e-12 * judge.impurity() * n;
        } else {
            for (std::size_t l = 0; l <= size; ++l) position_[l] = -small.n_log_n[l] - small.n_log_n[size - l];
            base_ = small.n_log_n[size] - small.n_log_n[static_cast<std::size_t>(ones_)] -
                    small.n_log_n[static_cast<std::size_t>(n_ - ones_)];
            slack_ = 1e-13 * (1 + small.n_log_n[size]) + 2e-12 * judge.impurity() * n;
        }
        step_[0] = -ones_;
        step_[1] = n_ - ones_;
    }
    void start(const u32* entries, u32 count) {
        left_ = 0;
        for (u32 i = 0; i < count; ++i) left_ += label_[entries[i] & 0xffff];
        d_ = left_ * n_ - static_cast<i64>(count) * ones_;
    }
    void take(u32 id) {
        d_ += step_[label_[id]];
        left_ += label_[id];
    }
    void left_lanes(u32 left, i64* out) const {
        out[0] = left - left_;
        out[1] = left_;
        out[2] = left;
    }
    double value(u32 left) const {
        if (gini_) return static_cast<double>(d_) * static_cast<double>(d_) * position_[left];
        const double* f = n_log_n_;
        const i64 l = left;
        return base_ + position_[left] + f[left_] + f[l - left_] + f[ones_ - left_] + f[n_ - l - ones_ + left_];
    }
    double walk(const u32* entries, u32 known, u32 before, u32 n) {
        if (!gini_) return plain_walk(entries, known, before, n);
        if (known < 2) return -std::numeric_limits<double>::infinity();
        // Cuts with enough rows on both sides: [first, last)
        const u32 first = least_rows_ > before + 1 ? least_rows_ - before - 1 : 0;
        const u32 last = n >= before + least_rows_ ? std::min(known - 1, n - before - least_rows_) : 0;
        double top = -std::numeric_limits<double>::infinity();
        i64 d = d_;  // an integer, so that the chain of additions is short
        u32 i = 0;
        for (; i < std::min(first, last); ++i) d += step_[label_[entries[i] & 0xffff]];
        const double* position = position_.data() + before + 1;
        for (; i < last; ++i) {
            d += step_[label_[entries[i] & 0xffff]];
            const double x = static_cast<double>(d), v = x * x * position[i];
            if (v > top && (entries[i] ^ entries[i + 1]) > 0xffff) top = v;
        }
        return top;
    }

  private:
    const u8* label_ = nullptr;
    const double* n_log_n_ = nullptr;
    std::vector<double> position_;
    double base_ = 0, slack_ = 0;
    i64 step_[2] = {0, 0}, d_ = 0, n_ = 0, ones_ = 0, left_ = 0;
    bool gini_ = true;
};

}  // namespace hornbeam
