// Optimal trees: their cost is that of trying everything, and the tree that is returned costs just that.

#include <algorithm>
#include <cmath>
#include <functional>

#include "hornbeam/optimal/optimal.hpp"
#include "tests/check.hpp"
#include "tests/random.hpp"

namespace hornbeam {
namespace {

using testing::Random;
using testing::trials;

const std::function<bool(i64, i64)> kNeverStop = [](i64, i64) { return false; };
constexpr i64 kImpossibleCost = i64{1} << 60;

struct Drawn {
    std::vector<std::vector<i32>> codes;
    std::vector<i64> costs, rows;
    OptimalProblem problem;
};

Drawn draw(Random& random, std::size_t most_rows) {
    Drawn out;
    const std::size_t n = 1 + random.below(most_rows), n_columns = 1 + random.below(3);
    const i32 n_answers = random.number(2, 4);
    const i64 scale = random.below(4) == 0 ? 100'000 : random.below(4) == 0 ? i64{1} << 40 : 1;  // wider lanes
    out.codes.resize(n_columns);
    for (auto& column : out.codes) {
        const i32 n_values = random.number(1, 5);
        const bool gaps = random.below(3) == 0;
        for (std::size_t i = 0; i < n; ++i)
            column.push_back(gaps && random.below(4) == 0 ? -1 : random.number(0, n_values - 1));
        out.problem.columns.push_back({random.below(3) == 0, n_values, {}});
    }
    const bool any_cost = random.below(3) == 0;
    for (std::size_t i = 0; i < n; ++i) {
        const i32 answer = random.number(0, n_answers - 1);
        const i64 weight = scale * (random.below(2) == 0 ? 1 : random.number(0, 5));
        for (i32 a = 0; a < n_answers; ++a)
            out.costs.push_back(any_cost ? scale * random.number(0, 4) : a == answer ? 0 : weight);
        out.rows.push_back(random.number(1, 3));
    }
    out.problem.n_answers = n_answers;
    out.problem.price = random.below(2) == 0 ? 0 : scale * random.number(0, 2);
    out.problem.max_depth = random.number(0, 3);
    out.problem.min_rows = random.below(3) == 0 ? random.number(2, 4) : 1;
    out.problem.upper = kImpossibleCost;
    out.problem.memory = random.below(2) == 0 ? 1 : u64{1} << 20;
    return out;
}

void borrow(Drawn& drawn) {
    for (std::size_t c = 0; c < drawn.codes.size(); ++c) drawn.problem.columns[c].codes = drawn.codes[c];
    drawn.problem.costs = drawn.costs;
    drawn.problem.rows = drawn.rows;
}

// Tries every test; sets of rows are bit masks.
class Twin {
  public:
    explicit Twin(const Drawn& drawn) : drawn_(drawn) {}

    i64 leaf(u32 rows) const {
        const auto k = static_cast<std::size_t>(drawn_.problem.n_answers);
        i64 n = 0, best = kImpossibleCost;
        for (std::size_t a = 0; a < k; ++a) {
            i64 cost = n = 0;
            each(rows, [&](std::size_t i) {
                cost += drawn_.costs[i * k + a];
                n += drawn_.rows[i];
            });
            best = std::min(best, cost);
        }
        return n < drawn_.problem.min_rows ? kImpossibleCost : best + drawn_.problem.price;
    }

    // Of at most so many levels and leaves.
    i64 best(u32 rows, int depth, int leaves) const {
        i64 least = leaf(rows);
        if (depth == 0 || leaves == 1) return least;
        for (std::size_t c = 0; c < drawn_.codes.size(); ++c) {
            const OptimalColumn& column = drawn_.problem.columns[c];
            const auto offer = [&](auto&& goes_left) {
                u32 left = 0;
                each(rows, [&](std::size_t i) { left |= goes_left(drawn_.codes[c][i]) ? u32{1} << i : 0; });
                if (left == 0 || left == rows) return;
                const int half = 1 << (depth - 1);
                if (leaves >= 2 * half) {
                    least = std::min(least, best(left, depth - 1, half) + best(rows & ~left, depth - 1, half));
                    return;
                }
                for (int n = 1; n < leaves; ++n)
                    least = std::min(least, best(left, depth - 1, std::min(n, half)) +
                                                best(rows & ~left, depth - 1, std::min(leaves - n, half)));
            };
            if (column.nominal)
                for (u32 set = 1; set < (u32{1} << column.n_values); ++set)
                    offer([&](i32 code) { return code < 0 ? false : (set >> code & 1) != 0; });
            else
                for (i32 cut = 0; cut < column.n_values; ++cut)
                    for (const bool missing_left : {false, true})
                        offer([&](i32 code) { return code < 0 ? missing_left : code <= cut; });
        }
        return least;
    }

