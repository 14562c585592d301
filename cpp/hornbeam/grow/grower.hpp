// Grower: tally -> choose -> route over the open nodes.
//
// Nodes with very many rows are worked on by all threads together; smaller ones are tasks, deepest first; those that
// fit a block are grown to the end by one thread. Integer sums make the tree the same whoever does what.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>

#include "hornbeam/grow/best_first.hpp"
#include "hornbeam/grow/choose.hpp"
#include "hornbeam/grow/exact_search.hpp"
#include "hornbeam/grow/flatten.hpp"
#include "hornbeam/grow/presorted.hpp"
#include "hornbeam/grow/regrid.hpp"

namespace hornbeam {

class Grower {
  public:
    Grower(const Growth& growth, Engine& engine, Pool& pool) : growth_(growth), engine_(engine), pool_(pool) {
        for (int i = 0; i < pool.n_threads(); ++i) {
            arenas_.emplace_back(growth.layout.width());
            blocks_.push_back(nullptr);
            choosers_.push_back(nullptr);
        }
    }

    std::size_t rows_done() const { return rows_done_; }
    std::size_t n_nodes() const {
        std::size_t sum = 0;
        for (const Arena& arena : arenas_) sum += arena.count();
        for (const auto& block : blocks_) sum += block ? block->packed_nodes() : 0;
        for (const FetchedGrowth& one : fetched_) sum += one.grower->n_nodes();
        return sum;
    }
    // Frees everything but the nodes.
    void finish() {
        choosers_.clear();
        engine_.clear();
        for (const auto& block : blocks_)
            if (block) block->finish();
    }

    // The root of the grown tree, whose lanes are `totals`; nodes live as long as this object.
    Node* run(const std::vector<i64>& totals) {
        Job root{engine_.root()};
        root.node = arenas_[0].nodes(1);
        root.node->grid = &growth_.grid;
        std::copy(totals.begin(), totals.end(), root.node->lanes);
        for (std::size_t j = 0; j < growth_.columns.size(); ++j) root.usable.push_back(static_cast<i32>(j));
        const std::size_t n_functionals = growth_.plan.functionals.size();
        root.bounds.low.assign(n_functionals, -std::numeric_limits<double>::infinity());
        root.bounds.high.assign(n_functionals, std::numeric_limits<double>::infinity());
        Node* node = root.node;
        if (growth_.must_be_leaf(*node, 0)) return node;  // whole as it is: no stop leaves anything of it
        prepare(root);
        if (growth_.plan.limits.best_first())
            BestFirst<Grower>(growth_, *this, pool_).run(std::move(root));
        else
            grow_depth_first(std::move(root));
        return node;
    }

  private:
    friend class BestFirst<Grower>;

    // A node whose rows were fetched, and who grew it. They stay, because nodes of theirs belong to the tree.
    struct FetchedGrowth {
        std::unique_ptr<FetchedNode> node;
        std::unique_ptr<Grower> grower;
    };

    void prepare(const Job& root) {
        if (grows_to_end(root)) return;
        if (growth_.plan.random_cuts) return engine_.prepare_values();
        codes_ = &engine_.prepare();
    }
    // Whether a node has so few rows that it is grown to the end without asking for more.
    bool grows_to_end(const Job& job) const { return job.size() <= growth_.plan.block_rows || engine_.fetches(job); }
    void grow_to_end(Job& job, int worker) {
        if (!engine_.fetches(job)) return grow_block(job, worker);
        try {
            grow_fetched(job, worker);
        } catch (const StoppedWaiting&) {
            return;  // the node stays open
        }
    }
    // Grows the nodes below one whose rows are in memory here.
    void grow_below(const Job& top) {
        Job job{engine_.root()};
        job.node = top.node;
        job.depth = top.depth;
        job.usable = top.usable;
        job.bounds = top.bounds;
        job.key = top.key;
        prepare(job);
        grow_depth_first(std::move(job));
    }
    void grow_fetched(Job& job, int worker) {
        FetchedGrowth mine{engine_.fetch_node(job), nullptr};
        const Growth& growth = mine.node->growth();
        const std::size_t n_cells = job.size() * growth.columns.size();
        Pool pool(n_cells < growth.plan.serial_cells ? 1 : growth.plan.n_threads, [&] {
            if (worker == 0) pool_.check();
            return pool_.stopped();
        });
        Engine& engine = mine.node->engine(pool);
        std::vector<i64> lanes(static_cast<std::size_t>(growth.layout.width()));
        Grid grid = *job.node->grid;
        engine.regrid(engine.root(), engine_.grid_range(job), grid, lanes.data());
        mine.grower = std::make_unique<Grower>(growth, engine, pool);
        mine.grower->grow_below(job);
        mine.grower->finish();
        mine.node->clear();
        release_freed_memory();
        rows_done_ += job.size();
        const std::lock_guard lock(fetched_mutex_);
        fetched_.push_back(std::move(mine));
    }

