// What all runners share: where cuts may lie, and judging those that come near the best.
#pragma once

#include <string_view>
#include <vector>

#include "hornbeam/search/threshold.hpp"
#include "hornbeam/stats/outcome.hpp"

namespace hornbeam {

// 1/n and n log2 n for small n, made once.
struct SmallNumbers {
    static constexpr std::size_t kSize = 65537;
    std::vector<double> inverse, n_log_n;

    SmallNumbers() : inverse(kSize, 0), n_log_n(kSize, 0) {
        for (std::size_t n = 1; n < kSize; ++n) {
            inverse[n] = 1 / static_cast<double>(n);
            n_log_n[n] = static_cast<double>(n) * std::log2(static_cast<double>(n));
        }
    }
    static const SmallNumbers& get() {
        static const SmallNumbers numbers;
        return numbers;
    }
};

// What all runners share: where cuts may lie, and judging those that come near the best.
template <class Scan, class Carry>
class RunnerBase {
  public:
    bool usable() const { return usable_; }
    // By how much values may be off, where that exceeds K4's margin.
    double noise() const { return 0; }
    // What was offered is forgotten: another node, or other rows of it.
    void forget() { offered_.clear(); }
    // Whether entries of the next list may have one value.
    void expect_ties(bool any) { ties_ = any; }
    // Whether a cut with `left` of n rows on the left leaves enough on both sides.
    bool allowed(u32 left, u32 n) const { return left >= least_rows_ && n - left >= least_rows_; }

    // The best value over all cuts of the `known` entries; the other `n - known` rows are missing and join either side.
    double best(const u32* entries, u32 known, u32 n) {
        Scan& scan = static_cast<Scan&>(*this);
        scan.start(nullptr, 0);
        double top = scan.walk(entries, known, 0, n);
        if (known == n) return top;
        scan.start(entries + known, n - known);
        top = std::max(top, scan.walk(entries, known, n - known, n));
        return std::max(top, known_against_missing(entries, known, n));
    }

    // Has every cut judged that comes within `least` of the best.
    void offer(const Judge& judge, const u32* entries, u32 known, u32 n, i32 column, double least, Candidates& out) {
        Scan& scan = static_cast<Scan&>(*this);
        const auto width = static_cast<std::size_t>(judge.layout().width());
        gap_.assign(width, 0);
        left_.resize(width);
        right_.resize(width);
        for (u32 i = known; i < n; ++i) scan.lanes(entries[i] & 0xffff, gap_.data());
        CutJudge cuts(judge, column, known < n ? gap_.data() : nullptr, out);
        scan.start(nullptr, 0);
        offer_near(judge, entries, known, 0, n, least, cuts);
        if (known == n) return;
        scan.start(entries + known, n - known);
        offer_near(judge, entries, known, n - known, n, least, cuts);
        if (known == 0) return;
        right_.assign(judge.total(), judge.total() + width);
        subtract_lanes(right_.data(), gap_.data(), static_cast<int>(width));
        cuts.known_or_missing(right_.data(), static_cast<i32>(entries[known - 1] >> 16),
                              entries[0] >> 16 == entries[known - 1] >> 16);
    }

  protected:
    // How many rows either side of a cut needs, and whether counting rows is enough to know where cuts may lie.
    void allow(const Judge& judge, bool known_criterion) {
        const Limits& limits = judge.plan().limits;
        const auto side = static_cast<i64>(std::ceil(judge.least_side() * (1 - 1e-9)));  // a row weighs 1 here
        least_rows_ = static_cast<u32>(std::clamp<i64>(std::max(limits.min_rows_leaf, side), 1, 1 << 20));
        usable_ = !judge.plan().constrained() && limits.min_weight_leaf <= 0 && known_criterion;
    }

    // Value at every cut; `before` rows were on the left at the start.
    double plain_walk(const u32* entries, u32 known, u32 before, u32 n) {
        Scan& scan = static_cast<Scan&>(*this);
        double top = -std::numeric_limits<double>::infinity();
        for (u32 i = 0; i + 1 < known; ++i) {
            scan.take(entries[i] & 0xffff);
            const u32 left = before + i + 1;
            if (entries[i] >> 16 == entries[i + 1] >> 16 || !scan.allowed(left, n)) continue;
            top = std::max(top, scan.value(left));
        }
        return top;
    }

    u32 least_rows_ = 1;
    bool usable_ = false, ties_ = true;

  private:
    // `before` rows, the missing ones or none, are on the left already.
    void offer_near(const Judge& judge, const u32* entries, u32 known, u32 before, u32 n, double least,
                    CutJudge& cuts) {
        Scan& scan = static_cast<Scan&>(*this);
        const int width = judge.layout().width();
        const double unknown = std::numeric_limits<double>::quiet_NaN();
        for (u32 i = 0; i + 1 < known; ++i) {
            scan.take(entries[i] & 0xffff);
            const u32 left = before + i + 1;
            if (entries[i] >> 16 == entries[i + 1] >> 16 || !scan.allowed(left, n)) continue;
            if (scan.value(left) < least) continue;
            scan.left_lanes(left, left_.data());
            if (known == n && !fresh()) continue;
            if (before > 0) subtract_lanes(left_.data(), gap_.data(), width);
            right_.assign(judge.total(), judge.total() + width);
            subtract_lanes(right_.data(), left_.data(), width);
            subtract_lanes(right_.data(), gap_.data(), width);
            cuts.cut(left_.data(), right_.data(), static_cast<i32>(entries[i] >> 16), unknown, unknown);
        }
    }
    double known_against_missing(const u32* entries, u32 known, u32 n) {
        if (known == 0) return -std::numeric_limits<double>::infinity();
        Scan& scan = static_cast<Scan&>(*this);
        scan.start(nullptr, 0);
        for (u32 i = 0; i < known; ++i) scan.take(entries[i] & 0xffff);
        return scan.allowed(known, n) ? scan.value(known) : -std::numeric_limits<double>::infinity();
    }
    // Whether no cut offered for this node had the same rows on its left; if one had, it comes first in K4's order,
    // with the same score. In nodes of a few rows most cuts are of this kind.
    bool fresh() {
        const std::size_t width = left_.size();
        for (std::size_t at = 0; at < offered_.size(); at += width)
            if (std::equal(left_.begin(), left_.end(), offered_.begin() + static_cast<std::ptrdiff_t>(at)))
                return false;
        if (offered_.size() < 8 * width) offered_.insert(offered_.end(), left_.begin(), left_.end());
        return true;
    }
    std::vector<i64> left_, right_, gap_, offered_;
};

// The runner of an outcome; this one is for outcomes that are always judged exactly.
template <class O>
class Runner {
  public:
    void load(const O&, const std::vector<typename O::Carry>&) {}
    void prepare(const Judge&) {}
    void forget() {}
    void expect_ties(bool) {}
    bool usable() const { return false; }
    double slack(double) const { return 0; }
    double noise() const { return 0; }
    double best(const u32*, u32, u32) const { return 0; }
    void offer(const Judge&, const u32*, u32, u32, i32, double, Candidates&) const {}
};

}  // namespace hornbeam
