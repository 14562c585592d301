// The search: what does the cheapest tree of a set of rows cost?
//
//   cost(S) = leaf                                       if the rows of S are of one class
//             min over tests of S: test + sum of cost(branch), a branch without rows being a leaf     otherwise
//
// Nothing is computed bottom-up: every set starts with a lower bound and `step` raises it. With the bound as the
// budget, a test whose branches' bounds add up to more is out. For the others the bound of one branch at a time is
// raised, the cheapest first, until the sum exceeds the budget or all branches are exact. If every test is out, the
// least of their sums is the new bound; if one is left, the bound is the cost. So no branch is searched further than it
// takes to rule its test out. Bounds that hold at once:
//
//   - a tree has as many leaves as there are classes, and tests to match;
//   - two classes that no single binary test separates take three leaves;
//   - dropping rows never makes a tree larger: cost(S) >= cost(branch);
//   - a tree of depth d has at most b^d leaves, b being the most branches of a test; fewer if all tests are `A=v`, of
//     which a path can answer only one with yes for each column.
//
// The same with a depth that is allowed, one less in the branches.
#pragma once

#include "hornbeam/smallest/memo.hpp"
#include "hornbeam/smallest/tests.hpp"

namespace hornbeam {

struct SearchInterrupted {};

// What leaves and tests cost, and what that says about the size of trees.
struct Costs {
    u64 leaf, test;
    i32 most_branches;
    u64 most_yes;  // on a path: each `A=v` that is true settles a column

    bool binary() const { return most_branches == 2; }
    // The least cost of a tree with so many leaves.
    u32 least(u64 leaves) const {
        const u64 each = static_cast<u64>(most_branches - 1);
        return clamp(leaves * leaf + (leaves - 1 + each - 1) / each * test);
    }
    // The most leaves of a tree so deep (or very many): a leaf is its path, of binary tests a string of yes and no.
    u64 room(u16 depth) const {
        constexpr u64 kMany = u64{1} << 32;
        u64 paths = 1;
        if (!binary()) {
            for (u16 d = 0; d < depth && paths < kMany; ++d) paths *= static_cast<u64>(most_branches);
            return paths;
        }
        if (depth >= 32 && most_yes >= 32) return kMany;
        u64 ways = 1;  // of i yes in a path of `depth` answers
        for (u64 i = 1; i <= std::min<u64>(most_yes, depth) && paths < kMany; ++i)
            paths += ways = ways * (depth - i + 1) / i;
        return paths;
    }
    // Whether no binary tree of this cost fits into the depth.
    bool too_deep(u64 cost, u16 depth) const {
        return binary() && leaf + test > 0 && cost > room(depth) * (leaf + test) - test;
    }
    bool too_many(u64 leaves, u16 depth) const { return depth != kAnyDepth && room(depth) < leaves; }
    static u32 clamp(u64 cost) { return static_cast<u32>(std::min<u64>(cost, kImpossible)); }
};

template <int W>
class Search {
  public:
    Search(const SmallestProblem& problem, u32 leaf_cost, u32 test_cost, const std::function<bool()>& stop)
        : tests_(problem),
          classes_(static_cast<std::size_t>(problem.n_classes)),
          class_of_(problem.classes.begin(), problem.classes.end()),
          costs_{leaf_cost, test_cost, tests_.most_branches(), tests_.most_yes()},
          memo_(problem.most_sets),
          stop_(stop) {
        for (std::size_t i = 0; i < class_of_.size(); ++i) classes_[static_cast<std::size_t>(class_of_[i])].add(i);
    }

    TestsOf<W>& tests() { return tests_; }
    const Costs& costs() const { return costs_; }
    u64 n_sets() const { return memo_.size(); }

    const RowSet<W>& class_rows(const RowSet<W>& rows) const {
        return classes_[static_cast<std::size_t>(class_of_[rows.first()])];
    }
    bool pure(const RowSet<W>& rows) const { return rows.inside(class_rows(rows)); }
    const std::vector<RowSet<W>>& classes() const { return classes_; }

    // What is known, without searching.
    CostBound bound(const RowSet<W>& rows, u16 depth) {
        if (pure(rows)) return {static_cast<u32>(costs_.leaf), true};
        if (depth == 0) return {kImpossible, true};
        if (const auto known = memo_.find(rows, depth)) return *known;
        CostBound first = first_bound(rows, depth);
        if (depth != kAnyDepth && !first.exact)
            if (const auto known = memo_.find(rows, kAnyDepth)) first.cost = std::max(first.cost, known->cost);
        return keep(rows, depth, first);
    }

    // Raises the bound until it is exact or above the budget.
    CostBound raise(const RowSet<W>& rows, u16 depth, u32 budget) {
        CostBound known = bound(rows, depth);
        while (!known.exact && known.cost <= budget) known = step(rows, depth, known.cost);
        return known;
    }

