// LeafRows: the rows in the leaves of a tree that is being pruned, in one array.
//
// Leaves lie side by side as in the tree, so the rows of a subtree are one piece of the array. A test that becomes a
// leaf has its rows already, and a subtree that moves up spreads them over the same piece:
//
//     tree      v(a, c(d, e))        c in the place of v
//     array    [ a a a | d d | e ]  [ d d d | e e e ]
//
// Only where rows are divided among branches a subtree may need more room; then it gets a piece elsewhere, and nodes
// above it are in several pieces.
#pragma once

#include <memory>
#include <mutex>
#include <numeric>

#include "hornbeam/prune/route_rows.hpp"

namespace hornbeam {

enum class BranchOrder : u8 { ascending, descending };  // in which the branches of a node lie

struct Piece {
    Entry* at = nullptr;  // null: in several pieces, or no row
    std::size_t n = 0;

    std::span<Entry> rows() const { return {at, n}; }
    bool whole() const { return at != nullptr || n == 0; }
};

// Rows that are in leaves, with weights.
struct Placed {
    std::span<const i64> row;
    std::span<const i32> leaf;
    std::span<const double> weight;
};

// A row on its way into a leaf.
struct Arrival {
    std::size_t leaf;
    Entry entry;
};

class LeafRows {
  public:
    void fill(std::span<const i32> first_child, std::span<const i32> n_children, BranchOrder order,
              const Placed& placed) {
        const auto& [row, leaf, weight] = placed;
        const std::size_t n = first_child.size();
        order_ = order;
        entries_.resize(row.size());
        pieces_.resize(n);
        for (const i32 at : leaf) ++pieces_[static_cast<std::size_t>(at)].n;
        const auto each_child = [&](std::size_t v, auto&& visit) {
            if (first_child[v] >= 0)
                in_order(n_children[v], [&](i32 b) { visit(pieces_[static_cast<std::size_t>(first_child[v] + b)]); });
        };
        for (std::size_t v = n; v-- > 0;) each_child(v, [&](const Piece& child) { pieces_[v].n += child.n; });
        pieces_[0].at = entries_.data();
        for (std::size_t v = 0; v < n; ++v) {
            Entry* at = pieces_[v].at;
            each_child(v, [&](Piece& child) { child.at = at, at += child.n; });
        }
        for (std::size_t v = 0; v < n; ++v)
            if (first_child[v] < 0) pieces_[v].n = 0;
        for (std::size_t i = 0; i < row.size(); ++i) {
            Piece& piece = pieces_[static_cast<std::size_t>(leaf[i])];
            piece.at[piece.n++] = {row[i], weight[i]};
        }
    }

    const Piece& operator[](std::size_t node) const { return pieces_[node]; }

    // Calls `visit` with each branch of n, as they lie.
    template <class Visit>
    void in_order(i32 n, Visit&& visit) const {
        for (i32 i = 0; i < n; ++i) visit(order_ == BranchOrder::ascending ? i : n - 1 - i);
    }

    // The piece of a node from those of its children; `child(b)` is the node that stands in branch b.
    template <class Child>
    void join(std::size_t v, i32 n_children, Child&& child) {
        Piece& all = pieces_[v];
        all = {};
        bool whole = true;
        in_order(n_children, [&](i32 b) {
            const Piece& part = pieces_[child(b)];
            whole = whole && part.whole() && (all.n == 0 || part.n == 0 || all.at + all.n == part.at);
            if (all.n == 0) all.at = part.at;
            all.n += part.n;
        });
        if (!whole) all.at = nullptr;
    }

    // Puts rows that were gathered into `v`; they are in one piece then.
    void put(std::size_t v, std::span<const Entry> rows) {
        pieces_[v] = {room(v, rows.size()), rows.size()};
        std::copy(rows.begin(), rows.end(), pieces_[v].at);
    }

    // Lays the leaves of `c`, in the order of the leaves, into the place of `v`: each has `counts[i]` of `rows`.
    void lay(std::size_t v, std::size_t c, std::span<const std::size_t> leaves, std::span<const std::size_t> counts,
             std::span<const Entry> rows) {
        Entry* at = room(v, rows.size());
        std::copy(rows.begin(), rows.end(), at);
        pieces_[c] = {at, rows.size()};
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            pieces_[leaves[i]] = {at, counts[i]};
            at += counts[i];
        }
    }

    // The same where each leaf has its rows and those that arrived, in this order; `slot` is scratch, by node.
    void spread(std::size_t v, std::size_t c, std::span<const std::size_t> leaves, std::span<const Arrival> arrived,
                std::vector<u32>& slot) {
        std::vector<std::size_t> counts, next;
        for (const std::size_t leaf : leaves) {
            slot[leaf] = static_cast<u32>(counts.size());
            counts.push_back(pieces_[leaf].n);
        }
        for (const Arrival& one : arrived) ++counts[slot[one.leaf]];
        Entries all(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
        auto at = all.begin();
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            const std::span<const Entry> own = pieces_[leaves[i]].rows();
            std::copy(own.begin(), own.end(), at);
            next.push_back(static_cast<std::size_t>(at - all.begin()) + own.size());
            at += static_cast<std::ptrdiff_t>(counts[i]);
        }
        for (const Arrival& one : arrived) all[next[slot[one.leaf]]++] = one.entry;
        lay(v, c, leaves, counts, all);
    }

  private:
    // Where `n` rows may lie instead of those of `v`.
    Entry* room(std::size_t v, std::size_t n) {
        if (pieces_[v].whole() && pieces_[v].n == n) return pieces_[v].at;
        const std::lock_guard lock(mutex_);
        more_.push_back(std::make_unique<Entry[]>(n));
        return more_.back().get();
    }

    BranchOrder order_ = BranchOrder::ascending;
    Entries entries_;
    std::vector<Piece> pieces_;
    std::vector<std::unique_ptr<Entry[]>> more_;
    std::mutex mutex_;
};

}  // namespace hornbeam
