#include "replacing.hpp"

#include <utility>

#include "judges.hpp"
#include "standing.hpp"
#include "subtree_tasks.hpp"

namespace hornbeam {
namespace {

// What all threads share: the tree, its rows, and what was decided about each node.
template <class Judge>
struct Ground {
    Ground(const ReplacingInput& input, const Judge& judge)
        : in(input), judge(judge), n(input.share.size()), tree(input) {
        const std::size_t wide = judge.training_width(), held = judge.held_width();
        out.action.assign(n, 0);
        out.child.assign(n, -1);
        for (auto* costs : {&out.kept, &out.leaf, &out.weight}) costs->assign(n, 0.0);
        out.raised.assign(n, std::numeric_limits<double>::infinity());
        out.refilled.assign(n, 0);
        out.n_rows.assign(in.n_rows.begin(), in.n_rows.end());
        above.assign(n, -1);
        size.assign(n, 1);
        cost.assign(n, 0.0);
        floor.assign(n, 0.0);
        tally.assign(n * wide, 0.0);
        sample.assign(n * held, 0.0);
        more.assign(n * wide, 0.0);
        more_sample.assign(n * held, 0.0);
        stamp.assign(n, 0);
        rows[0].resize(n);
        rows[1].resize(n);
    }

    const ReplacingInput& in;
    const Judge& judge;
    std::size_t n;
    Standing tree;
    ReplacingOutput out;
    std::vector<Entries> rows[2];           // of each leaf there is: training rows, held rows
    std::vector<double> tally, sample;      // what they add up to, at every node
    std::vector<double> more, more_sample;  // what a trial adds, where the stamp is that of the trial
    std::vector<i64> size;
    std::vector<double> cost;
    std::vector<double> floor;  // what the held rows below cost at the best answers of the leaves there are
    std::vector<i32> above;
    std::vector<u64> stamp;
    bool silent = false;  // whether some leaf has no training rows
};

// Decides about the nodes of a subtree, from below.
template <class Judge>
class Replacing {
  public:
    explicit Replacing(Ground<Judge>& ground) : ground_(ground) {}

    u64 now_ = 0;  // the number of the last trial

    // Puts all rows into their leaves.
    void fill() {
        for (int which : {0, 1}) {
            const Sample& s = which ? in_.held : in_.training;
            std::vector<u32> count(ground_.n, 0);
            for (const i32 leaf : s.leaf) ++count[static_cast<std::size_t>(leaf)];
            for (std::size_t v = 0; v < ground_.n; ++v) rows_[which][v].reserve(count[v]);
            for (std::size_t i = 0; i < s.row.size(); ++i) put(which, s.leaf[i], {s.row[i], s.weight[i]});
        }
        for (std::size_t v = 0; v < ground_.n; ++v)
            if (tree_.is_leaf[v] && !(judge_.weight(&tally_[v * wide_]) > 0)) ground_.silent = true;
    }

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

    // An entry comes to rest in a leaf.
    void put(int which, i32 leaf, Placed entry) {
        const auto at = static_cast<std::size_t>(leaf), row = static_cast<std::size_t>(entry.row);
        rows_[which][at].push_back(entry);
        if (which)
            judge_.add_held(row, entry.weight, &sample_[at * held_]);
        else
            judge_.add_training(row, entry.weight, &tally_[at * wide_]);
    }

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
        ++now_;
        touched_.clear();
        way_matters_ = ground_.silent;
        const auto hopeless = [&] { return !exact_ && floor_with_more(c) > limit; };
        const auto held = [&](std::size_t at, Placed part, bool rests) {
            if (!rests) return;
            touch(at);
            judge_.add_held(static_cast<std::size_t>(part.row), part.weight, &more_sample_[at * held_]);
        };
        if (!send_siblings(1, v, c, held, hopeless) || hopeless()) return kNothing;
        const auto training = [&](std::size_t at, Placed part, bool) {
            touch(at);
            judge_.add_training(static_cast<std::size_t>(part.row), part.weight, &more_[at * wide_]);
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
        both_.resize(held_);
        for (const std::size_t at : touched_) {
            for (std::size_t i = 0; i < held_; ++i) both_[i] = sample_[at * held_ + i] + more_sample_[at * held_ + i];
            total += judge_.least(both_.data()) - judge_.least(&sample_[at * held_]);
        }
        return total;
    }

