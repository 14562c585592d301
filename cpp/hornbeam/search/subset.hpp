// Value sets: the values of a nominal column parted into two groups.
//
// Two classes or a real target: only the cuts of the values in order of P(class 1) or mean can be best (Breiman et al.
// 1984), for a concave criterion. Otherwise up to 12 values are tried in full; above that the values are put in order
// of the principal component of their class shares (Coppersmith, Hong & Hosking 1999) and of each class's share, and
// the best cut is improved by moving single values.
#pragma once

#include <numeric>

#include "hornbeam/search/candidate.hpp"
#include "hornbeam/stats/buckets.hpp"

namespace hornbeam {

class SubsetSearch {
  public:
    static constexpr int kExhaustive = 13;  // 12 values and the missing ones

    SubsetSearch(const Judge& judge, const Buckets& buckets, i32 column, i32 n_values, Candidates& out)
        : judge_(judge), buckets_(buckets), column_(column), n_values_(n_values), out_(out), width_(buckets.width) {
        const bool own = judge.plan().missing == MissingRule::branch;
        own_missing_ = buckets.has_missing && own;
        for (int i = 0; i < buckets.size(); ++i) value_.push_back(buckets.at(i));
        if (buckets.has_missing && !own) value_.push_back(buckets.missing.data());
        n_ = static_cast<int>(value_.size());
        known_.assign(static_cast<std::size_t>(width_), 0);
        for (const i64* lanes : value_) add_lanes(known_.data(), lanes, width_);
        left_.resize(known_.size());
        right_.resize(known_.size());
    }

    void run() {
        if (n_ == 1 && own_missing_) return value_against_missing();
        if (n_ < 2) return;
        if (!judge_.ratio() && bound() < out_.best() - judge_.margin(out_.best())) return;
        const Criterion& criterion = *judge_.plan().criterion;
        const bool two = judge_.layout().n_classes == 2;
        const bool ordered =
            (two && (criterion.name == "gini" || criterion.name == "entropy" || criterion.name == "root")) ||
            criterion.name == "variance" || criterion.name == "poisson";
        if (ordered && by_order()) return;
        if (n_ <= kExhaustive) return all_subsets();
        if (!ordered) by_heuristic();
    }

  private:
    int code(int i) const { return i < buckets_.size() ? buckets_.code[static_cast<std::size_t>(i)] : n_values_; }

    // Judges the group `in_left` (one flag for each value); true if admissible.
    bool judge_group(const std::vector<char>& in_left, Candidate& candidate) {
        std::fill(left_.begin(), left_.end(), 0);
        for (int i = 0; i < n_; ++i)
            if (in_left[static_cast<std::size_t>(i)])
                add_lanes(left_.data(), value_[static_cast<std::size_t>(i)], width_);
        return judge_left(candidate);
    }
    bool judge_left(Candidate& candidate) {
        right_ = known_;
        subtract_lanes(right_.data(), left_.data(), width_);
        if (judge_.layout().rows(left_.data()) == 0 || judge_.layout().rows(right_.data()) == 0) return false;
        const i64* parts[3] = {left_.data(), right_.data(), buckets_.missing.data()};
        return judge_.judge(parts, own_missing_ ? 3 : 2, column_, SplitKind::subset, candidate);
    }
    // Hands in a judged group, named by the side that holds the first value (K4).
    void offer(const std::vector<char>& in_left, Candidate candidate) {
        if (!out_.wants(candidate.score)) return;
        const char side = in_left[0];
        for (int i = 0; i < n_; ++i)
            if (in_left[static_cast<std::size_t>(i)] == side) candidate.set.push_back(code(i));
        if (own_missing_)
            candidate.missing = 2;
        else if (buckets_.has_missing)
            candidate.missing = in_left.back() == side ? 0 : 1;
        out_.offer(std::move(candidate));
    }

    void value_against_missing() {
        const i64* parts[2] = {value_[0], buckets_.missing.data()};
        Candidate candidate;
        if (!judge_.judge(parts, 2, column_, SplitKind::subset, candidate)) return;
        candidate.set = {code(0)};
        candidate.missing = 1;
        out_.offer(std::move(candidate));
    }