    SubtreeGrower& block(int worker) {
        auto& mine = blocks_[static_cast<std::size_t>(worker)];
        if (!mine)
            mine = engine_.subtree_grower(growth_.plan.limits.best_first() ? &arenas_[static_cast<std::size_t>(worker)]
                                                                           : nullptr);
        return *mine;
    }
    Chooser& chooser(int worker) {
        auto& mine = choosers_[static_cast<std::size_t>(worker)];
        if (!mine) mine = std::make_unique<Chooser>(growth_, engine_, *codes_);
        return *mine;
    }

    // Depth first as far as it goes.
    void grow_depth_first(Job root) {
        std::vector<Job> large;
        large.push_back(std::move(root));
        while (!large.empty() && !pool_.stopped()) {
            Job job = std::move(large.back());
            large.pop_back();
            if (job.size() <= std::max<std::size_t>(growth_.plan.shared_rows, growth_.plan.block_rows)) {
                add_task(std::move(job));
                continue;
            }
            Candidate chosen;
            if (!choose(job, 0, chosen)) continue;
            for (Job& child : expand(job, chosen, 0)) large.push_back(std::move(child));
            pool_.check();
        }
        pool_.drain();
        grow_waiting();
    }
    void add_task(Job job) {
        if (pool_.n_threads() == 1 || job.size() <= growth_.plan.block_rows) return process(std::move(job), 0);
        queue(std::move(job));
    }
    // Grows what one thread grows below a node, depth first. The nodes that wait lie in a list, because a tree can be
    // deeper than the stack of a thread allows calls.
    void process(Job top, int worker) {
        std::vector<Job> open;
        open.push_back(std::move(top));
        while (!open.empty() && !pool_.stopped()) {
            Job job = std::move(open.back());
            open.pop_back();
            if (grows_to_end(job)) {
                waits(job) ? waiting_.push_back(std::move(job)) : grow_to_end(job, worker);
                continue;
            }
            Candidate chosen;
            if (!choose(job, worker, chosen)) continue;
            std::vector<Job> children = expand(job, chosen, worker);
            for (std::size_t b = children.size(); b-- > 0;)  // the first child is on top
                if (children[b].size() <= growth_.plan.block_rows || pool_.n_threads() == 1)
                    open.push_back(std::move(children[b]));
                else
                    queue(std::move(children[b]));
            if (worker == 0) pool_.check();
        }
    }
    // The deepest nodes come first, as with one thread: so few histograms wait at a time.
    void queue(Job job) {
        auto shared = std::make_shared<Job>(std::move(job));
        pool_.add(static_cast<u64>(shared->depth), [this, shared](int worker) { process(std::move(*shared), worker); });
    }
    // Whether a block is grown later, together with all others of its tree.
    bool waits(const Job& job) const { return growth_.presorted != nullptr && pool_.n_threads() == 1 && !job.own; }
    void grow_waiting() {
        if (waiting_.empty()) return;
        std::unique_ptr<DealtLists> dealt;
        if (waiting_.size() <= DealtLists::kMost) {
            std::vector<std::span<const u32>> rows;
            for (const Job& job : waiting_) rows.emplace_back(engine_.rows(job).id, job.size());
            dealt = std::make_unique<DealtLists>(*growth_.presorted, rows);
        }
        for (std::size_t b = 0; b < waiting_.size() && !pool_.stopped(); ++b)
            grow_block(waiting_[b], 0, dealt.get(), b);
    }
    void grow_block(Job& job, int worker, DealtLists* dealt = nullptr, std::size_t b = 0) {
        const Rows mine = engine_.rows(job);
        block(worker).grow(job.node, mine, job.depth, std::move(job.usable),
                           growth_.plan.constrained() ? &job.bounds : nullptr, job.key, dealt, b);
        rows_done_ += mine.n;
        if (worker == 0) pool_.check();
    }