    void touch(std::size_t at) {
        if (stamp_[at] == now_) return;
        stamp_[at] = now_;
        touched_.push_back(at);
        std::fill_n(&more_[at * wide_], wide_, 0.0);
        std::fill_n(&more_sample_[at * held_], held_, 0.0);
    }

    // Children without training rows answer as the node above them, which has some more.
    void touch_silent(std::size_t at) {
        if (tree_.is_leaf[at]) return;
        for (i32 b = 0; b < n_children(at); ++b) {
            const std::size_t c = child(at, b);
            if (!(judge_.weight(&tally_[c * wide_]) > 0)) touch(c);
        }
    }

    // What a leaf costs with its rows and the further ones.
    double new_cost(std::size_t v, std::size_t root, std::size_t at) {
        both_.resize(held_);
        sums_.resize(wide_);
        for (std::size_t i = 0; i < held_; ++i) both_[i] = sample_[at * held_ + i] + more_sample_[at * held_ + i];
        for (std::size_t node = at;; node = static_cast<std::size_t>(above_[node])) {
            const bool fresh = stamp_[node] == now_;
            for (std::size_t i = 0; i < wide_; ++i)
                sums_[i] = tally_[node * wide_ + i] + (fresh ? more_[node * wide_ + i] : 0.0);
            if (judge_.weight(sums_.data()) > 0) return judge_.loss(both_.data(), judge_.answer(sums_.data(), space_));
            if (node == root) return judge_.loss(both_.data(), in_.given[v]);
        }
    }

    // Sends the rows of v that are not below its child c through the subtree of c; the value each is asked for first is
    // fetched ahead. After 64 rows, 128, 256, ... `hopeless` may end it (held rows only add to what they cost); whether
    // all were sent.
    template <class Visit, class Hopeless>
    bool send_siblings(int which, std::size_t v, std::size_t c, Visit&& visit, Hopeless&& hopeless) {
        leaves_.clear();
        for (i32 b = 0; b < n_children(v); ++b)
            if (child(v, b) != c) tree_.leaves_below(child(v, b), stack_, leaves_);
        coming_.clear();
        for (const std::size_t at : leaves_)
            coming_.insert(coming_.end(), rows_[which][at].begin(), rows_[which][at].end());
        const auto column = tree_.column(c);
        const ColumnView& first = (which ? in_.held : in_.training).columns[column];
        std::size_t asked = kMany;
        for (std::size_t i = 0; i < coming_.size();) {
            if (i >= asked) {
                if (hopeless()) return false;
                asked *= 2;
            }
            for (std::size_t k = i + Standing::kTogether; k < std::min(coming_.size(), i + 2 * Standing::kTogether);
                 ++k)
                __builtin_prefetch(first.data + coming_[k].row * first.stride);
            if (!way_matters_ && i + Standing::kTogether <= coming_.size()) {
                tree_.send_together(which, c, &coming_[i], visit);
                i += Standing::kTogether;
            } else
                tree_.send(which, c, coming_[i++], way_matters_, visit);
        }
        return true;
    }

    // The rows below a node, which are in no leaf any more.
    void take_rows(std::size_t from, Entries out[2]) {
        leaves_.clear();
        tree_.leaves_below(from, stack_, leaves_);
        for (const std::size_t at : leaves_)
            for (int which : {0, 1}) {
                Entries rows = std::exchange(rows_[which][at], {});
                out[which].insert(out[which].end(), rows.begin(), rows.end());
            }
    }

    void to_leaf(std::size_t v, double cost) {
        Entries all[2];
        take_rows(v, all);
        rows_[0][v] = std::move(all[0]);
        rows_[1][v] = std::move(all[1]);
        tree_.end(v);
        out_.action[v] = 1;
        cost_[v] = cost;
        floor_[v] = judge_.least(&sample_[v * held_]);
        size_[v] = 1;
    }

