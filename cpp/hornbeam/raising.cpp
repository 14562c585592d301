#include "raising.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace hornbeam {
namespace {

constexpr double kSlack = 0.1 + 1e-9;  // C4.5 prunes what is this much worse
using Rows = std::vector<Entry>;

class Raising {
  public:
    explicit Raising(const RaisingInput& input) : in_(input), k_(input.n_classes) {
        const std::size_t n = input.first_child.size();
        out_.stats.assign(input.stats.begin(), input.stats.end());
        out_.n_rows.assign(input.n_rows.begin(), input.n_rows.end());
        out_.link.resize(n);
        out_.is_leaf.resize(n);
        out_.refilled.assign(n, 0);
        for (std::size_t i = 0; i < n; ++i) {
            out_.link[i] = static_cast<i32>(i);
            out_.is_leaf[i] = input.first_child[i] < 0;
        }
        error_.resize(n);
        divided_.assign(n, 0);
        held_.resize(n);
        counted_.resize(k_);
        tallied_.resize(k_);
        sums_.resize(k_);
        place_entries();
    }

    RaisingOutput run() {
        for (std::size_t node = error_.size(); node-- > 0;) settle(node, -1);
        out_.expected = error_[stand_in(0)];
        return std::move(out_);
    }

  private:
    // ---- sums on a grid, so that the order of rows does not matter ----------------------------------------------

    void place_entries() {
        double total = 0;
        std::vector<u8> seen(in_.codes.size(), 0);
        for (std::size_t i = 0; i < in_.row.size(); ++i) {
            total += in_.weight[i];
            u8& times = seen[static_cast<std::size_t>(in_.row[i])];
            times = static_cast<u8>(std::min(2, times + 1));
        }
        scale_ = std::min(0x1p1000, std::exp2(std::floor(60 - std::log2(std::max(total, 1e-300)))));
        for (std::size_t i = 0; i < in_.row.size(); ++i) {
            const auto leaf = static_cast<std::size_t>(in_.leaf[i]);
            held_[leaf].push_back({in_.row[i], in_.weight[i]});
            if (seen[static_cast<std::size_t>(in_.row[i])] > 1) divided_[leaf] = 1;
        }
    }

    // Class weights of some rows; valid until the next call.
    std::span<double> tally(std::span<const Entry> rows) {
        std::fill(sums_.begin(), sums_.end(), 0);
        for (const Entry& entry : rows)
            sums_[static_cast<std::size_t>(in_.codes[static_cast<std::size_t>(entry.row)])] +=
                std::llrint(entry.weight * scale_);
        for (std::size_t c = 0; c < k_; ++c) tallied_[c] = static_cast<double>(sums_[c]) / scale_;
        return tallied_;
    }

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
    const double* stats_of(std::size_t node) const { return out_.stats.data() + node * k_; }

    double weight_of(std::size_t node) const { return std::accumulate(stats_of(node), stats_of(node) + k_, 0.0); }

    // ---- the tree as it stands ----------------------------------------------------------------------------------

    std::size_t stand_in(std::size_t node) const {
        while (out_.link[node] != static_cast<i32>(node)) node = static_cast<std::size_t>(out_.link[node]);
        return node;
    }
    std::size_t child(std::size_t node, i32 branch) const {
        return stand_in(static_cast<std::size_t>(in_.first_child[node] + branch));
    }

    // Adds the rows in the leaves under a node; tells whether some may be there more than once.
    bool collect(std::size_t node, Rows& rows) {
        waiting_.assign(1, node);
        bool divided = false;
        while (!waiting_.empty()) {
            const std::size_t at = waiting_.back();
            waiting_.pop_back();
            if (out_.is_leaf[at]) {
                rows.insert(rows.end(), held_[at].begin(), held_[at].end());
                divided |= divided_[at] != 0;
                continue;
            }
            for (i32 b = in_.n_children[at]; b-- > 0;) waiting_.push_back(child(at, b));
        }
        return divided;
    }

    // All rows under a node, each once.
    Rows gather(std::size_t node) {
        Rows rows;
        if (!collect(node, rows)) return rows;
        std::stable_sort(rows.begin(), rows.end(), [](const Entry& a, const Entry& b) { return a.row < b.row; });
        std::size_t kept = 0;
        for (std::size_t i = 1; i < rows.size(); ++i) {
            if (rows[i].row == rows[kept].row)
                rows[kept].weight += rows[i].weight;
            else
                rows[++kept] = rows[i];
        }
        if (!rows.empty()) rows.resize(kept + 1);
        return rows;
    }

