// How the kernels of the last level walk along a column's list at a node: the runs they add up, and the cuts they look
// at.
//
// Items of neighbouring values that prefer the same answer make a run. As a cut moves through it, what the best answer
// of one branch saves stays and then grows, and that of the other branch shrinks and then stays: the sum is largest at
// one of the ends, so that no cut inside is looked at. Items of one value are sorted by their answers.
#pragma once

#include "hornbeam/optimal/item_node.hpp"

namespace hornbeam::optimal {

template <class T>
struct Walk {
    // Of one answer; `amount` is what its items add up to.
    struct Run {
        u32 end, answer;
        T amount;
        bool is_cut;  // whether a cut behind it is looked at
    };
    std::vector<Run> runs;
    // The longest part between two cuts. What the other items add up to tells its sums, so that no walk passes through
    // it: walks go along the *front* before it and the *back* behind it. Where no part is long it is empty, in the
    // middle of the list.
    u32 first = 0, end = 0;          // its items
    u32 first_run = 0, end_run = 0;  // its runs
    // With two answers, the cuts of the front and of the back where sums may be largest, or smallest.
    struct Cut {
        u32 at;  // in the list
        T all;   // the sum of all items of the front, or back, before it
    };
    std::array<std::vector<Cut>, 2> high, low;
    T of_back = 0;  // the sum of all items of the back

    u32 length() const { return end - first; }
    u32 start_of(std::size_t run) const { return run == 0 ? 0 : runs[run - 1].end; }

    // With more than two answers: `answer(item)` and `amount(item)`; `merges`: whether values may be taken together.
    template <class Answer, class Amount>
    void open(const u32* list, u32 known, bool merges, Answer answer, Amount amount) {
        // First the runs within values, each kept where it ends; then the first of two that belong together is dropped.
        runs.resize(known + 1);
        std::size_t n = 0;
        T sum = 0;
        for (u32 i = 0; i < known; ++i) {
            const u32 own = answer(list[i] & kItem), next = answer(list[i + (i + 1 < known ? 1 : 0)] & kItem);
            const u32 is_end = list[i] >> 31;
            sum = static_cast<T>(sum + amount(list[i] & kItem));
            runs[n] = {i + 1, own, sum, is_end != 0};
            n += is_end | (own != next ? 1 : 0);
        }
        std::size_t kept = 0;
        bool starts = true;  // whether a value starts with the run
        sum = 0;
        for (std::size_t r = 0; r < n; ++r) {
            const Run run = runs[r], next = runs[r + 1 < n ? r + 1 : r];
            const bool is_pure = starts && run.is_cut, joins = r + 1 < n && is_pure && next.is_cut && merges;
            starts = run.is_cut;
            runs[kept] = {run.end, run.answer, static_cast<T>(run.amount - sum), run.is_cut};
            const bool keeps = !joins || run.answer != next.answer;
            sum = keeps ? run.amount : sum;
            kept += keeps ? 1 : 0;
        }
        runs.resize(kept);
        choose_longest(known);
    }

    // With two answers: amounts above and below zero.
    template <class Amount>
    void open_signs(const u32* list, u32 known, bool merges, Amount amount) {
        std::size_t n = 0;
        for (u32 i = 0; i < known; ++i) n += list[i] >> 31;
        values_.resize(n + 1);
        std::vector<Value>& values = values_;
        n = 0;
        u32 signs = 0;
        T all = 0;
        for (u32 i = 0; i < known; ++i) {
            const T own = amount(list[i] & kItem);
            const u32 is_end = list[i] >> 31;
            signs |= own < 0 ? 1U : 2U;
            all = static_cast<T>(all + own);
            values[n] = {i + 1, signs, all};
            n += is_end;
            signs = is_end ? 0 : signs;
        }
        const auto is_looked_at = [&](std::size_t v) {
            const u32 before = values[v].signs, behind = values[v + 1 < n ? v + 1 : v].signs;
            return !merges || before == 3 || before != behind;
        };
        u32 start = 0, middle = 0;
        first = end = 0;
        for (std::size_t v = 0; v < n; ++v) {
            const u32 at = is_looked_at(v) || v + 1 == n ? values[v].end : start;
            if (at - start > length()) first = start, end = at;
            start = at;
            middle = 2 * at <= known + 1 ? at : middle;
        }
        if (4 * length() <= known) first = end = middle;
        // Not where the values before or behind a cut lead further.
        T before_back = 0;
        for (std::size_t part = 0; part < 2; ++part) high[part].resize(n + 1), low[part].resize(n + 1);
        std::array<std::size_t, 2> n_high{}, n_low{};
        for (std::size_t v = 0; v < n; ++v) {
            const u32 before = values[v].signs, behind = v + 1 < n ? values[v + 1].signs : 3;
            const u32 at = values[v].end;
            before_back = at == end ? values[v].all : before_back;
            const std::size_t part = at > end ? 1 : 0;
            if (at > first && at <= end) continue;
            const T sum = static_cast<T>(values[v].all - (part == 1 ? before_back : 0));
            high[part][n_high[part]] = {at, sum};
            low[part][n_low[part]] = {at, sum};
            n_high[part] += merges ? (before >> 1) & behind & 1 : 1;
            n_low[part] += merges ? before & (behind >> 1) & 1 : 1;
        }
        for (std::size_t part = 0; part < 2; ++part) high[part].resize(n_high[part]), low[part].resize(n_low[part]);
        of_back = n > 0 ? static_cast<T>(values[n - 1].all - before_back) : 0;
    }

    // Without answers: every value is a run.
    void open(const u32* list, u32 known) {
        runs.clear();
        for (u32 i = 0; i < known; ++i)
            if (list[i] & kEnd) runs.push_back({i + 1, 0, 0, true});
        choose_longest(known);
    }

  private:
    // A value of a column with two answers.
    struct Value {
        u32 end, signs;  // 1: there are items below zero, 2: others, 3: both
        T all;           // the sum of all items up to its end
    };
    std::vector<Value> values_;

    void choose_longest(u32 known) {
        first = end = first_run = end_run = 0;
        u32 middle = 0, middle_run = 0;
        for (u32 r = 0, start = 0, start_run = 0; r < runs.size(); ++r) {
            if (!runs[r].is_cut) continue;
            if (runs[r].end - start > length())
                first = start, end = runs[r].end, first_run = start_run, end_run = r + 1;
            start = runs[r].end, start_run = r + 1;
            if (2 * start <= known + 1) middle = start, middle_run = start_run;
        }
        if (4 * length() <= known) first = end = middle, first_run = end_run = middle_run;
    }
};

}  // namespace hornbeam::optimal
