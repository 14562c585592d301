// Growing a tree by what keeps the order of y at every node: choose a node's split from its lists, part the lists, go
// on with the branches. `Kind` says what judges a split (quantile losses, the log-rank statistic, several targets):
//
//   Kind::Node     the rows of a node in the order of y: clear(n), set(place, carry), finish()
//   Kind::Search   run(node, column, entries, ties): offers the candidates of a column, or the DrawnPart given last
//   Kind::orders_answers   whether monotonic constraints can be kept: then a node has a value()
//   Kind::draws_tests      whether a test may be drawn for each column
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <set>

#include "hornbeam/grow/node.hpp"
#include "hornbeam/quantile/sorted_lists.hpp"
#include "hornbeam/stats/outcome.hpp"
#include "hornbeam/threads/pool.hpp"

namespace hornbeam {

template <class Kind>
class OrderedGrower {
  public:
    // `rows`: the caller's row numbers, in the order of y, as `carry` is; `blank`: what every node begins as.
    OrderedGrower(const Growth& growth, std::vector<u32> rows, std::vector<Sums::Carry> carry, Pool& pool,
                  const typename Kind::Node& blank = {})
        : growth_(growth),
          pool_(pool),
          lists_(growth.columns, std::move(rows)),
          carry_(std::move(carry)),
          place_(carry_.size()) {
        for (int worker = 0; worker < pool.n_threads(); ++worker) {
            arenas_.emplace_back(growth.layout.width());
            states_.emplace_back(growth.columns, growth.plan, blank);
        }
    }

    const Node* run() {
        const std::size_t n_columns = growth_.columns.size();
        pool_.each(n_columns, [&](std::size_t j, int) { lists_.sort(static_cast<i32>(j)); });
        Node* root = arenas_[0].nodes(1);
        root->grid = &growth_.grid;
        Open open{root, 0, lists_.size(), 0, {}, {}, kRootKey, {}};
        open.columns.resize(n_columns);
        std::iota(open.columns.begin(), open.columns.end(), 0);
        for (const Sums::Carry& row : carry_) Sums::row_lanes(row, root->lanes);
        if (growth_.plan.constrained()) {
            open.bounds.low.assign(1, -std::numeric_limits<double>::infinity());
            open.bounds.high.assign(1, std::numeric_limits<double>::infinity());
        }
        if (must_be_leaf(open, 0)) return root;  // whole as it is: no stop leaves anything of it
        growth_.plan.limits.best_first() ? best_first(std::move(open)) : grow_all(std::move(open));
        return root;
    }
    std::size_t n_nodes() const {
        std::size_t n = 0;
        for (const Arena& arena : arenas_) n += arena.count();
        return n;
    }
    std::size_t rows_done() const { return rows_done_; }

  private:
    struct Open {
        Node* node;
        u32 begin, end;
        int depth;
        std::vector<i32> columns;
        Bounds bounds;
        u64 key;
        std::vector<i32> path;
        u32 size() const { return end - begin; }
    };
    // What one thread works with.
    struct ThreadState {
        ThreadState(const std::vector<ColumnView>& columns, const Plan& plan, const typename Kind::Node& blank)
            : search(columns, plan), node(blank) {}
        Kind::Search search;
        Kind::Node node;
        std::vector<Ranked> spare;
        std::vector<u32> spare_rows;
    };

    // In units of y: an absolute deviation is twice its pinball loss.
    double unit() const { return growth_.grid.unit * growth_.plan.loss_scale; }

    std::span<const Ranked> entries(i32 column, const Open& open) const {
        return lists_.entries(column, open.begin, open.end);
    }
    bool is_shared(const Open& open) const {
        return pool_.n_threads() > 1 && open.size() * open.columns.size() > 4 * growth_.plan.serial_cells;
    }

    // ---- one node

