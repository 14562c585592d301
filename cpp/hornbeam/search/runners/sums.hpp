// A real target with weights, or judged by the standard deviation.
#pragma once

#include "hornbeam/search/runners/base.hpp"

namespace hornbeam {

// Sums of w, w y and w y^2 in doubles, y less the block's mean. With S = sum w y^2 - (sum w y)^2 / w of a side,
//
//   variance   W * decrease = S - S_l - S_r = e^2 / (W w_l w_r),  e = W * (sum left) - w_l * (sum all)
//   sd         W * decrease = sqrt(W S) - sqrt(w_l S_l) - sqrt(w_r S_r)
//
// Rounding moves S by some d, and a root by sqrt(w d) where S is near 0: that is the slack.
template <>
class Runner<Sums> : public RunnerBase<Runner<Sums>, Sums::Carry> {
  public:
    void load(const Sums&, const std::vector<Sums::Carry>& carry) {
        carry_ = carry.data();
        i128 sum = 0, weight = 0;
        for (const auto& row : carry) {
            sum += static_cast<i128>(row.w) * row.y;
            weight += row.w;
        }
        centre_ = weight > 0 ? static_cast<i64>(sum / weight) : 0;
        rows_.clear();
        for (const auto& row : carry) {
            const auto w = static_cast<double>(row.w), y = static_cast<double>(row.y - centre_);
            rows_.push_back({w, w * y, w * y * y, row.n});
        }
    }
    void lanes(u32 id, i64* out) const { Sums::row_lanes(carry_[id], out); }
    double slack(double best) const { return slack_ + 1e-11 * std::fabs(best); }
    double noise() const { return noise_; }

    void prepare(const Judge& judge) {
        const std::string_view name = judge.plan().criterion->name;
        deviation_ = name == "sd";
        usable_ = !judge.plan().constrained() && (deviation_ || name == "variance");
        if (!usable_) return;
        const Moments all(judge.total());
        const double w = static_cast<double>(all.w), away = to_double(all.wy - static_cast<i128>(centre_) * all.w);
        all_ = {w, away, all.squares() + away * away / w, all.n};  // the sums of w, w (y - c) and w (y - c)^2
        least_rows_ = static_cast<u32>(std::clamp<i64>(judge.plan().limits.min_rows_leaf, 1, 1 << 30));
        least_weight_ = std::max(judge.min_weight_leaf(), judge.least_side() * (1 - 1e-9));
        whole_ = std::sqrt(all_.w * all_.squares());
        const double moved = 4 * std::numeric_limits<double>::epsilon() * static_cast<double>(2 + all.n) * all_.wyy;
        noise_ = deviation_ ? 3 * std::sqrt(all_.w * moved) : moved;
        slack_ = noise_ + 2e-12 * judge.impurity() * judge.weight();  // K4's margin and more
    }
    void start(const u32* entries, u32 count) {
        left_ = {};
        std::fill(lanes_, lanes_ + 7, 0);
        for (u32 i = 0; i < count; ++i) take(entries[i] & 0xffff);
    }
    void take(u32 id) {
        left_.add(rows_[id]);
        Sums::row_lanes(carry_[id], lanes_);
    }
    void left_lanes(u32, i64* out) const { std::copy(lanes_, lanes_ + 7, out); }
    double value(u32) const { return deviation_ ? deviation(left_) : variance(left_); }
    bool allowed(u32, u32) const { return is_allowed(left_); }
    double walk(const u32* entries, u32 known, u32, u32) {
        return deviation_ ? walk_by(entries, known, [this](const Row& left) { return deviation(left); })
                          : walk_by(entries, known, [this](const Row& left) { return variance(left); });
    }

  private:
    struct Row {
        double w = 0, wy = 0, wyy = 0;
        i64 n = 0;
        void add(const Row& other) {
            w += other.w;
            wy += other.wy;
            wyy += other.wyy;
            n += other.n;
        }
        double squares() const { return std::max(wyy - wy * wy / w, 0.0); }
        // w * S, without a division
        double scaled() const { return std::max(w * wyy - wy * wy, 0.0); }
    };

    template <class Value>
    double walk_by(const u32* entries, u32 known, Value&& value) const {
        double top = -std::numeric_limits<double>::infinity();
        Row left = left_;
        for (u32 i = 0; i + 1 < known; ++i) {
            left.add(rows_[entries[i] & 0xffff]);
            if ((entries[i] ^ entries[i + 1]) > 0xffff && is_allowed(left)) top = std::max(top, value(left));
        }
        return top;
    }
    bool is_allowed(const Row& left) const {
        return left.n >= least_rows_ && all_.n - left.n >= least_rows_ && left.w >= least_weight_ &&
               all_.w - left.w >= least_weight_;
    }
    double deviation(const Row& left) const {
        const Row right{all_.w - left.w, all_.wy - left.wy, all_.wyy - left.wyy, 0};
        return whole_ - std::sqrt(left.scaled()) - std::sqrt(right.scaled());
    }
    double variance(const Row& left) const {
        const double right = all_.w - left.w, e = left.wy * all_.w - left.w * all_.wy;
        return left.w > 0 && right > 0 ? e * e / (all_.w * left.w * right) : 0;
    }

    const Sums::Carry* carry_ = nullptr;
    std::vector<Row> rows_;
    Row left_, all_;
    i64 lanes_[7] = {};  // of the left side, exact
    i64 centre_ = 0;
    double whole_ = 0, noise_ = 0, slack_ = 0, least_weight_ = 0;
    bool deviation_ = false;
};

}  // namespace hornbeam