    bool choose(Job& job, int worker, Candidate& chosen) {
        if (growth_.must_be_leaf(*job.node, job.depth)) {
            rows_done_ += job.size();
            return false;
        }
        const Bounds* bounds = growth_.plan.constrained() ? &job.bounds : nullptr;
        const Judge judge = judge_node(growth_, *job.node, bounds);
        ColumnChoice choice;
        choice.start(growth_.plan, job.usable, job.key);
        const bool all_threads = job.size() > growth_.plan.shared_rows;
        const Engine::Each each = [&](std::size_t n, const std::function<void(std::size_t)>& body) {
            if (all_threads) return pool_.each(n, [&](std::size_t i, int) { pool_.stopped() ? void() : body(i); });
            for (std::size_t i = 0; i < n && !pool_.stopped(); ++i) body(i);
        };
        bool accepted = false;
        try {
            accepted = job.node->grid->uneven
                           ? choose_exactly(job, bounds, choice, each, chosen)
                           : (growth_.plan.random_cuts ? engine_.choose_drawn(judge, job, choice, chosen)
                                                       : chooser(worker).choose(judge, job, choice, each, chosen)) &&
                                 growth_.accepts(chosen, judge);
        } catch (const StoppedWaiting&) {
            return false;
        }
        if (pool_.stopped()) return false;  // not all columns were looked at: leave the node open
        if (!accepted) rows_done_ += job.size();
        return accepted;
    }

    // The same for weights that lie too far apart for one grid.
    bool choose_exactly(const Job& job, const Bounds* bounds, ColumnChoice& choice, const Engine::Each& each,
                        Candidate& chosen) {
        const Rows rows = engine_.rows(job);
        const ExactSearch search(growth_, {rows.id, rows.n},
                                 [&](std::size_t at, i64* lanes) { engine_.add_row(rows, at, lanes); });
        if (!search.choose(*job.node, bounds, choice, each, chosen)) return false;
        if (chosen.kind == SplitKind::threshold && std::isfinite(chosen.low) && codes_ != nullptr)
            chosen.below = codes_->code_of(chosen.column, chosen.low);
        return true;
    }

    // Writes the split, routes the rows, and returns the children that are still open.
    std::vector<Job> expand(Job& job, const Candidate& chosen, int worker) {
        Node& node = *job.node;
        Arena& arena = arenas_[static_cast<std::size_t>(worker)];
        const i32 n_children = write_split(growth_, node, chosen, arena);
        arena.add_children(node, n_children);
        const std::vector<Place> places = engine_.route(job, chosen, arena);
        const Judge judge = judge_node(growth_, node, growth_.plan.constrained() ? &job.bounds : nullptr);
        std::vector<const i64*> parts;
        for (i32 b = 0; b < n_children; ++b) parts.push_back(node.children[b].lanes);
        std::vector<Job> open;
        for (i32 b = 0; b < n_children; ++b) {
            Job child{places[static_cast<std::size_t>(b)]};
            child.node = node.children + b;
            child.depth = job.depth + 1;
            if (child.size() == 0) continue;
            const NodeState state = state_of(growth_, *child.node, child.depth);
            if (state == NodeState::leaf) {
                rows_done_ += child.size();
                continue;
            }
            child.coarse = state == NodeState::coarse;
            child.usable = job.usable;
            if (node.kind == SplitKind::multiway) std::erase(child.usable, node.column);
            if (growth_.plan.constrained())
                child.bounds = judge.child_bounds(parts.data(), chosen.ends, node.column, node.ordered(), b);
            child.key = child_key(job.key, b);
            open.push_back(std::move(child));
        }
        engine_.tally_children(job, open, places);
        std::erase_if(open, [&](Job& child) { return child.coarse && !refine(child, arena); });
        return open;
    }
    // Gives the rows of a node a grid of their own; false if it is a leaf then.
    bool refine(Job& job, Arena& arena) {
        const TargetRange range = engine_.range(job);
        give_grid(
            growth_, *job.node, range, arena, growth_.plan.constrained() ? &job.bounds : nullptr,
            [&](Grid& grid, i64* lanes) { engine_.regrid(job, range, grid, lanes); },
            [&](double mean) { return engine_.fourth_powers(job, mean); });
        job.histogram = nullptr;
        job.cells = nullptr;
        if (!growth_.must_be_leaf(*job.node, job.depth)) return true;
        rows_done_ += job.size();
        return false;
    }

    const Growth& growth_;
    Engine& engine_;
    Pool& pool_;
    const Codes* codes_ = nullptr;
    std::vector<Job> waiting_;  // blocks
    std::mutex fetched_mutex_;
    std::deque<FetchedGrowth> fetched_;
    std::deque<Arena> arenas_;
    std::vector<std::unique_ptr<SubtreeGrower>> blocks_;
    std::vector<std::unique_ptr<Chooser>> choosers_;
    std::atomic<std::size_t> rows_done_{0};
};

}  // namespace hornbeam
