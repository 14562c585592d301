// Sums of a real target on both sides of a cut: variance, standard deviation, Poisson deviance.
#pragma once

#include <algorithm>
#include <cmath>

#include "hornbeam/oblique/sides.hpp"

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
    // What is no more than rounding of the sums is 0, whose root would be a thousand times larger than it should.
    double potential(double w, double wy, double wyy) const {
        const double square = w * wyy - wy * wy;
        return square > kRounding * w * squares_ ? std::sqrt(square) : 0;
    }
    static constexpr double kRounding = 1e-14;
    double squares_ = 0, left_squares_ = 0, whole_ = 0;
};

// Rates: S ln(S / W) of both sides, less that of all rows; no side may be without events.
class Events : public Variance {
  public:
    using Variance::Variance;
    double gain() const {
        const double right_sum = sum_ - left_sum_;
        if (!(left_sum_ > kNone * sum_) || !(right_sum > kNone * sum_)) return -std::numeric_limits<double>::infinity();
        return of(left_, left_sum_) + of(all_ - left_, right_sum) - of(all_, sum_);
    }

  private:
    static constexpr double kNone = 1e-14;
    static double of(double w, double s) { return s * std::log(s / w); }
};

}  // namespace hornbeam::oblique