    // The split of a node; false if it is to be a leaf.
    bool choose(Open& open, int worker, bool shared, Candidate& chosen) {
        typename Kind::Node& node = states_[static_cast<std::size_t>(worker)].node;
        if (must_be_leaf(open, worker)) return false;
        if (growth_.plan.max_features == 0)  // else whoever grows the node draws the same columns
            std::erase_if(open.columns, [&](i32 j) { return lists_.is_constant(j, open.begin, open.end); });
        ColumnChoice choice;
        choice.start(growth_.plan, open.columns, open.key);
        while (true) {
            const std::vector<i32>& columns = choice.more();
            if (columns.empty()) return false;
            Ties ties(node.margin());
            search(open, node, columns, worker, shared, ties);
            if (ties.empty()) continue;
            chosen = lowered(node, ties.winner());
            return accepts(node, chosen);
        }
    }
    bool must_be_leaf(const Open& open, int worker) {
        typename Kind::Node& node = states_[static_cast<std::size_t>(worker)].node;
        lay_out(open, node);
        open.node->loss = lowered(node, node.impurity()) * unit();
        if (growth_.too_small(*open.node, open.depth) || growth_.too_even(*open.node)) return true;
        return !(node.impurity() > 0);  // the Stats need not tell
    }
    void lay_out(const Open& open, typename Kind::Node& node) {
        const u32 n = open.size();
        node.plan = &growth_.plan;
        node.bounds = growth_.plan.constrained() ? &open.bounds : nullptr;
        node.place = place_.data();
        node.clear(n);
        for (u32 i = 0; i < n; ++i) {
            const u32 id = lists_.id(open.begin + i);
            place_[id] = i;
            node.set(i, carry_[id]);
        }
        node.finish();
    }
    void search(const Open& open, const typename Kind::Node& node, const std::vector<i32>& columns, int worker,
                bool shared, Ties& out) {
        if (!shared) {
            for (i32 j : columns) search_column(open, node, j, worker, out);
            return;
        }
        std::vector<Ties> by_column(columns.size(), out);
        pool_.each(columns.size(),
                   [&](std::size_t k, int who) { search_column(open, node, columns[k], who, by_column[k]); });
        for (Ties& each : by_column) out.merge(std::move(each));
    }
    void search_column(const Open& open, const typename Kind::Node& node, i32 j, int worker, Ties& out) {
        typename Kind::Search& search = states_[static_cast<std::size_t>(worker)].search;
        const std::span<const Ranked> list = entries(j, open);
        if constexpr (Kind::draws_tests)
            if (growth_.plan.random_cuts && list.front().rank != list.back().rank) {
                const DrawnPart drawn = lists_.draw(j, list, drawn_number(growth_.plan.seed, open.key, j));
                return search.run(node, j, list, out, &drawn);
            }
        search.run(node, j, list, out);
    }
    // `min_gain` must be exceeded by more than K4's margin, so that rounding never beats it.
    bool accepts(const typename Kind::Node& node, const Candidate& chosen) const {
        const Limits& limits = growth_.plan.limits;
        if (!((chosen.score - lowered(node, node.margin())) * unit() > limits.min_gain)) return false;
        return static_cast<double>(node.weight) / growth_.total_weight * chosen.decrease * unit() +
                   std::numeric_limits<double>::epsilon() >=
               limits.min_impurity_decrease;
    }