    // What a tree costs; branches without rows cost nothing and are not allowed.
    i64 cost(const std::vector<OptimalNode>& nodes, std::size_t at, u32 rows, int depth) const {
        CHECK(rows != 0 && depth >= 0);
        const OptimalNode& node = nodes[at];
        if (node.left < 0) return leaf(rows);
        const auto c = static_cast<std::size_t>(node.column);
        u32 left = 0;
        each(rows, [&](std::size_t i) {
            const i32 code = drawn_.codes[c][i];
            const bool goes_left =
                !node.left_set.empty()
                    ? node.left_set[code < 0 ? node.left_set.size() - 1 : static_cast<std::size_t>(code)] != 0
                : code < 0 ? node.missing_left
                           : code <= node.code;
            left |= goes_left ? u32{1} << i : 0;
        });
        const auto first = static_cast<std::size_t>(node.left);
        return cost(nodes, first, left, depth - 1) + cost(nodes, first + 1, rows & ~left, depth - 1);
    }

  private:
    template <class Visit>
    static void each(u32 rows, Visit&& visit) {
        for (std::size_t i = 0; i < 32; ++i)
            if (rows >> i & 1) visit(i);
    }

    const Drawn& drawn_;
};

bool same(const OptimalNode& a, const OptimalNode& b) {
    return a.column == b.column && a.code == b.code && a.missing_left == b.missing_left && a.left_set == b.left_set &&
           a.left == b.left;
}

TEST("optimal trees cost what trying everything costs") {
    for (u64 seed = 0; seed < 1500; ++seed) {
        Random random(seed);
        Drawn drawn = draw(random, seed % 3 == 0 ? 16 : 8);
        if (drawn.problem.max_depth == 3) drawn.problem.max_depth = seed % 3 == 0 ? 2 : 3;
        borrow(drawn);
        const Twin twin(drawn);
        const u32 all = static_cast<u32>((u64{1} << drawn.rows.size()) - 1);
        const int most = 1 << drawn.problem.max_depth;
        drawn.problem.max_leaves = seed % 2 == 0 ? 0 : random.number(1, most);
        const i64 expected =
            twin.best(all, drawn.problem.max_depth, drawn.problem.max_leaves == 0 ? most : drawn.problem.max_leaves);
        const OptimalResult result = optimal_tree(drawn.problem, kNeverStop);
        if (expected >= kImpossibleCost) continue;
        CHECK(result.proven && result.cost == expected && result.bound == expected);
        CHECK(result.better && twin.cost(result.nodes, 0, all, drawn.problem.max_depth) == expected);
        // With two threads, and with a tree known that costs as much, the tree is the same.
        drawn.problem.n_threads = 2;
        drawn.problem.upper = expected;
        const OptimalResult again = optimal_tree(drawn.problem, kNeverStop);
        CHECK(again.proven && again.cost == expected && again.nodes.size() == result.nodes.size());
        CHECK(std::equal(again.nodes.begin(), again.nodes.end(), result.nodes.begin(), same));
    }
}

TEST("the best trees of every size are found in one run") {
    for (u64 seed = 0; seed < 150; ++seed) {
        Random random(seed);
        Drawn drawn = draw(random, 8);
        drawn.problem.max_depth = 1 + static_cast<int>(seed % 3);
        borrow(drawn);
        const Twin twin(drawn);
        const u32 all = static_cast<u32>((u64{1} << drawn.rows.size()) - 1);
        if (twin.leaf(all) >= kImpossibleCost) continue;
        const std::vector<OptimalResult> path = optimal_path(drawn.problem, kNeverStop);
        CHECK(path.size() == std::size_t{1} << drawn.problem.max_depth);
        for (std::size_t i = 0; i < path.size(); ++i) {
            const i64 expected = twin.best(all, drawn.problem.max_depth, static_cast<int>(i) + 1);
            CHECK(path[i].proven && path[i].cost == expected);
            CHECK(twin.cost(path[i].nodes, 0, all, drawn.problem.max_depth) == expected);
            CHECK(path[i].nodes.size() <= 2 * i + 1);
        }
    }
}

// Trees of numbers: squared differences from the mean, in doubles.
class RealTwin {
  public:
    explicit RealTwin(const Drawn& drawn, const std::vector<i64>& numbers) : drawn_(drawn), numbers_(numbers) {}

