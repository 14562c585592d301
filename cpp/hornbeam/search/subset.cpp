#include "hornbeam/search/subset.hpp"

#include "hornbeam/search/all_groups.hpp"
#include "hornbeam/search/value_orders.hpp"

namespace hornbeam {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

class SubsetSearch {
  public:
    SubsetSearch(const Judge& judge, const Buckets& buckets, i32 column, i32 n_values, Candidates& out)
        : judge_(judge), groups_(judge, buckets, column, n_values, out), buckets_(buckets), n_(groups_.size()) {}

    void run() {
        if (n_ == 1 && groups_.own_missing()) return groups_.offer_value_against_missing();
        if (n_ < 2) return;
        const double least = groups_.out().best() - judge_.margin(groups_.out().best());
        const bool bounded = !judge_.ratio() && judge_.layout().exact == nullptr;
        if (!groups_.out().empty() && bounded && groups_.bound(least) < least) return;
        if (groups_.free() && !groups_.own_missing() && all_alike()) return groups_.offer_first_alone();
        const Criterion& criterion = *judge_.plan().criterion;
        const bool two = judge_.layout().n_classes == 2;
        const bool ordered =
            (two && (criterion.name == "gini" || criterion.name == "entropy" || criterion.name == "root")) ||
            criterion.name == "variance" || criterion.rates;
        // Exact sums tell all sets apart that are tied: some differ by values that weigh next to nothing.
        const bool every = judge_.layout().exact != nullptr && n_ <= AllGroups::kMost;
        if (ordered && !every && by_order()) return;
        if (n_ <= AllGroups::kMost) return AllGroups(groups_).run();
        if (!ordered) by_heuristic();
    }

  private:
    // Then every group gains nothing, and the first value alone comes first.
    bool all_alike() const {
        const auto& values = groups_.values();
        return std::all_of(values.begin() + 1, values.end(),
                           [&](const i64* lanes) { return groups_.alike(values[0], lanes); });
    }
    // Calls body(i) for every cut of `order_`, the group being what comes before it.
    template <class Body>
    void walk(Body&& body) {
        groups_.clear();
        for (u32 i = 0; i + 1 < n_; ++i) {
            groups_.add(order_[i]);
            body(i);
        }
    }
    // The group that ends with place `at` of `order_`.
    void take(u32 at) {
        in_left_.assign(n_, 0);
        for (u32 i = 0; i <= at; ++i) in_left_[order_[i]] = 1;
        groups_.clear();
        for (std::size_t i = 0; i < n_; ++i)
            if (in_left_[i] != 0) groups_.add(i);
    }
    void offer(Candidate candidate) {
        groups_.offer([&](std::size_t i) { return in_left_[i] != 0; }, std::move(candidate));
    }

    // Cuts of the values in the order of P(class 1) or mean. False if the best of all cuts may not be taken, or if all
    // tie: then the caller looks further.
    bool by_order() {
        ValueOrders(judge_.layout(), groups_.values()).by_answer(order_);
        const auto first = static_cast<u32>(std::find(order_.begin(), order_.end(), 0U) - order_.begin());
        double best_any = -1, best_allowed = -1;
        std::vector<NearGroup> near;
        walk([&](u32 i) {
            if (groups_.estimate() < best_allowed - groups_.slack()) return;
            Candidate candidate;
            const bool allowed = groups_.judge_left(candidate);
            const i64* parts[3] = {groups_.left(), groups_.right(), buckets_.missing.data()};
            const double score = allowed ? candidate.score : judge_.decrease(parts, groups_.own_missing() ? 3 : 2);
            best_any = std::max(best_any, score);
            if (!allowed || score < best_allowed - judge_.margin(score)) return;
            best_allowed = std::max(best_allowed, score);
            near.push_back({i, i >= first ? i + 1 : static_cast<u32>(n_) - 1 - i, score});
        });
        keep_first(near, best_allowed, judge_);
        for (const NearGroup& one : near) {
            take(one.at);
            Candidate candidate;
            if (groups_.judge_left(candidate)) offer(std::move(candidate));
        }
        const bool many = n_ > AllGroups::kMost, all_tied = best_any <= judge_.margin(best_any);
        if (all_tied && many) groups_.offer_first_alone();
        return many || (!all_tied && best_allowed >= best_any - judge_.margin(best_any));
    }

