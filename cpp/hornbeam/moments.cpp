#include "moments.hpp"

#include <algorithm>

#include "fixed.hpp"

namespace hornbeam {
namespace {

constexpr int kBits = 51;

i128 dot(const i64* a, const i64* b, std::size_t n) {
    i128 sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += static_cast<i128>(a[i]) * b[i];
    return sum;
}

i64 whole(double value) { return static_cast<i64>(std::nearbyint(value)); }

}  // namespace

void Moments::clear() {
    weight = 0;
    low = std::numeric_limits<double>::infinity();
    high = -low;
    std::fill(mean.begin(), mean.end(), 0.0);
    std::fill(product.begin(), product.end(), 0.0);
}

void Moments::add(const Moments& other) {
    if (other.weight <= 0) return;
    if (weight <= 0) {
        *this = other;
        return;
    }
    const std::size_t width = mean.size();
    const double total = weight + other.weight, share = other.weight / total, both = weight * share;
    for (std::size_t j = 0; j < width; ++j) {
        const double d = other.mean[j] - mean[j];
        for (std::size_t k = 0; k <= j; ++k)
            product[j * width + k] += other.product[j * width + k] + d * (other.mean[k] - mean[k]) * both;
    }
    for (std::size_t j = 0; j < width; ++j) mean[j] += (other.mean[j] - mean[j]) * share;
    weight = total;
    low = std::min(low, other.low);
    high = std::max(high, other.high);
}

// The mean of the values that are there, as a deviation from the centre in units of the grid.
double Summing::known_mean(const Group& group, std::span<const double> values, double centre, double unit,
                           double largest_root) {
    const WeightGrid roots(largest_root, kBits);
    i128 sum = 0, weight = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i])) continue;
        if (group.weight.empty()) {
            sum += whole((values[i] - centre) / unit);
            weight += 1;
        } else {
            const i64 root = roots(root_[i]);
            sum += static_cast<i128>(root) * whole(root_[i] * (values[i] - centre) / unit);
            weight += static_cast<i128>(root) * root;
        }
    }
    const double per = group.weight.empty() ? 1.0 : roots.unit;  // a sum has roots.unit * unit, a weight its square
    return weight > 0 ? static_cast<double>(sum) / static_cast<double>(weight) / per : 0.0;
}

// Puts variable j on its grid, times the root of each entry's weight.
Summing::Scaled Summing::scale(const Group& group, std::size_t j, double largest_root) {
    const std::size_t n = group.entries.size();
    const bool is_target = j == group.columns.size();
    double low = std::numeric_limits<double>::infinity(), high = -low;
    bool gaps = false;
    for (std::size_t i = 0; i < n; ++i) {
        const auto row = static_cast<std::size_t>(group.row[group.entries[i]]);
        const double x = is_target ? group.target[row] : group.columns[j].value(row);
        values_[i] = x;
        gaps |= std::isnan(x);
        low = std::min(low, x);  // false for NaN: std::min keeps its first argument
        high = std::max(high, x);
    }
    i64* grid = grid_.data() + j * n;
    std::fill(grid, grid + n, 0);
    if (low > high) return {group.fallback[j], 1, 0, true};  // nothing is known
    const double centre = midpoint(low, high);
    const double reach = std::max(high - centre, centre - low) * largest_root;
    if (!std::isfinite(reach)) return {0, 1, 0, false};
    if (!(reach > 0)) return {low, 1, 0, true};
    const double unit = grid_unit(reach, kBits);
    const double fill = gaps ? known_mean(group, std::span(values_).first(n), centre, unit, largest_root) : 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double steps = std::isnan(values_[i]) ? fill : (values_[i] - centre) / unit;
        grid[i] = whole(group.weight.empty() ? steps : root_[i] * steps);
    }
    return {centre, unit, 0, true};
}

void Summing::sum(const Group& group, Moments& out) {
    const std::size_t n = group.entries.size(), width = group.columns.size() + 1;
    out.clear();
    if (n == 0) return;
    values_.resize(n);
    root_.resize(n);
    grid_.resize(n * (width + 1));
    scaled_.resize(width);
    double largest_root = 1;
    i64* ones = grid_.data() + width * n;
    double one = 1;  // the unit of `ones`
    if (group.weight.empty()) {
        std::fill(ones, ones + n, 1);
    } else {
        largest_root = 0;
        for (std::size_t i = 0; i < n; ++i) {
            root_[i] = std::sqrt(group.weight[group.entries[i]]);
            largest_root = std::max(largest_root, root_[i]);
        }
        const WeightGrid roots(largest_root, kBits);
        one = roots.unit;
        for (std::size_t i = 0; i < n; ++i) ones[i] = roots(root_[i]);
    }
    out.weight = group.weight.empty() ? static_cast<double>(n) : static_cast<double>(dot(ones, ones, n)) * one * one;
    for (std::size_t j = 0; j < width; ++j) {
        scaled_[j] = scale(group, j, largest_root);
        const double sum = static_cast<double>(dot(ones, grid_.data() + j * n, n)) * one * scaled_[j].unit;
        scaled_[j].mean = sum / out.weight;
        out.mean[j] = scaled_[j].centre + scaled_[j].mean;
    }
    for (std::size_t j = 0; j < width; ++j)
        for (std::size_t k = 0; k <= j; ++k) {
            double& product = out.product[j * width + k];
            if (!scaled_[j].usable || !scaled_[k].usable) {
                product = std::numeric_limits<double>::quiet_NaN();
                continue;
            }
            const auto sum = static_cast<double>(dot(grid_.data() + j * n, grid_.data() + k * n, n));
            product = sum * scaled_[j].unit * scaled_[k].unit - out.weight * scaled_[j].mean * scaled_[k].mean;
            if (j == k) product = std::max(product, 0.0);
        }
    for (std::size_t i = 0; i < n; ++i) {  // the target was scaled last, so values_ holds it
        out.low = std::min(out.low, values_[i]);
        out.high = std::max(out.high, values_[i]);
    }
}

}  // namespace hornbeam
