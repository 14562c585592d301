// The rows of all open nodes, and their order after a split.
//
//   rows    [ . . . . . . . . . . ]   one slice a node; routing writes a node's rows, branch by branch, into the
//   carry   [ . . . . . . . . . . ]   same slice of the other buffer
#pragma once

#include "hornbeam/grow/open_node.hpp"
#include "hornbeam/grow/route.hpp"
#include "hornbeam/threads/pool.hpp"

namespace hornbeam {

template <class O>
class RowBuffers {
  public:
    using Carry = typename O::Carry;

    RowBuffers(const Growth& growth, const O& outcome, std::vector<u32> rows, std::vector<Carry> carry, Pool& pool)
        : growth_(growth), outcome_(outcome), pool_(pool), width_(growth.layout.width()) {
        rows_[0] = std::move(rows);
        carry_[0] = std::move(carry);
    }
    // Before the first node is routed.
    void prepare(const Codes& codes) {
        codes_ = &codes;
        rows_[1].resize(rows_[0].size());
        carry_[1].resize(carry_[0].size());
        narrow_branch_.resize(rows_[0].size());
        for (const ColumnView& column : growth_.columns)
            if (column.split == SplitKind::multiway && column.n_values > 250) wide_branch_.resize(rows_[0].size());
    }
    void clear() {
        for (int i = 0; i < 2; ++i) {
            rows_[i] = {};
            carry_[i] = {};
        }
        narrow_branch_ = {};
        wide_branch_ = {};
    }

    std::size_t size() const { return rows_[0].size(); }
    const Codes& codes() const { return *codes_; }
    Rows<O> rows(const Job<O>& job) const {
        if (job.own) return {job.own->id.data(), job.own->carry.data(), job.size()};
        return slice(job.buffer, job.begin, job.end);
    }
    Rows<O> slice(int buffer, std::size_t begin, std::size_t end) const {
        return {rows_[buffer].data() + begin, carry_[buffer].data() + begin, end - begin};
    }
    Carry* carry(const Job<O>& job) { return carry_[job.buffer].data() + job.begin; }
    // One row to a place of a buffer.
    void put(int buffer, std::size_t place, u32 id, const Carry& carry) {
        rows_[buffer][place] = id;
        carry_[buffer][place] = carry;
    }

    // Reorders the node's rows by branch; returns where each branch starts. Sets the children's lanes.
    std::vector<std::size_t> route(const Job<O>& job, const Candidate& chosen, i32 n_children, bool all_threads) {
        const bool known = O::exact_bins && n_children == 2 && !chosen.first.empty();
        if (known) {
            std::copy(chosen.first.begin(), chosen.first.end(), job.node->children[0].lanes);
            std::copy(job.node->lanes, job.node->lanes + width_, job.node->children[1].lanes);
            subtract_lanes(job.node->children[1].lanes, job.node->children[0].lanes, width_);
        }
        if (n_children <= 256) return route_by(narrow_branch_, job, chosen, n_children, known, all_threads);
        return route_by(wide_branch_, job, chosen, n_children, known, all_threads);
    }

  private:
    template <class Branch>
    std::vector<std::size_t> route_by(std::vector<Branch>& branch, const Job<O>& job, const Candidate& chosen,
                                      i32 n_children, bool lanes_known, bool all_threads) {
        const std::size_t chunk = all_threads ? std::size_t{1} << 14 : job.size();
        const std::size_t n_chunks = (job.size() + chunk - 1) / chunk;
        const auto k = static_cast<std::size_t>(n_children), width = static_cast<std::size_t>(width_);
        std::vector<std::size_t> count(n_chunks * k, 0);
        std::vector<std::vector<i64>> sums(n_chunks);
        const Router router(growth_, *codes_, *job.node, chosen);
        const auto each = [&](auto&& body) {
            if (all_threads) return pool_.each(n_chunks, [&](std::size_t c, int) { body(c); });
            for (std::size_t c = 0; c < n_chunks; ++c) body(c);
        };
        const u32* id = rows_[job.buffer].data();
        const Carry* carry = carry_[job.buffer].data();
        each([&](std::size_t c) {
            const std::size_t first = job.begin + c * chunk, last = std::min(job.end, first + chunk);
            router.branches(id, first, last, branch.data());
            std::size_t* mine = count.data() + c * k;
            if (k == 2) {
                for (std::size_t i = first; i < last; ++i) mine[1] += branch[i];
                mine[0] = last - first - mine[1];
            } else {
                for (std::size_t i = first; i < last; ++i) ++mine[branch[i]];
            }
            if (lanes_known) return;
            sums[c].assign(k * width, 0);
            for (std::size_t i = first; i < last; ++i) outcome_.row_lanes(carry[i], sums[c].data() + branch[i] * width);
        });
        std::vector<std::size_t> start(k + 1, 0);
        std::size_t at = job.begin;
        for (std::size_t b = 0; b < k; ++b) {
            start[b] = at;
            for (std::size_t c = 0; c < n_chunks; ++c) {
                at += std::exchange(count[c * k + b], at);
                if (!lanes_known) add_lanes(job.node->children[b].lanes, sums[c].data() + b * width, width_);
            }
        }
        start[k] = at;
        u32* id_out = rows_[1 - job.buffer].data();
        Carry* carry_out = carry_[1 - job.buffer].data();
        each([&](std::size_t c) {
            std::size_t* next = count.data() + c * k;
            const std::size_t first = job.begin + c * chunk, last = std::min(job.end, first + chunk);
            if (k == 2) {
                std::size_t to[2] = {next[0], next[1]};  // in registers
                for (std::size_t i = first; i < last; ++i) {
                    const std::size_t b = branch[i], place = b ? to[1] : to[0];
                    id_out[place] = id[i];
                    carry_out[place] = carry[i];
                    to[0] += 1 - b;
                    to[1] += b;
                }
                return;
            }
            for (std::size_t i = first; i < last; ++i) {
                const std::size_t place = next[branch[i]]++;
                id_out[place] = id[i];
                carry_out[place] = carry[i];
            }
        });
        return start;
    }

    const Growth& growth_;
    const O& outcome_;
    Pool& pool_;
    int width_;
    const Codes* codes_ = nullptr;
    std::vector<u32> rows_[2];
    std::vector<Carry> carry_[2];
    std::vector<u8> narrow_branch_;  // the branch of each row while a node is routed; slices of nodes are apart
    std::vector<u32> wide_branch_;
};

}  // namespace hornbeam