    // The best cut of several orders, improved.
    void by_heuristic() {
        const ValueOrders orders(judge_.layout(), groups_.values());
        Candidate top;
        bool any = false;
        std::vector<char> best;
        for (int which = 0; which < orders.count(); ++which) {
            orders.get(which, order_);
            u32 cut = 0;
            if (!best_cut(any, top, cut)) continue;
            any = true;
            take(cut);
            best = in_left_;
        }
        if (!any) return;
        in_left_ = best;
        exchange(top);
        offer(std::move(top));
    }
    // Whether a cut of `order_` is better than `top`, if there is `any`; then the best is put there.
    bool best_cut(bool any, Candidate& top, u32& cut) {
        estimates_.clear();
        double most = kNone;
        if (groups_.free()) {  // all are admissible, so only those near the best need to be judged
            walk([&](u32) {
                estimates_.push_back(groups_.estimate());
                most = std::max(most, estimates_.back());
            });
            if (any && most < top.score - groups_.slack()) return false;
        }
        bool better = false;
        walk([&](u32 i) {
            const double least = std::max(any || better ? top.score : kNone, most) - groups_.slack();
            if ((groups_.free() ? estimates_[i] : groups_.estimate()) < least) return;
            Candidate candidate;
            if (!groups_.judge_left(candidate) || ((any || better) && candidate.score <= top.score)) return;
            better = true;
            cut = i;
            top = std::move(candidate);
        });
        return better;
    }
    // Moves single values of `in_left_` to the other side while that gains.
    void exchange(Candidate& top) {
        constexpr std::size_t kMany = 256;
        const auto& values = groups_.values();
        groups_.clear();
        for (std::size_t i = 0; i < n_; ++i)
            if (in_left_[i] != 0) groups_.add(i);
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t i = 0; i < n_; ++i) {
                const bool was_left = in_left_[i] != 0;
                const double least = top.score + judge_.margin(top.score);
                groups_.move(values[i], !was_left);
                Candidate candidate;
                if (groups_.estimate() < least - groups_.slack() || !groups_.judge_left(candidate) ||
                    candidate.score <= least) {
                    groups_.move(values[i], was_left);
                    continue;
                }
                in_left_[i] = was_left ? 0 : 1;
                top = std::move(candidate);
                moved = true;
            }
            if (n_ > kMany) return;  // one sweep has to do for many values
        }
    }

    const Judge& judge_;
    TwoGroups groups_;
    const Buckets& buckets_;
    std::size_t n_;
    std::vector<u32> order_;
    std::vector<char> in_left_;
    std::vector<double> estimates_;
};

// Two values leave no choice: the first alone.
void offer_two_values(const Judge& judge, const Buckets& buckets, i32 column, Candidates& out) {
    const i64* parts[3] = {buckets.at(0), buckets.at(1), buckets.missing.data()};
    if (judge.layout().rows(parts[0]) == 0 || judge.layout().rows(parts[1]) == 0) return;
    Candidate candidate;
    if (!judge.judge(parts, buckets.has_missing ? 3 : 2, column, SplitKind::subset, candidate)) return;
    if (!out.wants(candidate.score)) return;
    candidate.set = {buckets.code[0]};
    if (buckets.has_missing) candidate.missing = 2;
    out.offer(std::move(candidate));
}

}  // namespace

void search_subsets(const Judge& judge, const Buckets& buckets, i32 column, i32 n_values, Candidates& out) {
    const bool values_only = !buckets.has_missing || judge.plan().missing == MissingRule::branch;
    if (buckets.size() == 2 && values_only) return offer_two_values(judge, buckets, column, out);
    SubsetSearch(judge, buckets, column, n_values, out).run();
}

}  // namespace hornbeam
