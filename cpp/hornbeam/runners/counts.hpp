// Many classes without weights.
#pragma once

#include "base.hpp"

namespace hornbeam {

// Many classes: sums of squares (Gini) or of n log n (entropy), updated by what one row changes.
template <>
class Runner<Counts> : public RunnerBase<Runner<Counts>, u32> {
  public:
    void load(const Counts& outcome, const std::vector<u32>& carry) {
        label_ = carry.data();
        outcome_ = outcome;
        count_.resize(2 * static_cast<std::size_t>(outcome.n_classes));
        inverse_ = SmallNumbers::get().inverse.data();
        n_log_n_ = SmallNumbers::get().n_log_n.data();
    }
    void lanes(u32 id, i64* out) const { outcome_.row_lanes(label_[id], out); }
    double slack(double) const { return slack_; }

    void prepare(const Judge& judge) {
        const std::string_view name = judge.plan().criterion->name;
        gini_ = name == "gini";
        allow(judge, gini_ || name == "entropy" || (name == "gain-ratio" && !judge.ratio()));
        if (!usable_) return;
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
        left_squares_ = 0;
        right_squares_ = all_squares_;
        left_logs_ = 0;
        right_logs_ = all_logs_;
        for (u32 i = 0; i < count; ++i) take(entries[i] & 0xffff);
    }
    void take(u32 id) { gini_ ? take_squares(id) : take_logs(id); }
    void left_lanes(u32 left, i64* out) const {
        for (std::size_t k = 0; k < total_.size(); ++k) out[k] = count_[2 * k];
        out[total_.size()] = left;
    }
    double value(u32 left) const {
        if (gini_) return gini_value(left);
        return base_ + left_logs_ + right_logs_ - n_log_n_[left] - n_log_n_[n_ - left];
    }
    double walk(const u32* entries, u32 known, u32 before, u32 n) {
        if (!gini_) return plain_walk(entries, known, before, n);
        double top = -std::numeric_limits<double>::infinity();
        for (u32 i = 0; i + 1 < known; ++i) {
            take_squares(entries[i] & 0xffff);
            const u32 left = before + i + 1;
            const double v = gini_value(left);
            if (v > top && (entries[i] ^ entries[i + 1]) > 0xffff && left >= least_rows_ && n - left >= least_rows_)
                top = v;
        }
        return top;
    }

  private:
    void take_squares(u32 id) {
        u32* c = count_.data() + 2 * label_[id];
        const i64 left = c[0]++, right = c[1]--;
        left_squares_ += 2 * left + 1;
        right_squares_ -= 2 * right - 1;
    }
    void take_logs(u32 id) {
        u32* c = count_.data() + 2 * label_[id];
        const u32 left = c[0]++, right = c[1]--;
        left_logs_ += n_log_n_[left + 1] - n_log_n_[left];
        right_logs_ -= n_log_n_[right] - n_log_n_[right - 1];
    }
    double gini_value(u32 left) const {
        return static_cast<double>(left_squares_) * inverse_[left] +
               static_cast<double>(right_squares_) * inverse_[n_ - left] + base_;
    }

    const u32* label_ = nullptr;
    const double *inverse_ = nullptr, *n_log_n_ = nullptr;
    Counts outcome_;
    std::vector<u32> count_;  // left and right of each class, side by side
    std::vector<i64> total_;
    i64 left_squares_ = 0, right_squares_ = 0, all_squares_ = 0;
    double left_logs_ = 0, right_logs_ = 0, all_logs_ = 0, base_ = 0, slack_ = 0;
    std::size_t n_ = 0;
    bool gini_ = true;
};

}  // namespace hornbeam
