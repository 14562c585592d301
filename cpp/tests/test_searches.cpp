// Searches: each finds the winner of K4 among all candidates written out one by one.

#include <algorithm>

#include "hornbeam/search/searches.hpp"
#include "tests/check.hpp"
#include "tests/groups.hpp"

namespace hornbeam {
namespace {

using testing::Lanes;
using testing::Random;
using testing::RowMaker;
using testing::trials;

// What tells one candidate of a column from another, and its branches.
struct Written {
    i32 below = -1, missing = -1;
    std::vector<i32> set;
    std::vector<std::vector<int>> parts;  // buckets of each branch; bucket n is the missing one
};

struct Node {
    Plan plan;
    Layout layout;
    Buckets buckets;
    Lanes total;
    i32 n_values = 0;
    bool learn() const { return plan.missing == MissingRule::learn; }
};

Node draw_node(Random& random, const Criterion& criterion, int most_values) {
    Node node;
    node.plan.criterion = &criterion;
    node.plan.monotone.resize(1);
    node.plan.missing = random.chance(0.5) ? MissingRule::learn : MissingRule::branch;
    if (random.chance(0.3)) node.plan.limits.min_rows_leaf = random.number(1, 6);
    RowMaker maker(random, criterion);
    node.layout = maker.layout();
    node.buckets.clear(node.layout.width());
    const int n = random.number(1, most_values);
    Lanes group;
    for (int i = 0; i < n; ++i) {
        if (i == 0 || random.chance(0.8)) group = maker.group(1 + random.below(6), 0, 1);  // else a twin of the last
        std::copy(group.begin(), group.end(), node.buckets.add(node.n_values));
        node.n_values += random.number(1, 2);
    }
    if (random.chance(0.5)) {
        node.buckets.missing = maker.group(1 + random.below(5), 0, 1);
        node.buckets.has_missing = true;
    }
    node.total = node.buckets.sum();
    add_lanes(node.total.data(), node.buckets.missing.data(), node.layout.width());
    return node;
}

std::vector<int> range(int first, int last) {
    std::vector<int> out;
    for (int i = first; i < last; ++i) out.push_back(i);
    return out;
}

// A candidate of the known values, with the missing ones in each place they may take.
void place_missing(const Node& node, Written known, std::vector<Written>& out) {
    const int n = node.buckets.size(), branches = static_cast<int>(known.parts.size());
    if (!node.buckets.has_missing) return out.push_back(std::move(known));
    for (int b = node.learn() ? 0 : branches; b < (node.learn() ? branches : branches + 1); ++b) {
        Written one = known;
        if (b == branches) one.parts.emplace_back();
        one.parts[static_cast<std::size_t>(b)].push_back(n);
        one.missing = b;
        out.push_back(std::move(one));
    }
}

Written known_against_missing(const Node& node, i32 below) {
    const int n = node.buckets.size();
    return {below, 1, {}, {range(0, n), {n}}};
}

std::vector<Written> write_thresholds(const Node& node) {
    std::vector<Written> out;
    const int n = node.buckets.size();
    const std::vector<i32>& code = node.buckets.code;
    for (int i = 0; i + 1 < n; ++i)
        place_missing(node, {code[static_cast<std::size_t>(i)], -1, {}, {range(0, i + 1), range(i + 1, n)}}, out);
    if (node.buckets.has_missing && (node.learn() || n == 1)) out.push_back(known_against_missing(node, code.back()));
    return out;
}

std::vector<Written> write_equals(const Node& node) {
    std::vector<Written> out;
    const int n = node.buckets.size();
    if (n == 1 && node.buckets.has_missing) return {known_against_missing(node, node.buckets.code[0])};
    for (int i = 0; i < n; ++i) {
        std::vector<int> others = range(0, n);
        others.erase(others.begin() + i);
        place_missing(node, {node.buckets.code[static_cast<std::size_t>(i)], -1, {}, {{i}, others}}, out);
    }
    return out;
}

std::vector<Written> write_multiway(const Node& node) {
    std::vector<Written> out;
    const int n = node.buckets.size();
    if (n == 1 && node.buckets.has_missing) return {known_against_missing(node, -1)};
    Written known;
    for (int i = 0; i < n; ++i) known.parts.push_back({i});
    place_missing(node, known, out);
    return out;
}

std::vector<Written> write_subsets(const Node& node) {
    std::vector<Written> out;
    const int n = node.buckets.size();
    const bool joins = node.buckets.has_missing && node.learn(), own = node.buckets.has_missing && !joins;
    if (n == 1 && own) return {{-1, 1, {node.buckets.code[0]}, {{0}, {1}}}};
    const int items = n + (joins ? 1 : 0);
    for (u32 mask = 0; mask + 1 < u32{1} << (items - 1); ++mask) {  // bit j: item j + 1 joins item 0
        Written one;
        one.parts.resize(2);
        for (int i = 0; i < items; ++i) {
            const bool first = i == 0 || (mask >> (i - 1) & 1) != 0;
            one.parts[first ? 0 : 1].push_back(i);
            if (first) one.set.push_back(i < n ? node.buckets.code[static_cast<std::size_t>(i)] : node.n_values);
            if (i == n) one.missing = first ? 0 : 1;
        }
        if (own) {
            one.parts.push_back({n});
            one.missing = 2;
        }
        out.push_back(std::move(one));
    }
    std::stable_sort(out.begin(), out.end(), [](const Written& a, const Written& b) {
        return std::pair(a.set.size(), a.set) < std::pair(b.set.size(), b.set);
    });
    return out;
}

// The first, in the order written, of those that tie with the best; null if none is admissible.
const Written* winner(const Node& node, const Judge& judge, SplitKind kind, const std::vector<Written>& all) {
    std::vector<std::pair<double, const Written*>> scored;
    double best = -1;
    for (const Written& one : all) {
        std::vector<Lanes> branches;
        for (const auto& part : one.parts) {
            Lanes sum(node.total.size(), 0);
            for (int i : part)
                add_lanes(sum.data(), i < node.buckets.size() ? node.buckets.at(i) : node.buckets.missing.data(),
                          node.layout.width());
            branches.push_back(std::move(sum));
        }
        Candidate judged;
        if (!judge.judge(testing::pointers(branches).data(), static_cast<int>(branches.size()), 0, kind, judged))
            continue;
        scored.emplace_back(judged.score, &one);
        best = std::max(best, judged.score);
    }
    for (const auto& [score, one] : scored)
        if (score >= best - judge.margin(best)) return one;
    return nullptr;
}

template <class Write>
void check_search(SplitKind kind, Write write, int most_values, int trials) {
    Random random(static_cast<u64>(kind));
    for (const Criterion& criterion : kCriteria)
        for (int trial = 0; trial < trials; ++trial) {
            const Node node = draw_node(random, criterion, most_values);
            const Judge judge(node.plan, node.layout, node.total.data(), nullptr);
            const std::vector<Written> all = write(node);
            const Written* expected = winner(node, judge, kind, all);
            Candidates candidates(judge);
            search(judge, node.buckets, 0, kind, node.n_values, candidates);
            if (!CHECK(candidates.empty() == (expected == nullptr)) || expected == nullptr) continue;
            const Candidate chosen = candidates.winner();
            CHECK(chosen.kind == kind && chosen.missing == expected->missing && chosen.below == expected->below);
            CHECK(chosen.set == expected->set);
        }
}

}  // namespace

TEST("the best threshold is found") { check_search(SplitKind::threshold, write_thresholds, 9, 200); }

TEST("the best value against the rest is found") { check_search(SplitKind::equals, write_equals, 7, 200); }

TEST("the best place of the gaps in a multiway split is found") {
    check_search(SplitKind::multiway, write_multiway, 7, 200);
}

TEST("the best set of values is found") { check_search(SplitKind::subset, write_subsets, 11, trials(100)); }

TEST("of tied candidates the first in order wins, whatever order they are offered in") {
    Plan plan;
    const Layout layout{2};
    const i64 total[3] = {10, 10, 20};
    const Judge judge(plan, layout, total, nullptr);
    Random random(9);
    for (int trial = 0; trial < 20; ++trial) {
        std::vector<Candidate> offered(200);
        for (std::size_t i = 0; i < offered.size(); ++i) {
            offered[i].score = i < 30 ? 0.1 : 0.2 + (i % 2 == 0 ? 1e-14 : 0);
            offered[i].column = static_cast<i32>(i / 20);
            offered[i].order = static_cast<i64>(i % 20);
        }
        random.shuffle(offered);
        Candidates held(judge), other(judge);
        for (std::size_t i = 0; i < offered.size(); ++i) (i % 3 == 0 ? other : held).offer(offered[i]);
        held.merge(std::move(other));
        const Candidate first = held.winner();
        CHECK(first.column == 1 && first.order == 10);
    }
}

}  // namespace hornbeam
