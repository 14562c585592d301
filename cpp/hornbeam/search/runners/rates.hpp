// Rates judged by Poisson deviance.
#pragma once

#include "hornbeam/search/runners/base.hpp"

namespace hornbeam {

// W * decrease = l ln(l / (m w_l)) + r ln(r / (m w_r)), events l and r left and right, m the node's mean rate. Events
// are summed in 64 bits, cut off far below the last digit that could decide; what is judged in the end is not.
template <>
class Runner<Rates> : public RunnerBase<Runner<Rates>, Rates::Carry> {
  public:
    void load(const Rates&, const std::vector<Rates::Carry>& carry) {
        carry_ = carry.data();
        i128 all = 0;
        for (const auto& row : carry) all += static_cast<i128>(row.w) * row.y;
        shift_ = 0;
        while ((all >> shift_) >= (i128{1} << 60)) ++shift_;
        rows_.clear();
        for (const auto& row : carry) {
            const i128 events = static_cast<i128>(row.w) * row.y;
            rows_.push_back({static_cast<i64>(events >> shift_), row.w, row.n, events > 0});
        }
    }
    void lanes(u32 id, i64* out) const { Rates::row_lanes(carry_[id], out); }
    double slack(double best) const { return slack_ + 1e-11 * std::fabs(best); }

    void prepare(const Judge& judge) {
        usable_ = !judge.plan().constrained();
        if (!usable_) return;
        least_events_ = judge.plan().criterion->eventless ? 0 : 1;
        const Moments all(judge.total());
        least_rows_ = static_cast<u32>(std::clamp<i64>(judge.plan().limits.min_rows_leaf, 1, 1 << 30));
        least_weight_ = std::max(judge.min_weight_leaf(), judge.least_side() * (1 - 1e-9));
        all_ = {static_cast<i64>(all.wy >> shift_), all.w, all.n, std::numeric_limits<i64>::max()};  // until counted
        unit_ = std::ldexp(1.0, shift_);
        mean_ = static_cast<double>(all_.events) / static_cast<double>(all_.w);
        slack_ = 1e-11 * static_cast<double>(all.wy);
    }
    void start(const u32* entries, u32 count) {
        left_ = {};
        std::fill(lanes_, lanes_ + 10, 0);
        for (u32 i = 0; i < count; ++i) take(entries[i] & 0xffff);
    }
    void take(u32 id) {
        left_.add(rows_[id]);
        Rates::row_lanes(carry_[id], lanes_);
    }
    void left_lanes(u32, i64* out) const { std::copy(lanes_, lanes_ + 10, out); }
    double value(u32) const { return value_of(left_); }
    bool allowed(u32, u32) const { return is_allowed(left_); }
    double walk(const u32* entries, u32 known, u32, u32 n) {
        double top = -std::numeric_limits<double>::infinity();
        all_.some = 0;  // what is cut off of the sums must not decide whether a side has events
        for (u32 i = 0; i < n; ++i) all_.some += rows_[entries[i] & 0xffff].some;
        Row left = left_;
        for (u32 i = 0; i + 1 < known; ++i) {
            left.add(rows_[entries[i] & 0xffff]);
            if ((entries[i] ^ entries[i + 1]) > 0xffff && is_allowed(left)) top = std::max(top, value_of(left));
        }
        return top;
    }

  private:
    struct Row {
        i64 events = 0, w = 0, n = 0;
        i64 some = 0;  // rows with an event
        void add(const Row& other) {
            events += other.events;
            w += other.w;
            n += other.n;
            some += other.some;
        }
    };

    // Both sides have rows, weight and events enough.
    bool is_allowed(const Row& left) const {
        return left.n >= least_rows_ && all_.n - left.n >= least_rows_ && left.some >= least_events_ &&
               all_.some - left.some >= least_events_ && static_cast<double>(left.w) >= least_weight_ &&
               static_cast<double>(all_.w - left.w) >= least_weight_;
    }
    double value_of(const Row& left) const {
        const auto l = static_cast<double>(left.events), wl = static_cast<double>(left.w);
        const auto r = static_cast<double>(all_.events - left.events), wr = static_cast<double>(all_.w - left.w);
        return unit_ * ((l > 0 ? l * std::log(l / (mean_ * wl)) : 0) + (r > 0 ? r * std::log(r / (mean_ * wr)) : 0));
    }

    const Rates::Carry* carry_ = nullptr;
    std::vector<Row> rows_;
    Row left_, all_;
    i64 lanes_[10] = {};  // of the left side, exact
    int shift_ = 0;
    i64 least_events_ = 1;  // rows with events on either side
    double unit_ = 1, mean_ = 1, slack_ = 0, least_weight_ = 0;
};

}  // namespace hornbeam
