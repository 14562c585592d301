// Least squares from Moments: the line, or polynomial, of one node.
//
// minimise   sum w (y - a - b'x)^2 + ridge sum b_j^2      so   (P + ridge I) b = p,   a = mean(y) - b' mean(x)
// with P the products of the columns and p those of columns and target. P is scaled to a correlation matrix and
// factored (Cholesky) in column order; a column that the ones before it explain is left out, as R's lm does.
//
// Terms may be dropped one by one (Quinlan 1992): without column k the squares rise by b_k^2 / (P^-1)_kk, and the
// inverse shrinks by one rank-one step, so that a whole sequence costs one inversion.
//
// An equation for people has few terms and round numbers (short_equations.cpp).
#pragma once

#include <span>
#include <vector>

#include "hornbeam/leaves/moments.hpp"

namespace hornbeam {

inline constexpr double kDependent = 1e-10;  // of a column's squares this much must be left by the columns before it

// none: keep all terms. adjusted: drop the term that adds least to the error while error * (n + m v) / (n - v) does not
// rise (v parameters, m the multiplier). akaike: as Weka's LinearRegression, the smallest standardised slope goes while
// Akaike's criterion falls, after terms of standardised slopes above 1.5.
enum class Dropping : u8 { none = 0, adjusted = 1, akaike = 2 };

struct FitOptions {
    double ridge = 0;
    Dropping dropping = Dropping::none;
    double multiplier = 1;
    std::size_t max_terms = 0;    // no equation has more; 0: any number
    double rounding = 0;          // by what share of the residuals' deviation a term may change when it is rounded
    std::span<const i32> degree;  // of each column: with too few rows the highest are left out
    std::span<const i32> sign;    // +1, -1: the slope must not have the other sign; 0: free
};

struct Equation {
    double intercept = 0;
    double squares = 0;              // of the residuals, summed
    double low = 0, high = 0;        // of the target
    std::vector<std::size_t> terms;  // columns, ascending
    std::vector<double> slope;       // of each term
    std::vector<double> gap;         // what each term adds where its value is missing: its mean
};

class LeastSquares {
  public:
    explicit LeastSquares(const FitOptions& options) : options_(options) {}
    // `n` is the number of rows; `allowed` says which columns may be used (empty: all).
    const Equation& solve(const RowMoments& moments, double n, std::span<const u8> allowed);

  private:
    void choose(double n, std::span<const u8> allowed);
    void fit();
    void respect_signs();
    void drop_adjusted(double n);
    void drop_akaike(double n);
    void choose_forward(double n);
    void limit_terms();
    void round_slopes();
    void finish();
    std::size_t least_needed(double& rise) const;
    void invert();
    void remove(std::size_t place);
    double squares();
    double at(std::size_t j, std::size_t k) const;

    const FitOptions options_;
    const RowMoments* moments_ = nullptr;
    Equation equation_;
    std::vector<double> scale_, factor_, inverse_, work_, inner_;  // the factor by columns
    std::vector<std::size_t> in_factor_, left_;
    double slack_ = 0;  // by how much rounding may change a term, in the target's units
};

}  // namespace hornbeam
