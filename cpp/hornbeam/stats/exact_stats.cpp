#include "hornbeam/stats/exact_stats.hpp"

#include "hornbeam/stats/exact_sum.hpp"

namespace hornbeam {
namespace {

// h(d) = (1 + d) ln(1 + d) - d, of any size.
Scaled h(const Scaled& d) {
    constexpr i64 kFar = 60;  // there one of the terms is all of it
    if (d.exponent > kFar) return d * Scaled(d.log() - 1);
    if (d.exponent < -kFar) return d * d * Scaled(0.5);
    return Scaled(entropy::h(d.value()));
}

// -ln(part / whole), where `rest` is what the part lacks.
Scaled minus_log(const Natural& part, const Natural& rest, const Natural& whole) {
    const Scaled left = rest.scaled() / whole.scaled();
    if (left.exponent < -60) return left;
    if (left.value() < 0.5) return Scaled(-std::log1p(-left.value()));
    return Scaled(whole.scaled().log() - part.scaled().log());
}

int lanes_of(const SumRange& range) { return 2 * static_cast<int>(range.words(1)); }

}  // namespace

ExactStats::ExactStats(const TargetView& target, const Criterion& criterion, Layout layout, const Grid& grid,
                       const u32* id, std::size_t n)
    : target_(target), before_(layout), base_(layout.width()), n_classes_(layout.n_classes) {
    const std::string_view name = criterion.name;
    kind_ = name == "gini"       ? Kind::gini
            : name == "root"     ? Kind::root
            : name == "error"    ? Kind::error
            : name == "variance" ? Kind::variance
            : name == "sd"       ? Kind::sd
            : criterion.rates    ? Kind::poisson
                                 : Kind::entropy;
    SumRange weights, values;
    double low = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n; ++i) {
        const Dyadic one = dyadic(target.weights[id[i]]);
        weights.include(one);
        weights.include({one.whole * target.repetitions(id[i]), one.exponent});
        if (target.values.empty()) continue;
        values.include(dyadic(target.values[id[i]]));
        low = std::min(low, target.values[id[i]]);
    }
    weight_exponent_ = weights.unit();
    weight_unit_ = Scaled(1, weight_exponent_);
    weight_lanes_ = lanes_of(weights);
    score_unit_ = Scaled(1);
    if (n_classes_ > 0) {
        std::vector<i64> total(static_cast<std::size_t>(this->layout().width()), 0);
        for (std::size_t i = 0; i < n; ++i) add_row(id[i], total.data());
        measure_classes(total);
        return;
    }
    value_exponent_ = values.unit();
    if (kind_ == Kind::poisson) low = 0;
    const Dyadic origin = dyadic(std::fabs(low));
    const auto digits = static_cast<u64>(origin.whole);
    const int shift = origin.exponent - value_exponent_;
    // Zero has an exponent of its own, which may be far below the unit's.
    lowest_ = shift >= 0 ? Natural(digits, shift) : Natural(shift > -64 ? digits >> -shift : 0, 0);
    below_zero_ = low < 0;
    const int value_words = static_cast<int>(values.words(1));
    sum_lanes_ = weight_lanes_ + 2 * value_words;
    if (kind_ == Kind::sd) square_lanes_ = sum_lanes_ + 2 * value_words;
    unit_ = grid.unit > 0 ? Scaled(1, value_exponent_) / Scaled(grid.unit) : Scaled(1);
    for (int power = 0; power < criterion.square_unit; ++power) score_unit_ = score_unit_ * unit_;
    origin_ = (low - grid.centre) / grid.unit;
    measure_numbers(id, n);
}

Layout ExactStats::layout() const {
    Layout out = before_;
    out.exact = this;
    out.extra = n_classes_ > 0 ? n_classes_ * weight_lanes_ : weight_lanes_ + sum_lanes_ + square_lanes_;
    return out;
}

Natural ExactStats::row_weight(u32 row) const {
    const Dyadic w = dyadic(target_.weights[row]);
    const int shift = w.exponent - weight_exponent_;
    const auto digits = static_cast<u64>(w.whole);
    const Natural one = shift < 0 ? Natural(digits >> -shift, 0) : Natural(digits, shift);
    return target_.counts.empty() ? one : one * Natural(static_cast<u64>(target_.counts[row]), 0);
}

