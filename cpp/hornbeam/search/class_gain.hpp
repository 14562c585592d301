// What parting the classes of a node in two gains, quickly: an estimate that decides which parts the judge is asked
// about, and three bounds on what any two parts can gain.
#pragma once

#include <span>

#include "hornbeam/search/candidate.hpp"
#include "hornbeam/search/runners/base.hpp"

namespace hornbeam {

class ClassGain {
  public:
    // For parts of `known`: the rows judged, without those that are a third branch.
    ClassGain(const Judge& judge, std::span<const i64> known) : classes_(judge.layout().n_classes) {
        const auto potential = judge.plan().criterion->potential;
        gini_ = potential == gini::potential;
        usable_ = gini_ || (potential == entropy::potential && !judge.ratio());
        if (!usable_) return;
        known_ = known.data();
        weight_ = class_weight(known_, classes_);
        scale_ = 1 / judge.weight();
        const double all = judge.potential(), w = static_cast<double>(weight_);
        if (!gini_) {
            n_log_n_ = SmallNumbers::get().n_log_n.data();
            whole_ = term(weight_);
            for (int k = 0; k < classes_; ++k) whole_ -= term(known_[k]);
        }
        slack_ = (4e-12 * all + (gini_ ? 1e-13 * std::sqrt(all * w) : 1e-12 * w * std::log2(2 + w))) * scale_;
    }

    // Whether there is a quick formula: Gini and entropy, where gain counts rather than gain ratio.
    bool usable() const { return usable_; }
    bool is_gini() const { return gini_; }
    // Twice what an estimate may be off.
    double slack() const { return slack_; }
    // The decrease of impurity by parting the known rows into `left` and the others; -infinity if one has no weight.
    double value(const i64* left) const {
        return (gini_ ? gini_value(left) : entropy_value(left)) * scale_;
    }

    // The largest decrease over all partitions of the known rows, whatever the columns: it is convex in what lies on the
    // left, so all rows of a class lie on one side. Infinity for many classes.
    double best_of_all() const {
        constexpr int kMost = 6;
        int present[kMost], n = 0;
        for (int k = 0; k < classes_; ++k) {
            if (known_[k] == 0) continue;
            if (n == kMost) return std::numeric_limits<double>::infinity();
            present[n++] = k;
        }
        std::vector<i64> left(static_cast<std::size_t>(classes_), 0);
        double most = 0;
        for (u32 step = 1; n > 0 && step < u32{1} << (n - 1); ++step) {  // one class changes sides at a step
            const int k = present[__builtin_ctz(step)];
            left[static_cast<std::size_t>(k)] = known_[k] - left[static_cast<std::size_t>(k)];
            most = std::max(most, value(left.data()));
        }
        return most;
    }

    // Gini: at least the decrease of any two groups of `parts`. Two groups differ in one direction u of the class shares,
    // and what they gain is the variance between them along u. That of all parts along u is at most the largest
    // eigenvalue of the matrix  B = sum w_i (p_i - p)(p_i - p)',  which trace(B^8)^(1/8) exceeds by little.
    double bound(std::span<const i64* const> parts) const {
        const auto n = static_cast<std::size_t>(classes_);
        std::vector<double> memory(n * (3 * n + 2), 0.0);
        double *matrix = memory.data(), *square = matrix + n * n, *fourth = square + n * n, *share = fourth + n * n,
               *away = share + n;
        for (std::size_t k = 0; k < n; ++k) share[k] = static_cast<double>(known_[k]) / static_cast<double>(weight_);
        for (const i64* part : parts) {
            const auto w = static_cast<double>(class_weight(part, classes_));
            if (w <= 0) continue;
            for (std::size_t k = 0; k < n; ++k) away[k] = static_cast<double>(part[k]) - w * share[k];
            for (std::size_t k = 0; k < n; ++k) {
                const double step = away[k] / w;
                for (std::size_t m = 0; m <= k; ++m) matrix[k * n + m] += step * away[m];
            }
        }
        double trace = 0;
        for (std::size_t k = 0; k < n; ++k) {
            trace += matrix[k * n + k];
            for (std::size_t m = 0; m < k; ++m) matrix[m * n + k] = matrix[k * n + m];
        }
        if (n == 2 || !(trace > 0)) return trace * scale_ + slack_;
        multiply(matrix, 1 / trace, square, n);
        multiply(square, 1, fourth, n);
        double eighth = 0;
        for (std::size_t i = 0; i < n * n; ++i) eighth += fourth[i] * fourth[i];
        return trace * std::sqrt(std::sqrt(std::sqrt(eighth))) * scale_ + slack_;
    }

  private:
    // out = (factor * a)^2, for a symmetric matrix a.
    static void multiply(const double* a, double factor, double* out, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                for (std::size_t k = 0; k < n; ++k) out[i * n + k] += factor * a[i * n + j] * (factor * a[j * n + k]);
    }
    double gini_value(const i64* left) const {
        i64 l = 0;
        for (int k = 0; k < classes_; ++k) l += left[k];
        const double a = static_cast<double>(l), b = static_cast<double>(weight_ - l);
        if (l <= 0 || l >= weight_) return -std::numeric_limits<double>::infinity();
        double sum = 0;
        for (int k = 0; k < classes_; ++k) {
            const double e = static_cast<double>(left[k]) * b - static_cast<double>(known_[k] - left[k]) * a;
            sum += e * e;
        }
        return sum / (a * b * (a + b));
    }
    double entropy_value(const i64* left) const {
        i64 l = 0;
        for (int k = 0; k < classes_; ++k) l += left[k];
        if (l <= 0 || l >= weight_) return -std::numeric_limits<double>::infinity();
        double sum = whole_ - term(l) - term(weight_ - l);
        for (int k = 0; k < classes_; ++k) sum += term(left[k]) + term(known_[k] - left[k]);
        return sum;
    }
    double term(i64 w) const {
        if (w < static_cast<i64>(SmallNumbers::kSize)) return n_log_n_[w];
        return static_cast<double>(w) * std::log2(static_cast<double>(w));
    }

    int classes_;
    bool gini_ = false, usable_ = false;
    const i64* known_ = nullptr;
    i64 weight_ = 0;
    double scale_ = 1, whole_ = 0, slack_ = 0;
    const double* n_log_n_ = nullptr;
};

}  // namespace hornbeam
