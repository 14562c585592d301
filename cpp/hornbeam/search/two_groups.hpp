// What two groups of values gain at one node, for the searches of value sets (subset.hpp, all_groups.hpp).
#pragma once

#include "hornbeam/search/class_gain.hpp"
#include "hornbeam/stats/buckets.hpp"

namespace hornbeam {

class TwoGroups {
  public:
    TwoGroups(const Judge& judge, const Buckets& buckets, i32 column, i32 n_values, Candidates& out)
        : judge_(judge),
          buckets_(buckets),
          column_(column),
          n_values_(n_values),
          out_(out),
          width_(buckets.width),
          own_missing_(buckets.has_missing && judge.plan().missing == MissingRule::branch),
          value_(values_of(buckets, own_missing_)),
          known_(sum_of(value_, width_)),
          left_(known_.size()),
          right_(known_.size()),
          gain_(judge, known_) {
        const Plan& plan = judge.plan();
        free_ = gain_.usable() && !plan.constrained() && plan.limits.min_rows_leaf <= 1 &&
                plan.limits.min_weight_leaf <= 0 && !plan.selection.average();
        if (!gain_.usable()) return;
        slack_ = gain_.slack() + 2 * judge.margin(0);
        if (!own_missing_) return;
        const i64* parts[2] = {known_.data(), buckets.missing.data()};
        apart_ = plan.criterion->decrease(judge.total(), parts, 2, judge.layout().n_classes) / judge.weight();
    }

    const Judge& judge() const { return judge_; }
    Candidates& out() { return out_; }
    int width() const { return width_; }
    // Present values, then the missing rows if they take part.
    const std::vector<const i64*>& values() const { return value_; }
    std::size_t size() const { return value_.size(); }
    bool own_missing() const { return own_missing_; }  // the missing rows are a third branch
    // Whether gains can be estimated and every two groups that are not empty are admissible.
    bool free() const { return free_; }
    // What the branch of the missing rows gains, whatever the others do.
    double apart() const { return apart_; }

    // The group that is being judged, and what is in neither it nor a branch of missing rows, once it is judged.
    i64* left() { return left_.data(); }
    const i64* right() const { return right_.data(); }
    void clear() { std::fill(left_.begin(), left_.end(), 0); }
    void add(std::size_t i) { add_lanes(left_.data(), value_[i], width_); }
    // Some lanes change sides.
    void move(const i64* lanes, bool to_left) {
        to_left ? add_lanes(left_.data(), lanes, width_) : subtract_lanes(left_.data(), lanes, width_);
    }

    // What the group gains, about; infinity where there is no quick formula.
    double estimate() const {
        return gain_.usable() ? apart_ + gain_.value(left_.data()) : std::numeric_limits<double>::infinity();
    }
    // How far below the best an estimate may lie and still belong to a winner.
    double slack() const { return slack_; }
    // Judges the group; false if it is not admissible.
    bool judge_left(Candidate& candidate) {
        std::copy(known_.begin(), known_.end(), right_.begin());
        subtract_lanes(right_.data(), left_.data(), width_);
        if (judge_.layout().rows(left_.data()) == 0 || judge_.layout().rows(right_.data()) == 0) return false;
        const i64* parts[3] = {left_.data(), right_.data(), buckets_.missing.data()};
        return judge_.judge(parts, own_missing_ ? 3 : 2, column_, SplitKind::subset, candidate);
    }
    // Hands in a judged group, named by the side that holds the first value (K4); `in_left(i)`: whether value i is in
    // the group.
    template <class InLeft>
    void offer(InLeft&& in_left, Candidate candidate) {
        if (!out_.wants(candidate.score)) return;
        const bool side = in_left(std::size_t{0});
        for (std::size_t i = 0; i < size(); ++i)
            if (in_left(i) == side) candidate.set.push_back(code(i));
        if (own_missing_)
            candidate.missing = 2;
        else if (buckets_.has_missing)
            candidate.missing = in_left(size() - 1) == side ? 0 : 1;
        out_.offer(std::move(candidate));
    }
    // One value and the missing rows, which are the other branch.
    void offer_value_against_missing() {
        const i64* parts[2] = {value_[0], buckets_.missing.data()};
        Candidate candidate;
        if (!judge_.judge(parts, 2, column_, SplitKind::subset, candidate)) return;
        candidate.set = {code(0)};
        candidate.missing = 1;
        out_.offer(std::move(candidate));
    }
    void offer_first_alone() {
        clear();
        add(0);
        Candidate candidate;
        if (judge_left(candidate)) offer([](std::size_t i) { return i == 0; }, std::move(candidate));
    }

    // No two groups gain more than all values apart, or than a closer bound for Gini, where that is not below `enough`.
    double bound(double enough) const {
        const Layout layout = judge_.layout();
        if (gain_.is_gini()) return apart_ + gain_.bound(value_, enough - apart_);
        std::vector<const i64*> parts(value_);
        if (own_missing_) parts.push_back(buckets_.missing.data());
        return judge_.plan().criterion->decrease(judge_.total(), parts.data(), static_cast<int>(parts.size()),
                                                 layout.n_classes) /
               judge_.weight();
    }
    // Whether two values have the same shares of all classes.
    bool alike(const i64* a, const i64* b) const {
        const Layout layout = judge_.layout();
        const i64 v = layout.weight(a), w = layout.weight(b);
        for (int k = 0; k < layout.n_classes; ++k)
            if (static_cast<i128>(a[k]) * w != static_cast<i128>(b[k]) * v) return false;
        return true;
    }

  private:
    static std::vector<const i64*> values_of(const Buckets& buckets, bool own_missing) {
        std::vector<const i64*> out;
        out.reserve(static_cast<std::size_t>(buckets.size()) + 1);
        for (int i = 0; i < buckets.size(); ++i) out.push_back(buckets.at(i));
        if (buckets.has_missing && !own_missing) out.push_back(buckets.missing.data());
        return out;
    }
    static std::vector<i64> sum_of(const std::vector<const i64*>& values, int width) {
        std::vector<i64> sum(static_cast<std::size_t>(width), 0);
        for (const i64* lanes : values) add_lanes(sum.data(), lanes, width);
        return sum;
    }
    i32 code(std::size_t i) const { return i < buckets_.code.size() ? buckets_.code[i] : n_values_; }

    const Judge& judge_;
    const Buckets& buckets_;
    i32 column_, n_values_;
    Candidates& out_;
    int width_;
    bool own_missing_, free_ = false;
    std::vector<const i64*> value_;
    std::vector<i64> known_, left_, right_;
    ClassGain gain_;
    double apart_ = 0, slack_ = 0;
};

// A group that may win: where it is found, the values on the side of the first, its score.
struct NearGroup {
    u32 at, size;
    double score;
};

// Of groups near the best those remain that may win: no smaller one scores as much.
inline void keep_first(std::vector<NearGroup>& near, double best, const Judge& judge) {
    std::erase_if(near, [&](const NearGroup& one) { return one.score < best - judge.margin(best); });
    std::stable_sort(near.begin(), near.end(), [](const NearGroup& a, const NearGroup& b) { return a.size < b.size; });
    constexpr double kNone = -std::numeric_limits<double>::infinity();
    double smaller = kNone, here = kNone;  // the best of smaller groups, and of those of this size
    u32 size = 0;
    std::erase_if(near, [&](const NearGroup& one) {
        if (one.size != size) {
            smaller = std::max(smaller, here);
            here = kNone;
            size = one.size;
        }
        here = std::max(here, one.score);
        return one.score <= smaller;
    });
}

}  // namespace hornbeam
