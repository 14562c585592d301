#include "hornbeam/prune/replace_by_child.hpp"

#include <utility>

#include "hornbeam/prune/node_costs.hpp"
#include "hornbeam/prune/replace_by_child_state.hpp"
#include "hornbeam/threads/subtree_tasks.hpp"

namespace hornbeam {
namespace {

// Decides about the nodes of a subtree, from below.
template <class Judge>
class Replacing {
  public:
    explicit Replacing(ReplacingGround<Judge>& ground) : ground_(ground) {}

    // `nodes` in descending order.
    void settle_all(const std::vector<i32>& nodes) {
        for (const i32 node : nodes) {
            const auto v = static_cast<std::size_t>(node);
            if (in_.held_tree.first_child[v] < 0)
                rest(v);
            else
                decide(v);
        }
    }

  private:
    std::size_t child(std::size_t v, i32 branch) const { return tree_.child(v, branch); }
    i32 n_children(std::size_t v) const { return tree_.n_children(v); }

    // A leaf of the tree as it came.
    void rest(std::size_t v) {
        size_[v] = in_.leaf_size[v];
        cost_[v] = judge_.loss(&sample_[v * held_], in_.given[v]);
        floor_[v] = judge_.least(&sample_[v * held_]);
    }

    void decide(std::size_t v) {
        double kept = 0;
        i64 size = 1;
        for (i32 b = 0; b < n_children(v); ++b) {
            const std::size_t c = child(v, b);  // has the rows of the place it stands in
            kept += cost_[c];
            floor_[v] += floor_[c];
            size += size_[c];
            above_[c] = static_cast<i32>(v);
            for (std::size_t i = 0; i < wide_; ++i) tally_[v * wide_ + i] += tally_[c * wide_ + i];
            for (std::size_t i = 0; i < held_; ++i) sample_[v * held_ + i] += sample_[c * held_ + i];
        }
        tree_.link(v);
        for (LeafRows& rows : rows_) rows.join(v, n_children(v), [&](i32 b) { return child(v, b); });
        last_tried_ = v;
        const double* b = &sample_[v * held_];
        const double leaf = judge_.loss(b, in_.given[v]), slack = judge_.slack(b, leaf);
        const auto [raised, best] =
            leaf > slack ? best_child(v, std::min(leaf, kept), slack) : std::pair{kNothing, std::size_t{0}};
        out_.kept[v] = kept;
        out_.leaf[v] = leaf;
        out_.raised[v] = raised;
        out_.weight[v] = judge_.held_weight(b);
        if (leaf <= std::min(kept, raised) + slack)
            to_leaf(v, leaf);
        else if (raised <= kept + slack)
            raise(v, best, raised);
        else {
            cost_[v] = kept;
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
            const double found = tried(v, c, std::min(limit, least) + slack);
            if (found < least - slack || (found <= least + slack && size_[c] < size_[best])) least = found, best = c;
        }
        return {least, best};
    }

