#include "hornbeam/prune/replace_by_child.hpp"

#include <type_traits>
#include <utility>

#include "hornbeam/prune/replace_by_child_state.hpp"
#include "hornbeam/threads/subtree_tasks.hpp"

namespace hornbeam {
namespace {

// Decides about the nodes of a subtree, from below.
template <class Judge>
class ChildReplacer {
  public:
    explicit ChildReplacer(ReplacingState<Judge>& state) : state_(state) {}

    // `nodes` in descending order.
    void decide_all(const std::vector<i32>& nodes) {
        for (const i32 node : nodes) {
            const auto v = static_cast<std::size_t>(node);
            if (in_.held_tree.first_child[v] < 0)
                start_leaf(v);
            else
                decide(v);
        }
    }

  private:
    std::size_t child(std::size_t v, i32 branch) const { return tree_.child(v, branch); }
    i32 n_children(std::size_t v) const { return tree_.n_children(v); }

    // A leaf of the tree as it came.
    void start_leaf(std::size_t v) {
        size_[v] = in_.leaf_size[v];
        cost_[v] = judge_.loss(&sample_[v * held_], in_.answer[v]);
        floor_[v] = judge_.least(&sample_[v * held_]);
    }

    void decide(std::size_t v) {
        double keep_cost = 0;
        i64 size = 1;
        for (i32 b = 0; b < n_children(v); ++b) {
            const std::size_t c = child(v, b);  // has the rows of the place it stands in
            keep_cost += cost_[c];
            floor_[v] += floor_[c];
            size += size_[c];
            above_[c] = static_cast<i32>(v);
            judge_.merge(&tally_[v * wide_], &tally_[c * wide_], wide_);
            judge_.merge(&sample_[v * held_], &sample_[c * held_], held_);
        }
        tree_.link(v);
        for (LeafRows& rows : rows_) rows.join(v, n_children(v), [&](i32 b) { return child(v, b); });
        last_tried_ = v;
        const double* b = &sample_[v * held_];
        const double leaf = judge_.loss(b, in_.answer[v]), slack = judge_.slack(b, leaf);
        const auto [raised, best] =
            leaf > slack ? best_child(v, std::min(leaf, keep_cost), slack) : std::pair{kNothing, std::size_t{0}};
        out_.keep_cost[v] = keep_cost;
        out_.leaf[v] = leaf;
        out_.raised[v] = raised;
        out_.weight[v] = judge_.held_weight(b);
        if (leaf <= std::min(keep_cost, raised) + slack)
            to_leaf(v, leaf);
        else if (raised <= keep_cost + slack)
            raise(v, best, raised);
        else {
            cost_[v] = keep_cost;
            size_[v] = size;
        }
    }

    // The cheapest child's subtree; of equally cheap ones the smallest, then the first.
    std::pair<double, std::size_t> best_child(std::size_t v, double limit, double slack) {
        double least = kNothing;
        std::size_t best = 0;
        for (i32 b = 0; b < n_children(v); ++b) {
            const std::size_t c = child(v, b);
            if (tree_.is_leaf[c]) continue;
            const double cost = try_child(v, c, std::min(limit, least) + slack);
            if (cost < least - slack || (cost <= least + slack && size_[c] < size_[best])) least = cost, best = c;
        }
        return {least, best};
    }

