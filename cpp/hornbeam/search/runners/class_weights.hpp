// Classes with weights, repetitions or fractions of rows.
#pragma once

#include "hornbeam/search/runners/base.hpp"

namespace hornbeam {

// Sums of squares (Gini) anew at every cut, since a small side would show what rounding did to running ones; sums of
// w log2 w (entropy) updated by what one row changes.
template <>
class Runner<ClassWeights> : public RunnerBase<Runner<ClassWeights>, ClassWeights::Carry> {
  public:
    void load(const ClassWeights& outcome, const std::vector<ClassWeights::Carry>& carry) {
        carry_ = carry.data();
        outcome_ = outcome;
        const auto k = static_cast<std::size_t>(outcome.n_classes);
        left_.resize(k);
        total_.resize(k);
    }
    void lanes(u32 id, i64* out) const { outcome_.row_lanes(carry_[id], out); }
    double slack(double best) const { return slack_ + 1e-11 * std::fabs(best); }

    void prepare(const Judge& judge) {
        const std::string_view name = judge.plan().criterion->name;
        gini_ = name == "gini";
        usable_ = !judge.plan().constrained() && outcome_.n_classes <= 16 &&
                  (gini_ || name == "entropy" || (name == "gain-ratio" && !judge.ratio()));
        if (!usable_) return;
        all_rows_ = judge.layout().rows(judge.total());
        all_ = judge.layout().weight(judge.total());
        const auto all = static_cast<double>(all_);
        least_weight_ = std::max(judge.min_weight_leaf(), judge.least_side() * (1 - 1e-9));
        least_rows_ = static_cast<u32>(std::clamp<i64>(judge.plan().limits.min_rows_leaf, 1, 1 << 30));
        all_terms_ = 0;
        for (std::size_t k = 0; k < total_.size(); ++k) {
            total_[k] = judge.total()[k];
            all_terms_ += term(static_cast<double>(total_[k]));
        }
        base_ = gini_ ? -all_terms_ / all : term(all) - all_terms_;
        slack_ = 1e-12 * (2 * judge.impurity() + (gini_ ? 1 : std::log2(2 + all))) * all;
    }
    void start(const u32* entries, u32 count) {
        std::fill(left_.begin(), left_.end(), 0);
        sum_ = rows_ = 0;
        left_terms_ = 0;
        right_terms_ = all_terms_;
        for (u32 i = 0; i < count; ++i) take(entries[i] & 0xffff);
    }
    void take(u32 id) {
        const ClassWeights::Carry& row = carry_[id];
        i64& l = left_[row.label];
        if (!gini_) {
            const auto before = static_cast<double>(l), after = static_cast<double>(l + row.w);
            const auto rest = static_cast<double>(total_[row.label] - l);
            left_terms_ += term(after) - term(before);
            right_terms_ += term(rest - static_cast<double>(row.w)) - term(rest);
        }
        l += row.w;
        sum_ += row.w;
        rows_ += row.n;
    }
    void left_lanes(u32, i64* out) const {
        std::copy(left_.begin(), left_.end(), out);
        out[left_.size()] = rows_;
    }
    double value(u32) const {
        const auto left = static_cast<double>(sum_), right = static_cast<double>(all_ - sum_);
        if (!gini_) return base_ + left_terms_ + right_terms_ - term(left) - term(right);
        double l2 = 0, r2 = 0;
        for (std::size_t k = 0; k < left_.size(); ++k) {
            const auto l = static_cast<double>(left_[k]), r = static_cast<double>(total_[k] - left_[k]);
            l2 += l * l;
            r2 += r * r;
        }
        return l2 / left + r2 / right + base_;
    }
    bool allowed(u32, u32) const {
        return rows_ >= least_rows_ && all_rows_ - rows_ >= least_rows_ && static_cast<double>(sum_) >= least_weight_ &&
               static_cast<double>(all_ - sum_) >= least_weight_;
    }
    double walk(const u32* entries, u32 known, u32 before, u32 n) { return plain_walk(entries, known, before, n); }

  private:
    double term(double w) const { return gini_ ? w * w : w > 0 ? w * std::log2(w) : 0; }

    const ClassWeights::Carry* carry_ = nullptr;
    ClassWeights outcome_;
    std::vector<i64> left_, total_;
    double left_terms_ = 0, right_terms_ = 0, all_terms_ = 0, base_ = 0, slack_ = 0, least_weight_ = 0;
    i64 sum_ = 0, all_ = 0, rows_ = 0, all_rows_ = 0;
    bool gini_ = true;
};

}  // namespace hornbeam