    std::vector<int> sorted_by(const std::vector<double>& key) const {
        std::vector<int> order(static_cast<std::size_t>(n_));
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
            return key[static_cast<std::size_t>(a)] < key[static_cast<std::size_t>(b)];
        });
        return order;
    }

    // Cuts of the values in the order of P(class 1) or mean. False if the best of all cuts may not be taken, or if all
    // tie: then the caller looks further.
    bool by_order() {
        std::vector<double> key;
        for (const i64* lanes : value_) {
            if (judge_.layout().classes()) {
                key.push_back(static_cast<double>(lanes[1]) / static_cast<double>(lanes[0] + lanes[1]));
            } else {
                const Moments group(lanes);
                key.push_back(static_cast<double>(group.wy) / static_cast<double>(group.w));
            }
        }
        const std::vector<int> order = sorted_by(key);
        const Criterion& criterion = *judge_.plan().criterion;
        const int n_classes = judge_.layout().n_classes;
        double best_any = -1, best_allowed = -1;
        std::vector<std::pair<int, Candidate>> near;  // cuts that may be the best; their sets are written out later
        std::fill(left_.begin(), left_.end(), 0);
        for (int i = 0; i + 1 < n_; ++i) {
            add_lanes(left_.data(), value_[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])], width_);
            Candidate candidate;
            const bool allowed = judge_left(candidate);
            const i64* parts[3] = {left_.data(), right_.data(), buckets_.missing.data()};
            const double score =
                allowed ? candidate.score
                        : criterion.decrease(judge_.total(), parts, own_missing_ ? 3 : 2, n_classes) / judge_.weight();
            best_any = std::max(best_any, score);
            if (!allowed || score < best_allowed - judge_.margin(score)) continue;
            best_allowed = std::max(best_allowed, score);
            near.emplace_back(i, std::move(candidate));
        }
        std::vector<char> in_left(static_cast<std::size_t>(n_), 0);
        int done = 0;
        for (auto& [i, candidate] : near) {
            if (candidate.score < best_allowed - judge_.margin(best_allowed)) continue;
            for (; done <= i; ++done) in_left[static_cast<std::size_t>(order[static_cast<std::size_t>(done)])] = 1;
            offer(in_left, std::move(candidate));
        }
        const bool all_tied = best_any <= judge_.margin(best_any);
        if (all_tied && n_ > kExhaustive) first_alone();
        return n_ > kExhaustive || (!all_tied && best_allowed >= best_any - judge_.margin(best_any));
    }
    void first_alone() {
        std::vector<char> in_left(static_cast<std::size_t>(n_), 0);
        in_left[0] = 1;
        Candidate candidate;
        if (judge_group(in_left, candidate)) offer(in_left, std::move(candidate));
    }

    // Every group that holds the first value, by a Gray code: one value changes sides at each step.
    void all_subsets() {
        std::vector<char> in_left(static_cast<std::size_t>(n_), 0);
        in_left[0] = 1;
        std::copy(value_[0], value_[0] + width_, left_.begin());
        const u32 steps = u32{1} << (n_ - 1);
        for (u32 step = 0; step < steps; ++step) {
            if (step > 0) {
                const auto i = static_cast<std::size_t>(__builtin_ctz(step)) + 1;
                in_left[i] ^= 1;
                if (in_left[i])
                    add_lanes(left_.data(), value_[i], width_);
                else
                    subtract_lanes(left_.data(), value_[i], width_);
            }
            Candidate candidate;
            if (judge_left(candidate)) offer(in_left, std::move(candidate));
        }
    }
    // No two groups gain more than all values apart.
    double bound() const {
        std::vector<const i64*> parts(value_);
        if (own_missing_) parts.push_back(buckets_.missing.data());
        return judge_.plan().criterion->decrease(judge_.total(), parts.data(), static_cast<int>(parts.size()),
                                                 judge_.layout().n_classes) /
               judge_.weight();
    }

    void by_heuristic() {
        std::vector<char> best;
        Candidate top;
        for (const auto& key : orderings()) {
            const std::vector<int> order = sorted_by(key);
            std::vector<char> in_left(static_cast<std::size_t>(n_), 0);
            std::fill(left_.begin(), left_.end(), 0);
            for (int i = 0; i + 1 < n_; ++i) {
                const auto at = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]);
                in_left[at] = 1;
                add_lanes(left_.data(), value_[at], width_);
                Candidate candidate;
                if (!judge_left(candidate) || (!best.empty() && candidate.score <= top.score)) continue;
                best = in_left;
                top = candidate;
            }
        }
        if (best.empty()) return;
        exchange(best, top);
        offer(best, std::move(top));
    }
    // Moves single values to the other side while that gains.
    void exchange(std::vector<char>& group, Candidate& top) {
        for (bool moved = true; moved;) {
            moved = false;
            for (int i = 0; i < n_; ++i) {
                std::vector<char> tried = group;
                tried[static_cast<std::size_t>(i)] ^= 1;
                Candidate candidate;
                if (!judge_group(tried, candidate) || candidate.score <= top.score + judge_.margin(top.score)) continue;
                group = tried;
                top = candidate;
                moved = true;
            }
            if (n_ > 256) return;  // one sweep is enough when every sweep is quadratic
        }
    }

    // The shares of every class (up to 16), and their projection on the first principal component.
    std::vector<std::vector<double>> orderings() const {
        if (!judge_.layout().classes()) {
            std::vector<double> mean;
            for (const i64* lanes : value_) {
                const Moments group(lanes);
                mean.push_back(static_cast<double>(group.wy) / static_cast<double>(group.w));
            }
            return {mean};
        }
        const auto n_classes = static_cast<std::size_t>(judge_.layout().n_classes);
        std::vector<std::vector<double>> share(n_classes, std::vector<double>(static_cast<std::size_t>(n_)));
        std::vector<double> weight, centre(n_classes, 0);
        double total = 0;
        for (std::size_t i = 0; i < value_.size(); ++i) {
            weight.push_back(static_cast<double>(judge_.layout().weight(value_[i])));
            total += weight[i];
            for (std::size_t k = 0; k < n_classes; ++k) {
                share[k][i] = static_cast<double>(value_[i][k]) / weight[i];
                centre[k] += static_cast<double>(value_[i][k]);
            }
        }
        for (double& c : centre) c /= total;
        std::vector<double> axis(n_classes);
        for (std::size_t k = 0; k < n_classes; ++k) axis[k] = 1.0 + static_cast<double>(k);
        std::vector<double> along(static_cast<std::size_t>(n_));
        for (int round = 0; round < 50; ++round) {  // power iteration on the weighted covariance
            for (std::size_t i = 0; i < along.size(); ++i) {
                along[i] = 0;
                for (std::size_t k = 0; k < n_classes; ++k) along[i] += axis[k] * (share[k][i] - centre[k]);
            }
            double norm = 0;
            for (std::size_t k = 0; k < n_classes; ++k) {
                double sum = 0;
                for (std::size_t i = 0; i < along.size(); ++i) sum += weight[i] * along[i] * (share[k][i] - centre[k]);
                axis[k] = sum;
                norm += sum * sum;
            }
            if (norm <= 0) break;
            for (double& a : axis) a /= std::sqrt(norm);
        }
        std::vector<std::vector<double>> keys{along};
        for (std::size_t k = 0; k < std::min<std::size_t>(n_classes, 16); ++k) keys.push_back(share[k]);
        return keys;
    }

    const Judge& judge_;
    const Buckets& buckets_;
    i32 column_, n_values_;
    Candidates& out_;
    int width_, n_ = 0;
    bool own_missing_ = false;
    std::vector<const i64*> value_;  // present values, then the missing rows if they take part
    std::vector<i64> known_, left_, right_;
};

inline void search_subsets(const Judge& judge, const Buckets& buckets, i32 column, i32 n_values, Candidates& out) {
    SubsetSearch(judge, buckets, column, n_values, out).run();
}

}  // namespace hornbeam
