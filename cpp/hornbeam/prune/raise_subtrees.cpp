#include "hornbeam/prune/raise_subtrees.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "hornbeam/prune/tree_with_rows.hpp"
#include "hornbeam/threads/subtree_tasks.hpp"

namespace hornbeam {
namespace {

constexpr double kSlack = 0.1 + 1e-9;          // C4.5 prunes what is this much worse
constexpr std::size_t kFirst = 64, kMore = 8;  // rows a branch is tried with at first, and times as many each time
constexpr double kAdded = 1.2;                 // what a further error lets expect, more or less
constexpr std::size_t kSparse = 16;            // one leaf of so many rows is found sooner by sorting

// What was decided, in the order of examination.
struct Record {
    std::vector<i32> node, child, within;
    std::vector<u8> action;
    std::vector<double> as_leaf, as_tree, as_branch;
};

// Decides about the nodes of a subtree, from below.
class SubtreeRaiser : RowsInTree {
  public:
    explicit SubtreeRaiser(RaisingState& state) : RowsInTree(state), counted_(k_), with_more_(k_) {}

    Record record_;
    std::vector<std::pair<i32, std::size_t>> starts_;  // where the record of each node begins

    // `nodes` in descending order.
    void decide_all(const std::vector<i32>& nodes) {
        for (const i32 node : nodes) {
            starts_.emplace_back(node, record_.node.size());
            decide(static_cast<std::size_t>(node), -1);
        }
    }
    double expected_of_all() const { return error_[stand_in(0)]; }

  private:
    // ---- errors -------------------------------------------------------------------------------------------------

    std::size_t answer(const double* counted) const {
        std::size_t best = 0;
        if (in_.costs.empty()) {
            for (std::size_t c = 1; c < k_; ++c)
                if (counted[c] > counted[best]) best = c;
            return best;
        }
        double least = 0;
        for (std::size_t j = 0; j < k_; ++j) {
            double cost = 0;
            for (std::size_t i = 0; i < k_; ++i) cost += counted[i] * in_.costs[i * k_ + j];
            if (j == 0 || cost < least) best = j, least = cost;
        }
        return best;
    }

    double expected(const double* stats) {
        double cases = 0;
        for (std::size_t c = 0; c < k_; ++c) cases += counted_[c] = stats[c] * in_.factors[c];
        if (!(cases > 0)) return 0;
        return in_.limit(std::max(0.0, cases - counted_[answer(counted_.data())]), cases);
    }

    // ---- one node -----------------------------------------------------------------------------------------------

    // What the node and the leaves below it expect; a test is decided about.
    void decide(std::size_t node, i32 within) {
        if (out_.link[node] != static_cast<i32>(node)) return;
        if (out_.is_leaf[node]) {
            error_[node] = expected(stats_of(node));
            return;
        }
        const i32 n = in_.n_children[node];
        held_.join(node, n, [&](i32 b) { return child(node, b); });
        if (routes_) state_.router.link(node, child(node, 0), child(node, std::min(1, n - 1)));
        double as_tree = 0, most = 0;
        std::size_t largest = node;
        for (i32 b = 0; b < n; ++b) {
            const std::size_t at = child(node, b);
            as_tree += error_[at];
            divided_[node] |= divided_[at];
            const double weight = weight_of(at);
            if (weight > 0 && weight >= most * (1 - 1e-12)) most = weight, largest = at;
        }
        const double as_leaf = expected(stats_of(node));
        const double enough = as_leaf <= as_tree + kSlack ? as_leaf - kSlack : as_tree + kSlack;
        const double as_branch =
            largest == node || out_.is_leaf[largest] ? as_leaf : branch_error(node, largest, enough);
        Pruning action = Pruning::keep;
        if (as_leaf <= as_tree + kSlack && as_leaf <= as_branch + kSlack)
            action = Pruning::leaf;
        else if (as_branch <= as_tree + kSlack)
            action = Pruning::raise;
        record(node, action, action == Pruning::raise ? static_cast<i32>(largest) : -1, within,
               {as_leaf, as_tree, as_branch});
        error_[node] = as_tree;
        if (action == Pruning::leaf) {
            if (divided_[node] || !held_[node].whole()) held_.put(node, gather(node));
            if (routes_) state_.router.end(node);
            out_.is_leaf[node] = 1;
            error_[node] = as_leaf;
        } else if (action == Pruning::raise) {
            const Rows rows = gather(node);
            out_.link[node] = static_cast<i32>(largest);
            refill(largest, rows, static_cast<i32>(node));
        }
    }

    // What the largest branch would expect with all rows of the node. More rows never let a leaf expect less, so what
    // exceeds `enough` with some of them cannot be chosen any more and need not be told exactly (unless costs choose
    // other answers).
    double branch_error(std::size_t node, std::size_t largest, double enough) {
        double total = 0;
        if (!divided_[largest]) {
            others_.clear();
            for (i32 b = 0; b < in_.n_children[node]; ++b)
                if (child(node, b) != largest) collect(child(node, b), others_);
            if (!in_.costs.empty()) enough = std::numeric_limits<double>::infinity();
            if (routes_ ? route(largest, enough, total) : sample(largest, enough, total)) return total;
        }
        send_divided(largest, gather(node), [&](std::size_t at, const Rows& rows, bool) {
            if (out_.is_leaf[at]) total += expected(tally(rows).data());
        });
        return total;
    }