    // The cost of the rows of v with the subtree of c in its place; nothing if it is above `limit` whatever the leaves
    // answer, which the held rows alone tell.
    double try_child(std::size_t v, std::size_t c, double limit) {
        touched_.clear();
        more_.clear();
        more_sample_.clear();
        least_.clear();
        last_tried_ = c;
        double least = floor_[c];  // `floor_with_more`, but for the rounding
        const auto hopeless = [&] { return !exact_ && least > limit && floor_with_more(c) > limit; };
        const auto held = [&](std::size_t at, Entry part, bool in_leaf) {
            if (!in_leaf) return;
            const std::size_t k = touch(at);
            judge_.add_held(static_cast<std::size_t>(part.row), part.weight, &more_sample_[k * held_]);
            if (exact_) return;
            if (least_.size() <= k) least_.push_back(judge_.least(&sample_[at * held_]));
            const double before = std::exchange(least_[k], least_with_more(k));
            least += least_[k] - before;
        };
        if (!send_siblings(1, v, c, held, hopeless) || hopeless()) return kNothing;
        const auto training = [&](std::size_t at, Entry part, bool) {
            judge_.add_training(static_cast<std::size_t>(part.row), part.weight, &more_[touch(at) * wide_]);
        };
        send_siblings(0, v, c, training, [] { return false; });
        for (std::size_t i = 0; state_.has_empty_leaves && i < touched_.size(); ++i)
            touch_empty(touched_[i]);  // grows as it goes
        double total = cost_[c];
        for (const std::size_t at : touched_)
            if (tree_.is_leaf[at]) total += new_cost(v, c, at) - cost_[at];
        return total;
    }

    // What the held rows cost if every leaf below c gave the answer that is best for them.
    double floor_with_more(std::size_t c) {
        double total = floor_[c];
        for (std::size_t k = 0; k < touched_.size(); ++k)
            total += least_with_more(k) - judge_.least(&sample_[touched_[k] * held_]);
        return total;
    }
    double least_with_more(std::size_t k) {
        merge_sample(touched_[k], k);
        return judge_.least(both_.data());
    }

    // `both_` is the held rows of a leaf and those that a trial brings.
    void merge_sample(std::size_t at, std::size_t k) {
        both_.assign(&sample_[at * held_], &sample_[at * held_] + held_);
        judge_.merge(both_.data(), &more_sample_[k * held_], held_);
    }

    bool is_touched(std::size_t at) const {
        return slot_[at] < touched_.size() && touched_[slot_[at]] == at;  // slots of other trials name other leaves
    }
    // Where a trial adds up what comes to a node.
    std::size_t touch(std::size_t at) {
        if (!is_touched(at)) {
            slot_[at] = static_cast<u32>(touched_.size());
            touched_.push_back(at);
            more_.insert(more_.end(), wide_, 0.0);
            more_sample_.insert(more_sample_.end(), held_, 0.0);
        }
        return slot_[at];
    }

    // Children without training rows answer as the node above them, which has some more.
    void touch_empty(std::size_t at) {
        if (tree_.is_leaf[at]) return;
        for (i32 b = 0; b < n_children(at); ++b) {
            const std::size_t c = child(at, b);
            if (!(judge_.weight(&tally_[c * wide_]) > 0)) touch(c);
        }
    }

    // What a touched leaf costs with its rows and the further ones.
    double new_cost(std::size_t v, std::size_t root, std::size_t at) {
        merge_sample(at, slot_[at]);
        for (std::size_t node = at;; node = static_cast<std::size_t>(above_[node])) {
            sums_.assign(&tally_[node * wide_], &tally_[node * wide_] + wide_);
            if (is_touched(node)) judge_.merge(sums_.data(), &more_[slot_[node] * wide_], wide_);
            if (judge_.weight(sums_.data()) > 0) return judge_.loss(both_.data(), judge_.answer(sums_.data(), space_));
            if (node == root) return judge_.loss(both_.data(), in_.answer[v]);
        }
    }

    // The rows of v that are not below its child c; valid until the next call.
    std::span<const Entry> sibling_rows(int which, std::size_t v, std::size_t c) {
        const bool two = n_children(v) == 2;
        for (i32 b = 0; b < n_children(v) && two; ++b)
            if (const Piece& piece = rows_[which][child(v, b)]; child(v, b) != c && piece.whole()) return piece.rows();
        sibling_rows_.clear();
        for (i32 b = 0; b < n_children(v); ++b)
            if (child(v, b) != c) collect(which, child(v, b), sibling_rows_);
        return sibling_rows_;
    }
    void collect(int which, std::size_t from, Entries& out) {
        leaves_.clear();
        tree_.leaves_below(from, stack_, leaves_);
        for (const std::size_t at : leaves_)
            out.insert(out.end(), rows_[which][at].rows().begin(), rows_[which][at].rows().end());
    }

