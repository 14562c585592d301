// What parting the classes of a node in two gains, quickly: an estimate that decides which parts the judge is asked
// about, and three bounds on what any two parts can gain.
#pragma once

#include <bit>
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
        usable_ = (gini_ || (potential == entropy::potential && !judge.ratio())) && judge.layout().exact == nullptr;
        if (!usable_) return;
        known_ = known.data();
        for (int k = 0; k < classes_; ++k)
            if (known_[k] > 0) present_.push_back(k);
        weight_ = class_weight(known_, classes_);
        scale_ = 1 / judge.weight();
        const double all = judge.potential(), w = static_cast<double>(weight_);
        if (!gini_) {
            n_log_n_ = SmallNumbers::get().n_log_n.data();
            whole_ = term(weight_);
            for (int k : present_) whole_ -= term(known_[k]);
        }
        slack_ = (4e-12 * all + (gini_ ? 1e-13 * std::sqrt(all * w) : 1e-12 * w * std::log2(2 + w))) * scale_;
    }

    // Whether there is a quick formula: Gini and entropy, where gain counts rather than gain ratio.
    bool usable() const { return usable_; }
    bool is_gini() const { return gini_; }
    // Twice what an estimate may be off.
    double slack() const { return slack_; }
    // The decrease of impurity by parting the known rows into `left` and the others; -infinity if one has no weight.
    double value(const i64* left) const { return (gini_ ? gini_value(left) : entropy_value(left)) * scale_; }

    // The largest decrease over all partitions of the known rows, whatever the columns: it is convex in what lies on
    // the left, so all rows of a class lie on one side. Infinity for many classes.
    double best_of_all() const {
        constexpr std::size_t kMost = 6;
        const std::size_t n = present_.size();
        if (n > kMost) return std::numeric_limits<double>::infinity();
        std::vector<i64> left(static_cast<std::size_t>(classes_), 0);
        double most = 0;
        for (u32 step = 1; n > 0 && step < u32{1} << (n - 1); ++step) {  // one class changes sides at a step
            const int k = present_[static_cast<std::size_t>(std::countr_zero(step))];
            left[static_cast<std::size_t>(k)] = known_[k] - left[static_cast<std::size_t>(k)];
            most = std::max(most, value(left.data()));
        }
        return most;
    }

    // Gini: at least the decrease of any two groups of `parts`. Two groups differ in one direction u of the class
    // shares, and what they gain is the variance between them along u. That of all parts along u is at most the largest
    // eigenvalue of the matrix  B = D' D,  where row i of D is  sqrt(w_i) (p_i - p);  trace(B^8)^(1/8) exceeds it by
    // little. D D' has the same eigenvalues, so the smaller of the two is taken. Stops refining once below `enough`.
    double bound(std::span<const i64* const> parts, double enough) const {
        const std::size_t n = parts.size(), m = present_.size();
        std::vector<double> rows(n * m);
        double trace = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const auto w = static_cast<double>(class_weight(parts[i], classes_));
            const double share = w / static_cast<double>(weight_), root = w > 0 ? 1 / std::sqrt(w) : 0;
            for (std::size_t k = 0; k < m; ++k) {
                const auto at = static_cast<std::size_t>(present_[k]);
                const double away =
                    (static_cast<double>(parts[i][at]) - share * static_cast<double>(known_[at])) * root;
                rows[i * m + k] = away;
                trace += away * away;
            }
        }
        if (m <= 2 || !(trace > 0) || trace * scale_ + slack_ < enough) return trace * scale_ + slack_;
        const std::size_t size = std::min(n, m);
        std::vector<double> memory(3 * size * size, 0.0);
        double *matrix = memory.data(), *square = matrix + size * size, *fourth = square + size * size;
        if (m <= n)
            for (std::size_t i = 0; i < n; ++i) add_products(rows.data() + i * m, 1, m, matrix);
        else
            for (std::size_t k = 0; k < m; ++k) add_products(rows.data() + k, m, n, matrix);
        multiply(matrix, 1 / trace, square, size);
        multiply(square, 1, fourth, size);
        double eighth = 0;
        for (std::size_t i = 0; i < size * size; ++i) eighth += fourth[i] * fourth[i];
        return trace * std::sqrt(std::sqrt(std::sqrt(eighth))) * scale_ + slack_;
    }

  private:
    // Adds all products of two of the n numbers v, `step` apart.
    static void add_products(const double* v, std::size_t step, std::size_t n, double* out) {
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) out[i * n + j] += v[i * step] * v[j * step];
    }
    // out = (factor * a)^2, for a symmetric matrix a; out is 0 before.
    static void multiply(const double* a, double factor, double* out, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                for (std::size_t k = 0; k < n; ++k) out[i * n + k] += factor * a[i * n + j] * (factor * a[j * n + k]);
    }
    double gini_value(const i64* left) const {
        const i64 l = sum(left);
        const double a = static_cast<double>(l), b = static_cast<double>(weight_ - l);
        if (l <= 0 || l >= weight_) return -std::numeric_limits<double>::infinity();
        double squares = 0;
        for (int k : present_) {
            const double e = static_cast<double>(left[k]) * b - static_cast<double>(known_[k] - left[k]) * a;
            squares += e * e;
        }
        return squares / (a * b * (a + b));
    }
    double entropy_value(const i64* left) const {
        const i64 l = sum(left);
        if (l <= 0 || l >= weight_) return -std::numeric_limits<double>::infinity();
        double terms = whole_ - term(l) - term(weight_ - l);
        for (int k : present_) terms += term(left[k]) + term(known_[k] - left[k]);
        return terms;
    }
    i64 sum(const i64* left) const {
        i64 out = 0;
        for (int k : present_) out += left[k];
        return out;
    }
    double term(i64 w) const {
        if (w < static_cast<i64>(SmallNumbers::kSize)) return n_log_n_[w];
        return static_cast<double>(w) * std::log2(static_cast<double>(w));
    }

    int classes_;
    bool gini_ = false, usable_ = false;
    const i64* known_ = nullptr;
    std::vector<int> present_;  // classes of the known rows
    i64 weight_ = 0;
    double scale_ = 1, whole_ = 0, slack_ = 0;
    const double* n_log_n_ = nullptr;
};

}  // namespace hornbeam
