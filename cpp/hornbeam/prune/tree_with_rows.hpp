// The tree as it stands while subtrees are raised, with its rows in the leaves; and how rows go through it.
//
// Rows are held in leaves alone. A node's rows are those under it, gathered when they are asked for; what a row
// weighs is summed on a grid of integers, so that the order of the rows does not matter.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "hornbeam/prune/leaf_rows.hpp"
#include "hornbeam/prune/raise_subtrees.hpp"

namespace hornbeam {

// What all threads share: the tree as it stands, the rows in its leaves, and what was decided.
struct RaisingState {
    using Rows = std::vector<Entry>;

    explicit RaisingState(const RaisingInput& input) : in(input), values(input.columns) {
        const std::size_t n = input.first_child.size();
        out.stats.assign(input.stats.begin(), input.stats.end());
        out.n_rows.assign(input.n_rows.begin(), input.n_rows.end());
        out.link.resize(n);
        out.is_leaf.resize(n);
        out.refilled.assign(n, 0);
        for (std::size_t i = 0; i < n; ++i) {
            out.link[i] = static_cast<i32>(i);
            out.is_leaf[i] = input.first_child[i] < 0;
        }
        divided.assign(n, 0);
        error.assign(n, 0.0);
        held.fill(in.first_child, in.n_children, BranchOrder::ascending, {in.row, in.leaf, in.weight});
        find_divided();
        if (!input.columns.empty()) fill_router();
    }

    const RaisingInput& in;
    double scale = 1;
    RaisingOutput out;
    std::vector<u8> divided;  // whether rows under the node may be in several leaves
    LeafRows held;
    std::vector<double> error;  // expected of the subtree as it stands
    // If the core can route rows: the columns, the router, the place of each among the nodes from left to right,
    // and of a leaf reached by some rows that were sent its place among those leaves.
    const Values values;
    RowRouter router;
    std::vector<u32> rank, slot;

  private:
    void find_divided() {
        double total = 0;
        std::vector<u8> n_leaves(in.codes.size(), 0);
        for (std::size_t i = 0; i < in.row.size(); ++i) {
            total += in.weight[i];
            u8& times = n_leaves[static_cast<std::size_t>(in.row[i])];
            times = static_cast<u8>(std::min(2, times + 1));
        }
        scale = std::min(0x1p1000, std::exp2(std::floor(60 - std::log2(std::max(total, 1e-300)))));
        for (std::size_t i = 0; i < in.row.size(); ++i)
            if (n_leaves[static_cast<std::size_t>(in.row[i])] > 1) divided[static_cast<std::size_t>(in.leaf[i])] = 1;
    }

    void fill_router() {
        const std::size_t n = in.first_child.size();
        std::vector<u32> size(n, 1);
        for (std::size_t v = n; v-- > 0;)
            for (i32 b = 0; in.first_child[v] >= 0 && b < in.n_children[v]; ++b)
                size[v] += size[static_cast<std::size_t>(in.first_child[v] + b)];
        rank.assign(n, 0);
        slot.assign(n, 0);
        router.reserve(n);
        for (std::size_t v = 0; v < n; ++v) {
            router.add(in.tree.threshold[v], in.tree.column[v], static_cast<SplitKind>(in.tree.kind[v]));
            if (in.first_child[v] < 0) router.end(v);
            u32 next = rank[v] + 1;
            for (i32 b = 0; in.first_child[v] >= 0 && b < in.n_children[v]; ++b) {
                const auto c = static_cast<std::size_t>(in.first_child[v] + b);
                rank[c] = next;
                next += size[c];
            }
        }
    }
};

class RowsInTree {
  protected:
    using Rows = RaisingState::Rows;

    explicit RowsInTree(RaisingState& state) : state_(state), tallied_(k_), sums_(k_) {}

    // ---- sums on a grid, so that the order of rows does not matter ----------------------------------------------

    // Class weights of some rows; valid until the next call.
    std::span<double> tally(std::span<const Entry> rows) {
        std::fill(sums_.begin(), sums_.end(), 0);
        for (const Entry& entry : rows)
            sums_[static_cast<std::size_t>(in_.codes[static_cast<std::size_t>(entry.row)])] +=
                std::llrint(entry.weight * scale_);
        for (std::size_t c = 0; c < k_; ++c) tallied_[c] = static_cast<double>(sums_[c]) / scale_;
        return tallied_;
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
        if (const Piece& piece = held_[node]; piece.whole() && !divided_[node]) {
            rows.insert(rows.end(), piece.rows().begin(), piece.rows().end());
            return false;
        }
        waiting_.assign(1, node);
        bool divided = false;
        while (!waiting_.empty()) {
            const std::size_t at = waiting_.back();
            waiting_.pop_back();
            if (out_.is_leaf[at]) {
                rows.insert(rows.end(), held_[at].rows().begin(), held_[at].rows().end());
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
        std::size_t last = 0;
        for (std::size_t i = 1; i < rows.size(); ++i) {
            if (rows[i].row == rows[last].row)
                rows[last].weight += rows[i].weight;
            else
                rows[++last] = rows[i];
        }
        if (!rows.empty()) rows.resize(last + 1);
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

    // Rows to the leaves below a node, as long as `arrive` wants more; says so where one would have to be divided. The
    // rows of a node are a span, which its branches take over part by part:
    //
    //     rows     [a b c d e f]
    //     branch    1 0 0 1 0 1
    //     after    [b c e | a d f]
    template <class Arrive>
    bool send(std::size_t node, std::span<Entry> rows, Arrive&& arrive) {
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

    struct Span {
        std::size_t node, first, last;
    };

    RaisingState& state_;
    const RaisingInput& in_ = state_.in;
    const std::size_t k_ = in_.n_classes;
    const double scale_ = state_.scale;
    RaisingOutput& out_ = state_.out;
    std::vector<u8>& divided_ = state_.divided;
    LeafRows& held_ = state_.held;

  private:
    std::vector<double> tallied_;  // scratch, as are the next
    std::vector<i64> sums_;
    std::vector<std::size_t> waiting_, ends_;
    std::vector<i32> branch_;
    std::vector<Span> spans_;
    Rows sorted_;
};

}  // namespace hornbeam
