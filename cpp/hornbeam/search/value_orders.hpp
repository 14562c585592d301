// Orders of the values of a nominal column in which a good set of them is a beginning: by their mean, by the share of a
// class, by the principal component of all shares (Coppersmith, Hong & Hosking 1999).
#pragma once

#include <span>
#include <vector>

#include "hornbeam/stats/stats.hpp"

namespace hornbeam {

class ValueOrders {
  public:
    // `values`: the lanes of each.
    ValueOrders(Layout layout, std::span<const i64* const> values) : layout_(layout), values_(values) {}

    // By mean, or by the share of class 1; equal ones as they stand.
    void by_answer(std::vector<u32>& order) const;

    // How many orders there are for more than two classes: the principal component, then the share of each of the
    // first 16 classes. A real target has one, by mean.
    int count() const { return layout_.classes() ? 1 + std::min(layout_.n_classes, kMostShares) : 1; }
    void get(int which, std::vector<u32>& order) const;

  private:
    static constexpr int kMostShares = 16;

    void by_share(int k, std::vector<double>& key) const;
    void by_mean(std::vector<double>& key) const;
    void by_component(std::vector<double>& key) const;

    Layout layout_;
    std::span<const i64* const> values_;
};

}  // namespace hornbeam