    double leaf(u32 rows) const {
        double w = 0, s = 0, q = 0;
        i64 n = 0;
        for (std::size_t i = 0; i < numbers_.size(); ++i) {
            if (!(rows >> i & 1)) continue;
            const auto y = static_cast<double>(numbers_[i]), own = static_cast<double>(drawn_.rows[i]);
            w += own, s += own * y, q += own * y * y, n += drawn_.rows[i];
        }
        if (n < drawn_.problem.min_rows) return 1e30;
        return q - s * s / w + static_cast<double>(drawn_.problem.price);
    }

    double best(u32 rows, int depth) const {
        double least = leaf(rows);
        if (depth == 0) return least;
        for (std::size_t c = 0; c < drawn_.codes.size(); ++c) {
            const OptimalColumn& column = drawn_.problem.columns[c];
            for (u32 test = 1; test < (column.nominal ? u32{1} << column.n_values : u32(column.n_values) + 1); ++test)
                for (const bool missing_left : {false, true}) {
                    u32 left = 0;
                    for (std::size_t i = 0; i < numbers_.size(); ++i) {
                        const i32 code = drawn_.codes[c][i];
                        const bool in = code < 0         ? missing_left
                                        : column.nominal ? (test >> code & 1) != 0
                                                         : code < static_cast<i32>(test);
                        if (rows >> i & 1 && in) left |= u32{1} << i;
                    }
                    if (left != 0 && left != rows)
                        least = std::min(least, best(left, depth - 1) + best(rows & ~left, depth - 1));
                }
        }
        return least;
    }

    double cost(const std::vector<OptimalNode>& nodes, std::size_t at, u32 rows) const {
        const OptimalNode& node = nodes[at];
        if (node.left < 0) return leaf(rows);
        u32 left = 0;
        for (std::size_t i = 0; i < numbers_.size(); ++i) {
            const i32 code = drawn_.codes[static_cast<std::size_t>(node.column)][i];
            const std::size_t place = code < 0 ? node.left_set.size() - 1 : static_cast<std::size_t>(code);
            const bool in = !node.left_set.empty() ? node.left_set[place] != 0
                            : code < 0             ? node.missing_left
                                                   : code <= node.code;
            if (rows >> i & 1 && in) left |= u32{1} << i;
        }
        const auto first = static_cast<std::size_t>(node.left);
        return cost(nodes, first, left) + cost(nodes, first + 1, rows & ~left);
    }

