#include "hornbeam/search/subset.hpp"

#include <bit>

#include "hornbeam/search/class_gain.hpp"
#include "hornbeam/search/value_orders.hpp"

namespace hornbeam {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

class SubsetSearch {
  public:
    static constexpr int kExhaustive = 13;  // 12 values and the missing ones

    SubsetSearch(const Judge& judge, const Buckets& buckets, i32 column, i32 n_values, Candidates& out)
        : judge_(judge),
          buckets_(buckets),
          column_(column),
          n_values_(n_values),
          out_(out),
          width_(buckets.width),
          own_missing_(buckets.has_missing && judge.plan().missing == MissingRule::branch),
          value_(values_of(buckets, own_missing_)),
          n_(static_cast<int>(value_.size())),
          known_(sum_of(value_, width_)),
          left_(known_.size()),
          right_(known_.size()),
          gain_(judge, known_) {
        const Plan& plan = judge.plan();
        free_ = !plan.constrained() && plan.limits.min_rows_leaf <= 1 && plan.limits.min_weight_leaf <= 0 &&
                !plan.selection.average() && !judge.layout().rates;
        if (!own_missing_ || !gain_.usable()) return;
        const i64* parts[2] = {known_.data(), buckets.missing.data()};
        apart_ = plan.criterion->decrease(judge.total(), parts, 2, judge.layout().n_classes) / judge.weight();
    }

