// A real target without weights, with or without repetitions, judged by variance.
#pragma once

#include "base.hpp"

namespace hornbeam {

// A mean: W * decrease = e^2 / (N n_l n_r) with e = N * (sum left) - n_l * (sum all).
template <class O>
class MeanRunner : public RunnerBase<MeanRunner<O>, typename O::Carry> {
  public:
    void load(const O&, const std::vector<typename O::Carry>& carry) {
        carry_ = carry.data();
        i128 sum = 0, rows = 0;
        for (const auto& row : carry) {
            sum += row.y * O::rows(row);
            rows += O::rows(row);
        }
        centre_ = static_cast<i64>(sum / rows);
        y_.clear();
        times_.clear();
        for (const auto& row : carry) {
            y_.push_back((row.y - centre_) * O::rows(row));
            if (!std::is_same_v<O, Mean>) times_.push_back(static_cast<u16>(O::rows(row)));
        }
    }
    void lanes(u32 id, i64* out) const { O::row_lanes(carry_[id], out); }
    double slack(double best) const { return slack_ + 1e-11 * best; }

    void prepare(const Judge& judge) {
        this->allow(judge, true);
        if (!this->usable_) return;
        const Moments all(judge.total());
        n_ = static_cast<double>(all.n);
        sum_ = static_cast<double>(all.wy - static_cast<i128>(centre_) * all.n);
        const auto size = static_cast<std::size_t>(all.n);
        size_ = static_cast<u32>(size);
        position_.resize(size + 1);
        for (std::size_t l = 1; l < size; ++l)
            position_[l] = 1 / (n_ * static_cast<double>(l) * static_cast<double>(size - l));
        slack_ = 1e-12 * (sum_ * sum_ / n_ + judge.impurity() * n_);
    }
    void start(const u32* entries, u32 count) {
        left_ = 0;
        rows_ = 0;
        for (u32 i = 0; i < count; ++i) take(entries[i] & 0xffff);
    }
    void take(u32 id) {
        left_ += y_[id];
        rows_ += rows(id);
    }
    void left_lanes(u32, i64* out) const {
        const i64 sum = left_ + centre_ * static_cast<i64>(rows_);
        std::fill(out, out + 7, 0);
        out[0] = out[1] = rows_;
        out[2] = sum & 0xffffffff;
        out[3] = sum >> 32;
    }
    double value(u32) const { return value_of(left_, rows_); }
    // In rows and their repetitions, which entries do not tell.
    bool allowed(u32, u32) const { return enough(rows_); }
    double walk(const u32* entries, u32 known, u32, u32) {
        double top = -std::numeric_limits<double>::infinity();
        i64 sum = left_;
        u32 left = rows_;
        for (u32 i = 0; i + 1 < known; ++i) {
            sum += y_[entries[i] & 0xffff];
            left += rows(entries[i] & 0xffff);
            const double v = value_of(sum, left);
            if (v > top && (entries[i] ^ entries[i + 1]) > 0xffff && enough(left)) top = v;
        }
        return top;
    }

  private:
    u32 rows(u32 id) const {
        if constexpr (std::is_same_v<O, Mean>) return 1;
        return times_[id];
    }
    bool enough(u32 left) const { return left >= this->least_rows_ && size_ - left >= this->least_rows_; }
    double value_of(i64 sum, u32 left) const {
        const double e = static_cast<double>(sum) * n_ - static_cast<double>(left) * sum_;
        return e * e * position_[left];
    }

    const typename O::Carry* carry_ = nullptr;
    std::vector<i64> y_;      // what a row adds, less the block's mean; any sum of them fits 64 bits
    std::vector<u16> times_;  // how often a row counts, where that is not once
    std::vector<double> position_;
    double n_ = 0, sum_ = 0, slack_ = 0;
    i64 centre_ = 0, left_ = 0;
    u32 size_ = 0, rows_ = 0;  // all rows, and those on the left
};

template <>
class Runner<Mean> : public MeanRunner<Mean> {};
template <>
class Runner<MeanRepeats> : public MeanRunner<MeanRepeats> {};

}  // namespace hornbeam
