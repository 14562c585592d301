// Two classes with repetitions.
#pragma once

#include "hornbeam/search/runners/base.hpp"

namespace hornbeam {

// As for two classes without: d = N l_1 - n_l t_1 grows by N (ones of the row) - (rows of the row) t_1.
template <>
class Runner<TwoRepeats> : public RunnerBase<Runner<TwoRepeats>, u32> {
  public:
    void load(const TwoRepeats&, const std::vector<u32>& carry) {
        carry_ = carry.data();
        inverse_ = SmallNumbers::get().inverse.data();
        n_log_n_ = SmallNumbers::get().n_log_n.data();
    }
    void lanes(u32 id, i64* out) const { TwoRepeats::row_lanes(carry_[id], out); }
    double slack(double best) const { return slack_ + 1e-12 * best; }

    void prepare(const Judge& judge) {
        const std::string_view name = judge.plan().criterion->name;
        gini_ = name == "gini";
        allow(judge, gini_ || name == "entropy" || (name == "gain-ratio" && !judge.ratio()));
        if (!usable_) return;
        n_ = judge.layout().rows(judge.total());
        ones_ = judge.total()[1];
        twice_ = 2 * inverse_[n_];
        base_ = n_log_n_[n_] - n_log_n_[ones_] - n_log_n_[n_ - ones_];
        slack_ = (gini_ ? 0 : 1e-13 * (1 + n_log_n_[n_])) + 2e-12 * judge.impurity() * static_cast<double>(n_);
    }
    void start(const u32* entries, u32 count) {
        left_ = rows_ = 0;
        for (u32 i = 0; i < count; ++i) take(entries[i] & 0xffff);
    }
    void take(u32 id) {
        left_ += TwoRepeats::ones(carry_[id]);
        rows_ += TwoRepeats::rows(carry_[id]);
    }
    void left_lanes(u32, i64* out) const {
        out[0] = rows_ - left_;
        out[1] = left_;
        out[2] = rows_;
    }
    double value(u32) const {
        if (gini_) return gini_value(left_ * n_ - rows_ * ones_, rows_);
        const double* f = n_log_n_;
        return base_ - f[rows_] - f[n_ - rows_] + f[left_] + f[rows_ - left_] + f[ones_ - left_] +
               f[n_ - rows_ - ones_ + left_];
    }
    // In rows and their repetitions, which entries do not tell.
    bool allowed(u32, u32) const { return enough(rows_); }
    double walk(const u32* entries, u32 known, u32 before, u32 n) {
        if (!gini_) return plain_walk(entries, known, before, n);
        double top = -std::numeric_limits<double>::infinity();
        i64 d = left_ * n_ - rows_ * ones_, rows = rows_;
        for (u32 i = 0; i + 1 < known; ++i) {
            const u32 row = carry_[entries[i] & 0xffff];
            d += TwoRepeats::ones(row) * n_ - TwoRepeats::rows(row) * ones_;
            rows += TwoRepeats::rows(row);
            const double v = gini_value(d, rows);
            if (v > top && (entries[i] ^ entries[i + 1]) > 0xffff && enough(rows)) top = v;
        }
        return top;
    }

  private:
    double gini_value(i64 d, i64 rows) const {
        const auto x = static_cast<double>(d);
        return x * x * inverse_[rows] * inverse_[n_ - rows] * twice_;
    }
    bool enough(i64 rows) const { return rows >= least_rows_ && n_ - rows >= least_rows_; }

    const u32* carry_ = nullptr;
    const double *inverse_ = nullptr, *n_log_n_ = nullptr;
    double base_ = 0, slack_ = 0, twice_ = 0;
    i64 n_ = 0, ones_ = 0, left_ = 0, rows_ = 0;
    bool gini_ = true;
};

}  // namespace hornbeam
