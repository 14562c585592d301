#include "hornbeam/grow/exact_search.hpp"

#include <numeric>
#include <optional>

#include "hornbeam/grow/learn.hpp"
#include "hornbeam/search/random_cut.hpp"
#include "hornbeam/search/searches.hpp"
#include "hornbeam/search/select.hpp"

namespace hornbeam {
namespace {

CutCount count_cuts(const Judge& judge, const Buckets& buckets) {
    const double least = judge.least_side() * (1 - 1e-9);
    double all = 0, left = 0;
    for (int i = 0; i < buckets.size(); ++i) all += static_cast<double>(judge.layout().weight(buckets.at(i)));
    CutCount out{0, buckets.size()};
    for (int i = 0; i + 1 < buckets.size(); ++i) {
        left += static_cast<double>(judge.layout().weight(buckets.at(i)));
        out.tried += left >= least && all - left >= least;
    }
    return out;
}

}  // namespace

ExactSearch::Sorted ExactSearch::sort(i32 column, std::vector<std::size_t>& gaps) const {
    const ColumnView& view = growth_.columns[static_cast<std::size_t>(column)];
    Sorted known;
    for (std::size_t at = 0; at < id_.size(); ++at) {
        const double value = view.value(id_[at]);
        if (std::isnan(value))
            gaps.push_back(at);
        else
            known.emplace_back(value, at);
    }
    std::sort(known.begin(), known.end());
    return known;
}

bool ExactSearch::choose(Node& node, const Bounds* bounds, ColumnChoice& choice, const Each& each,
                         Candidate& chosen) const {
    const Plan& plan = growth_.plan;
    ExactStats stats(*growth_.target, *plan.criterion, growth_.layout, *node.grid, id_.data(), id_.size());
    node.loss = at_most_finite(stats.impurity() * growth_.impurity_unit(*node.grid));
    if (!growth_.layout.classes() && growth_.too_even(stats.mean(), stats.sd())) return false;
    if (!plan.selection.by_column()) stats.enlarge();
    const Layout layout = stats.layout();
    const auto add = [&](std::size_t at, i64* lanes) {
        add_row_(at, lanes);
        stats.add_row(id_[at], lanes);
    };
    std::vector<i64> total(static_cast<std::size_t>(layout.width()), 0);
    for (std::size_t at = 0; at < id_.size(); ++at) add(at, total.data());
    const Judge judge(plan, layout, total.data(), bounds, *node.grid, growth_.lightness(*node.grid));
    const bool by_column = plan.selection.by_column();
    bool any = false;
    while (!any) {
        const std::vector<i32>& columns = choice.more();
        if (columns.empty()) return false;
        std::vector<Candidates> candidates(columns.size(), Candidates(judge));
        std::vector<CutCount> cuts(columns.size());
        each(columns.size(), [&](std::size_t c) {
            const ColumnView& view = growth_.columns[static_cast<std::size_t>(columns[c])];
            std::vector<std::size_t> gaps;
            const Sorted known = sort(columns[c], gaps);
            Buckets buckets;
            buckets.clear(layout.width());
            i64* lanes = nullptr;
            for (std::size_t i = 0; i < known.size(); ++i) {
                if (i == 0 || known[i].first != known[i - 1].first)
                    lanes = buckets.add(view.split == SplitKind::threshold ? buckets.size()
                                                                           : static_cast<i32>(known[i].first));
                add(known[i].second, lanes);
            }
            for (std::size_t at : gaps) add(at, buckets.missing.data());
            buckets.has_missing = !gaps.empty();
            if (plan.random_cuts)
                return offer_drawn_test(judge, columns[c], choice.key(), known, buckets, candidates[c]);
            if (known_only(plan.missing)) buckets.leave_out_missing();
            std::optional<Judge> known_judge;
            if (buckets.has_gaps) known_judge.emplace(judge, buckets.gaps.data());
            const Judge& own = known_judge ? *known_judge : judge;
            Candidates& out = candidates[c];
            search(own, buckets, columns[c], view.split, view.n_values, out);
            if (by_column && !out.empty() && view.split == SplitKind::threshold) cuts[c] = count_cuts(own, buckets);
        });
        if (by_column) {
            std::vector<ColumnBest> best;
            for (std::size_t c = 0; c < columns.size(); ++c)
                if (!candidates[c].empty()) best.push_back({candidates[c].winner(), cuts[c]});
            any = Selector(growth_, judge).select(best, chosen);
        } else {
            Candidates all(judge);
            for (auto& part : candidates) all.merge(std::move(part));
            any = !all.empty();
            if (any) chosen = all.winner();
        }
    }
    if (!accepts(chosen, judge, stats.enlarged())) return false;
    complete(chosen);
    return true;
}

// The one test drawn for a column, from its sorted values and their buckets.
void ExactSearch::offer_drawn_test(const Judge& judge, i32 column, u64 key, const Sorted& known, const Buckets& buckets,
                                   Candidates& out) const {
    const int n = buckets.size();
    if (n == 0 || (n == 1 && !buckets.has_missing)) return;
    const SplitKind kind = growth_.columns[static_cast<std::size_t>(column)].split;
    DrawnTest test{column, kind, drawn_number(growth_.plan.seed, key, column)};
    const i64* gaps = buckets.has_missing ? buckets.missing.data() : nullptr;
    std::vector<i64> left(static_cast<std::size_t>(buckets.width), 0), right = buckets.sum();
    if (n == 1) {
        test.cut = std::numeric_limits<double>::infinity();
        return offer_drawn(judge, test, right.data(), nullptr, gaps, out);
    }
    const bool is_set = kind != SplitKind::threshold;
    const std::vector<i32> set = is_set ? drawn_set(test.drawn, buckets.code) : std::vector<i32>{};
    if (!is_set) test.cut = drawn_cut(test.drawn, known.front().first, known.back().first);
    int i = -1;
    for (std::size_t k = 0; k < known.size(); ++k) {
        if (k > 0 && known[k].first == known[k - 1].first) continue;
        ++i;
        if (is_set ? !std::binary_search(set.begin(), set.end(), buckets.code[static_cast<std::size_t>(i)])
                   : known[k].first > test.cut)
            continue;
        add_lanes(left.data(), buckets.at(i), buckets.width);
    }
    subtract_lanes(right.data(), left.data(), buckets.width);
    offer_drawn(judge, test, left.data(), right.data(), gaps, out);
}

bool ExactSearch::accepts(Candidate& chosen, const Judge& judge, int enlarged) const {
    if (enlarged == 0) return growth_.accepts(chosen, judge);
    const Limits& limits = growth_.plan.limits;
    if (limits.min_gain > 0 || limits.min_impurity_decrease > std::numeric_limits<double>::epsilon()) return false;
    if (!(chosen.score - judge.margin(chosen.score) > limits.min_gain)) return false;
    chosen.score = std::ldexp(chosen.score, -enlarged);
    chosen.decrease = std::ldexp(chosen.decrease, -enlarged);
    return true;
}

void ExactSearch::complete(Candidate& chosen) const {
    chosen.first.clear();  // their width is that of the exact sums
    std::vector<std::size_t> gaps;
    const Sorted known = sort(chosen.column, gaps);
    std::vector<double> values;
    for (const auto& [value, at] : known)
        if (values.empty() || value != values.back()) values.push_back(value);
    if (growth_.plan.random_cuts) {
        complete_drawn(growth_.columns[static_cast<std::size_t>(chosen.column)].kind, values, chosen);
    } else if (chosen.kind == SplitKind::threshold && !std::isinf(chosen.low)) {
        chosen.low = values[static_cast<std::size_t>(chosen.below)];
        chosen.high = values[static_cast<std::size_t>(chosen.below) + 1];
    }
    if (chosen.kind == SplitKind::subset || chosen.kind == SplitKind::multiway)
        for (double value : values) chosen.present.push_back(static_cast<i32>(value));
}

u32 ExactSearch::row_below(const Candidate& chosen) const {
    const ColumnView& view = growth_.columns[static_cast<std::size_t>(chosen.column)];
    u32 below = id_[0];
    double most = -std::numeric_limits<double>::infinity();
    for (u32 row : id_) {
        const double value = view.value(row);
        if (value <= chosen.low && value >= most) {
            most = value;
            below = row;
        }
    }
    return below;
}

}  // namespace hornbeam
