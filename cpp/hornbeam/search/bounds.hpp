// Estimates for large nodes: what a cut gains, quickly, and what a cut inside a bin could gain at most.
//
// A cut inside a bin moves some of its rows to the left. The gain is convex in what moved, so over all possible orders
// it is largest at a corner: all rows of some classes first (CLOUDS, Alsabti, Ranka & Singh 1998; Fayyad & Irani 1992).
// And since potentials are superadditive, no cut gains more than if the bin's rows cost nothing at all:
//
//   bound = potential(all) - potential(left of the bin) - potential(right of the bin)
//
// Values are W * decrease (gain ratio: the ratio). An estimate only decides what is looked at; the judge decides.
#pragma once

#include <bit>

#include "hornbeam/search/bounds_many_classes.hpp"
#include "hornbeam/search/candidate.hpp"

namespace hornbeam {

class Estimate {
  public:
    explicit Estimate(const Judge& judge)
        : judge_(judge), criterion_(*judge.plan().criterion), layout_(judge.layout()), classes_(layout_.n_classes) {
        if (!judge.plan().constrained()) {
            if (criterion_.name == "gini") how_ = How::gini;
            if (criterion_.name == "variance") how_ = How::variance;
        }
        all_ = judge.potential();
        by_means_ = criterion_.name == "variance";
        if (by_means_) centre_ = Moments(judge.total()).rounded_mean();
    }

    // How far below the best an estimate may lie and still belong to the winner.
    double slack(double best) const {
        if (judge_.ratio()) return 1e-9 * (std::fabs(best) + 1e-9);
        if (layout_.rates) return 1e-9 * all_ + poisson::rounding(judge_.total());
        return 1e-9 * all_ + 1e-15 * std::sqrt(all_ * judge_.weight());
    }

    double value(const i64* left, const i64* right, const i64* own) const {
        const i64* parts[3] = {left, right, own};
        if (!large_enough(left) || !large_enough(right)) return -std::numeric_limits<double>::infinity();
        if (how_ != How::judge && own == nullptr) return how_ == How::gini ? gini(left, right) : variance(left, right);
        Candidate candidate;
        if (!judge_.judge(parts, own == nullptr ? 2 : 3, column_, SplitKind::threshold, candidate))
            return -std::numeric_limits<double>::infinity();
        return judge_.ratio() ? candidate.score : candidate.decrease * judge_.weight();
    }
    void set_column(i32 column) { column_ = column; }

    // At least the value of every cut inside `bin`. Stops refining once below `enough`.
    double bound(const i64* left, const i64* bin, const i64* right, const i64* own, double enough) const {
        if (by_means_) return variance_bound(left, bin, right, own);
        if (how_ == How::gini && classes_ == 2 && own == nullptr) return corners(left, bin, right);
        const double missing_part = own == nullptr ? 0 : criterion_.potential(own, classes_);
        double most =
            all_ - criterion_.potential(left, classes_) - criterion_.potential(right, classes_) - missing_part;
        if (judge_.ratio()) {
            if (layout_.weight(bin) > 0) most = std::min(most, entropy_bound(left, bin, right) - missing_part);
            return most / judge_.weight() / least_information(left, bin, right, own);
        }
        if (most < enough || !layout_.classes()) return most;
        if (criterion_.potential == entropy::potential && classes_ > 4)
            return std::min(most, entropy_bound(left, bin, right) - missing_part);
        if (own != nullptr) return most;
        if (criterion_.name == "gini" && classes_ > 6)
            return std::min(most, many_classes::gini_bound(left, bin, right, classes_));
        if (classes_ > (how_ == How::gini ? 6 : 4)) return most;
        return std::min(most, how_ == How::gini ? corners(left, bin, right) : corners_by_potential(left, bin, right));
    }

  private:
    enum class How : u8 { judge, gini, variance } how_ = How::judge;

