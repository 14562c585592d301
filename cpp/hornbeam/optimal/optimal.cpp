#include "hornbeam/optimal/optimal.hpp"

#include <mutex>
#include <numeric>

#include "hornbeam/optimal/build_tree.hpp"
#include "hornbeam/optimal/ordered_search.hpp"
#include "hornbeam/threads/pool.hpp"

namespace hornbeam {
namespace optimal {
namespace {

// The search of the root: its cuts are shared among the threads, which search their sides by themselves.
template <class T>
class RootSearch {
  public:
    RootSearch(const OptimalProblem& problem, const std::function<bool(i64, i64)>& stop)
        : problem_(problem),
          items_(problem),
          memo_(problem.memory / (problem.min_rows > 1 ? 2 : 1)),
          ask_(stop),
          stop_(problem.seconds) {
        if (problem.min_rows > 1) floor_memo_ = std::make_unique<CostMemo>(problem.memory / 2);
    }

    // The best tree of at most so many leaves; `upper` is the cost of one that is known.
    OptimalResult run(i32 max_leaves, i64 upper) {
        OptimalResult out;
        const Size size = Size::of(items_.n_columns() == 0 ? 0 : problem_.max_depth, max_leaves);
        improved_ = false;
        test_ = {};
        n_solved_ = 0;
        out.all_sets = items_.all_sets;
        if (root_.order.empty()) open_root();
        best_ = std::max<i64>(upper - items_.least, 0);
        Threads mine = new_search(stop_);
        OptimalSearch<T>& own = *mine.search;
        own.pause = [this] { pause(); };
        bound_ = std::min(own.leaf_cost(root_), 2 * problem_.price);
        if (!problem_.orders.empty()) return search_ordered(own, size, upper, out), out;
        // A tree that is known costs `upper`: one that costs less is looked for first.
        if (size.depth <= 2) {
            finish(own.solve(root_, size, best_));
        } else if (own.leaf_cost(root_) <= 2 * problem_.price) {
            finish(own.leaf_cost(root_));
        } else {
            search_root(own, size);
        }
        out.n_solved = own.n_solved + n_solved_;
        out.proven = bound_ >= best_;
        out.cost = best_ + items_.least;
        out.bound = std::min(bound_, best_) + items_.least;
        write_tree(own, size, out);
        if (!out.better) {  // what is left is the tree that was known
            out.cost = upper;
            out.proven = out.bound >= out.cost;
        }
        return out;
    }

  private:
    void open_root() {
        fill_root(items_, root_);
        if (!problem_.count_pairs || items_.n_columns() == 0) return;
        Level level;
        level.open(items_, root_, Size::of(2, 0), problem_.min_rows);
        bits_ = std::make_unique<TestBits>(items_, root_, level);
        if (!bits_->used()) return bits_.reset();
        bits_->fill(root_);
    }

    // The search of one thread, and the one for its floors.
    struct Threads {
        std::unique_ptr<OptimalSearch<T>> floor, search;
    };
    Threads new_search(Stop& stop) {
        Threads out;
        if (floor_memo_)
            out.floor = std::make_unique<OptimalSearch<T>>(items_, *floor_memo_, stop, 1, nullptr, nullptr);
        out.search =
            std::make_unique<OptimalSearch<T>>(items_, memo_, stop, problem_.min_rows, out.floor.get(), bits_.get());
        return out;
    }

    void finish(i64 cost) {
        if (stop_.stopped()) {
            bound_ = std::max(bound_, std::min(cost, best_));
            return;
        }
        improved_ = improved_ || cost < best_;
        bound_ = best_ = std::min(best_, cost);
    }

    void search_ordered(OptimalSearch<T>& own, Size size, i64 upper, OptimalResult& out) {
        OrderedSearch<T> ordered(own);
        ordered.report = [this](i64 best, i64 bound) {
            best_ = std::min(best_, best), bound_ = std::max(bound_, bound);
            return bound_ < best_ && gap_reached();
        };
        ++best_;  // a tree that costs as much as the known one is looked for, too
        const std::vector<OrderedTree> trees = ordered.run(root_, size, best_, bound_);
        out.n_solved = own.n_solved;
        out.better = !trees.empty();
        out.cost = out.better ? trees.front().cost + items_.least : upper;
        out.bound = std::min(bound_ + items_.least, out.cost);
        out.proven = out.bound >= out.cost;
        if (out.better) OrderedSearch<T>::write(trees.front(), out.nodes);
    }

    void search_root(OptimalSearch<T>& own, Size size) {
        Chosen test;
        i64 best = best_;
        const bool more = own.open_deep(root_, size, best, test);
        if (best < best_) best_ = best, improved_ = true, test_ = test;
        if (!more) {
            if (!stop_.stopped()) bound_ = best_;
            return;
        }
        Level& level = own.level(size.depth);
        busy_.assign(level.lines.size(), 0);
        Pool pool(problem_.n_threads, [this] { return stop_.stopped(); });
        const auto n = static_cast<std::size_t>(pool.n_threads());
        std::vector<Threads> helpers(n);
        pool.each(n, [&](std::size_t, int worker) {
            auto& helper = helpers[static_cast<std::size_t>(worker)];
            if (worker > 0 && !helper.search) helper = new_search(stop_);
            work(worker == 0 ? own : *helper.search, level, size);
        });
        for (const Threads& helper : helpers)
            if (helper.search) n_solved_ += helper.search->n_solved;
        bound_ = std::max(bound_, least_bound(level));
    }

