#include "raising.hpp"

#include <algorithm>
#include <utility>

#include "held_rows.hpp"

namespace hornbeam {
namespace {

constexpr double kSlack = 0.1 + 1e-9;  // C4.5 prunes what is this much worse

class Raising : HeldRows {
  public:
    explicit Raising(const RaisingInput& input)
        : HeldRows(input), error_(input.first_child.size()), counted_(input.n_classes) {}

    RaisingOutput run() {
        for (std::size_t node = error_.size(); node-- > 0;) settle(node, -1);
        out_.expected = error_[stand_in(0)];
        return std::move(out_);
    }

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
    void settle(std::size_t node, i32 within) {
        if (out_.link[node] != static_cast<i32>(node)) return;
        if (out_.is_leaf[node]) {
            error_[node] = expected(stats_of(node));
            return;
        }
        double as_tree = 0, most = 0;
        std::size_t largest = node;
        for (i32 b = 0; b < in_.n_children[node]; ++b) {
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
            held_[node] = gather(node);
            out_.is_leaf[node] = 1;
            error_[node] = as_leaf;
        } else if (action == Pruning::raise) {
            const Rows rows = gather(node);
            out_.link[node] = static_cast<i32>(largest);
            refill(largest, rows, static_cast<i32>(node));
        }
    }

    // What the largest branch would expect with all rows of the node. More rows never let a leaf expect less, so what
    // exceeds `enough` cannot be chosen any more and need not be told exactly (unless costs choose other answers).
    double branch_error(std::size_t node, std::size_t largest, double enough) {
        if (!divided_[largest]) {
            others_.clear();
            for (i32 b = 0; b < in_.n_children[node]; ++b)
                if (child(node, b) != largest) collect(child(node, b), others_);
            double total = error_[largest];
            const bool sent = send(largest, others_, [&](std::size_t leaf, std::span<const Entry> rows) {
                const std::span<double> stats = tally(rows);
                for (std::size_t c = 0; c < k_; ++c) stats[c] += stats_of(leaf)[c];
                total += expected(stats.data()) - error_[leaf];
                return total <= enough || !in_.costs.empty();
            });
            if (sent) return total;
        }
        double total = 0;
        send_divided(largest, gather(node), [&](std::size_t at, const Rows& rows, bool) {
            if (out_.is_leaf[at]) total += expected(tally(rows).data());
        });
        return total;
    }

    // A subtree takes the place of `node` with all its rows, and is examined again.
    void refill(std::size_t root, const Rows& rows, i32 node) {
        std::vector<std::size_t> order;
        std::vector<std::pair<std::size_t, Rows>> leaves;
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
            if (out_.is_leaf[at]) leaves.emplace_back(at, here);
        });
        for (auto& [leaf, here] : leaves) held_[leaf] = std::move(here);
        mark_divided(order);
        for (std::size_t i = order.size(); i-- > 0;) settle(order[i], node);
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
        out_.node.push_back(static_cast<i32>(node));
        out_.action.push_back(static_cast<u8>(action));
        out_.child.push_back(child);
        out_.within.push_back(within);
        out_.as_leaf.push_back(numbers[0]);
        out_.as_tree.push_back(numbers[1]);
        out_.as_branch.push_back(numbers[2]);
    }

    std::vector<double> error_;    // expected of the subtree as it stands
    std::vector<double> counted_;  // scratch
    Rows others_;
};

}  // namespace

RaisingOutput raise_subtrees(const RaisingInput& input) { return Raising(input).run(); }

}  // namespace hornbeam
