// Equations for people: few terms, and numbers of as few digits as the residuals leave room for.
#include <algorithm>

#include "hornbeam/encode/round_threshold.hpp"
#include "hornbeam/leaves/least_squares.hpp"

namespace hornbeam {
namespace {

constexpr std::size_t kCandidates = 4;  // for each term that an equation may have
constexpr double kTie = 1e-9;           // of columns that explain as much the first is taken
constexpr double kExactFit = 1e-4;  // of the target's deviation: smaller residuals are rounded as if they had this one

// The decimal of fewest digits that is at most `slack` away, of several the nearest; x itself if it is too large or too
// small for that.
double rounded(double x, double slack) {
    using round_detail::kExact;
    const double size = std::fabs(x);
    if (size <= slack) return 0;
    if (!(size > 1e-15 && size < 1e15)) return x;
    const int first = kExact.exponent(size);
    for (int n = first; n > first - 15 && n >= -22; --n) {
        const double near = kExact.scaled(std::nearbyint(kExact.scaled(x, -n)), n);
        if (std::fabs(near - x) <= slack) return near;
    }
    return x;
}

}  // namespace

// Of many columns those are kept that explain most, one added to the others at a time: least squares of all of them
// would say little where rows are few, and take long where columns are many.
void LeastSquares::choose_forward(double n) {
    auto& terms = equation_.terms;
    const std::size_t all = terms.size(), target = moments_->mean.size() - 1;
    const std::size_t most = std::min(kCandidates * options_.max_terms, static_cast<std::size_t>(std::max(n - 2, 1.0)));
    if (all <= most) return;
    factor_.resize(all * all);  // what the terms chosen so far leave of the products
    work_.resize(all);
    scale_.resize(all);
    for (std::size_t i = 0; i < all; ++i) scale_[i] = 1 / std::sqrt(at(terms[i], terms[i]));
    for (std::size_t i = 0; i < all; ++i) {
        for (std::size_t k = 0; k < all; ++k) factor_[i * all + k] = at(terms[i], terms[k]) * scale_[i] * scale_[k];
        factor_[i * all + i] = 1 + options_.ridge * scale_[i] * scale_[i];
        work_[i] = at(terms[i], target) * scale_[i];
    }
    in_factor_.clear();
    left_.resize(all);
    for (std::size_t i = 0; i < all; ++i) left_[i] = i;
    while (in_factor_.size() < most) {
        std::size_t best = left_.size();
        double gain = 0;
        for (std::size_t i = 0; i < left_.size(); ++i) {
            const double own = factor_[left_[i] * all + left_[i]], with_target = work_[left_[i]];
            if (own > kDependent && with_target * with_target > gain * own * (1 + kTie))
                best = i, gain = with_target * with_target / own;
        }
        if (best == left_.size()) break;
        const std::size_t chosen = left_[best];
        left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(best));
        in_factor_.push_back(chosen);
        const double* column = factor_.data() + chosen * all;
        for (const std::size_t i : left_) {
            const double share = column[i] / column[chosen];
            work_[i] -= share * work_[chosen];
            for (const std::size_t k : left_) factor_[i * all + k] -= share * column[k];
        }
    }
    std::sort(in_factor_.begin(), in_factor_.end());
    for (std::size_t i = 0; i < in_factor_.size(); ++i) terms[i] = terms[in_factor_[i]];
    terms.resize(in_factor_.size());
}

// The term without which the squares rise least goes, until no more are left than there may be.
void LeastSquares::limit_terms() {
    if (equation_.terms.size() <= options_.max_terms) return;
    invert();
    double rise = 0;
    while (equation_.terms.size() > options_.max_terms) remove(least_needed(rise));
    fit();
    respect_signs();
}

// The intercept through the means, what gaps add, the squares and the bounds; rounded if the slopes are.
void LeastSquares::finish() {
    const bool rounds = options_.rounding > 0;
    const auto short_of = [&](double x) { return rounds ? rounded(x, slack_) : x; };
    equation_.squares = squares();
    double intercept = moments_->mean.back();
    equation_.gap.clear();
    for (std::size_t i = 0; i < equation_.terms.size(); ++i) {
        const double mean = moments_->mean[equation_.terms[i]];
        intercept -= equation_.slope[i] * mean;
        equation_.gap.push_back(short_of(equation_.slope[i] * one_zero(mean)));
    }
    equation_.intercept = short_of(intercept);
    if (rounds)
        equation_.squares += moments_->weight * (intercept - equation_.intercept) * (intercept - equation_.intercept);
    equation_.low = short_of(one_zero(moments_->low));
    equation_.high = short_of(one_zero(moments_->high));
}

// Every slope gets the fewest digits with which its term changes by no more than `slack_` in standard deviation. A term
// that would become 0 goes, and the others are fitted anew.
void LeastSquares::round_slopes() {
    const std::size_t target = moments_->mean.size() - 1;
    const auto deviation = [&](double squares) { return std::sqrt(squares / moments_->weight); };
    while (true) {
        slack_ = options_.rounding * std::max(deviation(squares()), kExactFit * deviation(at(target, target)));
        std::size_t least = equation_.terms.size();
        double smallest = slack_;
        for (std::size_t k = 0; k < equation_.terms.size(); ++k) {
            const double size = std::fabs(equation_.slope[k]) * deviation(at(equation_.terms[k], equation_.terms[k]));
            if (size <= smallest) smallest = size, least = k;
        }
        if (least == equation_.terms.size()) break;
        equation_.terms.erase(equation_.terms.begin() + static_cast<std::ptrdiff_t>(least));
        fit();
        respect_signs();
    }
    for (std::size_t k = 0; k < equation_.terms.size(); ++k) {
        const std::size_t j = equation_.terms[k];
        equation_.slope[k] = rounded(equation_.slope[k], slack_ / deviation(at(j, j)));
    }
}

}  // namespace hornbeam