    // Makes the split; the children that have rows.
    std::vector<Open> expand(const Open& open, Candidate chosen, int worker, bool shared) {
        const std::span<const Ranked> list = entries(chosen.column, open);
        Arena& arena = arenas_[static_cast<std::size_t>(worker)];
        lists_.describe(list, chosen);
        chosen.score *= growth_.plan.loss_scale;
        chosen.decrease *= growth_.plan.loss_scale;
        Node& node = *open.node;
        const i32 n_children = write_split(growth_, node, chosen, arena);
        route(list, chosen, node, static_cast<std::size_t>(n_children));
        arena.add_children(node, n_children);
        const std::vector<u32> start = part(open, static_cast<std::size_t>(n_children), worker, shared);
        std::vector<Open> out;
        std::vector<i32> columns = open.columns;
        if (chosen.kind == SplitKind::multiway) std::erase(columns, chosen.column);  // K10
        for (i32 b = 0; b < n_children; ++b) {
            const auto at = static_cast<std::size_t>(b);
            Node* child = node.children + b;
            for (u32 i = start[at]; i < start[at + 1]; ++i) Sums::row_lanes(carry_[lists_.id(i)], child->lanes);
            if (start[at] == start[at + 1]) continue;
            std::vector<i32> path;
            if (growth_.plan.limits.best_first()) {
                path = open.path;
                path.push_back(b);
            }
            out.push_back({child, start[at], start[at + 1], open.depth + 1, columns, open.bounds,
                           child_key(open.key, b), std::move(path)});
        }
        if constexpr (Kind::orders_answers)
            if (growth_.plan.constrained()) bound(node, out);
        return out;
    }
    // Tells the lists the branch of every row.
    void route(std::span<const Ranked> list, const Candidate& chosen, Node& node, std::size_t n_children) {
        std::size_t at = 0;  // among the present values
        std::vector<i64> weight(n_children, 0);
        const std::size_t known = known_size(list);
        for (std::size_t i = 0; i < known; ++i) {
            if (i > 0 && list[i].rank != list[i - 1].rank) ++at;
            u32 to = static_cast<u32>(at);
            const i32 rank = static_cast<i32>(list[i].rank);
            if (chosen.kind == SplitKind::threshold) to = std::isinf(chosen.low) ? 0 : rank > chosen.below;
            if (chosen.kind == SplitKind::equals) to = rank != chosen.below;
            if (chosen.kind == SplitKind::subset) to = static_cast<u32>(node.side->map[at].second);
            lists_.set_branch(list[i].id, to);
            weight[to] += carry_[list[i].id].w;
        }
        if (known_only(growth_.plan.missing))
            node.missing = static_cast<i32>(std::max_element(weight.begin(), weight.end()) - weight.begin());
        for (std::size_t i = known; i < list.size(); ++i) lists_.set_branch(list[i].id, static_cast<u32>(node.missing));
    }
    // Reorders all lists by branch; where each branch begins, and the end.
    std::vector<u32> part(const Open& open, std::size_t n_children, int worker, bool shared) {
        const std::vector<u32> start = lists_.starts(open.begin, open.end, n_children);
        const auto one = [&](std::size_t k, int who) {
            ThreadState& state = states_[static_cast<std::size_t>(who)];
            k < open.columns.size() ? lists_.part(open.columns[k], start, state.spare)
                                    : lists_.part_rows(start, state.spare_rows);
        };
        if (shared)
            pool_.each(open.columns.size() + 1, one);
        else
            for (std::size_t k = 0; k <= open.columns.size(); ++k) one(k, worker);
        return start;
    }
    // The middle between the answers of the two branches of a threshold bounds either.
    void bound(const Node& node, std::vector<Open>& children) const {
        if (!node.ordered()) return;
        const auto is_side = [&](const Open& child) { return child.node - node.children < 2; };
        double middle = 0;
        for (const Open& child : children)
            if (is_side(child)) middle += answer(child) / 2;
        for (const MonotoneTerm& term : growth_.plan.monotone[static_cast<std::size_t>(node.column)])
            for (Open& child : children) {
                if (!is_side(child)) continue;
                Bounds& bounds = child.bounds;
                if ((term.sign > 0) == (child.node == node.children))
                    bounds.high[0] = std::min(bounds.high[0], middle);
                else
                    bounds.low[0] = std::max(bounds.low[0], middle);
            }
    }
    double answer(const Open& open) const {
        typename Kind::Node node;
        node.plan = &growth_.plan;
        node.clear(open.size());
        for (u32 i = 0; i < open.size(); ++i) node.set(i, carry_[lists_.id(open.begin + i)]);
        node.finish();
        return node.value();
    }

    // ---- the order of nodes

