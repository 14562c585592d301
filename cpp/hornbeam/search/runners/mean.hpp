// A real target without weights, with or without repetitions, judged by variance.
#pragma once

#include "hornbeam/search/runners/base.hpp"

namespace hornbeam {

// A mean: W * decrease = d^2 N / (n_l n_r) with d = (sum left) - n_l * (mean of all).
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
        sum_ = to_double(all.wy - static_cast<i128>(centre_) * all.n);
        place_cuts(static_cast<std::size_t>(all.n));
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
    double walk(const u32* entries, u32 known, u32 before, u32 n) const {
        if (known < 2) return -std::numeric_limits<double>::infinity();
        if constexpr (!kOnce)
            return this->ties_ || this->least_rows_ > 1 ? walk_all<true>(entries, known)
                                                        : walk_all<false>(entries, known);
        // Cuts with enough rows on both sides: [first, last)
        const u32 least = this->least_rows_, first = least > before + 1 ? least - before - 1 : 0;
        const u32 last = n >= before + least ? std::min(known - 1, n - before - least) : 0;
        if (first >= last) return -std::numeric_limits<double>::infinity();
        return this->ties_ ? walk_once<true>(entries, first, last) : walk_once<false>(entries, first, last);
    }

  private:
    static constexpr bool kOnce = std::is_same_v<O, Mean>;
    static constexpr u32 kStep = 4;  // cuts at a time, so that no maximum waits for the one before

    u32 rows(u32 id) const {
        if constexpr (kOnce) return 1;
        return times_[id];
    }
    bool enough(u32 left) const { return left >= this->least_rows_ && size_ - left >= this->least_rows_; }
    double value_of(i64 sum, u32 left) const {
        const double d = static_cast<double>(sum) - expected_[left];
        return d * d * position_[left];
    }
    // What does not depend on the column: n_l * mean and N / (n_l n_r) for every n_l.
    void place_cuts(std::size_t size) {
        size_ = static_cast<u32>(size);
        position_.resize(size + 1);
        expected_.resize(size + 1);
        const double mean = sum_ / n_;
        for (std::size_t l = 1; l < size; ++l) expected_[l] = static_cast<double>(static_cast<i32>(l)) * mean;
        if (size < SmallNumbers::kSize) {
            const double* inverse = SmallNumbers::get().inverse.data();
            for (std::size_t l = 1; l < size; ++l) position_[l] = n_ * inverse[l] * inverse[size - l];
        } else {
            for (std::size_t l = 1; l < size; ++l)
                position_[l] = n_ / (static_cast<double>(l) * static_cast<double>(size - l));
        }
    }
    static bool differ(const u32* entries) { return (entries[0] ^ entries[1]) > 0xffff; }

    // Rows that count once: how many are on the left is known from the place in the list.
    template <bool ties>
    double walk_once(const u32* entries, u32 first, u32 last) const {
        const double none = -std::numeric_limits<double>::infinity();
        const i64* y = y_.data();
        i64 sum = left_;
        u32 i = 0;
        for (; i < first; ++i) sum += y[entries[i] & 0xffff];
        const u32 before = rows_ + 1;
        double top[kStep] = {none, none, none, none};
        const auto cut = [&](u32 at, double& best) {
            sum += y[entries[at] & 0xffff];
            const double v = value_of(sum, before + at);
            best = v > best && (!ties || differ(entries + at)) ? v : best;
        };
        for (; i + kStep <= last; i += kStep)
            for (u32 k = 0; k < kStep; ++k) cut(i + k, top[k]);
        for (; i < last; ++i) cut(i, top[0]);
        return std::max(std::max(top[0], top[1]), std::max(top[2], top[3]));
    }
    // Rows that count several times.
    template <bool checked>
    double walk_all(const u32* entries, u32 known) const {
        const double none = -std::numeric_limits<double>::infinity();
        i64 sum = left_;
        u32 left = rows_, i = 0;
        double top[kStep] = {none, none, none, none};
        const auto cut = [&](u32 at, double& best) {
            const u32 id = entries[at] & 0xffff;
            sum += y_[id];
            left += rows(id);
            const double v = value_of(sum, left);
            best = v > best && (!checked || (differ(entries + at) && enough(left))) ? v : best;
        };
        for (; i + kStep < known; i += kStep)
            for (u32 k = 0; k < kStep; ++k) cut(i + k, top[k]);
        for (; i + 1 < known; ++i) cut(i, top[0]);
        return std::max(std::max(top[0], top[1]), std::max(top[2], top[3]));
    }

    const typename O::Carry* carry_ = nullptr;
    std::vector<i64> y_;      // what a row adds, less the block's mean; any sum of them fits 64 bits
    std::vector<u16> times_;  // how often a row counts, where that is not once
    std::vector<double> position_, expected_;
    double n_ = 0, sum_ = 0, slack_ = 0;
    i64 centre_ = 0, left_ = 0;
    u32 size_ = 0, rows_ = 0;  // all rows, and those on the left
};

template <>
class Runner<Mean> : public MeanRunner<Mean> {};
template <>
class Runner<MeanRepeats> : public MeanRunner<MeanRepeats> {};

}  // namespace hornbeam