Natural ExactStats::row_value(u32 row) const {
    const double y = target_.values[row];
    const Dyadic size = dyadic(std::fabs(y));
    const int shift = size.exponent - value_exponent_;
    const auto digits = static_cast<u64>(size.whole);
    const Natural value = shift < 0 ? Natural(digits >> -shift, 0) : Natural(digits, shift);
    if (!below_zero_) return value - lowest_;
    return y < 0 ? lowest_ - value : lowest_ + value;
}

void ExactStats::add_row(u32 row, i64* lanes) const {
    const Natural w = row_weight(row);
    if (n_classes_ > 0) return w.add_to(lanes + base_ + target_.codes[row] * weight_lanes_);
    w.add_to(lanes + base_);
    const Natural y = row_value(row), sum = w * y;
    sum.add_to(lanes + base_ + weight_lanes_);
    if (square_lanes_ > 0) (sum * y).add_to(lanes + base_ + weight_lanes_ + sum_lanes_);
}

Natural ExactStats::of_classes(const i64* lanes, int first, int last) const {
    Natural sum = of_class(lanes, first);
    for (int k = first + 1; k < last; ++k) sum += of_class(lanes, k);
    return sum;
}

// Of a real target the weight lies where the first class would.
Natural ExactStats::weight_of(const i64* lanes) const { return of_classes(lanes, 0, n_classes_); }

void ExactStats::enlarge() {
    constexpr i64 kSmall = -900;  // the exponent below which a tie's margin would be no double any more
    if (impurity_.exponent > kSmall || !impurity_.positive()) return;
    enlarged_ = static_cast<int>(-impurity_.exponent);
    const Scaled times(1, enlarged_);
    impurity_ = impurity_ * times;
    score_unit_ = score_unit_ * times;
}

void ExactStats::measure_classes(const std::vector<i64>& total) {
    const Natural weight = weight_of(total.data());
    const Scaled w = weight.scaled();
    if (kind_ == Kind::root || kind_ == Kind::error) {
        impurity_ = potential(total.data()) / w;
        return;
    }
    Scaled sum;
    for (int k = 0; k < n_classes_; ++k) {
        const Natural own = of_class(total.data(), k), rest = weight - own;
        if (own.zero() || rest.zero()) continue;
        const Scaled share = own.scaled() / w;
        sum = sum + share * (kind_ == Kind::gini ? rest.scaled() / w : minus_log(own, rest, weight));
    }
    impurity_ = kind_ == Kind::gini ? sum : sum / Scaled(entropy::kLn2);
}

void ExactStats::measure_numbers(const u32* id, std::size_t n) {
    Natural w, sum, squares;
    for (std::size_t i = 0; i < n; ++i) {
        const Natural one = row_weight(id[i]), y = row_value(id[i]), product = one * y;
        w += one;
        sum += product;
        squares += product * y;
    }
    const Scaled weight = w.scaled(), step = Scaled(1, value_exponent_);
    const Scaled variance = cross_difference(squares, w, sum, sum) / (weight * weight);
    sd_ = (sqrt(variance) * step).value();
    const double low = ((below_zero_ ? -lowest_.scaled() : lowest_.scaled()) * step).value();
    mean_ = low + (sum.scaled() / weight * step).value();
    if (kind_ != Kind::poisson) {
        impurity_ = (kind_ == Kind::sd ? sqrt(variance) : variance) * score_unit_;
        return;
    }
    Scaled deviance;  // the mean of m h(y / m - 1)
    for (std::size_t i = 0; i < n && !sum.zero(); ++i)
        deviance = deviance + row_weight(id[i]).scaled() *
                                  h(cross_difference(row_value(id[i]), w, sum, Natural(1, 0)) / sum.scaled());
    impurity_ = deviance * sum.scaled() / (weight * weight) * score_unit_;
}

