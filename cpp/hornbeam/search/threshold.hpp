// Thresholds: every cut between neighbouring buckets. Missing values are tried on both sides (learn), or are a
// third branch. `x <= +inf` sets the known values against the missing ones.
#pragma once

#include "hornbeam/search/candidate.hpp"
#include "hornbeam/stats/buckets.hpp"

namespace hornbeam {

// A cut with `left` (known rows at or below it) and `right`; offers its variants. `code` and the neighbouring values
// describe the cut to whoever makes the split.
class CutJudge {
  public:
    CutJudge(const Judge& judge, i32 column, const i64* missing, Candidates& out)
        : judge_(judge), column_(column), missing_(missing), out_(out), width_(judge.layout().width()) {
        sum_.resize(static_cast<std::size_t>(width_));
    }

    void cut(const i64* left, const i64* right, i32 code, double low, double high) {
        const i64 order = 2 * judge_.layout().rows(left);
        if (missing_ == nullptr) return offer(left, right, nullptr, code, low, high, -1, order);
        if (judge_.plan().missing == MissingRule::branch)
            return offer(left, right, missing_, code, low, high, 2, order);
        offer(joined(left), right, nullptr, code, low, high, 0, order);
        offer(left, joined(right), nullptr, code, low, high, 1, order + 1);
    }

    // Known against missing; `alone`: there is only one known value.
    void known_or_missing(const i64* known, i32 last_code, bool alone) {
        if (missing_ == nullptr || (judge_.plan().missing == MissingRule::branch && !alone)) return;
        const double infinity = std::numeric_limits<double>::infinity();
        offer(known, missing_, nullptr, last_code, infinity, infinity, 1, std::numeric_limits<i64>::max());
    }

  private:
    const i64* joined(const i64* part) {
        std::copy(part, part + width_, sum_.begin());
        add_lanes(sum_.data(), missing_, width_);
        return sum_.data();
    }
    void offer(const i64* first, const i64* second, const i64* third, i32 code, double low, double high, i32 missing,
               i64 order) {
        const i64* parts[3] = {first, second, third};
        // Known against missing is no order of values, so no monotonic constraint orders it.
        const SplitKind kind = std::isinf(high) ? SplitKind::multiway : SplitKind::threshold;
        Candidate candidate;
        if (!judge_.judge(parts, third == nullptr ? 2 : 3, column_, kind, candidate)) return;
        candidate.kind = SplitKind::threshold;
        if (!out_.wants(candidate.score)) return;
        candidate.order = order;
        candidate.below = code;
        candidate.low = low;
        candidate.high = high;
        candidate.missing = missing;
        if (third == nullptr) candidate.first.assign(first, first + width_);
        out_.offer(std::move(candidate));
    }

    const Judge& judge_;
    i32 column_;
    const i64* missing_;  // null: no missing values here
    Candidates& out_;
    int width_;
    std::vector<i64> sum_;
};

inline void search_thresholds(const Judge& judge, const Buckets& buckets, i32 column, Candidates& out) {
    const int width = buckets.width, n = buckets.size();
    if (n == 0) return;
    const double unknown = std::numeric_limits<double>::quiet_NaN();
    CutJudge cuts(judge, column, buckets.has_missing ? buckets.missing.data() : nullptr, out);
    std::vector<i64> left(static_cast<std::size_t>(width), 0), right = buckets.sum();
    for (int i = 0; i + 1 < n; ++i) {
        add_lanes(left.data(), buckets.at(i), width);
        subtract_lanes(right.data(), buckets.at(i), width);
        cuts.cut(left.data(), right.data(), buckets.code[static_cast<std::size_t>(i)], unknown, unknown);
    }
    add_lanes(left.data(), buckets.at(n - 1), width);
    cuts.known_or_missing(left.data(), buckets.code[static_cast<std::size_t>(n - 1)], n == 1);
}

}  // namespace hornbeam
