#include "hornbeam/leaves/least_squares.hpp"

#include <algorithm>

namespace hornbeam {
namespace {

constexpr double kNothing = 1e-14;  // squares below this share of the target's are rounding

}  // namespace

double LeastSquares::at(std::size_t j, std::size_t k) const {
    const std::size_t width = moments_->mean.size();
    return moments_->product[std::max(j, k) * width + std::min(j, k)];
}

const Equation& LeastSquares::solve(const RowMoments& moments, double n, std::span<const u8> allowed) {
    moments_ = &moments;
    choose(n, allowed);
    if (options_.max_terms > 0) choose_forward(n);
    fit();
    respect_signs();
    if (options_.dropping == Dropping::adjusted) drop_adjusted(n);
    if (options_.dropping == Dropping::akaike) drop_akaike(n);
    if (options_.max_terms > 0) limit_terms();
    if (options_.rounding > 0) round_slopes();
    finish();
    return equation_;
}

// The term without which the squares rise least, and by how much.
std::size_t LeastSquares::least_needed(double& rise) const {
    const std::size_t size = equation_.terms.size();
    std::size_t least = 0;
    rise = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < size; ++k) {
        const double more = equation_.slope[k] * equation_.slope[k] / inverse_[k * size + k];
        if (more < rise) rise = more, least = k;
    }
    return least;
}

// The columns that vary. Without any dropping a node of fewer rows than parameters does without the highest degree,
// then the next; a ridge makes any number of rows enough for the first.
void LeastSquares::choose(double n, std::span<const u8> allowed) {
    const std::size_t n_columns = moments_->mean.size() - 1;
    const auto may = [&](std::size_t j) { return allowed.empty() || allowed[j] != 0; };
    i32 degree = 0;
    for (std::size_t j = 0; j < n_columns; ++j) degree = may(j) ? std::max(degree, options_.degree[j]) : degree;
    for (; degree > 0 && options_.dropping == Dropping::none && options_.max_terms == 0; --degree) {
        double parameters = 1;
        for (std::size_t j = 0; j < n_columns; ++j) parameters += may(j) && options_.degree[j] <= degree;
        if (n >= parameters || (options_.ridge > 0 && degree == 1)) break;
    }
    equation_.terms.clear();
    for (std::size_t j = 0; j < n_columns; ++j) {
        const double own = at(j, j);
        if (may(j) && options_.degree[j] <= degree && own > 0 && std::isfinite(own)) equation_.terms.push_back(j);
    }
}

// Fits the terms; those that depend on earlier ones go. The factor is written column by column, and what a column
// explains is taken from all later ones at once: the inner loops run along the memory and none waits for its own sum.
void LeastSquares::fit() {
    auto& terms = equation_.terms;
    const std::size_t most = terms.size(), width = moments_->mean.size(), target = width - 1;
    scale_.resize(most);
    factor_.resize(most * most);
    work_.resize(most);
    for (std::size_t i = 0; i < most; ++i) scale_[i] = 1 / std::sqrt(at(terms[i], terms[i]));
    for (std::size_t i = 0; i < most; ++i) {
        const double* products = moments_->product.data() + terms[i] * width;
        for (std::size_t k = 0; k < i; ++k) factor_[k * most + i] = products[terms[k]] * scale_[i] * scale_[k];
        factor_[i * most + i] = 1 + options_.ridge * scale_[i] * scale_[i];
        work_[i] = at(terms[i], target) * scale_[i];
    }
    in_factor_.clear();
    for (std::size_t i = 0; i < most; ++i) {
        double* column = factor_.data() + i * most;
        const double own = 1 + options_.ridge * scale_[i] * scale_[i], left = column[i];
        if (!(left > kDependent * own)) continue;
        const double root = std::sqrt(left);
        for (std::size_t k = i + 1; k < most; ++k) column[k] /= root;
        column[i] = root;
        for (std::size_t m = i + 1; m < most; ++m) {
            double* later = factor_.data() + m * most;
            const double share = column[m];
            for (std::size_t k = m; k < most; ++k) later[k] -= share * column[k];
        }
        work_[i] /= root;
        for (std::size_t k = i + 1; k < most; ++k) work_[k] -= column[k] * work_[i];
        in_factor_.push_back(i);
    }
    const std::size_t size = in_factor_.size();
    for (std::size_t i = 0; i < size; ++i) {  // closes up; nothing is read after it was written
        terms[i] = terms[in_factor_[i]];
        scale_[i] = scale_[in_factor_[i]];
        work_[i] = work_[in_factor_[i]];
        for (std::size_t k = i; k < size; ++k) factor_[i * size + k] = factor_[in_factor_[i] * most + in_factor_[k]];
    }
    terms.resize(size);
    equation_.slope.assign(size, 0);
    auto& slope = equation_.slope;
    for (std::size_t k = size; k-- > 0;) {
        double value = work_[k];
        for (std::size_t m = k + 1; m < size; ++m) value -= factor_[k * size + m] * slope[m];
        slope[k] = value / factor_[k * size + k];
    }
    for (std::size_t k = 0; k < size; ++k) slope[k] *= scale_[k];
}

// Columns whose slope has the forbidden sign go, the steepest first.
void LeastSquares::respect_signs() {
    while (true) {
        std::size_t worst = equation_.terms.size();
        double steepest = 0;
        for (std::size_t k = 0; k < equation_.terms.size(); ++k) {
            const std::size_t j = equation_.terms[k];
            if (options_.sign[j] * equation_.slope[k] >= 0) continue;
            const double steep = std::fabs(equation_.slope[k]) * std::sqrt(at(j, j));
            if (steep > steepest || worst == equation_.terms.size()) worst = k, steepest = steep;
        }
        if (worst == equation_.terms.size()) return;
        equation_.terms.erase(equation_.terms.begin() + static_cast<std::ptrdiff_t>(worst));
        fit();
    }
}