    // The rows of each branch; whether some row is divided among all branches, by what is known of the others.
    bool divide(std::size_t node, const Rows& rows, std::vector<Rows>& parts) const {
        const auto n = static_cast<std::size_t>(in_.n_children[node]);
        parts.assign(n, {});
        if (rows.empty()) return false;
        std::vector<i32> branch(rows.size());
        in_.branches(node, rows, branch.data());
        std::vector<i64> known(n, 0);
        bool divided = false;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (branch[i] < 0)
                divided = true;
            else
                known[static_cast<std::size_t>(branch[i])] += std::llrint(rows[i].weight * scale_);
        }
        if (!divided) {
            for (std::size_t i = 0; i < rows.size(); ++i) parts[static_cast<std::size_t>(branch[i])].push_back(rows[i]);
            return false;
        }
        const i64 total = std::accumulate(known.begin(), known.end(), i64{0});
        for (std::size_t i = 0; i < rows.size(); ++i) {
            for (std::size_t b = 0; b < n; ++b) {
                const double share = branch[i] >= 0 ? static_cast<double>(branch[i] == static_cast<i32>(b))
                                     : total > 0    ? static_cast<double>(known[b]) / static_cast<double>(total)
                                                    : 1.0 / static_cast<double>(n);
                if (share > 0) parts[b].push_back({rows[i].row, rows[i].weight * share});
            }
        }
        return true;
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

    // Rows to the leaves below a node, as long as `arrive` wants more; says so where one would have to be divided. The
    // rows of a node are a span, which its branches take over part by part:
    //
    //     rows     [a b c d e f]
    //     branch    1 0 0 1 0 1
    //     after    [b c e | a d f]
    template <class Arrive>
    bool send(std::size_t node, Rows& rows, Arrive&& arrive) {
        spans_.assign(1, {node, 0, rows.size()});
        while (!spans_.empty()) {
            const Span here = spans_.back();
            spans_.pop_back();
            if (here.first == here.last) continue;
            const std::span<Entry> part(rows.data() + here.first, here.last - here.first);
            if (out_.is_leaf[here.node]) {
                if (!arrive(here.node, part)) return true;
                continue;
            }
            const auto n = static_cast<std::size_t>(in_.n_children[here.node]);
            branch_.resize(std::max(branch_.size(), part.size()));
            in_.branches(here.node, part, branch_.data());
            ends_.assign(n + 1, 0);
            for (std::size_t i = 0; i < part.size(); ++i) {
                if (branch_[i] < 0) return false;
                ++ends_[static_cast<std::size_t>(branch_[i]) + 1];
            }
            for (std::size_t b = 0; b < n; ++b) ends_[b + 1] += ends_[b];
            for (std::size_t b = n; b-- > 0;)
                spans_.push_back(
                    {child(here.node, static_cast<i32>(b)), here.first + ends_[b], here.first + ends_[b + 1]});
            sorted_.resize(std::max(sorted_.size(), part.size()));
            for (std::size_t i = 0; i < part.size(); ++i)
                sorted_[ends_[static_cast<std::size_t>(branch_[i])]++] = part[i];
            std::copy_n(sorted_.begin(), part.size(), part.begin());
        }
        return true;
    }

    // Rows to all nodes from a node down, each before those below it; tells whether rows are divided there.
    template <class Visit>
    void send_divided(std::size_t node, Rows rows, Visit&& visit) {
        std::vector<std::pair<std::size_t, Rows>> stack;
        stack.emplace_back(node, std::move(rows));
        std::vector<Rows> parts;
        while (!stack.empty()) {
            auto [at, here] = std::move(stack.back());
            stack.pop_back();
            const bool divided = !out_.is_leaf[at] && divide(at, here, parts);
            visit(at, here, divided);
            if (out_.is_leaf[at]) continue;
            for (std::size_t b = parts.size(); b-- > 0;)
                stack.emplace_back(child(at, static_cast<i32>(b)), std::move(parts[b]));
        }
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

    struct Span {
        std::size_t node, first, last;
    };

    const RaisingInput& in_;
    std::size_t k_;
    double scale_ = 1;
    std::vector<double> counted_, tallied_;  // scratch, as are the next
    std::vector<i64> sums_;
    std::vector<std::size_t> waiting_, ends_;
    std::vector<i32> branch_;
    std::vector<Span> spans_;
    Rows others_, sorted_;
    RaisingOutput out_;
    std::vector<double> error_;  // expected of the subtree as it stands
    std::vector<u8> divided_;    // whether rows under the node may be in several leaves
    std::vector<Rows> held_;     // the rows of each leaf
};

}  // namespace

RaisingOutput raise_subtrees(const RaisingInput& input) { return Raising(input).run(); }

}  // namespace hornbeam