Scaled ExactStats::potential(const i64* lanes) const {
    if (kind_ == Kind::sd)
        return sqrt(cross_difference(square_of(lanes), weight_of(lanes), sum_of(lanes), sum_of(lanes)));
    if (kind_ == Kind::error) return mistakes(lanes).scaled();
    const Natural weight = weight_of(lanes);
    Scaled sum;
    for (int k = 0; k < n_classes_; ++k) {
        const Natural own = of_class(lanes, k);
        sum = sum + sqrt((own * (weight - own)).scaled());
    }
    return sum * Scaled(0.5);
}

Natural ExactStats::mistakes(const i64* lanes) const {
    Natural most;
    for (int k = 0; k < n_classes_; ++k)
        if (const Natural own = of_class(lanes, k); most < own) most = own;
    return weight_of(lanes) - most;
}

double ExactStats::decrease(const i64* whole, const i64* total, const i64* const* parts, int n_parts) const {
    Scaled sum;
    if (kind_ == Kind::error) {  // whole numbers, so the least gain keeps its digits
        Natural left;
        for (int i = 0; i < n_parts; ++i) left += mistakes(parts[i]);
        sum = (mistakes(total) - left).scaled();
    } else if (kind_ == Kind::root || kind_ == Kind::sd) {
        sum = potential(total);
        for (int i = 0; i < n_parts; ++i) sum = sum - potential(parts[i]);
    } else {
        sum = n_classes_ > 0 ? class_decrease(total, parts, n_parts) : sum_decrease(total, parts, n_parts);
    }
    return (sum / weight_of(whole).scaled() * score_unit_).value() + 0.0;  // never -0
}

// As in gini.hpp and entropy.hpp.
Scaled ExactStats::class_decrease(const i64* total, const i64* const* parts, int n_parts) const {
    const Natural all = weight_of(total);
    const Scaled w = all.scaled();
    Scaled sum;
    for (int i = 0; i < n_parts; ++i) {
        const Natural part = weight_of(parts[i]);
        if (part.zero()) continue;
        for (int k = 0; k < n_classes_; ++k) {
            const Natural of_all = of_class(total, k);
            if (of_all.zero()) continue;
            const Scaled away = cross_difference(of_class(parts[i], k), all, of_all, part);
            const Scaled product = of_all.scaled() * part.scaled();
            sum = sum + (kind_ == Kind::gini ? away * away / (part.scaled() * w * w) : product / w * h(away / product));
        }
    }
    return kind_ == Kind::gini ? sum : sum / Scaled(entropy::kLn2);
}

// As in variance.hpp and poisson.hpp.
Scaled ExactStats::sum_decrease(const i64* total, const i64* const* parts, int n_parts) const {
    const Natural all = weight_of(total), of_all = sum_of(total);
    const Scaled w = all.scaled();
    Scaled sum;
    if (of_all.zero()) return sum;
    for (int i = 0; i < n_parts; ++i) {
        const Natural part = weight_of(parts[i]);
        if (part.zero()) continue;
        const Scaled away = cross_difference(sum_of(parts[i]), all, of_all, part);
        const Scaled product = of_all.scaled() * part.scaled();
        sum = sum + (kind_ == Kind::variance ? away * away / (part.scaled() * w * w) : product / w * h(away / product));
    }
    return sum;
}

double ExactStats::information(const i64* whole, const i64* total, const i64* const* parts, int n_parts) const {
    const Natural all = weight_of(whole);
    Scaled sum;
    const auto add = [&](const Natural& part) {
        if (part.zero()) return;
        sum = sum + part.scaled() / all.scaled() * minus_log(part, all - part, all);
    };
    add(all - weight_of(total));
    for (int i = 0; i < n_parts; ++i) add(weight_of(parts[i]));
    return sum.value() / entropy::kLn2;
}

double ExactStats::share(const i64* lanes, int first, int last) const {
    return (of_classes(lanes, first, last).scaled() / weight_of(lanes).scaled()).value();
}

double ExactStats::mean(const i64* lanes) const {
    return origin_ + (sum_of(lanes).scaled() / weight_of(lanes).scaled() * unit_).value();
}

bool ExactStats::less(const i64* a, const i64* b, int first, int last) const {
    const auto top = [&](const i64* lanes) { return n_classes_ > 0 ? of_classes(lanes, first, last) : sum_of(lanes); };
    return top(a) * weight_of(b) < top(b) * weight_of(a);
}

}  // namespace hornbeam