  private:
    const Drawn& drawn_;
    const std::vector<i64>& numbers_;
};

TEST("optimal trees of numbers cost what trying everything costs") {
    for (u64 seed = 0; seed < 800; ++seed) {
        Random random(seed);
        Drawn drawn = draw(random, seed % 3 == 0 ? 14 : 8);
        const std::size_t n = drawn.rows.size();
        std::vector<i64> numbers(n);
        for (auto& y : numbers) y = 100'000 * random.number(-20, 20) + random.number(-3, 3);
        drawn.problem.n_answers = 0;
        drawn.problem.price = random.below(2) == 0 ? 1 : 100'000'000'000;
        if (drawn.problem.max_depth == 3) drawn.problem.max_depth = seed % 3 == 0 ? 2 : 3;
        borrow(drawn);
        drawn.problem.costs = {};
        drawn.problem.numbers = numbers;
        drawn.problem.weights = drawn.rows;
        const RealTwin twin(drawn, numbers);
        const u32 all = static_cast<u32>((u64{1} << n) - 1);
        const double expected = twin.best(all, drawn.problem.max_depth);
        if (expected >= 1e30) continue;
        const OptimalResult result = optimal_tree(drawn.problem, kNeverStop);
        CHECK(result.proven && std::abs(static_cast<double>(result.cost) - expected) < 64);
        CHECK(result.better && std::abs(twin.cost(result.nodes, 0, all) - expected) < 64);
        drawn.problem.n_threads = 2;
        const OptimalResult again = optimal_tree(drawn.problem, kNeverStop);
        CHECK(again.cost == result.cost && again.nodes.size() == result.nodes.size());
        CHECK(std::equal(again.nodes.begin(), again.nodes.end(), result.nodes.begin(), same));
    }
}

TEST("counting pairs of tests and trying them in lanes give the same tree") {
    for (u64 seed = 0; seed < static_cast<u64>(trials(120)); ++seed) {
        Random random(seed);
        Drawn drawn;
        const std::size_t n = 20 + random.below(200), n_columns = 2 + random.below(12);
        const i32 n_answers = random.number(2, 4), most_values = random.number(2, 3);
        drawn.codes.resize(n_columns);
        for (auto& column : drawn.codes) {
            const i32 n_values = random.number(2, most_values), gaps = random.number(0, 6);
            for (std::size_t i = 0; i < n; ++i)
                column.push_back(random.number(0, 30) < gaps ? -1 : random.number(0, n_values - 1));
            drawn.problem.columns.push_back({random.below(4) == 0, n_values, {}});
        }
        const i64 scale = random.below(2) == 0 ? 1 : 7;
        for (std::size_t i = 0; i < n; ++i) {
            const i32 answer = (drawn.codes[0][i] + drawn.codes[1][i] + random.number(0, 2)) % n_answers;
            for (i32 a = 0; a < n_answers; ++a) drawn.costs.push_back(a == std::max(answer, 0) ? 0 : scale);
            drawn.rows.push_back(1);
        }
        drawn.problem.n_answers = n_answers;
        drawn.problem.price = 1;
        drawn.problem.max_depth = random.number(2, 3);
        drawn.problem.upper = kImpossibleCost;
        borrow(drawn);
        const OptimalResult counted = optimal_tree(drawn.problem, kNeverStop);
        drawn.problem.count_pairs = false;
        const OptimalResult tried = optimal_tree(drawn.problem, kNeverStop);
        CHECK(counted.proven && tried.proven && counted.cost == tried.cost);
        CHECK(std::equal(counted.nodes.begin(), counted.nodes.end(), tried.nodes.begin(), tried.nodes.end(), same));
    }
}

TEST("a search for optimal trees that is stopped keeps its bound") {
    for (u64 seed = 0; seed < 60; ++seed) {
        Random random(seed);
        Drawn drawn = draw(random, 16);
        drawn.problem.max_depth = 3;
        drawn.problem.min_rows = 1;
        borrow(drawn);
        const Twin twin(drawn);
        const u32 all = static_cast<u32>((u64{1} << drawn.rows.size()) - 1);
        drawn.problem.upper = twin.leaf(all);
        drawn.problem.seconds = 1e-5 * static_cast<double>(seed % 20);
        const OptimalResult result = optimal_tree(drawn.problem, kNeverStop);
        drawn.problem.seconds = 1e18;
        const OptimalResult whole = optimal_tree(drawn.problem, kNeverStop);
        CHECK(result.bound <= whole.cost && result.cost >= whole.cost);
        if (result.better) CHECK(twin.cost(result.nodes, 0, all, 3) == result.cost);
        if (!result.better) CHECK(result.cost == drawn.problem.upper);
    }
}

}  // namespace
}  // namespace hornbeam
