// The rows of all open nodes, and their order after a split.
//
//   rows    [ . . . . . . . . . . ]   one slice a node; routing writes a node's rows, branch by branch, into the
//   carry   [ . . . . . . . . . . ]   same slice of the other buffer (the carries are held by RowLoops)
#pragma once

#include "hornbeam/grow/open_node.hpp"
#include "hornbeam/grow/route.hpp"
#include "hornbeam/threads/pool.hpp"

namespace hornbeam {

class RowBuffers {
  public:
    RowBuffers(const Growth& growth, RowLoops& loops, std::vector<u32> rows, Pool& pool)
        : growth_(growth), loops_(loops), pool_(pool), width_(growth.layout.width()) {
        rows_[0] = std::move(rows);
    }
    // Before the first node is routed.
    void prepare(const Codes& codes) {
        codes_ = &codes;
        rows_[1].resize(rows_[0].size());
        loops_.prepare();
        narrow_branch_.resize(rows_[0].size());
        for (const ColumnView& column : growth_.columns)
            if (column.split == SplitKind::multiway && column.n_values > 250) wide_branch_.resize(rows_[0].size());
    }
    void clear() {
        loops_.clear();
        for (auto& rows : rows_) rows = {};
        narrow_branch_ = {};
        wide_branch_ = {};
    }

    std::size_t size() const { return rows_[0].size(); }
    const Codes& codes() const { return *codes_; }
    Rows rows(const Place& place) const {
        if (place.own) return {place.own->id.data(), place.own->carry.data(), place.size(), loops_.carry_size()};
        return Rows{rows_[place.buffer].data(), loops_.carry(place.buffer), size(), loops_.carry_size()}.part(
            place.begin, place.size());
    }

    // Reorders the node's rows by branch; returns the place of each branch. Sets the children's lanes.
    std::vector<Place> route(const Job& job, const Candidate& chosen, i32 n_children, bool all_threads) {
        const bool known = loops_.exact_bins() && n_children == 2 && !chosen.first.empty();
        if (known) {
            std::copy(chosen.first.begin(), chosen.first.end(), job.node->children[0].lanes);
            std::copy(job.node->lanes, job.node->lanes + width_, job.node->children[1].lanes);
            subtract_lanes(job.node->children[1].lanes, job.node->children[0].lanes, width_);
        }
        const Router router(growth_, *codes_, *job.node, chosen);
        if (n_children <= 256) return route_by(narrow_branch_.data() + job.begin, &router, job, known, all_threads);
        return route_by(wide_branch_.data() + job.begin, &router, job, known, all_threads);
    }
    // The same where the branch of each row is known.
    std::vector<Place> route(const Job& job, u32* branch) { return route_by(branch, nullptr, job, false, false); }

  private:
    // `router`: writes `branch` first, if it is there.
    template <class Branch>
    std::vector<Place> route_by(Branch* branch, const Router* router, const Job& job, bool lanes_known,
                                bool all_threads) {
        const std::size_t chunk = all_threads ? std::size_t{1} << 14 : std::max<std::size_t>(job.size(), 1);
        const std::size_t n_chunks = (job.size() + chunk - 1) / chunk;
        const auto k = static_cast<std::size_t>(job.node->n_children), width = static_cast<std::size_t>(width_);
        std::vector<std::size_t> count(n_chunks * k, 0);
        std::vector<std::vector<i64>> sums(n_chunks);
        const Rows all = rows(job);
        // Calls body(c, first, rows) for every chunk.
        const auto each = [&](const auto& body) {
            const auto one = [&](std::size_t c) {
                const std::size_t first = c * chunk;
                body(c, first, all.part(first, std::min(chunk, all.n - first)));
            };
            if (all_threads) return pool_.each(n_chunks, [&](std::size_t c, int) { one(c); });
            for (std::size_t c = 0; c < n_chunks; ++c) one(c);
        };
        each([&](std::size_t c, std::size_t first, const Rows& rows) {
            const std::size_t last = first + rows.n;
            if (router != nullptr) router->branches(all.id, first, last, branch);
            std::size_t* mine = count.data() + c * k;
            if (k == 2) {
                for (std::size_t i = first; i < last; ++i) mine[1] += branch[i];
                mine[0] = rows.n - mine[1];
            } else {
                for (std::size_t i = first; i < last; ++i) ++mine[branch[i]];
            }
            if (lanes_known) return;
            sums[c].assign(k * width, 0);
            loops_.add_rows(rows, branch + first, sums[c].data());
        });
        std::vector<Place> places(k);
        std::size_t at = job.begin;
        for (std::size_t b = 0; b < k; ++b) {
            places[b].begin = at;
            places[b].buffer = 1 - job.buffer;
            for (std::size_t c = 0; c < n_chunks; ++c) {
                at += std::exchange(count[c * k + b], at);
                if (!lanes_known) add_lanes(job.node->children[b].lanes, sums[c].data() + b * width, width_);
            }
            places[b].end = at;
        }
        const int other = 1 - job.buffer;
        each([&](std::size_t c, std::size_t first, const Rows& rows) {
            loops_.move_rows(rows, branch + first, {count.data() + c * k, k}, rows_[other].data(), loops_.carry(other));
        });
        return places;
    }

    const Growth& growth_;
    RowLoops& loops_;
    Pool& pool_;
    int width_;
    const Codes* codes_ = nullptr;
    std::vector<u32> rows_[2];
    std::vector<u8> narrow_branch_;  // the branch of each row while a node is routed; slices of nodes are apart
    std::vector<u32> wide_branch_;
};

}  // namespace hornbeam
