// One branch for each present value. Missing values join the branch where that gains most (learn), or have their
// own. Joining is judged by the change of two terms, so that very many values cost no more than they must.
#pragma once

#include <numeric>

#include "hornbeam/search/candidate.hpp"
#include "hornbeam/stats/buckets.hpp"

namespace hornbeam {

inline void search_multiway(const Judge& judge, const Buckets& buckets, i32 column, Candidates& out) {
    const int n = buckets.size();
    if (n == 0) return;
    std::vector<const i64*> parts;
    for (int i = 0; i < n; ++i) parts.push_back(buckets.at(i));
    const auto offer = [&](i32 missing) {
        Candidate candidate;
        if (!judge.judge(parts.data(), static_cast<int>(parts.size()), column, SplitKind::multiway, candidate))
            return false;
        candidate.missing = missing;
        candidate.order = std::max(missing, 0);
        out.offer(std::move(candidate));
        return true;
    };
    if (!buckets.has_missing) {
        offer(-1);
        return;
    }
    if (judge.plan().missing == MissingRule::branch || n == 1) {
        parts.push_back(buckets.missing.data());
        offer(n);
        return;
    }
    const int width = buckets.width, n_classes = judge.layout().n_classes;
    if (judge.layout().exact != nullptr) {
        std::vector<i64> joined(static_cast<std::size_t>(width));
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const i64* before = parts[i];
            std::copy(before, before + width, joined.begin());
            add_lanes(joined.data(), buckets.missing.data(), width);
            parts[i] = joined.data();
            offer(static_cast<i32>(i));
            parts[i] = before;
        }
        return;
    }
    const Criterion& criterion = *judge.plan().criterion;
    const double weight = judge.weight();
    const auto spread = [&](const i64* part) {  // this branch's term of the split information
        const double share = static_cast<double>(judge.layout().weight(part)) / weight;
        return share > 0 ? -share * std::log2(share) : 0.0;
    };
    double base = criterion.potential(judge.total(), n_classes), information = 0;
    for (const i64* part : parts) {
        base -= criterion.potential(part, n_classes);
        information += spread(part);
    }
    std::vector<i64> joined(static_cast<std::size_t>(width));
    std::vector<double> score(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        std::copy(parts[i], parts[i] + width, joined.begin());
        add_lanes(joined.data(), buckets.missing.data(), width);
        score[i] =
            (base + criterion.potential(parts[i], n_classes) - criterion.potential(joined.data(), n_classes)) / weight;
        if (judge.ratio()) score[i] /= std::max(information - spread(parts[i]) + spread(joined.data()), 1e-9);
    }
    // Best first; after the first admissible branch only what rounding could have put behind it.
    std::vector<std::size_t> order(parts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return score[a] > score[b]; });
    // Of branches with the same lanes the first does: the others are tied with it and come later (K4).
    double least = -std::numeric_limits<double>::infinity(), last = least;
    std::vector<const i64*> judged;  // with the same score
    for (std::size_t i : order) {
        if (score[i] < least) break;
        const i64* before = parts[i];
        if (score[i] != last) judged.clear();
        last = score[i];
        if (std::any_of(judged.begin(), judged.end(), [&](const i64* a) { return std::equal(a, a + width, before); }))
            continue;
        judged.push_back(before);
        std::copy(before, before + width, joined.begin());
        add_lanes(joined.data(), buckets.missing.data(), width);
        parts[i] = joined.data();
        if (offer(static_cast<i32>(i)) && std::isinf(least))
            least = score[i] - 1e-9 * (std::fabs(score[i]) + judge.impurity());
        parts[i] = before;
    }
}

}  // namespace hornbeam
