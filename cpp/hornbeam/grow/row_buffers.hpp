// The rows of all open nodes, and their order after a split.
//
//   rows    [ . . . . . . . . . . ]   one slice a node; routing puts a node's rows, branch by branch, into the same
//   carry   [ . . . . . . . . . . ]   slice (the carries are held by RowLoops)
#pragma once

#include "hornbeam/grow/open_node.hpp"
#include "hornbeam/grow/route.hpp"
#include "hornbeam/threads/pool.hpp"

namespace hornbeam {

class RowBuffers {
  public:
    RowBuffers(const Growth& growth, RowLoops& loops, std::vector<u32> rows, Pool& pool)
        : growth_(growth), loops_(loops), pool_(pool), width_(growth.layout.width()) {
        rows_ = std::move(rows);
    }
    // Before the first node is routed. `codes`: null where the columns have none.
    void prepare(const Codes* codes) {
        codes_ = codes;
        narrow_branch_.resize(rows_.size());
        for (const ColumnView& column : growth_.columns)
            if (column.split == SplitKind::multiway && column.n_values > 250) wide_branch_.resize(rows_.size());
    }
    void clear() {
        loops_.clear();
        rows_ = {};
        narrow_branch_ = {};
        wide_branch_ = {};
    }

    std::size_t size() const { return rows_.size(); }
    const Codes* codes() const { return codes_; }
    Rows rows(const Place& place) const {
        if (place.own) return {place.own->id.data(), place.own->carry.data(), place.size(), loops_.carry_size()};
        return Rows{rows_.data(), loops_.carry(), size(), loops_.carry_size()}.part(place.begin, place.size());
    }

    // Reorders the node's rows by branch; returns the place of each branch. Sets the children's lanes.
    std::vector<Place> route(const Job& job, const Candidate& chosen, i32 n_children, bool all_threads) {
        const bool known = loops_.exact_bins() && n_children == 2 && !chosen.first.empty();
        if (known) {
            std::copy(chosen.first.begin(), chosen.first.end(), job.node->children[0].lanes);
            std::copy(job.node->lanes, job.node->lanes + width_, job.node->children[1].lanes);
            subtract_lanes(job.node->children[1].lanes, job.node->children[0].lanes, width_);
        }
        const Router router(growth_, codes_, *job.node, chosen);
        if (n_children <= 256) return route_by(narrow_branch_.data() + job.begin, &router, job, known, all_threads);
        return route_by(wide_branch_.data() + job.begin, &router, job, known, all_threads);
    }
    // The same where the branch of each row is known.
    std::vector<Place> route(const Job& job, std::vector<u32>& branch) {
        if (job.node->n_children > 256) return route_by(branch.data(), nullptr, job, false, false);
        std::transform(branch.begin(), branch.end(), narrow_branch_.begin() + static_cast<std::ptrdiff_t>(job.begin),
                       [](u32 b) { return static_cast<u8>(b); });
        return route_by(narrow_branch_.data() + job.begin, nullptr, job, false, false);
    }