double LeastSquares::squares() {
    const std::size_t width = moments_->mean.size(), target = width - 1, size = equation_.terms.size();
    const std::size_t* terms = equation_.terms.data();
    const double* products = moments_->product.data();
    inner_.resize(size);
    for (std::size_t i = 0; i < size; ++i) inner_[i] = -2 * at(terms[i], target);
    for (std::size_t k = 0; k < size; ++k) {
        const double slope = equation_.slope[k];
        for (std::size_t i = 0; i <= k; ++i) inner_[i] += products[terms[k] * width + terms[i]] * slope;
        for (std::size_t i = k + 1; i < size; ++i) inner_[i] += products[terms[i] * width + terms[k]] * slope;
    }
    const double all = at(target, target);
    double left = all;
    for (std::size_t i = 0; i < size; ++i) left += equation_.slope[i] * inner_[i];
    return left > kNothing * all ? left : 0;
}

// The inverse of the scaled P + ridge I, from its factor L: the sum over m of columns of L^-1.
void LeastSquares::invert() {
    fit();
    const std::size_t size = equation_.terms.size();
    std::vector<double>& lower = work_;
    lower.assign(size * size, 0);
    for (std::size_t c = 0; c < size; ++c) {
        lower[c * size + c] = 1 / factor_[c * size + c];
        for (std::size_t r = c + 1; r < size; ++r) {
            double value = 0;
            for (std::size_t m = c; m < r; ++m) value -= factor_[m * size + r] * lower[m * size + c];
            lower[r * size + c] = value / factor_[r * size + r];
        }
    }
    inverse_.assign(size * size, 0);
    for (std::size_t r = 0; r < size; ++r)
        for (std::size_t c = 0; c <= r; ++c) {
            double value = 0;
            for (std::size_t m = r; m < size; ++m) value += lower[m * size + r] * lower[m * size + c];
            value *= scale_[r] * scale_[c];
            inverse_[r * size + c] = inverse_[c * size + r] = value;
        }
}

// Takes one term out of slopes and inverse.
void LeastSquares::remove(std::size_t place) {
    const std::size_t size = equation_.terms.size();
    const double own = inverse_[place * size + place], slope = equation_.slope[place];
    work_.assign(inverse_.begin() + static_cast<std::ptrdiff_t>(place * size),
                 inverse_.begin() + static_cast<std::ptrdiff_t>((place + 1) * size));
    std::size_t out = 0;
    for (std::size_t r = 0; r < size; ++r) {
        if (r == place) continue;
        for (std::size_t c = 0; c < size; ++c)
            if (c != place) inverse_[out++] = inverse_[r * size + c] - work_[r] * work_[c] / own;
    }
    for (std::size_t r = 0; r < size; ++r) equation_.slope[r] -= work_[r] * slope / own;
    const auto gone = static_cast<std::ptrdiff_t>(place);
    equation_.slope.erase(equation_.slope.begin() + gone);
    equation_.terms.erase(equation_.terms.begin() + gone);
}

void LeastSquares::drop_adjusted(double n) {
    const auto adjusted = [&](double squares, std::size_t terms) {
        const auto v = static_cast<double>(terms + 1);
        if (n <= v) return std::numeric_limits<double>::infinity();
        return std::sqrt(squares) * (n + options_.multiplier * v) / (n - v);
    };
    invert();
    const std::size_t target = moments_->mean.size() - 1;
    double rest = squares();
    while (!equation_.terms.empty()) {
        const std::size_t size = equation_.terms.size();
        double rise = 0;
        const std::size_t least = least_needed(rise);
        const double then = rest + rise > kNothing * at(target, target) ? rest + rise : 0;
        if (adjusted(then, size - 1) > adjusted(rest, size)) break;
        remove(least);
        rest = then;
    }
    fit();
    respect_signs();
}

void LeastSquares::drop_akaike(double n) {
    const std::size_t target = moments_->mean.size() - 1;
    const auto standardised = [&](std::size_t k) {
        const std::size_t j = equation_.terms[k];
        return std::fabs(equation_.slope[k]) * std::sqrt(at(j, j) / at(target, target));
    };
    invert();
    while (!equation_.terms.empty()) {  // slopes beyond 1.5 come from columns that are nearly dependent
        std::size_t steepest = 0;
        for (std::size_t k = 1; k < equation_.terms.size(); ++k)
            if (standardised(k) > standardised(steepest)) steepest = k;
        if (!(standardised(steepest) > 1.5)) break;
        remove(steepest);
    }
    const double all = squares(), full = static_cast<double>(equation_.terms.size() + 1);
    double best = n + full;  // (n - v) + 2 v
    while (!equation_.terms.empty() && all > 0) {
        std::size_t least = 0;
        for (std::size_t k = 1; k < equation_.terms.size(); ++k)
            if (standardised(k) < standardised(least)) least = k;
        const Equation before = equation_;
        const std::vector<double> inverse = inverse_;
        remove(least);
        const double now = squares() / all * (n - full) + 2 * static_cast<double>(equation_.terms.size() + 1);
        if (!(now < best)) {
            equation_ = before;
            inverse_ = inverse;
            break;
        }
        best = now;
    }
    fit();
    respect_signs();
}

}  // namespace hornbeam
