// Sets of many values: what the search hands in is what the rule says, carried out step by step with every group added
// up anew.

#include <algorithm>
#include <numeric>
#include <optional>

#include "hornbeam/search/searches.hpp"
#include "tests/check.hpp"
#include "tests/groups.hpp"

namespace hornbeam {
namespace {

using testing::Lanes;
using testing::Random;
using testing::RowMaker;
using Group = std::vector<char>;  // of each value: whether it is in

// A node with one nominal column of more than 12 values, many of which have the same class shares.
struct Case {
    Case(Random& random, const Criterion& criterion, bool two_classes) {
        plan.criterion = &criterion;
        plan.monotone.resize(1);
        plan.missing = random.chance(0.5) ? MissingRule::learn : MissingRule::branch;
        if (random.chance(0.2)) plan.limits.min_rows_leaf = random.number(1, 6);
        std::optional<RowMaker> drawn;
        do drawn.emplace(random, criterion);
        while (criterion.on_classes && (drawn->layout().n_classes == 2) != two_classes);
        RowMaker& maker = *drawn;
        layout = maker.layout();
        buckets.clear(layout.width());
        const std::size_t most_rows = random.chance(0.3) ? 1 : 1 + random.below(6);
        const double same = random.chance(0.2) ? 0.97 : 0.3;
        const int n = random.number(14, random.chance(0.1) ? 280 : 40);
        std::vector<Lanes> seen;
        for (int i = 0; i < n; ++i) {
            seen.push_back(!seen.empty() && random.chance(same) ? seen[random.below(seen.size())]
                                                                : maker.group(1 + random.below(most_rows), 0, 1));
            std::copy(seen.back().begin(), seen.back().end(), buckets.add(2 * i));
        }
        if (random.chance(0.3)) {
            buckets.missing = maker.group(1 + random.below(5), 0, 1);
            buckets.has_missing = true;
        }
        total = buckets.sum();
        add_lanes(total.data(), buckets.missing.data(), layout.width());
        for (int i = 0; i < n; ++i) values.emplace_back(buckets.at(i), buckets.at(i) + layout.width());
        own_missing = buckets.has_missing && plan.missing == MissingRule::branch;
        if (buckets.has_missing && !own_missing) values.push_back(buckets.missing);
    }

    bool judge_group(const Judge& judge, const Group& group, Candidate& out) const {
        Lanes parts[2] = {Lanes(total.size(), 0), Lanes(total.size(), 0)};
        for (std::size_t i = 0; i < values.size(); ++i)
            add_lanes(parts[group[i] != 0 ? 0 : 1].data(), values[i].data(), layout.width());
        if (layout.rows(parts[0].data()) == 0 || layout.rows(parts[1].data()) == 0) return false;
        const i64* all[3] = {parts[0].data(), parts[1].data(), buckets.missing.data()};
        return judge.judge(all, own_missing ? 3 : 2, 0, SplitKind::subset, out);
    }
    std::vector<i32> set(const Group& group) const {
        std::vector<i32> out;
        for (std::size_t i = 0; i < values.size(); ++i)
            if (group[i] == group[0]) out.push_back(i < buckets.code.size() ? buckets.code[i] : kMissing);
        return out;
    }

