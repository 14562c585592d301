// The loops over rows of one kind of target (row_loops.hpp), and the growth of its tree.
#pragma once

#include "hornbeam/grow/block.hpp"
#include "hornbeam/grow/learn_target.hpp"
#include "hornbeam/grow/random_block.hpp"
#include "hornbeam/grow/regrid.hpp"
#include "hornbeam/grow/route.hpp"
#include "hornbeam/search/bounds_from_cells.hpp"

namespace hornbeam {

template <class O>
class TypedRowLoops final : public RowLoops {
  public:
    using Carry = typename O::Carry;

    TypedRowLoops(const Growth& growth, const O& outcome, std::vector<Carry> carry)
        : growth_(growth), outcome_(outcome), width_(static_cast<std::size_t>(growth.layout.width())) {
        carry_ = std::move(carry);
    }

    std::byte* carry() override { return reinterpret_cast<std::byte*>(carry_.data()); }
    void clear() override { carry_ = {}; }
    std::size_t carry_size() const override { return sizeof(Carry); }

    int words() const override { return outcome_.words(); }
    bool exact_bins() const override { return O::exact_bins; }
    void lanes(const u64* bins, std::size_t n, i64* out) const override {
        const auto words = static_cast<std::size_t>(outcome_.words());
        for (std::size_t i = 0; i < n; ++i) outcome_.lanes(bins + i * words, out + i * width_);
    }

    i64 weight(const Rows& rows, std::size_t at) const override { return outcome_.weight(typed(rows)[at]); }
    i64 rows(const Rows& rows, std::size_t at) const override { return rows_of<O>(typed(rows)[at]); }
    void add_entries(const Rows& rows, std::span<const BinEntry> entries, const u8* cell, i64* lanes) const override {
        for (std::size_t i = 0; i < entries.size(); ++i)
            outcome_.row_lanes(typed(rows)[entries[i].at], lanes + cell[i] * width_);
    }
    void entry_lanes(const Rows& rows, std::span<const BinEntry> entries, i64* out) const override {
        std::fill(out, out + entries.size() * width_, 0);
        for (std::size_t i = 0; i < entries.size(); ++i)
            outcome_.row_lanes(typed(rows)[entries[i].at], out + i * width_);
    }
    void add_rows(const Rows& rows, const u8* branch, i64* lanes) const override { add(rows, branch, lanes); }
    void add_rows(const Rows& rows, const u32* branch, i64* lanes) const override { add(rows, branch, lanes); }
    void add_weights(const Rows& rows, const u32* branch, i64* weight) const override {
        for (std::size_t i = 0; i < rows.n; ++i)
            if (branch[i] != Router::kGap) weight[branch[i]] += outcome_.weight(typed(rows)[i]);
    }

    void tally(const Group& group, std::size_t words, const Rows& rows, u64* out) const override {
        hornbeam::tally(outcome_, group, words, rows.id, typed(rows), rows.n, out);
    }
    void tally_columns(const Codes& codes, const HistogramShape& shape, const Rows& rows, std::span<const i32> columns,
                       u64* out) const override {
        hornbeam::tally_columns(outcome_, codes, shape, rows.id, typed(rows), rows.n, columns.data(), columns.size(),
                                out);
    }
    void tally_cells(const Codes& codes, const Rows& rows, std::span<BinCells> columns) const override {
        hornbeam::tally_cells(codes, growth_.columns, outcome_, rows, columns);
    }

