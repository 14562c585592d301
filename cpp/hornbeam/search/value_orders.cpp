#include "hornbeam/search/value_orders.hpp"

#include <algorithm>
#include <numeric>

#include "hornbeam/encode/sort.hpp"
#include "hornbeam/stats/exact_stats.hpp"

namespace hornbeam {
namespace {

void sort_by(const std::vector<double>& key, std::vector<u32>& order) {
    constexpr std::size_t kFew = 256;
    const std::size_t n = key.size();
    order.resize(n);
    if (n > kFew) {
        std::vector<KeyedRow> keyed(n);
        for (std::size_t i = 0; i < n; ++i) keyed[i] = {ordering_key(key[i]), static_cast<u32>(i)};
        sort_keyed(keyed);
        for (std::size_t i = 0; i < n; ++i) order[i] = keyed[i].second;
        return;
    }
    KeyedRow keyed[kFew];
    for (std::size_t i = 0; i < n; ++i) keyed[i] = {ordering_key(key[i]), static_cast<u32>(i)};
    std::sort(keyed, keyed + n);
    for (std::size_t i = 0; i < n; ++i) order[i] = keyed[i].second;
}

// The rounds of power iteration on the weighted covariance of the class shares. `away`: the shares of each value less
// those of all, `stride` apart. Sums run in the order of the values, so that no bit depends on how they are computed;
// K > 0 is the number of classes where the compiler may know it.
template <int K>
void iterate(const std::vector<double>& away, std::size_t stride, const std::vector<double>& weight,
             std::vector<double>& axis, std::vector<double>& along) {
    constexpr int kRounds = 50;
    const std::size_t n = weight.size(), n_classes = K > 0 ? K : axis.size();
    std::vector<double> more(K > 0 ? 0 : n_classes), before(n_classes);
    double few[K > 0 ? K : 1];
    double* sum = K > 0 ? few : more.data();
    for (int round = 0; round < kRounds; ++round) {
        std::fill(sum, sum + n_classes, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            const double* a = away.data() + i * stride;
            double dot = 0;
            for (std::size_t k = 0; k < n_classes; ++k) dot += axis[k] * a[k];
            along[i] = dot;
            const double times = weight[i] * dot;
            for (std::size_t k = 0; k < n_classes; ++k) sum[k] += times * a[k];
        }
        before = axis;
        double norm = 0;
        for (std::size_t k = 0; k < n_classes; ++k) norm += sum[k] * sum[k];
        std::copy(sum, sum + n_classes, axis.begin());
        if (norm <= 0) return;
        for (double& a : axis) a /= std::sqrt(norm);
        if (axis == before) return;  // and would stay so
    }
}

}  // namespace

void ValueOrders::by_share(int k, std::vector<double>& key) const {
    for (const i64* lanes : values_)
        key.push_back(layout_.exact != nullptr
                          ? layout_.exact->share(lanes, k, k + 1)
                          : static_cast<double>(lanes[k]) / static_cast<double>(layout_.weight(lanes)));
}

void ValueOrders::by_mean(std::vector<double>& key) const {
    for (const i64* lanes : values_) {
        const Moments group(lanes);
        key.push_back(layout_.exact != nullptr ? layout_.exact->mean(lanes)
                                               : static_cast<double>(group.wy) / static_cast<double>(group.w));
    }
}

void ValueOrders::by_component(std::vector<double>& key) const {
    const auto n_classes = static_cast<std::size_t>(layout_.n_classes);
    const std::size_t n = values_.size();
    std::vector<double> weight(n), centre(n_classes, 0.0), axis(n_classes), away(n * n_classes);
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
        weight[i] = static_cast<double>(layout_.weight(values_[i]));
        total += weight[i];
        for (std::size_t k = 0; k < n_classes; ++k) centre[k] += static_cast<double>(values_[i][k]);
    }
    for (double& c : centre) c /= total;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n_classes; ++k)
            away[i * n_classes + k] = (layout_.exact != nullptr ? layout_.exact->share(values_[i], static_cast<int>(k),
                                                                                       static_cast<int>(k) + 1)
                                                                : static_cast<double>(values_[i][k]) / weight[i]) -
                                      centre[k];
    for (std::size_t k = 0; k < n_classes; ++k) axis[k] = 1.0 + static_cast<double>(k);
    key.resize(n);
    constexpr decltype(&iterate<0>) kBy[] = {iterate<0>, iterate<0>, iterate<0>, iterate<3>, iterate<4>,
                                             iterate<5>, iterate<6>, iterate<7>, iterate<8>};
    kBy[n_classes < std::size(kBy) ? n_classes : 0](away, n_classes, weight, axis, key);
}

void ValueOrders::by_answer(std::vector<u32>& order) const {
    if (layout_.exact != nullptr) {
        order.resize(values_.size());
        std::iota(order.begin(), order.end(), 0U);
        std::stable_sort(order.begin(), order.end(),
                         [&](u32 a, u32 b) { return layout_.exact->less(values_[a], values_[b], 1, 2); });
        return;
    }
    std::vector<double> key;
    key.reserve(values_.size());
    layout_.classes() ? by_share(1, key) : by_mean(key);
    sort_by(key, order);
}

void ValueOrders::get(int which, std::vector<u32>& order) const {
    std::vector<double> key;
    key.reserve(values_.size());
    if (!layout_.classes())
        by_mean(key);
    else if (which == 0)
        by_component(key);
    else
        by_share(which - 1, key);
    sort_by(key, order);
}

}  // namespace hornbeam
