// Random groups of rows with their Stats: what criteria, bounds and searches are tested on.
#pragma once

#include <string_view>

#include "hornbeam/grow/plan.hpp"
#include "hornbeam/stats/outcome.hpp"
#include "hornbeam/stats/stats.hpp"
#include "tests/random.hpp"

namespace hornbeam::testing {

using Lanes = std::vector<i64>;

inline Lanes sum_of(const std::vector<Lanes>& groups, int width) {
    Lanes out(static_cast<std::size_t>(width), 0);
    for (const Lanes& group : groups) add_lanes(out.data(), group.data(), width);
    return out;
}

inline std::vector<const i64*> pointers(const std::vector<Lanes>& groups) {
    std::vector<const i64*> out;
    for (const Lanes& group : groups) out.push_back(group.data());
    return out;
}

// Draws single rows for a criterion: unweighted or with weights of very different size.
class RowMaker {
  public:
    RowMaker(Random& random, const Criterion& criterion) : random_(random), on_classes_(criterion.on_classes) {
        layout_.n_classes = on_classes_ ? random.number(2, random.chance(0.3) ? 12 : 6) : 0;
        layout_.rates = criterion.rates;
        weight_bits_ = random.chance(0.5) ? 0 : random.number(1, 30);
        target_bits_ = random.number(1, 30);
        centre_ = random.whole(-(i64{1} << 30), i64{1} << 30);
    }
    Layout layout() const { return layout_; }

    // `lean` makes the outcome depend on where the row lies.
    Lanes row(double lean) {
        Lanes lanes(static_cast<std::size_t>(layout_.width()), 0);
        const i64 w = random_.whole(1, i64{1} << (weight_bits_ > 0 ? random_.number(0, weight_bits_) : 0));
        if (on_classes_) {
            const bool follows = random_.chance(0.5);
            const auto k =
                follows ? static_cast<std::size_t>(lean * layout_.n_classes) : random_.below(lanes.size() - 1);
            lanes[std::min(k, lanes.size() - 2)] = w;
            lanes.back() = 1;
        } else if (layout_.rates) {
            const i64 reach = i64{1} << (12 + target_bits_);
            const i64 y = random_.whole(0, reach) + static_cast<i64>(lean * static_cast<double>(reach));
            Rates::row_lanes(Rates::carry(y, 1, w), lanes.data());
        } else {
            const i64 reach = i64{1} << target_bits_;
            const i64 y = centre_ + random_.whole(0, reach) + static_cast<i64>(lean * static_cast<double>(reach));
            Moments::set(lanes.data(), 1, w, 128 * y);  // of whose square nothing is cut off
        }
        return lanes;
    }
    std::vector<Lanes> rows(std::size_t n, double low, double high) {
        std::vector<Lanes> out;
        for (std::size_t i = 0; i < n; ++i) out.push_back(row(low + (high - low) * random_.real()));
        return out;
    }
    Lanes group(std::size_t n, double low, double high) { return sum_of(rows(n, low, high), layout_.width()); }

  private:
    Random& random_;
    bool on_classes_;
    Layout layout_;
    int weight_bits_, target_bits_;
    i64 centre_;
};

}  // namespace hornbeam::testing
