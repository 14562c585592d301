// Runners: how a fast scan of a sorted list keeps score. A runner walks the entries of one column in value order and
// gives W * decrease at each cut, up to rounding, from a few numbers it updates row by row. What comes near the best is
// then judged exactly, so a runner decides nothing; it only saves work. Outcomes without a runner are judged cut by
// cut.
//
//   start(left)    the state with the rows `left` already on the left side (the missing ones, or none)
//   take(id)       one more row to the left
//   value(n)       W * decrease with n rows on the left
//   left_lanes(n)  the Stats of the left side, exact (for a mean without its squares, which no criterion here asks for)
#pragma once

#include <memory>
#include <string_view>

#include "outcome.hpp"
#include "searches/threshold.hpp"

namespace hornbeam {

// 1/n and n log2 n for small n, made once.
struct SmallNumbers {
    static constexpr std::size_t kSize = 65537;
    std::vector<double> inverse, n_log_n;

    SmallNumbers() : inverse(kSize, 0), n_log_n(kSize, 0) {
        for (std::size_t n = 1; n < kSize; ++n) {
            inverse[n] = 1 / static_cast<double>(n);
            n_log_n[n] = static_cast<double>(n) * std::log2(static_cast<double>(n));
        }
    }
    static const SmallNumbers& get() {
        static const SmallNumbers numbers;
        return numbers;
    }
};

// What all runners share: where cuts may lie, and judging those that come near the best.
template <class Scan, class Carry>
class RunnerBase {
  public:
    bool usable() const { return usable_; }

    // The best value over all cuts of the `known` entries; the other `n - known` rows are missing and join either side.
    double best(const u32* entries, u32 known, u32 n) {
        Scan& scan = static_cast<Scan&>(*this);
        scan.start(nullptr, 0);
        double top = scan.walk(entries, known, 0, n);
        if (known == n) return top;
        scan.start(entries + known, n - known);
        top = std::max(top, scan.walk(entries, known, n - known, n));
        return std::max(top, known_against_missing(entries, known, n));
    }

    // Has every cut judged that comes within `least` of the best.
    void offer(const Judge& judge, const u32* entries, u32 known, u32 n, i32 column, double least, Candidates& out) {
        Scan& scan = static_cast<Scan&>(*this);
        const auto width = static_cast<std::size_t>(judge.layout().width());
        gap_.assign(width, 0);
        left_.resize(width);
        right_.resize(width);
        for (u32 i = known; i < n; ++i) scan.lanes(entries[i] & 0xffff, gap_.data());
        CutJudge cuts(judge, column, known < n ? gap_.data() : nullptr, out);
        scan.start(nullptr, 0);
        offer_near(judge, entries, known, 0, n, least, cuts);
        if (known == n) return;
        scan.start(entries + known, n - known);
        offer_near(judge, entries, known, n - known, n, least, cuts);
        if (known == 0) return;
        right_.assign(judge.total(), judge.total() + width);
        subtract_lanes(right_.data(), gap_.data(), static_cast<int>(width));
        cuts.known_or_missing(right_.data(), static_cast<i32>(entries[known - 1] >> 16),
                              entries[0] >> 16 == entries[known - 1] >> 16);
    }

  protected:
    void allow(const Judge& judge) {
        const Limits& limits = judge.plan().limits;
        least_rows_ = static_cast<u32>(std::max<i64>(1, std::min<i64>(limits.min_rows_leaf, 1 << 20)));
    }

    // Value at every cut; `before` rows were on the left at the start.
    double plain_walk(const u32* entries, u32 known, u32 before, u32 n) {
        Scan& scan = static_cast<Scan&>(*this);
        double top = -std::numeric_limits<double>::infinity();
        for (u32 i = 0; i + 1 < known; ++i) {
            scan.take(entries[i] & 0xffff);
            const u32 left = before + i + 1;
            if (entries[i] >> 16 == entries[i + 1] >> 16 || left < least_rows_ || n - left < least_rows_) continue;
            top = std::max(top, scan.value(left));
        }
        return top;
    }

    u32 least_rows_ = 1;
    bool usable_ = false;

  private:
    // `before` rows, the missing ones or none, are on the left already.
    void offer_near(const Judge& judge, const u32* entries, u32 known, u32 before, u32 n, double least,
                    CutJudge& cuts) {
        Scan& scan = static_cast<Scan&>(*this);
        const int width = judge.layout().width();
        const double unknown = std::numeric_limits<double>::quiet_NaN();
        for (u32 i = 0; i + 1 < known; ++i) {
            scan.take(entries[i] & 0xffff);
            const u32 left = before + i + 1;
            if (entries[i] >> 16 == entries[i + 1] >> 16 || left < least_rows_ || n - left < least_rows_) continue;
            if (scan.value(left) < least) continue;
            scan.left_lanes(left, left_.data());
            if (before > 0) subtract_lanes(left_.data(), gap_.data(), width);
            right_.assign(judge.total(), judge.total() + width);
            subtract_lanes(right_.data(), left_.data(), width);
            subtract_lanes(right_.data(), gap_.data(), width);
            cuts.cut(left_.data(), right_.data(), static_cast<i32>(entries[i] >> 16), unknown, unknown);
        }
    }
    double known_against_missing(const u32* entries, u32 known, u32 n) {
        if (known == 0 || known < least_rows_ || n - known < least_rows_)
            return -std::numeric_limits<double>::infinity();
        Scan& scan = static_cast<Scan&>(*this);
        scan.start(nullptr, 0);
        for (u32 i = 0; i < known; ++i) scan.take(entries[i] & 0xffff);
        return scan.value(known);
    }
    std::vector<i64> left_, right_, gap_;
};

// Outcomes that are always judged exactly.
template <class O>
class Runner {
  public:
    void load(const O&, const std::vector<typename O::Carry>&) {}
    void prepare(const Judge&) {}
    bool usable() const { return false; }
    double slack(double) const { return 0; }
    double best(const u32*, u32, u32) const { return 0; }
    void offer(const Judge&, const u32*, u32, u32, i32, double, Candidates&) const {}
};

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
        allow(judge);
        const std::string_view name = judge.plan().criterion->name;
        gini_ = name == "gini";
        usable_ =
            !judge.plan().constrained() && judge.plan().limits.min_weight_leaf <= 0 && (gini_ || name == "entropy");
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
        allow(judge);
        const std::string_view name = judge.plan().criterion->name;
        gini_ = name == "gini";
        usable_ =
            !judge.plan().constrained() && judge.plan().limits.min_weight_leaf <= 0 && (gini_ || name == "entropy");
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
        allow(judge);
        usable_ = !judge.plan().constrained() && judge.plan().limits.min_weight_leaf <= 0;
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
