// Grow: tally -> choose -> route over the open nodes.
//
// Nodes with very many rows are worked on by all threads together; smaller ones are tasks, largest first; those that
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
#include "hornbeam/grow/node_sums.hpp"
#include "hornbeam/grow/presorted.hpp"
#include "hornbeam/grow/regrid.hpp"
#include "hornbeam/grow/send_missing.hpp"
#include "hornbeam/grow/surrogates_of_tree.hpp"
#include "hornbeam/stats/tallies.hpp"

namespace hornbeam {
namespace {

class Grower {
  public:
    Grower(const Growth& growth, RowLoops& loops, std::vector<u32> rows, Pool& pool)
        : growth_(growth),
          loops_(loops),
          pool_(pool),
          buffers_(growth, loops, std::move(rows), pool),
          tallies_(growth, loops, pool) {
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
        buffers_.clear();
        tallies_.clear();
        codes_ = nullptr;
        own_codes_.clear();
        ranks_ = nullptr;
        choosers_.clear();
        for (const auto& block : blocks_)
            if (block) block->finish();
    }

    // The root of the grown tree, whose lanes are `totals`; nodes live as long as this object.
    Node* run(const std::vector<i64>& totals) {
        Job root;
        root.node = arenas_[0].nodes(1);
        root.end = buffers_.size();
        root.node->grid = &growth_.grid;
        std::copy(totals.begin(), totals.end(), root.node->lanes);
        for (std::size_t j = 0; j < growth_.columns.size(); ++j) root.usable.push_back(static_cast<i32>(j));
        const std::size_t n_functionals = growth_.plan.functionals.size();
        root.bounds.low.assign(n_functionals, -std::numeric_limits<double>::infinity());
        root.bounds.high.assign(n_functionals, std::numeric_limits<double>::infinity());
        Node* node = root.node;
        if (root.end > growth_.plan.block_rows) prepare();
        if (growth_.plan.limits.best_first())
            BestFirst<Grower>(growth_, *this, pool_).run(std::move(root));
        else
            grow_depth_first(std::move(root));
        return node;
    }

  private:
    friend class BestFirst<Grower>;

    void prepare() {
        const auto words = static_cast<std::size_t>(loops_.words());
        SharedCodes& from = growth_.codes != nullptr ? *growth_.codes : own_codes_;
        codes_ = &from.get(growth_.columns, growth_.n_rows, words * sizeof(u64), pool_);
        if (growth_.plan.selection.charges())
            ranks_ = std::make_unique<Ranks>(growth_.columns, *codes_, growth_.n_rows, pool_);
        buffers_.prepare(*codes_);
        tallies_.prepare(*codes_);
    }

    SubtreeGrower& block(int worker) {
        auto& mine = blocks_[static_cast<std::size_t>(worker)];
        if (!mine)
            mine = loops_.subtree_grower(
                growth_.plan.limits.best_first() ? &arenas_[static_cast<std::size_t>(worker)] : nullptr, pool_);
        return *mine;
    }
    Chooser& chooser(int worker) {
        auto& mine = choosers_[static_cast<std::size_t>(worker)];
        if (!mine) mine = std::make_unique<Chooser>(growth_, loops_, *codes_, tallies_.shape(), ranks_.get());
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
            if (!choose(job, 0, true, chosen)) continue;
            for (Job& child : expand(job, chosen, 0, true)) large.push_back(std::move(child));
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
            if (!choose(job, worker, false, chosen)) continue;
            std::vector<Job> children = expand(job, chosen, worker, false);
            for (std::size_t b = children.size(); b-- > 0;)  // the first child is on top
                if (children[b].size() <= growth_.plan.block_rows || pool_.n_threads() == 1)
                    open.push_back(std::move(children[b]));
                else
                    queue(std::move(children[b]));
            if (worker == 0) pool_.check();
        }
    }
    void queue(Job job) {
        auto shared = std::make_shared<Job>(std::move(job));
        pool_.add(shared->size(), [this, shared](int worker) { process(std::move(*shared), worker); });
    }
    // Whether a block is grown later, together with all others of its tree.
    bool waits(const Job& job) const { return growth_.presorted != nullptr && pool_.n_threads() == 1 && !job.own; }
    void grow_waiting() {
        if (waiting_.empty()) return;
        std::unique_ptr<DealtLists> dealt;
        if (waiting_.size() <= DealtLists::kMost) {
            std::vector<std::span<const u32>> rows;
            for (const Job& job : waiting_) rows.emplace_back(buffers_.rows(job).id, job.size());
            dealt = std::make_unique<DealtLists>(*growth_.presorted, rows);
        }
        for (std::size_t b = 0; b < waiting_.size() && !pool_.stopped(); ++b)
            grow_block(waiting_[b], 0, dealt.get(), b);
    }
    void grow_block(Job& job, int worker, DealtLists* dealt = nullptr, std::size_t b = 0) {
        const Rows mine = buffers_.rows(job);
        block(worker).grow(job.node, mine, job.depth, std::move(job.usable),
                           growth_.plan.constrained() ? &job.bounds : nullptr, job.key, dealt, b);
        rows_done_ += mine.n;
        if (worker == 0) pool_.check();
    }

