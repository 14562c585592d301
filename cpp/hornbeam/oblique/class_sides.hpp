// Class weights on both sides of a cut: Gini, entropy and gain ratio, root, error.
#pragma once

#include <algorithm>
#include <cmath>

#include "hornbeam/oblique/sides.hpp"
#include "hornbeam/search/runners/base.hpp"

namespace hornbeam::oblique {

// Gini of two classes: with e = l1 W - t1 w the decrease is 2 e^2 / (W w (W - w)).
class TwoClasses : public Weights {
  public:
    static constexpr bool kConvex = true;
    explicit TwoClasses(const Goal& goal) : Weights(goal), code_(goal.code.data()) {}
    void load(std::span<const u32> rows) {
        all_ = one_ = 0;
        for (u32 row : rows) {
            all_ += weight_[row];
            one_ += code_[row] != 0 ? weight_[row] : 0.0;
        }
        left_ = left_one_ = 0;
    }
    void take(u32 row) {
        left_ += weight_[row];
        left_one_ += code_[row] != 0 ? weight_[row] : 0.0;
    }
    double gain() const {
        const double e = left_one_ * all_ - one_ * left_;
        return 2 * e * e / (all_ * left_ * (all_ - left_));
    }

  private:
    const i32* code_;
    double one_ = 0, left_one_ = 0;
};

// Class weights on both sides.
class Classes : public Weights {
  public:
    explicit Classes(const Goal& goal)
        : Weights(goal), code_(goal.code.data()), total_(goal.n_classes), count_(goal.n_classes) {}
    void load(std::span<const u32> rows) {
        std::fill(total_.begin(), total_.end(), 0.0);
        std::fill(count_.begin(), count_.end(), 0.0);
        all_ = left_ = 0;
        for (u32 row : rows) {
            total_[static_cast<std::size_t>(code_[row])] += weight_[row];
            all_ += weight_[row];
        }
    }

  protected:
    const i32* code_;
    std::vector<double> total_, count_;  // of all rows, and of those on the left
};

// A sum over classes of f(weight), kept up to date row by row: squares for Gini, w log2 w for entropy.
template <class Term>
class Summed : public Classes {
  public:
    explicit Summed(const Goal& goal) : Classes(goal), term_(goal) {}
    void load(std::span<const u32> rows) {
        Classes::load(rows);
        terms_ = 0;
        for (double t : total_) terms_ += term_(t);
        left_terms_ = 0;
        right_terms_ = terms_;
    }
    void take(u32 row) {
        const auto k = static_cast<std::size_t>(code_[row]);
        const double w = weight_[row], before = count_[k], rest = total_[k] - before;
        left_terms_ += term_(before + w) - term_(before);
        right_terms_ += term_(rest - w) - term_(rest);
        count_[k] = before + w;
        left_ += w;
    }
    double gain() const { return term_.decrease(all_, left_, terms_, left_terms_, right_terms_); }

  private:
    Term term_;
    double terms_ = 0, left_terms_ = 0, right_terms_ = 0;
};

struct Square {
    explicit Square(const Goal&) {}
    double operator()(double w) const { return w * w; }
    double decrease(double all, double left, double terms, double left_terms, double right_terms) const {
        return left_terms / left + right_terms / (all - left) - terms / all;
    }
};

class WLogW {
  public:
    explicit WLogW(const Goal& goal)
        : table_(SmallNumbers::get().n_log_n.data()), ratio_(goal.criterion == "gain-ratio") {
        tabled_ = goal.whole && goal.total < static_cast<double>(SmallNumbers::kSize);
    }
    double operator()(double w) const {
        if (tabled_) return table_[static_cast<std::size_t>(w)];
        return w > 0 ? w * std::log2(w) : 0;
    }
    double decrease(double all, double left, double terms, double left_terms, double right_terms) const {
        const WLogW& f = *this;
        const double sizes = f(all) - f(left) - f(all - left);
        const double gain = sizes - terms + left_terms + right_terms;
        if (!ratio_) return gain;
        return sizes > kTrivialSplitInformation * all ? gain / sizes * all : 0;
    }

  private:
    const double* table_;
    bool tabled_ = false, ratio_;
};

// Impurities that are computed anew at every cut, from the class weights of each side.
template <class Potential>
class Recomputed : public Classes {
  public:
    using Classes::Classes;
    void load(std::span<const u32> rows) {
        Classes::load(rows);
        whole_ = Potential::of(all_, total_.size(), [this](std::size_t k) { return total_[k]; });
    }
    void take(u32 row) {
        count_[static_cast<std::size_t>(code_[row])] += weight_[row];
        left_ += weight_[row];
    }
    double gain() const {
        const std::size_t k = total_.size();
        return whole_ - Potential::of(left_, k, [this](std::size_t i) { return count_[i]; }) -
               Potential::of(all_ - left_, k, [this](std::size_t i) { return total_[i] - count_[i]; });
    }

  private:
    double whole_ = 0;
};

struct Roots {
    template <class Of>
    static double of(double weight, std::size_t n, const Of& of) {
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum += std::sqrt(std::max(0.0, of(k) * (weight - of(k))));
        return sum / 2;
    }
};

struct Mistakes {
    template <class Of>
    static double of(double weight, std::size_t n, const Of& of) {
        double most = 0;
        for (std::size_t k = 0; k < n; ++k) most = std::max(most, of(k));
        return weight - most;
    }
};

}  // namespace hornbeam::oblique
