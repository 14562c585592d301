// The buckets of one column at one node of a quantile tree: places in the order of y within each bucket, and the loss
// of any union of buckets.
//
//   entries    [ a a a | b b | c c c c | gaps ]      start = 0 3 5 9
//   places     [ 0 2 5 | 1 7 | ...            ]      ascending in every bucket, so a union's quantile is found by
//                                                    halving, with prefix sums of weights and moments
#pragma once

#include "hornbeam/quantile/quantile_node.hpp"

namespace hornbeam {

template <class Sum>
class PlaceBuckets {
  public:
    std::vector<u32> place;  // of all entries
    std::vector<u32> start;  // where each bucket begins; then where the gaps do
    std::vector<u32> rank;   // of each bucket

    void fill(const QuantileNode<Sum>& node, std::span<const Ranked> entries) {
        node_ = &node;
        const std::size_t n = entries.size();
        place.resize(n);
        start.clear();
        rank.clear();
        u32 before = kGapRank;
        std::size_t known = n;
        for (std::size_t i = 0; i < n; ++i) {
            place[i] = node.place[entries[i].id];
            if (entries[i].rank == kGapRank) {
                known = std::min(known, i);
            } else if (entries[i].rank != before) {
                start.push_back(static_cast<u32>(i));
                rank.push_back(before = entries[i].rank);
            }
        }
        start.push_back(static_cast<u32>(known));
    }
    // Prefix sums, for unions and sizes.
    void add_up() {
        const std::size_t n = place.size();
        rows_.assign(n + 1, 0);
        weight_.assign(n + 1, 0);
        moment_.assign(n + 1, 0);
        for (std::size_t i = 0; i < n; ++i) {
            const u32 p = place[i];
            rows_[i + 1] = rows_[i] + node_->n[p];
            weight_[i + 1] = weight_[i] + node_->w[p];
            moment_[i + 1] = moment_[i] + static_cast<Sum>(node_->w[p]) * node_->y[p];
        }
    }

    int size() const { return static_cast<int>(rank.size()); }
    bool has_gaps() const { return start.back() < place.size(); }
    std::span<const u32> known() const { return {place.data(), start.back()}; }
    std::span<const u32> gaps() const { return std::span(place).subspan(start.back()); }
    // Bucket `size()` is the gaps.
    std::span<const u32> bucket(int b) const {
        const std::size_t i = static_cast<std::size_t>(b);
        return std::span(place).subspan(start[i], (b == size() ? place.size() : start[i + 1]) - start[i]);
    }
    Side sizes(int b) const {
        const auto [from, to] = range(b);
        return {0, 0, rows_[to] - rows_[from], weight_[to] - weight_[from]};
    }
    // The side that some buckets make together.
    Side union_of(std::span<const int> buckets, double level) const {
        Side out;
        Sum moment = 0;
        for (int b : buckets) {
            const auto [from, to] = range(b);
            out.rows += rows_[to] - rows_[from];
            out.weight += weight_[to] - weight_[from];
            moment += moment_[to] - moment_[from];
        }
        if (out.weight == 0) return out;
        const double enough = (level - std::min(kShareTie, level / 2)) * static_cast<double>(out.weight);
        u32 low = 0, high = static_cast<u32>(node_->y.size()) - 1;  // the first place with enough weight
        while (low < high) {
            const u32 middle = low + (high - low) / 2;
            if (static_cast<double>(up_to(buckets, middle).first) >= enough)
                high = middle;
            else
                low = middle + 1;
        }
        const auto [weight, below_moment] = up_to(buckets, low);
        const Sum m = node_->y[low];
        const Sum below = m * weight - below_moment;
        const Sum above = moment - below_moment - m * (out.weight - weight);
        out.loss = level * static_cast<double>(above) + (1 - level) * static_cast<double>(below);
        out.value = static_cast<double>(node_->y[low]);
        if (static_cast<double>(weight) <= (level + kShareTie) * static_cast<double>(out.weight)) {
            const u32 above_place = next(buckets, low);
            if (above_place != kGapRank) out.value = (out.value + static_cast<double>(node_->y[above_place])) / 2;
        }
        return out;
    }

  private:
    std::pair<std::size_t, std::size_t> range(int b) const {
        const auto i = static_cast<std::size_t>(b);
        return {start[i], b == size() ? place.size() : start[i + 1]};
    }
    // Weight and moment of the buckets' rows at places up to `last`.
    std::pair<i64, Sum> up_to(std::span<const int> buckets, u32 last) const {
        std::pair<i64, Sum> out{0, 0};
        for (int b : buckets) {
            const auto [from, to] = range(b);
            const auto first = place.begin() + static_cast<std::ptrdiff_t>(from);
            const auto end = place.begin() + static_cast<std::ptrdiff_t>(to);
            const std::size_t at = static_cast<std::size_t>(std::upper_bound(first, end, last) - place.begin());
            out.first += weight_[at] - weight_[from];
            out.second += moment_[at] - moment_[from];
        }
        return out;
    }
    u32 next(std::span<const int> buckets, u32 after) const {
        u32 out = kGapRank;
        for (int b : buckets) {
            const std::span<const u32> rows = bucket(b);
            const auto above = std::upper_bound(rows.begin(), rows.end(), after);
            if (above != rows.end()) out = std::min(out, *above);
        }
        return out;
    }

    const QuantileNode<Sum>* node_ = nullptr;
    std::vector<i64> rows_, weight_;
    std::vector<Sum> moment_;
};

}  // namespace hornbeam