    bool choose(Job& job, int worker, bool all_threads, Candidate& chosen) {
        if (growth_.must_be_leaf(*job.node, job.depth)) {
            rows_done_ += job.size();
            return false;
        }
        const Bounds* bounds = growth_.plan.constrained() ? &job.bounds : nullptr;
        const Judge judge = judge_node(growth_, *job.node, bounds);
        const Rows rows = buffers_.rows(job);
        const bool few = tallies_.few_columns();
        const bool uneven = job.node->grid->uneven;
        if (!job.histogram && !uneven) job.histogram = few ? tallies_.empty() : tallies_.all(rows, all_threads);
        const auto before = [&](const std::vector<i32>& columns) {
            if (few) tallies_.some(rows, columns, all_threads, job.histogram->data());
        };
        ColumnChoice choice;
        choice.start(growth_.plan, job.usable, job.key);
        const Chooser::Each each = [&](std::size_t n, const std::function<void(std::size_t)>& body) {
            if (all_threads) return pool_.each(n, [&](std::size_t i, int) { pool_.stopped() ? void() : body(i); });
            for (std::size_t i = 0; i < n && !pool_.stopped(); ++i) body(i);
        };
        const Chooser::CellsOf cells_of = [&](std::size_t n_open, std::size_t n) {
            return tallies_.cells_of(job, rows, n_open, n, all_threads);
        };
        const bool accepted =
            uneven ? choose_exactly(job, rows, bounds, choice, each, chosen)
                   : chooser(worker).choose(judge, rows, *job.histogram, choice, before, cells_of, each, chosen) &&
                         growth_.accepts(chosen, judge);
        if (pool_.stopped()) return false;  // not all columns were looked at: leave the node open
        if (!accepted) rows_done_ += job.size();
        return accepted;
    }

    // The same for weights that lie too far apart for one grid.
    bool choose_exactly(const Job& job, const Rows& rows, const Bounds* bounds, ColumnChoice& choice,
                        const Chooser::Each& each, Candidate& chosen) const {
        const ExactSearch search(growth_, {rows.id, rows.n},
                                 [&](std::size_t at, i64* lanes) { loops_.add_row(rows, at, lanes); });
        if (!search.choose(*job.node, bounds, choice, each, chosen)) return false;
        if (chosen.kind == SplitKind::threshold) chosen.below = codes_->code(chosen.column, search.row_below(chosen));
        return true;
    }

