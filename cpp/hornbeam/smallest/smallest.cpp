// The door of the search: the width of a row set, the goal, and what to say when the search is not finished.
#include "hornbeam/smallest/smallest.hpp"

#include <cmath>
#include <stdexcept>

#include "hornbeam/smallest/graph.hpp"

namespace hornbeam {
namespace {

// The cost of the tree that takes the test of least entropy at every node: an upper bound.
template <int W>
u64 greedy_cost(Search<W>& search, const RowSet<W>& all) {
    const auto n_log_n = [](int n) { return n > 0 ? n * std::log2(n) : 0.0; };
    const auto entropy = [&](const RowSet<W>& rows) {  // times the number of rows
        double sum = n_log_n(rows.count());
        for (const RowSet<W>& one : search.classes()) sum -= n_log_n((rows & one).count());
        return sum;
    };
    u64 cost = 0;
    std::vector<RowSet<W>> waiting{all};
    while (!waiting.empty()) {
        const RowSet<W> rows = waiting.back();
        waiting.pop_back();
        if (search.pure(rows)) {
            cost += search.costs().leaf;
            continue;
        }
        std::vector<RowSet<W>> best;
        double least = 0;
        i32 empty = 0;
        search.tests().each(rows, [&](i32, std::span<const RowSet<W>> parts, i32 n_empty) {
            double left = 0;
            for (const RowSet<W>& part : parts) left += entropy(part);
            if (best.empty() || left < least) {
                best.assign(parts.begin(), parts.end());
                least = left;
                empty = n_empty;
            }
            return false;
        });
        cost += search.costs().test + static_cast<u64>(empty) * search.costs().leaf;
        waiting.insert(waiting.end(), best.begin(), best.end());
    }
    return cost;
}

// How far the search came, bound by bound, and what the rest would take if every further step cost as much more than
// the one before as the last ones did.
class Progress {
  public:
    void note(u32 cost, u64 sets) {
        if (sets > 0) seen_.push_back({cost, sets});
    }
    double expected(u64 met, u64 sets, u64 unit) const {
        if (seen_.empty()) return static_cast<double>(sets);
        const auto& [cost, last] = seen_.back();
        const auto& [cost_before, before] = seen_[seen_.size() > 4 ? seen_.size() - 4 : 0];
        const double steps = static_cast<double>(cost - cost_before) / static_cast<double>(unit);
        const double growth =
            steps > 0 ? std::pow(static_cast<double>(last) / static_cast<double>(before), 1 / steps) : 2;
        const double left = met > cost ? static_cast<double>(met - cost) / static_cast<double>(unit) : 0;
        return static_cast<double>(sets) * std::pow(std::max(growth, 1.05), left);
    }

  private:
    std::vector<std::pair<u32, u64>> seen_;
};

// The least depth of any consistent tree: with nothing to pay, a tree is only possible or not.
template <int W>
u16 least_depth(const SmallestProblem& problem, const RowSet<W>& all, const std::function<bool()>& stop, u64& sets) {
    Search<W> search(problem, 0, 0, stop);
    u16 depth = 0;
    while (search.raise(all, depth, 0).cost != 0) ++depth;  // a tree of n rows needs no more than n - 1 tests on a path
    sets += search.n_sets();
    return depth;
}

template <int W>
SmallestGraph run(const SmallestProblem& problem, bool build, const std::function<bool()>& stop) {
    SmallestGraph out;
    RowSet<W> all;
    for (std::size_t i = 0; i < problem.classes.size(); ++i) all.add(i);
    Search<W> search(problem, problem.leaf_cost, problem.test_cost, stop);
    Progress progress;
    const u64 unit = search.costs().binary() ? search.costs().leaf + search.costs().test : search.costs().leaf;
    CostBound bound;
    u64 sets_before = 0;
    try {
        u16 depth = kAnyDepth;
        if (problem.goal == SmallestGoal::depth) {
            depth = least_depth(problem, all, stop, sets_before);
            out.depth = depth;
        }
        bound = search.bound(all, depth);
        while (!bound.exact) {
            progress.note(bound.cost, search.n_sets());
            bound = search.step(all, depth, bound.cost);
        }
        if (build) {
            GraphBuilder<W> builder(search, out);
            if (problem.goal == SmallestGoal::every)
                builder.every(all, problem.most_sets / 4);
            else
                builder.canonical(all, depth);
        }
    } catch (const TooManySets&) {
        out.outcome = SmallestGraph::Outcome::too_large;
        out.cost_met = Costs::clamp(greedy_cost(search, all));
        out.expected = progress.expected(out.cost_met, search.n_sets(), unit);
    } catch (const SearchInterrupted&) {
        out.outcome = SmallestGraph::Outcome::interrupted;
    }
    out.cost = bound.cost;
    out.n_sets = sets_before + search.n_sets();
    return out;
}

}  // namespace

SmallestGraph smallest(const SmallestProblem& problem, bool build, const std::function<bool()>& stop) {
    const std::size_t n = problem.classes.size();
    if (n == 0 || n > kMostSmallestRows) throw std::invalid_argument("the search takes 1 to 1024 rows");
    if (n <= 64) return run<1>(problem, build, stop);
    if (n <= 128) return run<2>(problem, build, stop);
    if (n <= 256) return run<4>(problem, build, stop);
    return n <= 512 ? run<8>(problem, build, stop) : run<16>(problem, build, stop);
}

}  // namespace hornbeam
