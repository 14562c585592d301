// Many classes without weights, with or without repetitions.
#pragma once

#include "hornbeam/search/runners/base.hpp"

namespace hornbeam {

// Many classes: sums of squares (Gini) or of n log n (entropy), updated by what one row changes.
template <class O>
class CountsRunner : public RunnerBase<CountsRunner<O>, typename O::Carry> {
  public:
    void load(const O& outcome, const std::vector<typename O::Carry>& carry) {
        carry_ = carry.data();
        outcome_ = outcome;
        count_.resize(2 * static_cast<std::size_t>(outcome.n_classes));
        inverse_ = SmallNumbers::get().inverse.data();
        n_log_n_ = SmallNumbers::get().n_log_n.data();
    }
    void lanes(u32 id, i64* out) const { outcome_.row_lanes(carry_[id], out); }
    double slack(double) const { return slack_; }

    void prepare(const Judge& judge) {
        const std::string_view name = judge.plan().criterion->name;
        gini_ = name == "gini";
        this->allow(judge, gini_ || name == "entropy" || (name == "gain-ratio" && !judge.ratio()));
        if (!this->usable_) return;
        n_ = static_cast<std::size_t>(judge.layout().rows(judge.total()));
        total_.assign(judge.total(), judge.total() + outcome_.n_classes);
        all_squares_ = 0;
        all_logs_ = 0;
        for (i64 t : total_) {
            all_squares_ += t * t;
            all_logs_ += n_log_n_[t];
        }
        base_ = gini_ ? -static_cast<double>(all_squares_) / static_cast<double>(n_) : n_log_n_[n_] - all_logs_;
        slack_ = 1e-13 * (1 + n_log_n_[n_]) + 2e-12 * judge.impurity() * static_cast<double>(n_);
    }
    void start(const u32* entries, u32 count) {
        for (std::size_t k = 0; k < total_.size(); ++k) {
            count_[2 * k] = 0;
            count_[2 * k + 1] = static_cast<u32>(total_[k]);
        }
        rows_ = 0;
        left_squares_ = 0;
        right_squares_ = all_squares_;
        left_logs_ = 0;
        right_logs_ = all_logs_;
        for (u32 i = 0; i < count; ++i) take(entries[i] & 0xffff);
    }
    void take(u32 id) { gini_ ? take_squares(id) : take_logs(id); }
    void left_lanes(u32, i64* out) const {
        for (std::size_t k = 0; k < total_.size(); ++k) out[k] = count_[2 * k];
        out[total_.size()] = static_cast<i64>(rows_);
    }
    double value(u32) const {
        if (gini_) return gini_value();
        return base_ + left_logs_ + right_logs_ - n_log_n_[rows_] - n_log_n_[n_ - rows_];
    }
    // In rows and their repetitions, which entries do not tell.
    bool allowed(u32, u32) const { return rows_ >= this->least_rows_ && n_ - rows_ >= this->least_rows_; }
    double walk(const u32* entries, u32 known, u32 before, u32 n) {
        if (!gini_) return this->plain_walk(entries, known, before, n);
        double top = -std::numeric_limits<double>::infinity();
        for (u32 i = 0; i + 1 < known; ++i) {
            take_squares(entries[i] & 0xffff);
            const double v = gini_value();
            if (v > top && (entries[i] ^ entries[i + 1]) > 0xffff && allowed(0, 0)) top = v;
        }
        return top;
    }

  private:
    void take_squares(u32 id) {
        u32* c = count_.data() + 2 * O::label(carry_[id]);
        const i64 n = O::rows(carry_[id]), left = c[0], right = c[1];
        c[0] += static_cast<u32>(n);
        c[1] -= static_cast<u32>(n);
        rows_ += static_cast<std::size_t>(n);
        left_squares_ += n * (2 * left + n);
        right_squares_ -= n * (2 * right - n);
    }
    void take_logs(u32 id) {
        u32* c = count_.data() + 2 * O::label(carry_[id]);
        const u32 n = static_cast<u32>(O::rows(carry_[id])), left = c[0], right = c[1];
        c[0] += n;
        c[1] -= n;
        rows_ += n;
        left_logs_ += n_log_n_[left + n] - n_log_n_[left];
        right_logs_ -= n_log_n_[right] - n_log_n_[right - n];
    }
    double gini_value() const {
        return static_cast<double>(left_squares_) * inverse_[rows_] +
               static_cast<double>(right_squares_) * inverse_[n_ - rows_] + base_;
    }

    const typename O::Carry* carry_ = nullptr;
    const double *inverse_ = nullptr, *n_log_n_ = nullptr;
    O outcome_;
    std::vector<u32> count_;  // left and right of each class, side by side
    std::vector<i64> total_;
    i64 left_squares_ = 0, right_squares_ = 0, all_squares_ = 0;
    double left_logs_ = 0, right_logs_ = 0, all_logs_ = 0, base_ = 0, slack_ = 0;
    std::size_t n_ = 0, rows_ = 0;  // all, and on the left
    bool gini_ = true;
};

template <>
class Runner<Counts> : public CountsRunner<Counts> {};
template <>
class Runner<Repeats> : public CountsRunner<Repeats> {};

}  // namespace hornbeam
