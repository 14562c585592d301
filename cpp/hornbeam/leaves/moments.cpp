#include "hornbeam/leaves/moments.hpp"

#include <algorithm>

#include "hornbeam/stats/fixed_point.hpp"

namespace hornbeam {
namespace {

constexpr int kBits = 51;
constexpr std::size_t kBlock = 512;  // entries summed at once

i128 dot(const i64* a, const i64* b, std::size_t n) {
    i128 sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += static_cast<i128>(a[i]) * b[i];
    return sum;
}

i64 whole(double value) { return static_cast<i64>(std::nearbyint(value)); }

// Variable j of an entry; the last one is the target.
double value_of(const GroupRows& group, std::size_t j, u32 entry) {
    const auto row = static_cast<std::size_t>(group.row[entry]);
    return j == group.columns.size() ? group.target[row] : group.columns[j].value(row);
}

// The root of an entry's weight: products of two variables, each times the root, are weighted products.
double root_of(const GroupRows& group, u32 entry) {
    return group.weight.empty() ? 1.0 : std::sqrt(group.weight[entry]);
}

}  // namespace

void RowMoments::clear() {
    weight = 0;
    low = std::numeric_limits<double>::infinity();
    high = -low;
    point = true;
}

void RowMoments::add(const RowMoments& other) {
    if (other.weight <= 0) return;
    if (weight <= 0) {
        *this = other;
        return;
    }
    const std::size_t width = mean.size();
    const double total = weight + other.weight, share = other.weight / total, both = weight * share;
    apart_.resize(width);
    for (std::size_t j = 0; j < width; ++j) apart_[j] = other.mean[j] - mean[j];
    for (std::size_t j = 0; j < width; ++j) {
        double* own = product.data() + j * width;
        const double* theirs = other.product.data() + j * width;
        const double *apart = apart_.data(), d = apart[j];
        if (point && other.point)
            for (std::size_t k = 0; k <= j; ++k) own[k] = d * apart[k] * both;
        else if (point)
            for (std::size_t k = 0; k <= j; ++k) own[k] = theirs[k] + d * apart[k] * both;
        else if (other.point)
            for (std::size_t k = 0; k <= j; ++k) own[k] += d * apart[k] * both;
        else
            for (std::size_t k = 0; k <= j; ++k) own[k] += theirs[k] + d * apart[k] * both;
    }
    for (std::size_t j = 0; j < width; ++j) mean[j] += apart_[j] * share;
    point = false;
    weight = total;
    low = std::min(low, other.low);
    high = std::max(high, other.high);
}

void RowMoments::take(RowMoments& other) {
    if (weight <= 0 && other.weight > 0)
        std::swap(*this, other);
    else
        add(other);
}

// The mean of the values that are there, as a deviation from the centre in units of the grid.
double Summing::known_mean(const GroupRows& group, std::size_t j, const Scaled& scaled) const {
    const WeightGrid roots(largest_root_, kBits);
    i128 sum = 0, weight = 0;
    for (const u32 entry : group.entries) {
        const double x = value_of(group, j, entry);
        if (std::isnan(x)) continue;
        const double root = root_of(group, entry);
        const i64 one = group.weight.empty() ? 1 : roots(root);
        sum += static_cast<i128>(one) * whole(root * ((x - scaled.centre) / scaled.unit));
        weight += static_cast<i128>(one) * one;
    }
    return static_cast<double>(sum) / static_cast<double>(weight) / one_;  // a weight has the unit squared
}

// The grid of variable j: 51 bits around the middle of its range.
Summing::Scaled Summing::scale(const GroupRows& group, std::size_t j, RowMoments& out) const {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    bool gaps = false;
    for (const u32 entry : group.entries) {
        const double x = value_of(group, j, entry);
        gaps |= std::isnan(x);
        low = std::min(low, x);  // false for NaN: std::min keeps its first argument
        high = std::max(high, x);
    }
    Scaled scaled;
    if (j == group.columns.size()) out.low = low, out.high = high;
    scaled.constant = !(low < high);
    scaled.centre = low > high ? group.fallback[j] : low == high ? low : midpoint(low, high);
    if (scaled.constant) return scaled;
    const double reach = std::max(high - scaled.centre, scaled.centre - low) * largest_root_;
    scaled.usable = std::isfinite(reach);
    if (!scaled.usable) return scaled;
    scaled.unit = grid_unit(reach, kBits);
    if (gaps) scaled.fill = known_mean(group, j, scaled);
    return scaled;
}

void Summing::add_block(const GroupRows& group, std::size_t begin, std::size_t end) {
    const std::size_t width = scaled_.size(), n = end - begin;
    const WeightGrid roots(largest_root_, kBits);
    i64* ones = grid_.data() + width * kBlock;
    for (std::size_t i = 0; i < n; ++i)
        ones[i] = group.weight.empty() ? 1 : roots(root_of(group, group.entries[begin + i]));
    for (std::size_t j = 0; j < width; ++j) {
        const Scaled& scaled = scaled_[j];
        i64* grid = grid_.data() + j * kBlock;
        for (std::size_t i = 0; i < n; ++i) {
            grid[i] = 0;
            if (scaled.constant || !scaled.usable) continue;
            const u32 entry = group.entries[begin + i];
            const double x = value_of(group, j, entry);
            const double steps = std::isnan(x) ? scaled.fill : (x - scaled.centre) / scaled.unit;
            grid[i] = whole(root_of(group, entry) * steps);
        }
        first_[j] += dot(ones, grid, n);
        for (std::size_t k = 0; k <= j; ++k) products_[j * width + k] += dot(grid, grid_.data() + k * kBlock, n);
    }
    first_[width] += dot(ones, ones, n);
}

void Summing::finish(const GroupRows& group, RowMoments& out) const {
    const std::size_t width = scaled_.size();
    const auto count = static_cast<double>(group.entries.size());
    out.weight = group.weight.empty() ? count : static_cast<double>(first_[width]) * one_ * one_;
    std::vector<double> shift(width);  // of each mean from the centre
    for (std::size_t j = 0; j < width; ++j) {
        shift[j] = static_cast<double>(first_[j]) * one_ * scaled_[j].unit / out.weight;
        out.mean[j] = scaled_[j].centre + shift[j];
    }
    for (std::size_t j = 0; j < width; ++j)
        for (std::size_t k = 0; k <= j; ++k) {
            double& product = out.product[j * width + k];
            product = static_cast<double>(products_[j * width + k]) * scaled_[j].unit * scaled_[k].unit -
                      out.weight * shift[j] * shift[k];
            if (j == k) product = std::max(product, 0.0);
            if (!scaled_[j].usable || !scaled_[k].usable) product = std::numeric_limits<double>::quiet_NaN();
        }
}

// One entry: its values are the means, and there is nothing to multiply. A weight is still put on its grid.
void Summing::sum_one(const GroupRows& group, RowMoments& out) const {
    const u32 entry = group.entries[0];
    for (std::size_t j = 0; j < group.columns.size() + 1; ++j) {
        const double x = value_of(group, j, entry);
        out.mean[j] = std::isnan(x) ? group.fallback[j] : x;
    }
    out.low = out.high = out.mean[group.columns.size()];
    out.weight = 1;
    if (group.weight.empty()) return;
    const WeightGrid roots(root_of(group, entry), kBits);
    const double root = static_cast<double>(roots(root_of(group, entry))) * roots.unit;
    out.weight = root * root;
}

void Summing::sum(const GroupRows& group, RowMoments& out) {
    const std::size_t n = group.entries.size(), width = group.columns.size() + 1;
    out.clear();
    if (n == 0) return;
    if (n == 1) return sum_one(group, out);
    out.point = false;
    largest_root_ = one_ = 1;
    if (!group.weight.empty()) {
        largest_root_ = 0;
        for (const u32 entry : group.entries) largest_root_ = std::max(largest_root_, root_of(group, entry));
        one_ = WeightGrid(largest_root_, kBits).unit;
    }
    scaled_.resize(width);
    for (std::size_t j = 0; j < width; ++j) scaled_[j] = scale(group, j, out);
    grid_.resize(kBlock * (width + 1));
    first_.assign(width + 1, 0);
    products_.assign(width * width, 0);
    for (std::size_t begin = 0; begin < n; begin += kBlock) add_block(group, begin, std::min(n, begin + kBlock));
    finish(group, out);
}

}  // namespace hornbeam