    // The subtree of c stands in the place of v, and the rows of its siblings come to rest in it.
    void raise(std::size_t v, std::size_t c, double cost) {
        (void)tried(v, c, kNothing);  // the last one tried may have been another child
        floor_[c] = floor_with_more(c);
        std::vector<std::pair<std::size_t, double>> costs;
        for (const std::size_t at : touched_)
            if (tree_.is_leaf[at]) costs.emplace_back(at, new_cost(v, c, at));
        Entries all[2];
        for (i32 b = 0; b < n_children(v); ++b)
            if (child(v, b) != c) take_rows(child(v, b), all);
        for (int which : {0, 1})
            for (const Placed& entry : all[which])
                tree_.send(which, c, entry, true,
                           [&](std::size_t at, Placed part, bool rests) { settle(which, at, part, rests); });
        for (const auto& [at, found] : costs) cost_[at] = found;
        cost_[c] = cost;
        tree_.stand[v] = static_cast<i32>(c);
        out_.action[v] = 2;
        out_.child[v] = static_cast<i32>(c);
    }

    // An entry passes a node of a raised subtree, or comes to rest there.
    void settle(int which, std::size_t at, Placed part, bool rests) {
        const auto row = static_cast<std::size_t>(part.row);
        if (!which) {
            out_.refilled[at] = 1;
            out_.n_rows[at] += in_.copies.empty() ? 1 : in_.copies[row];
        }
        if (rests)
            put(which, static_cast<i32>(at), part);
        else if (which)
            judge_.add_held(row, part.weight, &sample_[at * held_]);
        else
            judge_.add_training(row, part.weight, &tally_[at * wide_]);
    }

    static constexpr std::size_t kFew = 10000;
    static constexpr std::size_t kMany = 64;  // rows after which it is worth asking whether to go on
    static constexpr double kNothing = std::numeric_limits<double>::infinity();
    Ground<Judge>& ground_;
    const ReplacingInput& in_ = ground_.in;
    const Judge& judge_ = ground_.judge;
    const std::size_t wide_ = judge_.training_width(), held_ = judge_.held_width();
    Standing& tree_ = ground_.tree;
    ReplacingOutput& out_ = ground_.out;
    std::vector<Entries> (&rows_)[2] = ground_.rows;
    std::vector<double>&tally_ = ground_.tally, &sample_ = ground_.sample, &more_ = ground_.more;
    std::vector<double>&more_sample_ = ground_.more_sample, &cost_ = ground_.cost, &floor_ = ground_.floor;
    std::vector<i64>& size_ = ground_.size;
    std::vector<i32>& above_ = ground_.above;
    std::vector<u64>& stamp_ = ground_.stamp;
    const bool exact_ = in_.held.row.size() <= kFew;  // of small samples every cost is told
    // Scratch.
    std::vector<std::size_t> touched_, leaves_, stack_;
    std::vector<double> both_, sums_, space_;
    Entries coming_;
    bool way_matters_ = false;  // whether rows are seen on their way, not only where they rest
};

template <class Judge>
ReplacingOutput replaced(const ReplacingInput& input, const Judge& judge) {
    Ground<Judge> ground(input, judge);
    Replacing<Judge>(ground).fill();
    const TreeView& tree = input.held_tree;
    std::vector<std::vector<i32>> tasks = subtree_tasks(
        tree.first_child, tree.n_children, {input.training.leaf, input.held.leaf}, input.n_threads, input.task_rows);
    const std::vector<i32> above = std::move(tasks.back());
    tasks.pop_back();
    Pool pool(std::max(1, input.n_threads), nullptr);
    std::vector<Replacing<Judge>> workers;
    for (int i = 0; i < pool.n_threads(); ++i) workers.emplace_back(ground);
    pool.each(tasks.size(),
              [&](std::size_t i, int worker) { workers[static_cast<std::size_t>(worker)].settle_all(tasks[i]); });
    for (const auto& worker : workers) workers[0].now_ = std::max(workers[0].now_, worker.now_);
    workers[0].settle_all(above);
    const std::size_t k = judge.stats_width(), wide = judge.training_width();
    for (std::size_t v = 0; v < ground.n; ++v) {
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