    // Writes the split, routes the rows, and returns the children that are still open.
    std::vector<Job> expand(Job& job, const Candidate& chosen, int worker, bool all_threads) {
        Node& node = *job.node;
        Arena& arena = arenas_[static_cast<std::size_t>(worker)];
        const i32 n_children = write_split(growth_, node, chosen, arena);
        arena.add_children(node, n_children);
        GapSender::Own own(static_cast<std::size_t>(n_children));
        const std::vector<std::size_t> start = known_only(growth_.plan.missing)
                                                   ? GapSender(growth_, loops_, buffers_).route(job, chosen, arena, own)
                                                   : buffers_.route(job, chosen, n_children, all_threads);
        const Judge judge = judge_node(growth_, node, growth_.plan.constrained() ? &job.bounds : nullptr);
        std::vector<const i64*> parts;
        for (i32 b = 0; b < n_children; ++b) parts.push_back(node.children[b].lanes);
        std::vector<Job> open;
        for (i32 b = 0; b < n_children; ++b) {
            Job child;
            child.node = node.children + b;
            child.begin = start[static_cast<std::size_t>(b)];
            child.end = start[static_cast<std::size_t>(b) + 1];
            child.buffer = 1 - job.buffer;
            child.own = own[static_cast<std::size_t>(b)];
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
        if (growth_.plan.missing != MissingRule::fractional && !tallies_.few_columns() && job.histogram)
            tallies_.subtract_siblings(job, open, start, buffers_, all_threads);
        std::erase_if(open, [&](Job& child) { return child.coarse && !refine(child, arena); });
        return open;
    }
    // Gives the rows of a node a grid of their own; false if it is a leaf then.
    bool refine(Job& job, Arena& arena) {
        loops_.refine(*job.node, buffers_.rows(job), arena, growth_.plan.constrained() ? &job.bounds : nullptr);
        job.histogram = nullptr;
        job.cells = nullptr;
        if (!growth_.must_be_leaf(*job.node, job.depth)) return true;
        rows_done_ += job.size();
        return false;
    }

    const Growth& growth_;
    RowLoops& loops_;
    Pool& pool_;
    RowBuffers buffers_;
    Tallies tallies_;
    SharedCodes own_codes_;
    const Codes* codes_ = nullptr;
    std::unique_ptr<Ranks> ranks_;
    std::vector<Job> waiting_;  // blocks
    std::deque<Arena> arenas_;
    std::vector<std::unique_ptr<SubtreeGrower>> blocks_;
    std::vector<std::unique_ptr<Chooser>> choosers_;
    std::atomic<std::size_t> rows_done_{0};
};

// Makes the whole table one block, where it is not better divided. A block that grows best first grows to the end
// before any node of it is chosen; and its runners have tables for so many rows and repetitions.
void grow_as_block(LearnState& state) {
    constexpr double kMost = 0xffff;
    if (state.plan.limits.best_first() || state.plan.selection.n_cases >= kMost) return;
    state.plan.block_rows = std::max(state.plan.block_rows, static_cast<u32>(state.rows.size()));
}

}  // namespace

TreeArrays grow_tree(LearnState& state, RowLoops& loops, const std::vector<i64>& totals) {
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
        const ExactStats exact(state.target, criterion, state.growth.layout, state.growth.grid, state.rows.data(),
                               state.rows.size());
        state.growth.root_impurity = exact.impurity();
        state.growth.root_sd = exact.sd();
    }
    state.plan.selection.n_cases = repetitions(state);
    state.plan.selection.case_weight = total_weight / state.plan.selection.n_cases;
    const std::size_t n = state.rows.size(), n_cells = n * state.growth.columns.size();
    const int threads = n_cells < state.plan.serial_cells ? 1 : state.plan.n_threads;
    if (threads == 1 && n_cells <= state.plan.block_cells) grow_as_block(state);
    std::function<std::size_t()> rows_done;
    double share = 0;  // stays where it was after the tree is grown
    Pool pool(threads, [&] {
        if (rows_done) share = static_cast<double>(rows_done()) / static_cast<double>(n);
        return state.progress && state.progress(share);
    });
    choose_arrays(state, !state.growth.fractions && (!state.growth.layout.classes() || !state.target.weights.empty()));
    const Rows all{state.rows.data(), loops.carry(0), n, loops.carry_size()};
    std::vector<WeightedRow> weighted_rows;  // what surrogates are searched by
    if (state.growth.plan.missing == MissingRule::surrogates)
        for (std::size_t i = 0; i < n; ++i)
            weighted_rows.push_back({state.rows[i], loops.weight(all, i), loops.rows(all, i),
                                     state.growth.grid.uneven ? state.target.weights[state.rows[i]] : 0});
    TreeArrays out;
    {
        Grower grower(state.growth, loops, std::move(state.rows), pool);
        rows_done = [&grower] { return grower.rows_done(); };
        pool.check();  // before anything is grown: small tables are done before anybody asks again
        const Node* root = grower.run(totals);
        rows_done = [n] { return n; };  // what follows has no share of its own
        grower.finish();
        out = flatten(state.growth, root, grower.n_nodes());
    }
    if (!weighted_rows.empty())
        add_tree_surrogates(state.growth.columns, weighted_rows, state.growth.plan.surrogates, pool, out);
    out.interrupted = pool.left_work();
    if (state.growth.sums_later) sum_nodes(state.growth.columns, state.original, criterion, pool, out);
    if (state.growth.fractions && !state.growth.layout.classes())
        sum_divided_rows(state.growth.columns, state.original, pool, out);
    return out;
}

}  // namespace hornbeam
