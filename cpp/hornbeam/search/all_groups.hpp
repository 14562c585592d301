// All ways to part a few values into two groups.
//
// Values with the same class shares stay together in the best one: the gain is convex in what moves from one side to
// the other. So unions of such values are tried first, as a rule far fewer, and all groups only if one that parts them
// could be tied.
#pragma once

#include <bit>

#include "hornbeam/search/two_groups.hpp"

namespace hornbeam {

class AllGroups {
  public:
    static constexpr std::size_t kMost = 13;  // 12 values and the missing ones

    explicit AllGroups(TwoGroups& groups) : groups_(groups), judge_(groups.judge()) {}

    void run() {
        if (groups_.free()) {
            unite();
            if (united_.size() < groups_.size() && search_unions(true)) return;
        }
        united_.clear();
        for (std::size_t i = 0; i < groups_.size(); ++i) united_.push_back(Set{1} << i);
        search_unions(false);
    }

  private:
    using Set = u32;  // of values

    const i64* value(Set set) const { return groups_.values()[static_cast<std::size_t>(std::countr_zero(set))]; }

    // The sets of values with the same class shares.
    void unite() {
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            const auto same = std::find_if(united_.begin(), united_.end(),
                                           [&](Set set) { return groups_.alike(value(set), groups_.values()[i]); });
            if (same == united_.end())
                united_.push_back(Set{1} << i);
            else
                *same |= Set{1} << i;
        }
    }
    void take(Set set) {
        groups_.clear();
        for (; set != 0; set &= set - 1) groups_.add(static_cast<std::size_t>(std::countr_zero(set)));
    }

    // All unions that hold the first set. With `check`, false and nothing handed in if a group that parts one of the
    // sets could be tied with the best.
    bool search_unions(bool check) {
        const double before = groups_.out().best();
        near_.clear();
        double best = -std::numeric_limits<double>::infinity();
        const auto judge = [&](Set set) {
            Candidate candidate;
            if (!groups_.judge_left(candidate) || candidate.score < best - judge_.margin(best)) return;
            best = std::max(best, candidate.score);
            near_.push_back({set, static_cast<u32>(std::popcount(set)), candidate.score});
        };
        if (groups_.free()) {
            estimates_.clear();
            double top = best;
            walk([&](Set) {
                estimates_.push_back(groups_.estimate());
                top = std::max(top, estimates_.back());
            });
            if (check && could_be_parted(top - groups_.slack())) return false;
            each_above(std::max(top, before) - groups_.slack(), [&](Set set) {
                take(set);
                judge(set);
            });
        } else {
            walk([&](Set set) {
                if (groups_.estimate() >= std::max(best, before) - groups_.slack()) judge(set);
            });
        }
        keep_first(near_, best, judge_);
        for (const NearGroup& one : near_) {
            take(one.at);
            Candidate candidate;
            if (groups_.judge_left(candidate))
                groups_.offer([&](std::size_t i) { return (one.at >> i & 1) != 0; }, std::move(candidate));
        }
        return true;
    }
    // Calls body(set) for every union, the lanes of which are on the left, by a Gray code: one set changes sides at
    // each step.
    template <class Body>
    void walk(Body&& body) {
        const auto width = static_cast<std::size_t>(groups_.width());
        std::vector<i64> lanes;
        for (Set one : united_) {
            take(one);
            lanes.insert(lanes.end(), groups_.left(), groups_.left() + width);
        }
        std::copy_n(lanes.begin(), width, groups_.left());
        Set set = united_[0];
        body(set);
        for (u32 step = 1; step < u32{1} << (united_.size() - 1); ++step) {
            const auto i = static_cast<std::size_t>(std::countr_zero(step)) + 1;
            set ^= united_[i];
            groups_.move(lanes.data() + i * width, (set & united_[i]) != 0);
            body(set);
        }
    }
    // Calls body(set) for the unions that are estimated at `least` or more.
    template <class Body>
    void each_above(double least, Body&& body) {
        Set set = united_[0];
        for (u32 step = 0; step < estimates_.size(); ++step) {
            if (step > 0) set ^= united_[static_cast<std::size_t>(std::countr_zero(step)) + 1];
            if (estimates_[step] >= least) body(set);
        }
    }
    // Whether a group that parts values of the same shares could gain as much as `least`. Since the gain is convex in
    // what moves, it would do so next to one of the best unions, with the lightest of such values on the other side.
    bool could_be_parted(double least) {
        if (least <= groups_.apart()) return true;
        bool any = false;
        each_above(least, [&](Set set) {
            for (Set same : united_) {
                if (any || std::has_single_bit(same)) continue;
                take(set);
                groups_.move(lightest(same), (set & same) == 0);
                any = groups_.estimate() >= least;
            }
        });
        return any;
    }
    const i64* lightest(Set set) const {
        const i64* out = value(set);
        for (; set != 0; set &= set - 1)
            if (judge_.layout().weight(value(set)) < judge_.layout().weight(out)) out = value(set);
        return out;
    }

    TwoGroups& groups_;
    const Judge& judge_;
    std::vector<Set> united_;
    std::vector<double> estimates_;  // in the order of the Gray code
    std::vector<NearGroup> near_;
};

}  // namespace hornbeam
