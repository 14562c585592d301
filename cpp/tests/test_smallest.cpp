// The search for smallest trees: its costs are those of trying everything, and its graph is a tree of that cost.

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <stdexcept>

#include "hornbeam/smallest/smallest.hpp"
#include "tests/check.hpp"
#include "tests/random.hpp"

namespace hornbeam {
namespace {

using testing::Random;

const std::function<bool()> kNeverStop = [] { return false; };

struct Drawn {
    std::vector<std::vector<i32>> codes;
    std::vector<i32> classes;
    SmallestProblem problem;
};

Drawn draw(Random& random, std::size_t most_rows, SplitKind split) {
    Drawn out;
    const std::size_t n = 1 + random.below(most_rows), n_columns = 1 + random.below(3);
    out.codes.resize(n_columns);
    std::map<std::vector<i32>, i32> class_of_kind;  // rows of one kind have one class
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<i32> row;
        for (auto& column : out.codes) row.push_back(column.emplace_back(random.number(0, 3)));
        out.classes.push_back(class_of_kind.try_emplace(row, random.number(0, 2)).first->second);
    }
    for (const auto& column : out.codes) out.problem.columns.push_back({split, 4, column});
    out.problem.classes = out.classes;
    out.problem.n_classes = 3;
    out.problem.leaf_cost = 1024;
    out.problem.test_cost = 1;
    return out;
}

// Rows as a bit mask; every bipartition of the values present that the kind allows.
class Twin {
  public:
    explicit Twin(const Drawn& drawn) : drawn_(drawn) {}

    u32 cost(u32 rows) {
        if (pure(rows)) return 1024;
        u32& best = memo_[rows];
        if (best != 0) return best;
        u32 least = 0xFFFFFFFF;
        for (std::size_t c = 0; c < drawn_.codes.size(); ++c)
            for (u32 left = 1; left < 15; ++left)
                if (allowed(left)) {
                    const u32 part = having(rows, c, left);
                    if (part != 0 && part != rows) least = std::min(least, 1 + cost(part) + cost(rows & ~part));
                }
        return memo_[rows] = least;
    }

  private:
    bool allowed(u32 left) const {
        switch (drawn_.problem.columns[0].split) {
            case SplitKind::equals:
                return std::popcount(left) == 1;
            case SplitKind::threshold:
                return (left & (left + 1)) == 0;
            default:
                return true;
        }
    }
    bool pure(u32 rows) const {
        i32 only_class = -1;
        for (std::size_t i = 0; i < drawn_.classes.size(); ++i)
            if (rows >> i & 1) {
                if (only_class >= 0 && only_class != drawn_.classes[i]) return false;
                only_class = drawn_.classes[i];
            }
        return true;
    }
    u32 having(u32 rows, std::size_t column, u32 values) const {
        u32 out = 0;
        for (std::size_t i = 0; i < drawn_.classes.size(); ++i)
            if ((rows >> i & 1) && (values >> drawn_.codes[column][i] & 1)) out |= u32{1} << i;
        return out;
    }

    const Drawn& drawn_;
    std::map<u32, u32> memo_;
};

// The cost of the tree that a graph of one test a state spells out.
u32 spelled(const SmallestGraph& graph) {
    u32 cost = 0;
    for (std::size_t s = 0; s + 1 < graph.test_offset.size(); ++s)
        cost += graph.test_offset[s + 1] > graph.test_offset[s] ? 1U : 1024U;
    return cost;
}

}  // namespace

TEST("the least cost is that of trying everything, and the graph is a tree of that cost") {
    Random random(11);
    for (SplitKind split : {SplitKind::threshold, SplitKind::subset, SplitKind::equals})
        for (int k = 0; k < 60; ++k) {
            const Drawn drawn = draw(random, 10, split);
            const u32 expected = Twin(drawn).cost((u32{1} << drawn.classes.size()) - 1);
            const SmallestGraph graph = smallest(drawn.problem, true, kNeverStop);
            CHECK(graph.outcome == SmallestGraph::Outcome::solved);
            CHECK(graph.cost == expected);
            CHECK(spelled(graph) == expected);
        }
}

TEST("wide row sets find what narrow ones do") {
    Random random(5);
    for (int k = 0; k < 20; ++k) {
        Drawn drawn = draw(random, 30, SplitKind::equals);
        const SmallestGraph narrow = smallest(drawn.problem, true, kNeverStop);
        // The same rows over and over: the same trees.
        const std::size_t n = drawn.classes.size();
        for (std::size_t i = n; i < 700; ++i) {
            for (auto& column : drawn.codes) column.push_back(column[i % n]);
            drawn.classes.push_back(drawn.classes[i % n]);
        }
        for (std::size_t c = 0; c < drawn.codes.size(); ++c) drawn.problem.columns[c].codes = drawn.codes[c];
        drawn.problem.classes = drawn.classes;
        const SmallestGraph wide = smallest(drawn.problem, true, kNeverStop);
        CHECK(wide.n_words == 16);
        CHECK(wide.cost == narrow.cost);
        CHECK(wide.test_column == narrow.test_column);
        CHECK(wide.child == narrow.child);
    }
}

TEST("a search that may keep few row sets says how far it came") {
    Random random(3);
    Drawn drawn;
    drawn.codes.resize(8);
    for (int i = 0; i < 64; ++i) {
        for (auto& column : drawn.codes) column.push_back(random.number(0, 3));
        drawn.classes.push_back(random.number(0, 1));
    }
    for (const auto& column : drawn.codes) drawn.problem.columns.push_back({SplitKind::subset, 4, column});
    drawn.problem.classes = drawn.classes;
    drawn.problem.n_classes = 2;
    drawn.problem.most_sets = 2000;
    const SmallestGraph graph = smallest(drawn.problem, true, kNeverStop);
    CHECK(graph.outcome == SmallestGraph::Outcome::too_large);
    CHECK(graph.n_sets == 2000);
    CHECK(graph.cost > 1 && graph.cost <= graph.cost_met);
    CHECK(graph.expected >= 2000);
    drawn.problem.most_sets = 10'000'000;
    const SmallestGraph stopped = smallest(drawn.problem, true, [] { return true; });
    CHECK(stopped.outcome == SmallestGraph::Outcome::interrupted);
    CHECK_THROWS(std::invalid_argument, smallest(SmallestProblem{}, true, kNeverStop));
}

}  // namespace hornbeam