    std::size_t part_in_two(u32* id, std::byte* bytes, const u8* branch, std::size_t n) const override {
        std::array<u32, kChunk> spare_id;  // the rows of branch 1
        std::array<Carry, kChunk> spare;
        Carry* carry = reinterpret_cast<Carry*>(bytes);
        std::size_t first = 0, second = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const Carry one = carry[i];
            id[first] = spare_id[second] = id[i];
            carry[first] = spare[second] = one;
            first += 1 - branch[i];
            second += branch[i];
        }
        std::copy_n(spare_id.data(), second, id + first);
        std::copy_n(spare.data(), second, carry + first);
        return first;
    }
    void move_rows(const Rows& rows, const u8* branch, std::span<std::size_t> next, u32* id,
                   std::byte* carry) const override {
        move(rows, branch, next, id, carry);
    }
    void move_rows(const Rows& rows, const u32* branch, std::span<std::size_t> next, u32* id,
                   std::byte* carry) const override {
        move(rows, branch, next, id, carry);
    }
    void divide_rows(const Rows& rows, const u32* branch, const std::vector<i64>& weight, Node* children,
                     std::span<const std::shared_ptr<OwnBytes>> own) const override {
        const auto put = [&](std::size_t b, u32 id, const Carry& carry) {
            const auto* bytes = reinterpret_cast<const std::byte*>(&carry);
            own[b]->id.push_back(id);
            own[b]->carry.insert(own[b]->carry.end(), bytes, bytes + sizeof(Carry));
            outcome_.row_lanes(carry, children[b].lanes);
        };
        const Fractions fractions(weight);
        for (std::size_t i = 0; i < rows.n; ++i) {
            const Carry& carry = typed(rows)[i];
            if (branch[i] != Router::kGap) {
                put(branch[i], rows.id[i], carry);
                continue;
            }
            if constexpr (Divisible<Carry>)
                fractions.divide(carry, [&](std::size_t b, const Carry& part) { put(b, rows.id[i], part); });
        }
    }
    void regrid(const Rows& rows, const TargetRange& range, Grid& grid, i64* lanes) const override {
        Regridder<O>(growth_, outcome_).set(range, grid, rows.id, typed(rows), rows.n, lanes);
    }

    double fourth_powers(const Rows& rows, double mean) const override {
        return Regridder<O>::fourth_powers(typed(rows), rows.n, mean);
    }

    bool choose_drawn(const Judge& judge, const Rows& rows, ColumnChoice& choice, Candidate& chosen) const override {
        return hornbeam::choose_drawn(growth_, outcome_, judge, rows, choice, chosen);
    }

    std::unique_ptr<SubtreeGrower> subtree_grower(Arena* arena, const Pool& pool) const override {
        if (growth_.plan.random_cuts) return random_block(growth_, outcome_, arena, pool);
        return std::make_unique<Block<O>>(growth_, outcome_, arena, pool);
    }

  private:
    static Carry* typed(const Rows& rows) { return reinterpret_cast<Carry*>(rows.carry); }

    template <class Branch>
    void add(const Rows& rows, const Branch* branch, i64* lanes) const {
        const Carry* carry = typed(rows);
        const std::size_t n = rows.n, width = width_;
        for (std::size_t i = 0; i < n; ++i) outcome_.row_lanes(carry[i], lanes + branch[i] * width);
    }
    template <class Branch>
    static void move(const Rows& rows, const Branch* branch, std::span<std::size_t> next, u32* id, std::byte* bytes) {
        const Carry* from = typed(rows);
        Carry* carry = reinterpret_cast<Carry*>(bytes);
        for (std::size_t i = 0; i < rows.n; ++i) {
            const std::size_t place = next[branch[i]]++;
            id[place] = rows.id[i];
            carry[place] = from[i];
        }
    }

    const Growth& growth_;
    const O outcome_;
    std::size_t width_;
    std::vector<Carry> carry_;
};

// Grows the tree. make_carry(target, rows): what no grid decides, the labels of classes.
template <class O, class MakeCarry>
TreeArrays run(LearnState& state, const O& outcome, MakeCarry&& make_carry) {
    state.make_loops = [&](TablePart& table) {
        table.loops = std::make_unique<TypedRowLoops<O>>(*table.growth, outcome, make_carry(table.target, table.rows));
    };
    state.make_loops(state.table);
    if (!state.instead) return grow_tree(state);
    state.instead();
    return {};
}

}  // namespace hornbeam