    bool large_enough(const i64* side) const {
        return judge_.big_enough(side) && (judge_.least_side() <= 0 || static_cast<double>(layout_.weight(side)) >=
                                                                           judge_.least_side() * (1 - 1e-9));
    }
    double gini(const i64* left, const i64* right) const {
        double l = 0, r = 0, sum = 0;
        for (int k = 0; k < classes_; ++k) {
            l += static_cast<double>(left[k]);
            r += static_cast<double>(right[k]);
        }
        if (l <= 0 || r <= 0) return -std::numeric_limits<double>::infinity();
        for (int k = 0; k < classes_; ++k) {
            const double e = static_cast<double>(left[k]) * r - static_cast<double>(right[k]) * l;
            sum += e * e;
        }
        return sum / (l * r * (l + r));
    }
    double away(const i64* part, double& weight) const {
        weight = static_cast<double>(part[1]);
        const i128 wy = (static_cast<i128>(part[3]) << 32) + part[2];
        return to_double(wy - static_cast<i128>(centre_) * part[1]);
    }
    double variance(const i64* left, const i64* right) const {
        double l, r;
        const double a = away(left, l), b = away(right, r);
        if (l <= 0 || r <= 0) return -std::numeric_limits<double>::infinity();
        const double e = a * r - b * l;
        return e / (l * r) * e / (l + r);
    }
    // Two bounds, the smaller counts. One: between-group squares of (left, bin, right, own) plus all squares inside the
    // bin. Two: rows of weight w moved out of the bin's W take with them at most sqrt(w (W - w) / W * squares) more
    // than their share of its sum (Cauchy-Schwarz), so the left sum is bounded, and W * decrease = sum^2 (1/w_l +
    // 1/w_r) around the node's mean. Only the squares inside the bin may be rounded up.
    double variance_bound(const i64* left, const i64* bin, const i64* right, const i64* own) const {
        double w[4] = {}, s[4] = {away(left, w[0]), away(bin, w[1]), away(right, w[2]), 0};
        if (own != nullptr) s[3] = away(own, w[3]);
        double sum = 0, weight = 0, total = 0;
        for (int i = 0; i < 4; ++i) {
            if (w[i] > 0) sum += s[i] * s[i] / w[i];
            weight += w[i];
            total += s[i];
        }
        const double squares = Moments(bin).squares(), first = sum - total * total / weight + squares;
        if (own != nullptr || w[0] <= 0 || w[2] <= 0) return first;
        const double mean = total / weight, before = s[0] - mean * w[0], after = before + s[1] - mean * w[1];
        const double most = std::max(std::fabs(before), std::fabs(after)) + std::sqrt(w[1] * squares) / 2;
        const double spread = std::max(1 / w[0] + 1 / (w[1] + w[2]), 1 / (w[0] + w[1]) + 1 / w[2]);
        return std::min(first, most * most * spread * (1 + 1e-12));
    }
    // The largest value over all proper, non-empty sets of the bin's classes moved to the left. One class changes sides
    // at a step (Gray code), so a step costs the change of two sums of squares: W * decrease = sum l^2 / n_l +
    // sum r^2 / n_r - sum t^2 / n.
    double corners(const i64* left, const i64* bin, const i64* right) const {
        double l2 = 0, r2 = 0, t2 = 0, l = 0, r = 0;
        for (int k = 0; k < classes_; ++k) {
            const double a = static_cast<double>(left[k]), c = static_cast<double>(right[k] + bin[k]);
            l += a;
            r += c;
            l2 += a * a;
            r2 += c * c;
            t2 += (a + c) * (a + c);
        }
        // Nothing moved is the cut before the bin: judged already, unless too few rows are left of it.
        double most = l > 0 && r > 0 && !large_enough(left) ? l2 / l + r2 / r : 0;
        u32 moved = 0;
        const u32 sets = u32{1} << classes_;
        for (u32 step = 1; step < sets; ++step) {
            const int k = std::countr_zero(step);
            moved ^= u32{1} << k;
            const double b = static_cast<double>(bin[k]), sign = (moved >> k & 1) != 0 ? 1 : -1;
            const double a = static_cast<double>(left[k]) + (sign > 0 ? 0 : b),
                         c = static_cast<double>(right[k]) + (sign > 0 ? b : 0);
            l2 += sign * b * (2 * a + sign * b);
            r2 -= sign * b * (2 * c - sign * b);
            l += sign * b;
            r -= sign * b;
            if (l > 0 && r > 0) most = std::max(most, l2 / l + r2 / r);
        }
        return most - t2 / (l + r) + 2e-14 * (l + r);  // what rounding may have taken
    }
    double entropy_bound(const i64* left, const i64* bin, const i64* right) const {
        return all_ - many_classes::entropy_bound(left, bin, right, classes_);
    }
    // The same for any potential: all rows of some classes moved to the left.
    double corners_by_potential(const i64* left, const i64* bin, const i64* right) const {
        constexpr int kMost = 4;
        double most = 0;
        const u32 sets = u32{1} << classes_;
        const bool judged = large_enough(left) && !judge_.plan().constrained();  // the cut before the bin
        for (u32 set = judged ? 1 : 0; set < sets; ++set) {
            i64 l[kMost + 1] = {}, r[kMost + 1] = {};  // the number of rows is not asked for
            for (int k = 0; k < classes_; ++k) {
                const i64 moved = (set >> k & 1) != 0 ? bin[k] : 0;
                l[k] = left[k] + moved;
                r[k] = right[k] + bin[k] - moved;
            }
            most = std::max(most, all_ - criterion_.potential(l, classes_) - criterion_.potential(r, classes_));
        }
        return most + 1e-13 * judge_.weight() * (1 + std::log2(1 + judge_.weight()));  // what rounding may have taken
    }
    // Split information is concave in the rows that move, so it is least at an end of the bin.
    double least_information(const i64* left, const i64* bin, const i64* right, const i64* own) const {
        const i64 l = layout_.weight(left), b = layout_.weight(bin), r = layout_.weight(right);
        const i64 m = own == nullptr ? judge_.gap_weight() : layout_.weight(own);
        const i64 before[3] = {l, b + r, m}, after[3] = {l + b, r, m};
        return std::max(
            0.0, std::min(split_information(before, 3, l + b + r + m), split_information(after, 3, l + b + r + m)));
    }

    const Judge& judge_;
    const Criterion& criterion_;
    Layout layout_;
    int classes_;
    i32 column_ = 0;
    double all_ = 0;
    i64 centre_ = 0;
    bool by_means_ = false;  // bounds need the means and the squares inside the bin, nothing else
};

}  // namespace hornbeam
