// OrderedWindow: the rows of a group in the order of y, of which some are taken away one by one, with the least
// pinball loss of those that are left.
//
//   loss(m) = q * sum over y > m of w (y - m)  +  (1 - q) * sum over y <= m of w (m - y)
//
// is least at the q-quantile m (Koenker & Bassett 1978); q = 1/2 is half the absolute error around the median. No sum
// over all rows tells it, so it is no function of Stats. But the quantile moves by a row or so when one row goes: with
//
//   foot <-> y1 <-> y2 <-> y3 <-> y4 <-> top        W, S    weight and w y of all rows
//                   at: the quantile                Wb, Sb  of the rows up to it
//
// taking a row away is a few additions, and loss = q (S - Sb - m (W - Wb)) + (1 - q) (m Wb - Sb). Sums are integers on
// the grid, so the loss is the same in whatever order rows went. With weights the quantile passes, for each row taken,
// rows of at most that row's weight.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "hornbeam/types.hpp"

namespace hornbeam {

// Shares of the weight that differ by less than this are equal.
inline constexpr double kShareTie = 1e-12;

// `Sum` is 64 bits wide if every row weighs 1, else 128.
template <class Sum>
class OrderedWindow {
  public:
    // The rows: y ascending, with weights (not read if every row weighs 1). They must stay where they are.
    void build(std::span<const i64> y, std::span<const i64> w, double level) {
        y_ = y.data();
        w_ = w.data();
        level_ = level;
        least_ = level - std::min(kShareTie, level / 2);
        const u32 n = static_cast<u32>(y.size());
        next_.resize(n + 1);
        prev_.resize(n + 1);
        for (u32 i = 0; i <= n; ++i) {
            next_[i] = i < n ? i + 1 : 0;
            prev_[i] = i > 0 ? i - 1 : n;
        }
        state_ = {};
        for (u32 i = 1; i <= n; ++i) {
            state_.w += weight(i);
            state_.s += moment(i);
        }
        find();
    }

    i64 weight() const { return state_.w; }

    // Takes the row at `place` away; `place` counts from 0 in the order of y.
    void take(u32 place) {
        const u32 i = place + 1;
        next_[prev_[i]] = next_[i];
        prev_[next_[i]] = prev_[i];
        state_.w -= weight(i);
        state_.s -= moment(i);
        if (i <= state_.at) {
            state_.wb -= weight(i);
            state_.sb -= moment(i);
            if (i == state_.at) state_.at = prev_[i];
        }
        find();
    }

    // Takes some rows away, calls `look`, and puts them back.
    template <class Look>
    void without(std::span<const u32> places, Look&& look) {
        const State before = state_;
        for (u32 place : places) take(place);
        look();
        for (std::size_t k = places.size(); k-- > 0;) {
            const u32 i = places[k] + 1;
            next_[prev_[i]] = prev_[next_[i]] = i;
        }
        state_ = before;
    }

    double loss() const {
        if (state_.w == 0) return 0;
        const Sum m = y_[state_.at - 1];
        const Sum below = m * state_.wb - state_.sb;
        const Sum above = state_.s - state_.sb - m * (state_.w - state_.wb);
        return level_ * static_cast<double>(above) + (1 - level_) * static_cast<double>(below);
    }

    // The quantile: the smallest y with a share q of the weight at or below it; if it is exactly q, the middle between
    // it and the next.
    double value() const {
        if (state_.w == 0) return 0;
        const double m = static_cast<double>(y_[state_.at - 1]);
        const u32 above = next_[state_.at];
        const bool between = static_cast<double>(state_.wb) <= (level_ + kShareTie) * static_cast<double>(state_.w);
        return between && above != 0 ? (m + static_cast<double>(y_[above - 1])) / 2 : m;
    }

  private:
    struct State {
        u32 at = 0;  // 0: the foot
        i64 w = 0, wb = 0;
        Sum s = 0, sb = 0;
    };

    i64 weight(u32 i) const {
        if constexpr (sizeof(Sum) == sizeof(i64)) return 1;
        return w_[i - 1];
    }
    Sum moment(u32 i) const { return static_cast<Sum>(weight(i)) * y_[i - 1]; }

    // Moves to the first row with enough weight at or below it.
    void find() {
        const double enough = least_ * static_cast<double>(state_.w);
        while (static_cast<double>(state_.wb) < enough) {
            state_.at = next_[state_.at];
            state_.wb += weight(state_.at);
            state_.sb += moment(state_.at);
        }
        while (state_.at != 0 && static_cast<double>(state_.wb - weight(state_.at)) >= enough) {
            state_.wb -= weight(state_.at);
            state_.sb -= moment(state_.at);
            state_.at = prev_[state_.at];
        }
    }

    const i64* y_ = nullptr;
    const i64* w_ = nullptr;
    double level_ = 0.5, least_ = 0.5;
    std::vector<u32> next_, prev_;
    State state_;
};

}  // namespace hornbeam