    // Takes cuts of the root until none is left that might be better.
    void work(OptimalSearch<T>& search, Level& level, Size size) {
        std::vector<u32> picked;
        std::unique_lock lock(mutex_);
        while (!stop_.now() && !gap_reached()) {
            const std::size_t j = OptimalSearch<T>::most_promising(level, best_, busy_);
            if (j == level.lines.size()) break;
            CutsOfLine& line = level.cuts[j];
            line.candidates(best_, 1 + 2 * std::size_t{busy_[j]}, picked);
            if (picked.empty()) {
                if (busy_[j] == 0) {
                    line.close();
                    continue;
                }
                break;  // what is left of it is being searched
            }
            const u32 index = picked[std::min<std::size_t>(busy_[j], picked.size() - 1)];
            const auto [left, right] = line.sides_at(index);
            const auto [left_floor, right_floor] = line.floors_at(index);
            const i64 best = best_;
            const u32 cut = line.cut[index];
            ++busy_[j];
            bound_ = std::max(bound_, least_bound(level));
            lock.unlock();
            const auto cost = search.sides(root_, size, line.line, cut, best, {left, right, left_floor, right_floor});
            lock.lock();
            --busy_[j];
            if (stop_.stopped()) break;
            cost.add_to(line, index);
            if (cost.left + cost.right < best_) {
                best_ = cost.left + cost.right;
                improved_ = true;
                test_ = {line.line.number, cut};
            }
        }
    }

    i64 least_bound(const Level& level) const {
        i64 least = best_;
        for (std::size_t j = 0; j < level.lines.size(); ++j) least = std::min(least, level.cuts[j].bound());
        return least;
    }

    bool gap_reached() const {
        const double cost = static_cast<double>(best_ + items_.least);
        return static_cast<double>(best_ - bound_) <= problem_.max_gap * cost;
    }

    // Looks for signals and says how far the search is; only on the thread that called.
    void pause() {
        const auto now = Stop::Clock::now();
        if (now - last_pause_ < std::chrono::milliseconds(20)) return;
        last_pause_ = now;
        i64 best, bound;
        {
            const std::scoped_lock lock(mutex_);
            best = best_, bound = bound_;
        }
        if (ask_(best + items_.least, bound + items_.least)) stop_.set();
    }

    void write_tree(OptimalSearch<T>& own, Size size, OptimalResult& out) {
        if (items_.n_columns() == 0) {
            out.nodes.assign(1, {});
            out.better = true;
            return;
        }
        TreeBuilder<T> builder(own, out.nodes);
        if (out.proven && !stop_.stopped() && builder.canonical(root_, size, best_)) {
            out.better = true;
            return;
        }
        out.nodes.clear();
        if (!improved_) return;
        // Time is over: what was met is remembered, and quickly followed.
        Stop endless(std::numeric_limits<double>::infinity());
        const Threads again = new_search(endless);
        TreeBuilder<T> quick(*again.search, out.nodes);
        out.better = quick.met(root_, size, test_, best_);
        if (out.better && test_.line >= kFirstLine) out.cost = quick.cost + items_.least;
        if (!out.better) out.nodes.clear();
    }

    const OptimalProblem& problem_;
    const Items items_;
    CostMemo memo_;
    std::unique_ptr<CostMemo> floor_memo_;
    const std::function<bool(i64, i64)>& ask_;
    Stop stop_;
    ItemNode root_;
    std::unique_ptr<TestBits> bits_;
    std::mutex mutex_;
    std::vector<u8> busy_;
    i64 best_ = 0, bound_ = 0;
    bool improved_ = false;
    Chosen test_;
    u64 n_solved_ = 0;
    Stop::Clock::time_point last_pause_ = Stop::Clock::now();
};

}  // namespace
}  // namespace optimal

namespace {

// Calls with a number of the type that is wide enough for all sums: the narrower, the more tests are tried at once.
template <class Call>
auto with_lanes(const OptimalProblem& problem, Call call) {
    if (problem.n_answers == 0) return call(double{});
    const auto k = static_cast<std::size_t>(problem.n_answers);
    i64 total = 0, rows = 0, unit = 0;
    for (std::size_t i = 0; i < problem.costs.size() / k; ++i) {
        i64 most = 0;
        for (std::size_t a = 0; a < k; ++a) {
            most = std::max(most, problem.costs[i * k + a]);
            unit = std::gcd(unit, problem.costs[i * k + a]);
        }
        total += most;
        rows += problem.rows.empty() ? 1 : problem.rows[i];
    }
    const i64 widest = std::max(total / std::max<i64>(unit, 1), problem.min_rows > 1 ? rows : 0);
    // Where leaves have a least size, half of the range stands for "none".
    const i64 part = problem.min_rows > 1 ? 2 : 1;
    if (widest < std::numeric_limits<std::int16_t>::max() / part) return call(std::int16_t{});
    if (widest < std::numeric_limits<i32>::max() / part) return call(i32{});
    return call(i64{});
}

}  // namespace

OptimalResult optimal_tree(const OptimalProblem& problem, const std::function<bool(i64, i64)>& stop) {
    return with_lanes(problem, [&]<class T>(T) {
        return optimal::RootSearch<T>(problem, stop).run(problem.max_leaves, problem.upper);
    });
}

std::vector<OptimalResult> optimal_path(const OptimalProblem& problem, const std::function<bool(i64, i64)>& stop) {
    const i32 most = optimal::Size::of(problem.max_depth, problem.max_leaves).leaves;
    return with_lanes(problem, [&]<class T>(T) {
        optimal::RootSearch<T> search(problem, stop);  // what it remembers serves all sizes
        std::vector<OptimalResult> out;
        for (i32 leaves = 1; leaves <= most; ++leaves)
            out.push_back(search.run(leaves, out.empty() ? problem.upper : out.back().cost));
        return out;
    });
}

}  // namespace hornbeam
