// The pinball losses of a quantile on both sides of a cut.
#pragma once

#include <algorithm>
#include <utility>

#include "hornbeam/oblique/sides.hpp"
#include "hornbeam/quantile/ordered_window.hpp"

namespace hornbeam::oblique {

// Pinball losses of a quantile, which no sums tell: one window loses the rows from the left, one from the right.
class Pinball : public Weights {
  public:
    explicit Pinball(const Goal& goal)
        : Weights(goal), level_(goal.level), y_(goal.y.size()), w_(goal.y.size()), by_y_(goal.y.size()) {
        const WeightGrid grid(goal.weight, 24);
        unit_ = kUnit * grid.unit;
        for (std::size_t i = 0; i < y_.size(); ++i) {
            y_[i] = static_cast<i64>(std::nearbyint(goal.y[i] / kUnit));
            w_[i] = grid(goal.weight[i]);
            by_y_[i] = static_cast<u32>(i);
        }
        std::sort(by_y_.begin(), by_y_.end(),
                  [this](u32 a, u32 b) { return std::pair(y_[a], a) < std::pair(y_[b], b); });
        place_.resize(y_.size());
    }
    void load(std::span<const u32> rows) {
        all_ = left_ = 0;
        at_ = 0;
        in_node_.assign(y_.size(), 0);
        for (u32 row : rows) in_node_[row] = 1;
        sorted_y_.clear();
        sorted_w_.clear();
        for (u32 row : by_y_)
            if (in_node_[row]) {
                place_[row] = static_cast<u32>(sorted_y_.size());
                sorted_y_.push_back(y_[row]);
                sorted_w_.push_back(w_[row]);
            }
        for (u32 row : rows) all_ += weight_[row];
        window_.build(sorted_y_, sorted_w_, level_);
        whole_ = window_.loss();
        left_loss_.assign(rows.size() + 1, whole_);
        for (std::size_t i = rows.size(); i-- > 0;) {
            window_.take(place_[rows[i]]);
            left_loss_[i] = window_.loss();
        }
        window_.build(sorted_y_, sorted_w_, level_);
    }
    void take(u32 row) {
        window_.take(place_[row]);
        left_ += weight_[row];
        ++at_;
    }
    double gain() const { return (whole_ - left_loss_[at_] - window_.loss()) * unit_; }

  private:
    static constexpr double kUnit = 0x1p-40;
    double level_, unit_ = 1, whole_ = 0;
    std::vector<i64> y_, w_, sorted_y_, sorted_w_;
    std::vector<u32> by_y_, place_;
    std::vector<u8> in_node_;
    std::vector<double> left_loss_;
    u32 at_ = 0;
    OrderedWindow<i128> window_;
};

}  // namespace hornbeam::oblique