    // The cost of the rows of v with the subtree of c in its place; nothing if it is above `limit` whatever the leaves
    // answer, which the held rows alone tell.
    double tried(std::size_t v, std::size_t c, double limit) {
        touched_.clear();
        more_.clear();
        more_sample_.clear();
        least_.clear();
        last_tried_ = c;
        double least = floor_[c];  // `floor_with_more`, but for the rounding
        const auto hopeless = [&] { return !exact_ && least > limit && floor_with_more(c) > limit; };
        const auto held = [&](std::size_t at, Entry part, bool rests) {
            if (!rests) return;
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
        for (std::size_t i = 0; ground_.silent && i < touched_.size(); ++i)
            touch_silent(touched_[i]);  // grows as it goes
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
        both_.resize(held_);
        for (std::size_t i = 0; i < held_; ++i)
            both_[i] = sample_[touched_[k] * held_ + i] + more_sample_[k * held_ + i];
        return judge_.least(both_.data());
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
    void touch_silent(std::size_t at) {
        if (tree_.is_leaf[at]) return;
        for (i32 b = 0; b < n_children(at); ++b) {
            const std::size_t c = child(at, b);
            if (!(judge_.weight(&tally_[c * wide_]) > 0)) touch(c);
        }
    }

    // What a touched leaf costs with its rows and the further ones.
    double new_cost(std::size_t v, std::size_t root, std::size_t at) {
        both_.resize(held_);
        sums_.resize(wide_);
        for (std::size_t i = 0; i < held_; ++i)
            both_[i] = sample_[at * held_ + i] + more_sample_[slot_[at] * held_ + i];
        for (std::size_t node = at;; node = static_cast<std::size_t>(above_[node])) {
            const bool fresh = is_touched(node);
            for (std::size_t i = 0; i < wide_; ++i)
                sums_[i] = tally_[node * wide_ + i] + (fresh ? more_[slot_[node] * wide_ + i] : 0.0);
            if (judge_.weight(sums_.data()) > 0) return judge_.loss(both_.data(), judge_.answer(sums_.data(), space_));
            if (node == root) return judge_.loss(both_.data(), in_.given[v]);
        }
    }

    // The rows of v that are not below its child c; valid until the next call.
    std::span<const Entry> coming(int which, std::size_t v, std::size_t c) {
        const bool two = n_children(v) == 2;
        for (i32 b = 0; b < n_children(v) && two; ++b)
            if (const Piece& piece = rows_[which][child(v, b)]; child(v, b) != c && piece.whole()) return piece.rows();
        coming_.clear();
        for (i32 b = 0; b < n_children(v); ++b)
            if (child(v, b) != c) collect(which, child(v, b), coming_);
        return coming_;
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
        const std::span<const Entry> rows = coming(which, v, c);
        std::vector<i32>& leaf = reached_[which];
        leaf.resize(rows.size());
        for (std::size_t first = 0; first < rows.size(); first += kMany) {
            if (first > 0 && hopeless()) return false;
            const std::size_t last = std::min(first + kMany, rows.size());
            if (ground_.silent)  // rows are seen on their way, not only where they rest
                std::fill(leaf.begin() + static_cast<std::ptrdiff_t>(first), leaf.end(), Strides::kOdd);
            else {
                for (std::size_t i = first; i < last; ++i)
                    __builtin_prefetch(judge_.outcome(which, static_cast<std::size_t>(rows[i].row)));
                tree_.walk(which, c, rows.subspan(first, last - first), leaf.data() + first);
            }
            for (std::size_t i = first; i < last; ++i) {
                if (leaf[i] == Strides::kOdd)
                    tree_.send(which, c, rows[i], ground_.silent, visit);
                else
                    visit(static_cast<std::size_t>(leaf[i]), rows[i], true);
            }
        }
        return true;
    }

    void to_leaf(std::size_t v, double cost) {
        for (int which : {0, 1}) {
            if (rows_[which][v].whole()) continue;
            coming_.clear();
            collect(which, v, coming_);
            rows_[which].put(v, coming_);
        }
        tree_.end(v);
        out_.action[v] = 1;
        cost_[v] = cost;
        floor_[v] = judge_.least(&sample_[v * held_]);
        size_[v] = 1;
    }

    // The subtree of c stands in the place of v, and the rows of its siblings come to rest in it.
    void raise(std::size_t v, std::size_t c, double cost) {
        if (last_tried_ != c) (void)tried(v, c, kNothing);
        floor_[c] = floor_with_more(c);
        new_costs_.clear();
        for (const std::size_t at : touched_)
            if (tree_.is_leaf[at]) new_costs_.emplace_back(at, new_cost(v, c, at));
        for (int which : {0, 1}) settle_siblings(which, v, c);
        for (const auto& [at, found] : new_costs_) cost_[at] = found;
        cost_[c] = cost;
        tree_.stand[v] = static_cast<i32>(c);
        out_.action[v] = 2;
        out_.child[v] = static_cast<i32>(c);
    }

    // The rows that a trial sent come to rest in the leaves they reached, after those that are there.
    void settle_siblings(int which, std::size_t v, std::size_t c) {
        arrived_.clear();
        const auto settle_one = [&](std::size_t at, Entry part, bool rests) { settle(which, at, part, rests); };
        const std::span<const Entry> rows = coming(which, v, c);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const i32 leaf = reached_[which][i];
            if (leaf == Strides::kOdd)
                tree_.send(which, c, rows[i], true, settle_one);
            else
                for (auto at = static_cast<std::size_t>(leaf);; at = static_cast<std::size_t>(above_[at])) {
                    settle(which, at, rows[i], at == static_cast<std::size_t>(leaf));
                    if (at == c) break;
                }
        }
        leaves_.clear();
        tree_.leaves_below(c, stack_, leaves_);
        rows_[which].spread(v, c, leaves_, arrived_, slot_);  // no trial is under way that needs the slots
    }

    // An entry passes a node of a raised subtree, or comes to rest there.
    void settle(int which, std::size_t at, Entry part, bool rests) {
        const auto row = static_cast<std::size_t>(part.row);
        if (rests) arrived_.push_back({at, part});
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
    ReplacingGround<Judge>& ground_;
    const ReplacingInput& in_ = ground_.in;
    const Judge& judge_ = ground_.judge;
    const std::size_t wide_ = judge_.training_width(), held_ = judge_.held_width();
    Standing& tree_ = ground_.tree;
    ReplacingOutput& out_ = ground_.out;
    std::span<LeafRows> rows_ = ground_.rows;
    std::vector<double>&tally_ = ground_.tally, &sample_ = ground_.sample;
    std::vector<double>&cost_ = ground_.cost, &floor_ = ground_.floor;
    std::vector<i64>& size_ = ground_.size;
    std::vector<i32>& above_ = ground_.above;
    std::vector<u32>& slot_ = ground_.slot;
    const bool exact_ = in_.held.row.size() <= kFew;  // of small samples every cost is told
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
    Entries coming_;
};

template <class Judge>
ReplacingOutput replaced(const ReplacingInput& input, const Judge& judge) {
    Pool pool(std::max(1, input.n_threads), nullptr);
    ReplacingGround<Judge> ground(input, judge, pool);
    std::vector<Replacing<Judge>> workers;
    for (int i = 0; i < pool.n_threads(); ++i) workers.emplace_back(ground);
    settle_subtrees(
        input.held_tree.first_child, input.held_tree.n_children,
        [&](std::size_t v) { return ground.rows[0][v].n + ground.rows[1][v].n; }, input.task_rows, pool,
        [&](const std::vector<i32>& nodes, int worker) {
            workers[static_cast<std::size_t>(worker)].settle_all(nodes);
        });
    const std::size_t k = judge.stats_width(), wide = judge.training_width();
    if (k == wide) ground.out.stats = std::move(ground.tally);
    for (std::size_t v = 0; v < ground.n && k < wide; ++v) {
        const double* a = &ground.tally[v * wide];
        ground.out.stats.insert(ground.out.stats.end(), a, a + k);
        ground.out.costs.insert(ground.out.costs.end(), a + k, a + wide);
    }
    ground.out.stand = std::move(ground.tree.stand);
    ground.out.is_leaf = std::move(ground.tree.is_leaf);
    return std::move(ground.out);
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
