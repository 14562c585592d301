// Sums of a real target on both sides of a cut: variance, standard deviation, Poisson deviance.
#pragma once

#include <algorithm>
#include <cmath>

#include "sides.hpp"

namespace hornbeam::oblique {

// A real target by its sums. Variance: with d = wy - mean * w the decrease is d^2 W / (w (W - w)).
class Variance : public Weights {
  public:
    explicit Variance(const Goal& goal) : Weights(goal), y_(goal.y.data()) {}
    void load(std::span<const u32> rows) {
        all_ = sum_ = left_ = left_sum_ = 0;
        for (u32 row : rows) {
            all_ += weight_[row];
            sum_ += weight_[row] * y_[row];
        }
    }
    void take(u32 row) {
        left_ += weight_[row];
        left_sum_ += weight_[row] * y_[row];
    }
    double gain() const {
        const double d = left_sum_ - sum_ / all_ * left_;
        return d * d * all_ / (left_ * (all_ - left_));
    }

  protected:
    const double* y_;
    double sum_ = 0, left_sum_ = 0;
};

// Standard deviation: w sd = sqrt(w * wyy - wy^2).
class Deviation : public Variance {
  public:
    using Variance::Variance;
    void load(std::span<const u32> rows) {
        Variance::load(rows);
        squares_ = left_squares_ = 0;
        for (u32 row : rows) squares_ += weight_[row] * y_[row] * y_[row];
        whole_ = potential(all_, sum_, squares_);
    }
    void take(u32 row) {
        Variance::take(row);
        left_squares_ += weight_[row] * y_[row] * y_[row];
    }
    double gain() const {
        return whole_ - potential(left_, left_sum_, left_squares_) -
               potential(all_ - left_, sum_ - left_sum_, squares_ - left_squares_);
    }

  private:
    static double potential(double w, double wy, double wyy) { return std::sqrt(std::max(0.0, w * wyy - wy * wy)); }
    double squares_ = 0, left_squares_ = 0, whole_ = 0;
};

// Rates: S ln(S / W) of both sides, less that of all rows.
class Events : public Variance {
  public:
    using Variance::Variance;
    double gain() const { return of(left_, left_sum_) + of(all_ - left_, sum_ - left_sum_) - of(all_, sum_); }

  private:
    static double of(double w, double s) { return s > 0 && w > 0 ? s * std::log(s / w) : 0; }
};

}  // namespace hornbeam::oblique