    // The total with `others_`, or some of them and a bound above `enough`; false, and nothing, if a row would have to
    // be divided. Ever more rows are sent together; as a rule few are enough.
    bool sample(std::size_t largest, double enough, double& total) {
        bool whole = true;
        for (std::size_t n = std::isinf(enough) ? others_.size() : kFirst; whole; n *= kMore) {
            n = std::min(n, others_.size());
            total = error_[largest];
            whole = send(largest, first_of_others(n), [&](std::size_t leaf, std::span<const Entry> rows) {
                const std::span<double> stats = tally(rows);
                for (std::size_t c = 0; c < k_; ++c) stats[c] += stats_of(leaf)[c];
                total += expected(stats.data()) - error_[leaf];
                return total <= enough;
            });
            if (whole && (total > enough || n == others_.size())) return true;
        }
        total = 0;
        return false;
    }

    // The same where the core can route the rows. A rough count of their errors says when it is worth adding up
    // exactly.
    bool route(std::size_t largest, double enough, double& total) {
        leaf_.resize(kFirst);
        touched_.clear();
        more_.clear();
        counts_.clear();
        double wrong = 0, bar = (enough - error_[largest]) / kAdded;
        for (std::size_t first = 0; first < others_.size(); first += kFirst) {
            const std::size_t n = std::min(kFirst, others_.size() - first);
            for (std::size_t i = 0; i < n; ++i) prefetch(&in_.codes[static_cast<std::size_t>(others_[first + i].row)]);
            state_.router.route(state_.values, largest, {others_.data() + first, n}, leaf_.data());
            for (std::size_t i = 0; i < n; ++i) {
                const Entry& row = others_[first + i];
                if (leaf_[i] == RowRouter::kNotRouted) leaf_[i] = route_alone(largest, row);
                if (leaf_[i] == RowRouter::kNotRouted) return false;
                wrong += arrive(static_cast<std::size_t>(leaf_[i]), row);
            }
            if (wrong <= bar || first + n == others_.size()) continue;
            if ((total = with_more(largest, enough)) > enough) return true;
            bar = wrong * 1.25;
        }
        total = with_more(largest, enough);
        return true;
    }
    i32 route_alone(std::size_t node, const Entry& row) const {
        while (!out_.is_leaf[node]) {
            i32 branch = -1;
            in_.branches(node, {&row, 1}, &branch);
            if (branch < 0) return RowRouter::kNotRouted;
            node = child(node, branch);
        }
        return static_cast<i32>(node);
    }
    // A row comes to a leaf; how many more cases are wrong there by it.
    double arrive(std::size_t leaf, const Entry& row) {
        if (!is_touched(leaf)) {
            slot_[leaf] = static_cast<u32>(touched_.size());
            touched_.push_back(leaf);
            more_.resize(more_.size() + k_, 0);
            counts_.push_back(0);
            for (std::size_t c = 0; c < k_; ++c)
                counts_.back() = std::max(counts_.back(), stats_of(leaf)[c] * in_.factors[c]);
        }
        const auto code = static_cast<std::size_t>(in_.codes[static_cast<std::size_t>(row.row)]);
        i64& more = more_[slot_[leaf] * k_ + code];
        more += std::llrint(row.weight * scale_);
        double& most = counts_[slot_[leaf]];
        const double before = most;
        most = std::max(most, (stats_of(leaf)[code] + static_cast<double>(more) / scale_) * in_.factors[code]);
        return row.weight * in_.factors[code] - (most - before);
    }
    double with_more(std::size_t node, double enough) {
        order_touched(node);
        double total = error_[node];
        for (const std::size_t leaf : in_order_) {
            for (std::size_t c = 0; c < k_; ++c)
                with_more_[c] = static_cast<double>(more_[slot_[leaf] * k_ + c]) / scale_ + stats_of(leaf)[c];
            total += expected(with_more_.data()) - error_[leaf];
            if (total > enough) break;
        }
        return total;
    }
    bool is_touched(std::size_t leaf) const {
        return slot_[leaf] < touched_.size() && touched_[slot_[leaf]] == leaf;  // slots of other rows name other leaves
    }
    // From left to right.
    void order_touched(std::size_t node) {
        const auto before = [&](std::size_t a, std::size_t b) { return state_.rank[a] < state_.rank[b]; };
        if (touched_.size() < held_[node].n / kSparse) {
            in_order_ = touched_;
            std::sort(in_order_.begin(), in_order_.end(), before);
            return;
        }
        in_order_.clear();
        waiting_.assign(1, node);
        while (!waiting_.empty()) {
            const std::size_t at = waiting_.back();
            waiting_.pop_back();
            if (out_.is_leaf[at]) {
                if (is_touched(at)) in_order_.push_back(at);
            } else
                for (i32 b = in_.n_children[at]; b-- > 0;) waiting_.push_back(child(at, b));
        }
    }