    static constexpr i32 kMissing = 1000;
    Plan plan;
    Layout layout;
    Buckets buckets;
    Lanes total;
    std::vector<Lanes> values;
    bool own_missing = false;
};

std::vector<std::size_t> sorted_by(const std::vector<double>& key) {
    std::vector<std::size_t> order(key.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
    return order;
}

std::vector<double> means(const Case& node) {
    std::vector<double> out;
    for (const Lanes& value : node.values)
        out.push_back(static_cast<double>(Moments(value.data()).wy) / static_cast<double>(Moments(value.data()).w));
    return out;
}
std::vector<double> shares(const Case& node, std::size_t k) {
    std::vector<double> out;
    for (const Lanes& value : node.values)
        out.push_back(static_cast<double>(value[k]) / static_cast<double>(node.layout.weight(value.data())));
    return out;
}
// The class shares of each value along their first principal component: 50 rounds of power iteration.
std::vector<double> component(const Case& node) {
    const auto n_classes = static_cast<std::size_t>(node.layout.n_classes);
    std::vector<double> axis(n_classes), along(node.values.size());
    std::iota(axis.begin(), axis.end(), 1.0);
    Lanes all(node.total.size(), 0);
    for (const Lanes& value : node.values) add_lanes(all.data(), value.data(), node.layout.width());
    const auto total = static_cast<double>(node.layout.weight(all.data()));
    for (int round = 0; round < 50; ++round) {
        std::vector<double> next(n_classes, 0.0);
        for (std::size_t k = 0; k < n_classes; ++k)
            for (std::size_t i = 0; i < node.values.size(); ++i) {
                const auto weight = static_cast<double>(node.layout.weight(node.values[i].data()));
                const auto away = [&](std::size_t c) {
                    return static_cast<double>(node.values[i][c]) / weight - static_cast<double>(all[c]) / total;
                };
                along[i] = 0;
                for (std::size_t c = 0; c < n_classes; ++c) along[i] += axis[c] * away(c);
                next[k] += weight * along[i] * away(k);
            }
        double norm = 0;
        for (double a : next) norm += a * a;
        if (norm <= 0) break;
        for (std::size_t k = 0; k < n_classes; ++k) axis[k] = next[k] / std::sqrt(norm);
    }
    return along;
}

// The rule for three and more classes: the best cut of all orders, then single values moved while that gains.
bool by_rule(const Case& node, const Judge& judge, Group& best, Candidate& top) {
    std::vector<std::vector<double>> keys;
    if (node.layout.classes()) {
        keys.push_back(component(node));
        for (int k = 0; k < std::min(node.layout.n_classes, 16); ++k)
            keys.push_back(shares(node, static_cast<std::size_t>(k)));
    } else {
        keys.push_back(means(node));
    }
    bool any = false;
    for (const auto& key : keys) {
        Group group(node.values.size(), 0);
        for (std::size_t i : sorted_by(key)) {
            group[i] = 1;
            Candidate candidate;
            if (!node.judge_group(judge, group, candidate) || (any && candidate.score <= top.score)) continue;
            any = true;
            best = group;
            top = candidate;
        }
    }
    for (bool moved = any; moved;) {
        moved = false;
        for (std::size_t i = 0; i < best.size(); ++i) {
            Group tried = best;
            tried[i] ^= 1;
            Candidate candidate;
            if (!node.judge_group(judge, tried, candidate) || candidate.score <= top.score + judge.margin(top.score))
                continue;
            best = tried;
            top = candidate;
            moved = true;
        }
        if (best.size() > 256) break;
    }
    return any;
}

// The rule for two classes and real targets: of the cuts in order of the answer the best, the smallest set first.
bool by_answer(const Case& node, const Judge& judge, Group& best, Candidate& top) {
    std::vector<std::pair<Candidate, Group>> cuts;
    Group group(node.values.size(), 0);
    for (std::size_t i : sorted_by(node.layout.classes() ? shares(node, 1) : means(node))) {
        group[i] = 1;
        Candidate candidate;
        if (!node.judge_group(judge, group, candidate)) continue;
        candidate.set = node.set(group);
        cuts.emplace_back(candidate, group);
        top.score = std::max(top.score, candidate.score);
    }
    if (cuts.empty()) return false;
    std::erase_if(cuts, [&](const auto& one) { return one.first.score < top.score - judge.margin(top.score); });
    const auto first = std::min_element(cuts.begin(), cuts.end(),
                                        [](const auto& a, const auto& b) { return a.first.before(b.first); });
    best = first->second;
    top = first->first;
    return true;
}

template <class Rule>
void check_rule(const Criterion& criterion, bool two_classes, int trials, Rule&& rule) {
    Random random(two_classes ? 1 : 2);
    for (int trial = 0; trial < trials; ++trial) {
        const Case node(random, criterion, two_classes);
        const Judge judge(node.plan, node.layout, node.total.data(), nullptr);
        Candidate top;
        Group best;
        const bool any = rule(node, judge, best, top);
        Candidates candidates(judge);
        search(judge, node.buckets, 0, SplitKind::subset, Case::kMissing, candidates);
        if (!CHECK(candidates.empty() != any) || !any) continue;
        const Candidate chosen = candidates.winner();
        CHECK(chosen.set == node.set(best));
        CHECK(chosen.score == top.score && chosen.decrease == top.decrease);
    }
}

}  // namespace

TEST("many values, three and more classes: the best cut of several orders, improved value by value") {
    for (const Criterion& criterion : kCriteria)
        if (criterion.on_classes) check_rule(criterion, false, 100, by_rule);
}

TEST("many values, standard deviation: the best cut in order of the mean, improved value by value") {
    for (const Criterion& criterion : kCriteria)
        if (criterion.name == "sd") check_rule(criterion, false, 100, by_rule);
}

TEST("many values, two classes or means: the best cut in order of the answer, the smallest set first") {
    for (const Criterion& criterion : kCriteria)
        if (criterion.name == "gini" || criterion.name == "entropy" || criterion.name == "root" ||
            criterion.name == "variance")
            check_rule(criterion, true, 100, by_answer);
}

}  // namespace hornbeam
