// Grow: tally -> choose -> route over the open nodes.
//
// Nodes with very many rows are worked on by all threads together; smaller ones are tasks, deepest first; those that
// fit a block are grown to the end by one thread. Integer sums make the tree the same whoever does what.
#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>

#include "hornbeam/grow/best_first.hpp"
#include "hornbeam/grow/choose.hpp"
#include "hornbeam/grow/exact_search.hpp"
#include "hornbeam/grow/flatten.hpp"
#include "hornbeam/grow/learn_target.hpp"
#include "hornbeam/grow/memory_engine.hpp"
#include "hornbeam/grow/node_sums.hpp"
#include "hornbeam/grow/presorted.hpp"
#include "hornbeam/grow/surrogates_of_tree.hpp"

namespace hornbeam {
namespace {

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
        if (root.size() > growth_.plan.block_rows) codes_ = &engine_.prepare();
        if (growth_.plan.limits.best_first())
            BestFirst<Grower>(growth_, *this, pool_).run(std::move(root));
        else
            grow_depth_first(std::move(root));
        return node;
    }

  private:
    friend class BestFirst<Grower>;

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
            if (job.size() <= growth_.plan.shared_rows) {
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
            if (job.size() <= growth_.plan.block_rows) {
                waits(job) ? waiting_.push_back(std::move(job)) : grow_block(job, worker);
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
        const bool accepted = job.node->grid->uneven ? choose_exactly(job, bounds, choice, each, chosen)
                                                     : chooser(worker).choose(judge, job, choice, each, chosen) &&
                                                           growth_.accepts(chosen, judge);
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
        if (chosen.kind == SplitKind::threshold && std::isfinite(chosen.low))
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
    std::deque<Arena> arenas_;
    std::vector<std::unique_ptr<SubtreeGrower>> blocks_;
    std::vector<std::unique_ptr<Chooser>> choosers_;
    std::atomic<std::size_t> rows_done_{0};
};

// Makes the whole table one block, where it is not better divided. A block that grows best first grows to the end
// before any node of it is chosen; and its runners have tables for so many rows and repetitions.
void grow_as_block(LearnState& state, std::size_t n_rows) {
    constexpr double kMost = 0xffff;
    if (state.plan.limits.best_first() || state.plan.selection.n_cases >= kMost) return;
    state.plan.block_rows = std::max(state.plan.block_rows, static_cast<u32>(n_rows));
}

// The grid of the root and the lanes of all rows on it.
std::vector<i64> set_root(Growth& growth, Engine& engine) {
    std::vector<i64> totals(static_cast<std::size_t>(growth.layout.width()));
    const Place root = engine.root();
    const TargetRange range = engine.range(root);
    engine.regrid(root, range, growth.grid, totals.data());
    set_least(growth, totals.data(), growth.grid);
    growth.grid.uneven = is_uneven(growth, range, growth.grid, totals.data(),
                                   [&](double mean) { return engine.fourth_powers(root, mean); });
    return totals;
}

// What the plan says in shares of the whole, in units of the lanes.
void set_units(LearnState& state, Engine& engine, const std::vector<i64>& totals) {
    const double total_weight = static_cast<double>(state.growth.layout.weight(totals.data()));
    state.growth.total_weight = total_weight;
    state.weight_unit *= state.growth.grid.weight_unit;
    state.growth.weight_unit = state.weight_unit;
    state.plan.limits.min_weight_leaf *= total_weight * kAlmostOne;
    const Criterion& criterion = *state.plan.criterion;
    state.growth.root_impurity = criterion.potential(totals.data(), state.growth.layout.n_classes) / total_weight;
    if (!state.growth.layout.classes())
        state.growth.root_sd = state.growth.grid.unit * std::sqrt(Moments(totals.data()).squares() / total_weight);
    if (state.growth.grid.uneven) {
        const Rows all = engine.rows(engine.root());
        const ExactStats exact(*state.growth.target, criterion, state.growth.layout, state.growth.grid, all.id, all.n);
        state.growth.root_impurity = exact.impurity();
        state.growth.root_sd = exact.sd();
    }
    state.plan.selection.n_cases = static_cast<double>(state.growth.layout.rows(totals.data()));
    state.plan.selection.case_weight = total_weight / state.plan.selection.n_cases;
}

}  // namespace

TreeArrays grow_tree(LearnState& state) {
    const std::size_t n = state.n_rows(), n_cells = n * state.growth.columns.size();
    const int threads = n_cells < state.plan.serial_cells ? 1 : state.plan.n_threads;
    std::function<std::size_t()> rows_done;
    double share = 0;  // stays where it was after the tree is grown
    Pool pool(threads, [&] {
        if (rows_done) share = static_cast<double>(rows_done()) / static_cast<double>(n);
        return state.progress && state.progress(share);
    });
    choose_arrays(state,
                  !state.growth.fractions && (!state.growth.layout.classes() || !state.target().weights.empty()));
    TablePart& table = state.parts[0];
    TreeArrays out;
    std::vector<WeightedRow> weighted_rows;  // what surrogates are searched by
    {
        const std::unique_ptr<Engine> rows_of_all =
            state.make_engine ? state.make_engine(pool)
                              : std::make_unique<MemoryEngine>(state.growth, *table.loops, std::move(table.rows), pool);
        Engine& engine = *rows_of_all;
        const std::vector<i64> totals = set_root(state.growth, engine);
        set_units(state, engine, totals);
        if (threads == 1 && n_cells <= state.plan.block_cells) grow_as_block(state, n);
        if (state.growth.plan.missing == MissingRule::surrogates) {
            const Rows all = engine.rows(engine.root());
            for (std::size_t i = 0; i < n; ++i)
                weighted_rows.push_back({all.id[i], table.loops->weight(all, i), table.loops->rows(all, i),
                                         state.growth.grid.uneven ? table.target.weights[all.id[i]] : 0});
        }
        Grower grower(state.growth, engine, pool);
        rows_done = [&grower] { return grower.rows_done(); };
        pool.check();  // before anything is grown: small tables are done before anybody asks again
        const Node* root = grower.run(totals);
        rows_done = [n] { return n; };  // what follows has no share of its own
        grower.finish();
        out = flatten(state.growth, root, grower.n_nodes());
    }
    const std::vector<ColumnView>& columns = state.growth.columns;
    if (!weighted_rows.empty()) add_tree_surrogates(columns, weighted_rows, state.growth.plan.surrogates, pool, out);
    out.interrupted = pool.left_work();
    if (state.growth.sums_later) {
        std::vector<TableRows> tables;
        for (const TablePart& part : state.parts) tables.push_back({part.columns, part.original});
        sum_nodes(tables, *state.plan.criterion, pool, out);
    }
    if (state.growth.fractions && !state.growth.layout.classes()) sum_divided_rows(columns, table.original, pool, out);
    return out;
}

}  // namespace hornbeam