    // The first n of the other rows, from all of them.
    std::span<Entry> first_of_others(std::size_t n) {
        const std::size_t step = n > 0 ? others_.size() / n : 1;
        for (std::size_t i = 0; i < n && step > 1; ++i) std::swap(others_[i], others_[i * step]);
        return {others_.data(), n};
    }

    // A subtree takes the place of `node` with all its rows, and is examined again.
    void refill(std::size_t root, const Rows& rows, i32 node) {
        std::vector<std::size_t> order, leaves, counts;
        Rows all;
        send_divided(root, rows, [&](std::size_t at, const Rows& here, bool divided) {
            order.push_back(at);
            const std::span<double> stats = tally(here);
            std::copy(stats.begin(), stats.end(), out_.stats.begin() + static_cast<std::ptrdiff_t>(at * k_));
            i64 n = 0;
            for (const Entry& entry : here)
                if (entry.weight > 0) n += in_.copies.empty() ? 1 : in_.copies[static_cast<std::size_t>(entry.row)];
            out_.n_rows[at] = n;
            out_.refilled[at] = 1;
            divided_[at] = divided;
            if (!out_.is_leaf[at]) return;
            leaves.push_back(at);
            counts.push_back(here.size());
            all.insert(all.end(), here.begin(), here.end());
        });
        held_.lay(static_cast<std::size_t>(node), root, leaves, counts, all);
        mark_divided(order);
        for (std::size_t i = order.size(); i-- > 0;) decide(order[i], node);
        error_[static_cast<std::size_t>(node)] = error_[stand_in(root)];
        divided_[static_cast<std::size_t>(node)] = divided_[stand_in(root)];
    }

    // Leaves below a node that divides rows hold divided rows.
    void mark_divided(const std::vector<std::size_t>& order) {
        for (const std::size_t at : order) {
            if (!divided_[at] || out_.is_leaf[at]) continue;
            for (i32 b = 0; b < in_.n_children[at]; ++b) divided_[child(at, b)] = 1;
        }
    }

    void record(std::size_t node, Pruning action, i32 child, i32 within, const double (&numbers)[3]) {
        record_.node.push_back(static_cast<i32>(node));
        record_.action.push_back(static_cast<u8>(action));
        record_.child.push_back(child);
        record_.within.push_back(within);
        record_.as_leaf.push_back(numbers[0]);
        record_.as_tree.push_back(numbers[1]);
        record_.as_branch.push_back(numbers[2]);
    }

    const bool routes_ = !in_.columns.empty();
    std::vector<double>& error_ = state_.error;
    std::vector<u32>& slot_ = state_.slot;
    // Of the rows routed: the leaves they reached, what comes to each, and the most that one class then counts for.
    std::vector<std::size_t> touched_, in_order_;
    std::vector<i64> more_;
    std::vector<double> counts_;
    std::vector<double> counted_, with_more_;  // scratch, as are the next
    Rows others_;
    std::vector<i32> leaf_;
    std::vector<std::size_t> waiting_;
};

// The records of all workers in the order in which one alone would have made them: by node, descending.
void join_records(const std::vector<SubtreeRaiser>& workers, RaisingOutput& out) {
    struct Piece {
        i32 node;
        const Record* from;
        std::size_t first, last;
    };
    std::vector<Piece> pieces;
    for (const SubtreeRaiser& worker : workers)
        for (std::size_t i = 0; i < worker.starts_.size(); ++i) {
            const auto [node, first] = worker.starts_[i];
            const bool end = i + 1 == worker.starts_.size();
            const std::size_t last = end ? worker.record_.node.size() : worker.starts_[i + 1].second;
            if (first < last) pieces.push_back({node, &worker.record_, first, last});
        }
    std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.node > b.node; });
    for (const auto& [node, from, first, last] : pieces)
        for (std::size_t i = first; i < last; ++i) {
            out.node.push_back(from->node[i]);
            out.child.push_back(from->child[i]);
            out.within.push_back(from->within[i]);
            out.action.push_back(from->action[i]);
            out.as_leaf.push_back(from->as_leaf[i]);
            out.as_tree.push_back(from->as_tree[i]);
            out.as_branch.push_back(from->as_branch[i]);
        }
}

}  // namespace

RaisingOutput raise_subtrees(const RaisingInput& input) {
    RaisingState state(input);
    Pool pool(std::max(1, input.n_threads), nullptr);
    std::vector<SubtreeRaiser> workers;
    for (int i = 0; i < pool.n_threads(); ++i) workers.emplace_back(state);
    visit_subtrees(
        input.first_child, input.n_children, [&](std::size_t v) { return state.held[v].n; }, input.task_rows, pool,
        [&](const std::vector<i32>& nodes, int worker) {
            workers[static_cast<std::size_t>(worker)].decide_all(nodes);
        });
    join_records(workers, state.out);
    state.out.expected = workers[0].expected_of_all();
    return std::move(state.out);
}

}  // namespace hornbeam