    // Sends the rows of v that are not below its child c through the subtree of c, some at a time; `hopeless` may end
    // it (held rows only add to what they cost). Whether all were sent.
    template <class Visit, class Hopeless>
    bool send_siblings(int which, std::size_t v, std::size_t c, Visit&& visit, Hopeless&& hopeless) {
        const std::span<const Entry> rows = sibling_rows(which, v, c);
        std::vector<i32>& leaf = reached_[which];
        leaf.resize(rows.size());
        for (std::size_t first = 0; first < rows.size(); first += kMany) {
            if (first > 0 && hopeless()) return false;
            const std::size_t last = std::min(first + kMany, rows.size());
            if (state_.has_empty_leaves)  // inner nodes count the rows that pass them, too
                std::fill(leaf.begin() + static_cast<std::ptrdiff_t>(first), leaf.end(), RowRouter::kNotRouted);
            else {
                for (std::size_t i = first; i < last; ++i)
                    prefetch(judge_.outcome(which, static_cast<std::size_t>(rows[i].row)));
                tree_.route(which, c, rows.subspan(first, last - first), leaf.data() + first);
            }
            for (std::size_t i = first; i < last; ++i) {
                if (leaf[i] == RowRouter::kNotRouted)
                    tree_.send(which, c, rows[i], state_.has_empty_leaves, visit);
                else
                    visit(static_cast<std::size_t>(leaf[i]), rows[i], true);
            }
        }
        return true;
    }

    void to_leaf(std::size_t v, double cost) {
        for (int which : {0, 1}) {
            if (rows_[which][v].whole()) continue;
            sibling_rows_.clear();
            collect(which, v, sibling_rows_);
            rows_[which].put(v, sibling_rows_);
        }
        tree_.end(v);
        out_.action[v] = 1;
        cost_[v] = cost;
        floor_[v] = judge_.least(&sample_[v * held_]);
        size_[v] = 1;
    }

    // The subtree of c stands in the place of v, and the rows of its siblings come to rest in it.
    void raise(std::size_t v, std::size_t c, double cost) {
        if (last_tried_ != c) (void)try_child(v, c, kNothing);
        floor_[c] = floor_with_more(c);
        new_costs_.clear();
        for (const std::size_t at : touched_)
            if (tree_.is_leaf[at]) new_costs_.emplace_back(at, new_cost(v, c, at));
        for (int which : {0, 1}) add_siblings(which, v, c);
        for (const auto& [at, cost] : new_costs_) cost_[at] = cost;
        cost_[c] = cost;
        tree_.stand[v] = static_cast<i32>(c);
        out_.action[v] = 2;
        out_.child[v] = static_cast<i32>(c);
    }

    // The rows that a trial sent come to rest in the leaves they reached, after those that are there.
    void add_siblings(int which, std::size_t v, std::size_t c) {
        arrived_.clear();
        const auto add_part = [&](std::size_t at, Entry part, bool in_leaf) { add_entry(which, at, part, in_leaf); };
        const std::span<const Entry> rows = sibling_rows(which, v, c);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const i32 leaf = reached_[which][i];
            if (leaf == RowRouter::kNotRouted)
                tree_.send(which, c, rows[i], true, add_part);
            else
                for (auto at = static_cast<std::size_t>(leaf);; at = static_cast<std::size_t>(above_[at])) {
                    add_entry(which, at, rows[i], at == static_cast<std::size_t>(leaf));
                    if (at == c) break;
                }
        }
        leaves_.clear();
        tree_.leaves_below(c, stack_, leaves_);
        rows_[which].spread(v, c, leaves_, arrived_, slot_);  // no trial is under way that needs the slots
    }

