// A real target without weights, judged by variance.
#pragma once

#include "base.hpp"

namespace hornbeam {

// A mean: W * decrease = e^2 / (N n_l n_r) with e = N * (sum left) - n_l * (sum all).
template <>
class Runner<Mean> : public RunnerBase<Runner<Mean>, Mean::Carry> {
  public:
    void load(const Mean&, const std::vector<Mean::Carry>& carry) {
        carry_ = carry.data();
        i128 sum = 0;
        for (const auto& row : carry) sum += row.y;
        centre_ = static_cast<i64>(sum / static_cast<i64>(carry.size()));
        y_.clear();
        for (const auto& row : carry) y_.push_back(row.y - centre_);
    }
    void lanes(u32 id, i64* out) const { Mean::row_lanes(carry_[id], out); }
    double slack(double best) const { return slack_ + 1e-11 * best; }

    void prepare(const Judge& judge) {
        allow(judge, true);
        if (!usable_) return;
        const Moments all(judge.total());
        n_ = static_cast<double>(all.n);
        sum_ = static_cast<double>(all.wy - static_cast<i128>(centre_) * all.n);
        const auto size = static_cast<std::size_t>(all.n);
        position_.resize(size + 1);
        for (std::size_t l = 1; l < size; ++l)
            position_[l] = 1 / (n_ * static_cast<double>(l) * static_cast<double>(size - l));
        slack_ = 1e-12 * (sum_ * sum_ / n_ + judge.impurity() * n_);
    }
    void start(const u32* entries, u32 count) {
        left_ = 0;
        for (u32 i = 0; i < count; ++i) take(entries[i] & 0xffff);
    }
    void take(u32 id) { left_ += y_[id]; }
    void left_lanes(u32 left, i64* out) const {
        const i64 sum = left_ + centre_ * static_cast<i64>(left);
        std::fill(out, out + 7, 0);
        out[0] = out[1] = left;
        out[2] = sum & 0xffffffff;
        out[3] = sum >> 32;
    }
    double value(u32 left) const { return value_of(left_, left); }
    double walk(const u32* entries, u32 known, u32 before, u32 n) {
        double top = -std::numeric_limits<double>::infinity();
        i64 sum = left_;
        for (u32 i = 0; i + 1 < known; ++i) {
            sum += y_[entries[i] & 0xffff];
            const u32 left = before + i + 1;
            const double v = value_of(sum, left);
            if (v > top && (entries[i] ^ entries[i + 1]) > 0xffff && left >= least_rows_ && n - left >= least_rows_)
                top = v;
        }
        return top;
    }

  private:
    double value_of(i64 sum, u32 left) const {
        const double e = static_cast<double>(sum) * n_ - static_cast<double>(left) * sum_;
        return e * e * position_[left];
    }

    const Mean::Carry* carry_ = nullptr;
    std::vector<i64> y_;  // less the block's mean; any sum of them fits 64 bits
    std::vector<double> position_;
    double n_ = 0, sum_ = 0, slack_ = 0;
    i64 centre_ = 0, left_ = 0;
};

}  // namespace hornbeam