  private:
    // `router`: writes `branch` first, if it is there.
    template <class Branch>
    std::vector<Place> route_by(Branch* branch, const Router* router, const Job& job, bool lanes_known,
                                bool all_threads) {
        const auto k = static_cast<std::size_t>(job.node->n_children), width = static_cast<std::size_t>(width_);
        const bool two = k == 2 && std::is_same_v<Branch, u8>;
        const std::size_t chunk = two           ? RowLoops::kChunk
                                  : all_threads ? std::size_t{1} << 14
                                                : std::max<std::size_t>(job.size(), 1);
        const std::size_t n_chunks = (job.size() + chunk - 1) / chunk;
        std::vector<std::size_t> count(n_chunks * k, 0);
        std::vector<i64> sums(lanes_known ? 0 : n_chunks * k * width, 0);
        const Rows all = rows(job);
        each(n_chunks, all_threads, [&](std::size_t c) {
            const std::size_t first = c * chunk, last = std::min(first + chunk, all.n);
            if (router != nullptr) router->branches(all.id, first, last, branch);
            if (!lanes_known)
                loops_.add_rows(all.part(first, last - first), branch + first, sums.data() + c * k * width);
            std::size_t* mine = count.data() + c * k;
            if constexpr (std::is_same_v<Branch, u8>)
                if (two) {
                    mine[0] = loops_.part_in_two(rows_.data() + job.begin + first, all.carry + first * all.carry_size,
                                                 branch + first, last - first);
                    mine[1] = last - first - mine[0];
                    return;
                }
            for (std::size_t i = first; i < last; ++i) ++mine[branch[i]];
        });
        std::vector<Place> places(k);
        std::size_t at = job.begin;
        for (std::size_t b = 0; b < k; ++b) {
            places[b].begin = at;
            for (std::size_t c = 0; c < n_chunks; ++c) {
                at += two ? count[c * k + b] : std::exchange(count[c * k + b], at);
                if (!lanes_known) add_lanes(job.node->children[b].lanes, sums.data() + (c * k + b) * width, width_);
            }
            places[b].end = at;
        }
        if (two) {
            exchange(job, count, places[1].begin, all_threads);
            return places;
        }
        const std::vector<u32> id(all.id, all.id + all.n);
        std::vector<std::byte> carry(all.carry, all.carry + all.n * all.carry_size);
        const Rows copy{id.data(), carry.data(), all.n, all.carry_size};
        each(n_chunks, all_threads, [&](std::size_t c) {
            const std::size_t first = c * chunk;
            loops_.move_rows(copy.part(first, std::min(chunk, all.n - first)), branch + first,
                             {count.data() + c * k, k}, rows_.data(), loops_.carry());
        });
        return places;
    }
    // Every chunk has its rows of branch 0 first, so many of each branch; those that lie on the wrong side of the
    // middle change places with one another.
    void exchange(const Place& place, const std::vector<std::size_t>& count, std::size_t middle, bool all_threads) {
        struct Piece {
            std::size_t begin, end;
        };
        std::vector<Piece> before, behind;  // of branch 1 before the middle, of branch 0 behind it
        std::size_t begin = place.begin;
        for (std::size_t c = 0; c < count.size(); c += 2) {
            const std::size_t cut = begin + count[c], end = cut + count[c + 1];
            if (cut < std::min(end, middle)) before.push_back({cut, std::min(end, middle)});
            if (std::max(begin, middle) < cut) behind.push_back({std::max(begin, middle), cut});
            begin = end;
        }
        struct Swap {
            std::size_t a, b, n;
        };
        std::vector<Swap> swaps;
        for (std::size_t i = 0, j = 0; i < before.size();) {
            Piece &a = before[i], &b = behind[j];
            const std::size_t n = std::min(a.end - a.begin, b.end - b.begin);
            swaps.push_back({a.begin, b.begin, n});
            i += (a.begin += n) == a.end;
            j += (b.begin += n) == b.end;
        }
        const std::size_t size = loops_.carry_size();
        each(swaps.size(), all_threads, [&](std::size_t s) {
            const auto [a, b, n] = swaps[s];
            u32* id = rows_.data();
            std::byte* carry = loops_.carry();
            std::swap_ranges(id + a, id + a + n, id + b);
            std::swap_ranges(carry + a * size, carry + (a + n) * size, carry + b * size);
        });
    }
    template <class Body>
    void each(std::size_t n, bool all_threads, const Body& body) {
        if (all_threads) return pool_.each(n, [&](std::size_t i, int) { body(i); });
        for (std::size_t i = 0; i < n; ++i) body(i);
    }

    const Growth& growth_;
    RowLoops& loops_;
    Pool& pool_;
    int width_;
    const Codes* codes_ = nullptr;
    std::vector<u32> rows_;
    std::vector<u8> narrow_branch_;  // the branch of each row while a node is routed; slices of nodes are apart
    std::vector<u32> wide_branch_;
};

}  // namespace hornbeam