    // An entry passes a node of a raised subtree, or comes to rest there.
    void add_entry(int which, std::size_t at, Entry part, bool in_leaf) {
        const auto row = static_cast<std::size_t>(part.row);
        if (in_leaf) arrived_.push_back({at, part});
        if (which) {
            judge_.add_held(row, part.weight, &sample_[at * held_]);
            return;
        }
        out_.refilled[at] = 1;
        out_.n_rows[at] += in_.copies.empty() ? 1 : in_.copies[row];
        judge_.add_training(row, part.weight, &tally_[at * wide_]);
    }

    static constexpr std::size_t kFew = 10000;
    static constexpr std::size_t kMany = 64;  // rows that go together
    static constexpr double kNothing = std::numeric_limits<double>::infinity();
    ReplacingState<Judge>& state_;
    const ReplacingInput& in_ = state_.in;
    const Judge& judge_ = state_.judge;
    const std::size_t wide_ = judge_.training_width(), held_ = judge_.held_width();
    CurrentTree& tree_ = state_.tree;
    ReplacingOutput& out_ = state_.out;
    std::span<LeafRows> rows_ = state_.rows;
    std::vector<double>&tally_ = state_.tally, &sample_ = state_.sample;
    std::vector<double>&cost_ = state_.cost, &floor_ = state_.floor;
    std::vector<i64>& size_ = state_.size;
    std::vector<i32>& above_ = state_.above;
    std::vector<u32>& slot_ = state_.slot;
    const bool exact_ = in_.held.row.size() <= kFew;  // every cost is computed for small samples
    // The last trial: the child, the leaves touched and what they get (in the order of `touched_`), and the leaf of
    // each row that was sent.
    std::size_t last_tried_ = 0;
    std::vector<std::size_t> touched_;
    std::vector<double> more_, more_sample_, least_;
    std::vector<i32> reached_[2];
    // Scratch.
    std::vector<std::size_t> leaves_, stack_;
    std::vector<double> both_, sums_, space_;
    std::vector<std::pair<std::size_t, double>> new_costs_;
    std::vector<Arrival> arrived_;
    Entries sibling_rows_;
};

template <class Judge>
ReplacingOutput replaced(const ReplacingInput& input, const Judge& judge) {
    Pool pool(std::max(1, input.n_threads), nullptr);
    ReplacingState<Judge> state(input, judge, pool);
    std::vector<ChildReplacer<Judge>> workers;
    for (int i = 0; i < pool.n_threads(); ++i) workers.emplace_back(state);
    visit_subtrees(
        input.held_tree.first_child, input.held_tree.n_children,
        [&](std::size_t v) { return state.rows[0][v].n + state.rows[1][v].n; }, input.task_rows, pool,
        [&](const std::vector<i32>& nodes, int worker) {
            workers[static_cast<std::size_t>(worker)].decide_all(nodes);
        });
    if constexpr (std::is_same_v<Judge, RealJudge>) sum_exactly(state);
    const std::size_t k = judge.stats_width(), wide = judge.training_width();
    if (k == wide) state.out.stats = std::move(state.tally);
    for (std::size_t v = 0; v < state.n && k < wide; ++v) {
        const double* a = &state.tally[v * wide];
        state.out.stats.insert(state.out.stats.end(), a, a + k);
        state.out.costs.insert(state.out.costs.end(), a + k, a + wide);
    }
    state.out.stand = std::move(state.tree.stand);
    state.out.is_leaf = std::move(state.tree.is_leaf);
    return std::move(state.out);
}

}  // namespace

ReplacingOutput replace_by_children(const ReplacingInput& input, const ClassOutcome& outcome) {
    const ClassJudge judge{outcome};
    return replaced(input, judge);
}
ReplacingOutput replace_by_children(const ReplacingInput& input, const CostOutcome& outcome) {
    const CostJudge judge{outcome};
    return replaced(input, judge);
}
ReplacingOutput replace_by_children(const ReplacingInput& input, const RealOutcome& outcome) {
    const RealJudge judge{outcome};
    return replaced(input, judge);
}

}  // namespace hornbeam