    void run() {
        if (n_ == 1 && own_missing_) return value_against_missing();
        if (n_ < 2) return;
        if (!out_.empty() && !judge_.ratio() && bound() < out_.best() - judge_.margin(out_.best())) return;
        if (free_ && gain_.usable() && !own_missing_ && all_alike()) return first_alone();
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
    using Set = u32;  // of at most kExhaustive values

    // A set that may win: where it is found, its size, and its score.
    struct Near {
        u32 at;
        int size;
        double score;
    };

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
    int code(int i) const { return i < buckets_.size() ? buckets_.code[static_cast<std::size_t>(i)] : n_values_; }

    // What `left_` gains, about; infinity where there is no quick formula.
    double estimate() const {
        return gain_.usable() ? apart_ + gain_.value(left_.data()) : std::numeric_limits<double>::infinity();
    }
    // How far below the best an estimate may lie and still belong to a winner.
    double slack() const { return gain_.slack() + 2 * judge_.margin(0); }
    // Judges `left_` against the others; false if not admissible.
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
        const bool side = in_left(0);
        for (int i = 0; i < n_; ++i)
            if (in_left(i) == side) candidate.set.push_back(code(i));
        if (own_missing_)
            candidate.missing = 2;
        else if (buckets_.has_missing)
            candidate.missing = in_left(n_ - 1) == side ? 0 : 1;
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
    // No two groups gain more than all values apart; there are closer bounds for Gini.
    double bound() const {
        if (gain_.is_gini() && judge_.layout().n_classes <= 32) return apart_ + gain_.bound(value_);
        std::vector<const i64*> parts(value_);
        if (own_missing_) parts.push_back(buckets_.missing.data());
        return judge_.plan().criterion->decrease(judge_.total(), parts.data(), static_cast<int>(parts.size()),
                                                 judge_.layout().n_classes) /
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
    // Then every set gains nothing, and the first value alone comes first.
    bool all_alike() const {
        return std::all_of(value_.begin() + 1, value_.end(), [&](const i64* lanes) { return alike(value_[0], lanes); });
    }
    void first_alone() {
        std::copy(value_[0], value_[0] + width_, left_.begin());
        Candidate candidate;
        if (judge_left(candidate)) offer([](int i) { return i == 0; }, std::move(candidate));
    }

    // Calls body(i) for every cut of an order, `left_` being what comes before it.
    template <class Body>
    void walk(const std::vector<u32>& order, Body&& body) {
        std::fill(left_.begin(), left_.end(), 0);
        for (u32 i = 0; i + 1 < static_cast<u32>(n_); ++i) {
            add_lanes(left_.data(), value_[order[i]], width_);
            body(i);
        }
    }

    // Cuts of the values in the order of P(class 1) or mean. False if the best of all cuts may not be taken, or if all
    // tie: then the caller looks further.
    bool by_order() {
        ValueOrders(judge_.layout(), value_).by_answer(order_);
        const Criterion& criterion = *judge_.plan().criterion;
        const int n_classes = judge_.layout().n_classes;
        const auto first = static_cast<u32>(std::find(order_.begin(), order_.end(), 0U) - order_.begin());
        double best_any = -1, best_allowed = -1;
        near_.clear();
        walk(order_, [&](u32 i) {
            if (estimate() < best_allowed - slack()) return;
            Candidate candidate;
            const bool allowed = judge_left(candidate);
            const i64* parts[3] = {left_.data(), right_.data(), buckets_.missing.data()};
            const double score =
                allowed ? candidate.score
                        : criterion.decrease(judge_.total(), parts, own_missing_ ? 3 : 2, n_classes) / judge_.weight();
            best_any = std::max(best_any, score);
            if (!allowed || score < best_allowed - judge_.margin(score)) return;
            best_allowed = std::max(best_allowed, score);
            near_.push_back({i, static_cast<int>(i >= first ? i + 1 : static_cast<u32>(n_) - 1 - i), score});
        });
        keep_first(best_allowed);
        for (const Near& one : near_) offer_cut(one.at);
        const bool all_tied = best_any <= judge_.margin(best_any);
        if (all_tied && n_ > kExhaustive) first_alone();
        return n_ > kExhaustive || (!all_tied && best_allowed >= best_any - judge_.margin(best_any));
    }
    // Of the sets near the best those remain that may win: no smaller one has their score.
    void keep_first(double best) {
        std::erase_if(near_, [&](const Near& one) { return one.score < best - judge_.margin(best); });
        std::stable_sort(near_.begin(), near_.end(), [](const Near& a, const Near& b) { return a.size < b.size; });
        double top = kNever;  // of smaller sets
        int size = 0;
        double here = kNever;  // of sets of this size
        std::erase_if(near_, [&](const Near& one) {
            if (one.size != size) {
                size = one.size;
                top = std::max(top, here);
                here = kNever;
            }
            here = std::max(here, one.score);
            return one.score <= top;
        });
    }
    // Judges once more the cut after place `at` of `order_`, and hands it in.
    void offer_cut(u32 at) {
        std::fill(left_.begin(), left_.end(), 0);
        in_left_.assign(static_cast<std::size_t>(n_), 0);
        for (u32 i = 0; i <= at; ++i) {
            add_lanes(left_.data(), value_[order_[i]], width_);
            in_left_[order_[i]] = 1;
        }
        Candidate candidate;
        if (judge_left(candidate)) offer_flags(std::move(candidate));
    }
    void offer_flags(Candidate candidate) {
        offer([&](int i) { return in_left_[static_cast<std::size_t>(i)] != 0; }, std::move(candidate));
    }

    // Every group that holds the first value. Values of the same class shares stay together in the best one, since the
    // gain is convex in what moves from one side to the other.
    void all_subsets() {
        if (free_ && gain_.usable()) {
            unite();
            if (static_cast<int>(united_.size()) < n_ && all_unions(true)) return;
        }
        united_.resize(static_cast<std::size_t>(n_));
        for (std::size_t i = 0; i < united_.size(); ++i) united_[i] = Set{1} << i;
        all_unions(false);
    }
    // Sets of values with the same class shares.
    void unite() {
        united_.clear();
        for (std::size_t i = 0; i < value_.size(); ++i) {
            const auto same = std::find_if(united_.begin(), united_.end(), [&](Set set) {
                return alike(value_[static_cast<std::size_t>(std::countr_zero(set))], value_[i]);
            });
            if (same == united_.end())
                united_.push_back(Set{1} << i);
            else
                *same |= Set{1} << i;
        }
    }
    void sum_set(Set set, i64* out) const {
        std::fill(out, out + width_, 0);
        for (; set != 0; set &= set - 1) add_lanes(out, value_[static_cast<std::size_t>(std::countr_zero(set))], width_);
    }

    // All unions of the sets `united_` that hold the first, by a Gray code: one set changes sides at each step. With
    // `check` false, and nothing offered, if a union of which a value changes sides comes near the best, too.
    bool all_unions(bool check) {
        const std::size_t n = united_.size(), width = static_cast<std::size_t>(width_);
        std::vector<i64> lanes(n * width);
        for (std::size_t i = 0; i < n; ++i) sum_set(united_[i], lanes.data() + i * width);
        const u32 steps = u32{1} << (n - 1);
        if (free_ && gain_.usable()) estimate_unions(lanes, steps);
        const bool estimated = !estimates_.empty();
        const double top = estimated ? *std::max_element(estimates_.begin(), estimates_.end()) : 0;
        const double least = std::max(top, out_.best()) - slack();
        if (check && near_parted(top - slack(), steps)) return false;
        near_.clear();
        double best = kNever;
        std::copy(lanes.begin(), lanes.begin() + width_, left_.begin());
        Set set = united_[0];
        for (u32 step = 0; step < steps; ++step) {
            if (step > 0) {
                const auto i = static_cast<std::size_t>(std::countr_zero(step)) + 1;
                set ^= united_[i];
                if (estimated && estimates_[step] < least) continue;
                if (!estimated) flip(lanes.data() + i * width, (set & united_[i]) != 0);
            } else if (estimated && estimates_[0] < least) {
                continue;
            }
            if (estimated) sum_set(set, left_.data());
            if (!estimated && estimate() < std::max(best, out_.best()) - slack()) continue;
            Candidate candidate;
            if (!judge_left(candidate) || candidate.score < best - judge_.margin(best)) continue;
            best = std::max(best, candidate.score);
            near_.push_back({set, std::popcount(set), candidate.score});
        }
        offer_sets(best);
        return true;
    }
    void flip(const i64* lanes, bool to_left) {
        to_left ? add_lanes(left_.data(), lanes, width_) : subtract_lanes(left_.data(), lanes, width_);
    }
    // What every step of the Gray code gains, about.
    void estimate_unions(const std::vector<i64>& lanes, u32 steps) {
        estimates_.resize(steps);
        std::copy(lanes.begin(), lanes.begin() + width_, left_.begin());
        u32 moved = 0;
        estimates_[0] = estimate();
        for (u32 step = 1; step < steps; ++step) {
            const int i = std::countr_zero(step);
            moved ^= u32{1} << i;
            flip(lanes.data() + (static_cast<std::size_t>(i) + 1) * static_cast<std::size_t>(width_),
                 (moved >> i & 1) != 0);
            estimates_[step] = estimate();
        }
    }
    // Whether a set that parts values of the same shares could gain as much as `least`. Since the gain is convex in what
    // moves, it would do so next to one of the best unions, with the lightest of such values on the other side.
    bool near_parted(double least, u32 steps) {
        if (least <= apart_) return true;
        Set set = united_[0];
        for (u32 step = 0; step < steps; ++step) {
            if (step > 0) set ^= united_[static_cast<std::size_t>(std::countr_zero(step)) + 1];
            if (estimates_[step] < least) continue;
            for (Set same : united_) {
                if (std::has_single_bit(same)) continue;
                const i64* light = lightest(same);
                sum_set(set, left_.data());
                flip(light, (set & same) == 0);
                if (estimate() >= least) return true;
            }
        }
        return false;
    }
    const i64* lightest(Set set) const {
        const i64* out = nullptr;
        for (; set != 0; set &= set - 1) {
            const i64* lanes = value_[static_cast<std::size_t>(std::countr_zero(set))];
            if (out == nullptr || judge_.layout().weight(lanes) < judge_.layout().weight(out)) out = lanes;
        }
        return out;
    }
    void offer_sets(double best) {
        keep_first(best);
        for (const Near& one : near_) {
            sum_set(one.at, left_.data());
            Candidate candidate;
            if (judge_left(candidate)) offer([&](int i) { return (one.at >> i & 1) != 0; }, std::move(candidate));
        }
    }

    void by_heuristic() {
        const ValueOrders orders(judge_.layout(), value_);
        Candidate top;
        bool any = false;
        std::vector<double> estimates(static_cast<std::size_t>(n_) - 1);
        for (int which = 0; which < orders.count(); ++which) {
            orders.get(which, order_);
            double least = any ? top.score - slack() : kNever;
            if (free_ && gain_.usable()) {  // only the best of the order can be better than what is known
                walk(order_, [&](u32 i) { estimates[i] = estimate(); });
                least = std::max(least, *std::max_element(estimates.begin(), estimates.end()) - slack());
            }
            u32 best = 0;
            bool better = false;
            walk(order_, [&](u32 i) {
                if (free_ && gain_.usable() ? estimates[i] < least : any && estimate() < top.score - slack()) return;
                Candidate candidate;
                if (!judge_left(candidate) || (any && candidate.score <= top.score)) return;
                any = better = true;
                best = i;
                top = std::move(candidate);
            });
            if (!better) continue;
            in_left_.assign(static_cast<std::size_t>(n_), 0);
            for (u32 i = 0; i <= best; ++i) in_left_[order_[i]] = 1;
        }
        if (!any) return;
        exchange(top);
        offer_flags(std::move(top));
    }
    // Moves single values of `in_left_` to the other side while that gains.
    void exchange(Candidate& top) {
        std::fill(left_.begin(), left_.end(), 0);
        for (std::size_t i = 0; i < value_.size(); ++i)
            if (in_left_[i]) add_lanes(left_.data(), value_[i], width_);
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t i = 0; i < value_.size(); ++i) {
                flip(value_[i], !in_left_[i]);
                Candidate candidate;
                const double least = top.score + judge_.margin(top.score);
                if (estimate() < least - slack() || !judge_left(candidate) || candidate.score <= least) {
                    flip(value_[i], in_left_[i]);
                    continue;
                }
                in_left_[i] ^= 1;
                top = std::move(candidate);
                moved = true;
            }
            if (n_ > 256) return;  // one sweep has to do for many values
        }
    }

    const Judge& judge_;
    const Buckets& buckets_;
    i32 column_, n_values_;
    Candidates& out_;
    int width_;
    bool own_missing_;
    bool free_ = false;              // whether every two groups that are not empty are admissible
    std::vector<const i64*> value_;  // present values, then the missing rows if they take part
    int n_;
    std::vector<i64> known_, left_, right_;
    ClassGain gain_;
    double apart_ = 0;  // what the branch of the missing rows gains, whatever the others do
    std::vector<u32> order_;
    std::vector<char> in_left_;
    std::vector<Near> near_;
    std::vector<Set> united_;
    std::vector<double> estimates_;
};

}  // namespace

void search_subsets(const Judge& judge, const Buckets& buckets, i32 column, i32 n_values, Candidates& out) {
    SubsetSearch(judge, buckets, column, n_values, out).run();
}

}  // namespace hornbeam