    // Raises the bound, or finds that it is the cost.
    CostBound step(const RowSet<W>& rows, u16 depth, u32 budget) {
        const u16 below = depth == kAnyDepth ? depth : static_cast<u16>(depth - 1);
        std::vector<RowSet<W>> branches;
        std::vector<Candidate> open;
        u32 next = kImpossible, largest = 0;
        bool solved = false;
        tests_.each(rows, [&](i32, std::span<const RowSet<W>> parts, i32 n_empty) {
            u64 sum = costs_.test + static_cast<u64>(n_empty) * costs_.leaf;
            bool exact = true;
            int rows_most = 0;
            for (const RowSet<W>& part : parts) {
                const CostBound known = bound(part, below);
                sum += known.cost;
                exact &= known.exact;
                largest = std::max(largest, known.cost);
                rows_most = std::max(rows_most, part.count());
            }
            if (sum > budget) {
                next = std::min(next, Costs::clamp(sum));
                return false;
            }
            if (exact) return solved = true;
            open.push_back({branches.size(), parts.size(), static_cast<u32>(n_empty), sum, rows_most});
            branches.insert(branches.end(), parts.begin(), parts.end());
            return false;
        });
        if (solved) return keep(rows, depth, {budget, true});
        if (depth == kAnyDepth && largest > budget) return keep(rows, depth, {largest, false});
        std::stable_sort(open.begin(), open.end(), [](const Candidate& a, const Candidate& b) {
            return a.sum != b.sum ? a.sum < b.sum : a.rows_most < b.rows_most;
        });
        for (const Candidate& test : open) {
            const auto parts = std::span<const RowSet<W>>(branches).subspan(test.first, test.n);
            const CostBound sum = rule_out(parts, test.n_empty, below, budget, largest);
            if (sum.cost <= budget) return keep(rows, depth, {budget, true});
            if (depth == kAnyDepth && largest > budget) return keep(rows, depth, {largest, false});
            next = std::min(next, sum.cost);
        }
        return keep(rows, depth, {next, next == kImpossible});
    }

    // Raises the bounds of a test's branches until their sum exceeds the budget (or one branch's does) or is exact.
    CostBound rule_out(std::span<const RowSet<W>> parts, u32 n_empty, u16 below, u32 budget, u32& largest) {
        std::vector<CostBound> known(parts.size());
        u64 sum = costs_.test + n_empty * costs_.leaf;
        for (std::size_t i = 0; i < parts.size(); ++i) sum += (known[i] = bound(parts[i], below)).cost;
        while (sum <= budget) {
            std::size_t easiest = parts.size();
            for (std::size_t i = 0; i < parts.size(); ++i)
                if (!known[i].exact &&
                    (easiest == parts.size() || easier(known[i], parts[i], known[easiest], parts[easiest])))
                    easiest = i;
            if (easiest == parts.size()) return {static_cast<u32>(sum), true};
            sum -= known[easiest].cost;
            known[easiest] = step(parts[easiest], below, known[easiest].cost);
            sum += known[easiest].cost;
            largest = std::max(largest, known[easiest].cost);
        }
        return {Costs::clamp(sum), false};
    }

  private:
    struct Candidate {
        std::size_t first, n;
        u32 n_empty;
        u64 sum;
        int rows_most;
    };

    static bool easier(CostBound a, const RowSet<W>& rows_a, CostBound b, const RowSet<W>& rows_b) {
        return a.cost != b.cost ? a.cost < b.cost : rows_a.count() < rows_b.count();
    }

    CostBound first_bound(const RowSet<W>& rows, u16 depth) const {
        u64 n_classes = 0;
        for (const RowSet<W>& one : classes_) n_classes += !(rows & one).empty();
        if (costs_.too_many(n_classes, depth)) return {kImpossible, true};
        if (!costs_.binary()) return {costs_.least(n_classes), false};
        const u64 n_rows = static_cast<u64>(rows.count());
        if (n_classes == 2 && tests_.separates(rows, rows & class_rows(rows))) return {costs_.least(2), true};
        const u64 leaves = n_classes == 2 ? 3 : n_classes;
        return {costs_.least(leaves), depth == kAnyDepth && n_rows == leaves};  // a leaf for each row
    }

    CostBound keep(const RowSet<W>& rows, u16 depth, CostBound known) {
        if (++n_kept_ % 8192 == 0 && stop_()) throw SearchInterrupted{};
        if (depth != kAnyDepth && costs_.too_deep(known.cost, depth)) known = {kImpossible, true};
        return memo_.put(rows, depth, known);
    }

    TestsOf<W> tests_;
    std::vector<RowSet<W>> classes_;  // the rows of each class
    std::vector<i32> class_of_;
    Costs costs_;
    Memo<W> memo_;
    const std::function<bool()>& stop_;
    u64 n_kept_ = 0;
};

}  // namespace hornbeam