    // Large nodes one by one, by all threads together; then the subtrees of the others, one thread each.
    void grow_all(Open root) {
        std::vector<Open> large;
        const auto put = [&](Open open) {
            if (is_shared(open)) return large.push_back(std::move(open));
            auto task = std::make_shared<Open>(std::move(open));
            pool_.add(task->size(), [this, task](int worker) { depth_first(std::move(*task), worker); });
        };
        put(std::move(root));
        while (!large.empty() && !pool_.stopped()) {
            Open open = std::move(large.back());
            large.pop_back();
            for (Open& child : grow_node(open, 0, true)) put(std::move(child));
        }
        pool_.drain();
    }
    void depth_first(Open root, int worker) {
        std::vector<Open> stack;
        stack.push_back(std::move(root));
        while (!stack.empty() && !pool_.stopped()) {
            Open open = std::move(stack.back());
            stack.pop_back();
            for (Open& child : grow_node(open, worker, false)) stack.push_back(std::move(child));
            if (worker == 0) pool_.check();
        }
    }
    // The children of a node, none if it is a leaf.
    std::vector<Open> grow_node(Open& open, int worker, bool shared) {
        Candidate chosen;
        if (choose(open, worker, shared, chosen)) return expand(open, std::move(chosen), worker, shared);
        rows_done_ += open.size();
        return {};
    }

    struct QueueEntry {
        double priority;
        std::shared_ptr<Open> open;
        Candidate chosen;
        bool operator<(const QueueEntry& other) const {
            return priority != other.priority ? priority > other.priority : open->path < other.open->path;
        }
    };
    // The open node with the largest (w/W) * decrease is split next; ties go to the leftmost.
    void best_first(Open root) {
        const Limits& limits = growth_.plan.limits;
        i64 leaves = 1, nodes = 1;
        std::set<QueueEntry> queue;
        const Node* top = root.node;
        add_open(queue, std::move(root));
        const double tie = 1e-12 * top->loss;
        const auto is_full = [&] { return leaves >= limits.max_leaves || nodes + 2 > limits.max_nodes; };
        while (!queue.empty() && !is_full() && !pool_.stopped()) {
            auto next = queue.begin();
            for (auto it = queue.begin(); it != queue.end() && it->priority >= queue.begin()->priority - tie; ++it)
                if (it->open->path < next->open->path) next = it;
            QueueEntry best = std::move(queue.extract(next).value());
            const i64 added = n_added(*best.open, best.chosen);
            if (leaves + added - 1 > limits.max_leaves || nodes + added > limits.max_nodes) continue;
            leaves += added - 1;
            nodes += added;
            for (Open& child : expand(*best.open, std::move(best.chosen), 0, is_shared(*best.open)))
                add_open(queue, std::move(child));
            pool_.check();
        }
    }
    void add_open(std::set<QueueEntry>& queue, Open open) {
        Candidate chosen;
        if (!choose(open, 0, is_shared(open), chosen)) {
            rows_done_ += open.size();
            return;
        }
        const double share = static_cast<double>(growth_.layout.weight(open.node->lanes)) / growth_.total_weight;
        queue.insert({share * chosen.decrease * unit(), std::make_shared<Open>(std::move(open)), std::move(chosen)});
    }
    // How many nodes a split adds, every absent value counted.
    i64 n_added(const Open& open, const Candidate& chosen) const {
        if (chosen.kind != SplitKind::multiway) return std::max(2, chosen.missing + 1);
        const i64 present = n_values(entries(chosen.column, open));
        const i64 values = std::max<i64>(present, growth_.columns[static_cast<std::size_t>(chosen.column)].n_values);
        return values + (chosen.missing == present);
    }

    const Growth& growth_;
    Pool& pool_;
    Lists lists_;
    std::vector<Sums::Carry> carry_;
    std::vector<u32> place_;  // of each row in its node, in the order of y
    std::deque<Arena> arenas_;
    std::deque<ThreadState> states_;
    std::atomic<std::size_t> rows_done_{0};
};

}  // namespace hornbeam
