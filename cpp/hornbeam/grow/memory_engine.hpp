// The engine of rows in memory: every question is answered by a loop over the node's rows.
#pragma once

#include <algorithm>
#include <bit>

#include "hornbeam/encode/ranks.hpp"
#include "hornbeam/grow/engine.hpp"
#include "hornbeam/grow/regrid.hpp"
#include "hornbeam/grow/send_missing.hpp"
#include "hornbeam/search/fetch_values.hpp"
#include "hornbeam/stats/tallies.hpp"

namespace hornbeam {

class MemoryEngine final : public Engine {
  public:
    MemoryEngine(const Growth& growth, RowLoops& loops, std::vector<u32> rows, Pool& pool)
        : growth_(growth),
          loops_(loops),
          pool_(pool),
          buffers_(growth, loops, std::move(rows), pool),
          tallies_(growth, loops, pool) {}

    Place root() const override { return {0, buffers_.size(), nullptr, {}}; }
    const Codes& prepare() override {
        SharedCodes& from = growth_.codes != nullptr ? *growth_.codes : own_codes_;
        const Codes& codes = from.get(growth_.columns, growth_.n_rows, words() * sizeof(u64), pool_);
        if (growth_.plan.selection.charges())
            ranks_ = std::make_unique<Ranks>(growth_.columns, codes, growth_.n_rows, pool_);
        prepare(codes);
        return codes;
    }
    // The same with codes that somebody else made.
    void prepare(const Codes& codes) {
        codes_ = &codes;
        buffers_.prepare(&codes);
        tallies_.prepare(codes);
    }
    void prepare_values() override { buffers_.prepare(nullptr); }
    void clear() override {
        buffers_.clear();
        tallies_.clear();
        codes_ = nullptr;
        own_codes_.clear();
        ranks_ = nullptr;
    }

    TargetRange range(const Place& place) const override {
        const Rows rows = buffers_.rows(place);
        return target_range(*growth_.target, rows.id, rows.n);
    }
    void regrid(const Place& place, const TargetRange& range, Grid& grid, i64* lanes) override {
        loops_.regrid(buffers_.rows(place), range, grid, lanes);
    }

    double fourth_powers(const Place& place, double mean) const override {
        return loops_.fourth_powers(buffers_.rows(place), mean);
    }

    // Whether only the columns asked for are tallied.
    bool tallies_few() const { return tallies_.few_columns(); }
    void tally(Job& job, const std::vector<i32>& columns) override {
        const bool few = tallies_.few_columns(), all = all_threads(job);
        const Rows rows = buffers_.rows(job);
        if (!job.histogram) job.histogram = few ? tallies_.empty() : tallies_.all(rows, all);
        if (few) tallies_.some(rows, columns, all, job.histogram->data());
    }
    void buckets(const Job& job, i32 column, ValuePlaces& places, Buckets& out) const override {
        out.clear(growth_.layout.width());
        if (codes_->column(column).wide())
            wide_buckets(buffers_.rows(job), column, places, out);
        else
            narrow_buckets(*job.histogram, column, out);
    }
    // The buckets of a column whose codes fit a byte.
    void narrow_buckets(const Histogram& histogram, i32 column, Buckets& out) const {
        const auto width = static_cast<std::size_t>(out.width);
        const HistogramShape& shape = tallies_.shape();
        out.lanes.resize(kMissingCode * width);  // all, then those that have rows move together
        loops_.lanes(shape.bin(histogram, column, 0), kMissingCode, out.lanes.data());
        i64* end = out.lanes.data();
        for (u32 code = 0; code < kMissingCode; ++code) {
            const i64* at = out.lanes.data() + code * width;
            if (growth_.layout.rows(at) == 0) continue;
            if (end != at) std::copy(at, at + width, end);
            end += width;
            out.code.push_back(static_cast<i32>(code));
        }
        out.lanes.resize(out.code.size() * width);
        loops_.lanes(shape.bin(histogram, column, kMissingCode), 1, out.missing.data());
        out.has_missing = growth_.layout.rows(out.missing.data()) > 0;
    }

    void keep_cells(Job& job, std::size_t n_open, std::size_t n_all) override {
        tallies_.keep_cells(job, buffers_.rows(job), n_open, n_all, all_threads(job));
    }
    void cells(const Job& job, std::span<BinCells> questions, const Each& each,
               const std::function<void(const BinCells&)>& take) const override {
        constexpr std::size_t kAtOnce = 10, kBytes = std::size_t{8} << 20;  // of one pass
        const Rows rows = buffers_.rows(job);
        const std::size_t at_once =
            job.cells ? 1 : std::clamp<std::size_t>(kBytes / NodeCells::bytes(1, words()), 1, kAtOnce);
        const std::size_t n_passes = (questions.size() + at_once - 1) / at_once;
        each(n_passes, [&](std::size_t p) {
            const std::size_t first = p * questions.size() / n_passes, last = (p + 1) * questions.size() / n_passes;
            const std::span<BinCells> mine = questions.subspan(first, last - first);
            for (BinCells& bins : mine) bins.prepare(words());
            if (job.cells)
                job.cells->copy_to(mine[0]);
            else
                loops_.tally_cells(*codes_, rows, mine);
            for (BinCells& bins : mine) {
                take(bins);
                bins.cells = {};
            }
        });
    }
    std::size_t words() const override { return static_cast<std::size_t>(loops_.words()); }
    void lanes(const u64* packed, std::size_t n, i64* out) const override { loops_.lanes(packed, n, out); }

    void values(const Place& place, std::size_t n, const Each& each, const std::function<OpenBins(std::size_t)>& ask,
                const std::function<void(std::size_t, ValuesInBins&)>& take) const override {
        constexpr std::size_t kAtOnce = 8;
        const Rows rows = buffers_.rows(place);
        // The first answers leave least to ask, so the first questions are answered alone and later ones together.
        std::vector<std::size_t> pass{0};
        for (std::size_t step = 1; pass.back() < n; step = std::min(kAtOnce, pass.back()))
            pass.push_back(std::min(n, pass.back() + step));
        each(pass.size() - 1, [&](std::size_t p) {
            for (std::size_t i = pass[p]; i < pass[p + 1];) {
                std::vector<FetchedRows> answers;
                std::vector<std::size_t> asked;
                for (std::size_t held = 0; i < pass[p + 1] && 8 * held <= rows.n; ++i) {
                    OpenBins question = ask(i);
                    if (question.buckets.empty()) continue;
                    held += answers.emplace_back(loops_, rows, std::move(question)).reserve();
                    asked.push_back(i);
                }
                fetch_all(rows, answers);
                for (std::size_t k = 0; k < asked.size(); ++k) take(asked[k], answers[k]);
            }
        });
    }
    std::pair<double, double> neighbours(const Place& place, i32 column, i32 below, i32 above) const override {
        const Group& group = codes_->groups()[static_cast<std::size_t>(codes_->column(column).group)];
        const u8* bytes = group.codes.get() + codes_->column(column).offset;
        double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
        const Rows rows = buffers_.rows(place);
        for (std::size_t i = 0; i < rows.n; ++i) {
            const i32 code = bytes[std::size_t{rows.id[i]} * group.width];
            if (code == below) low = std::max(low, view(column).value(rows.id[i]));
            if (code == above) high = std::min(high, view(column).value(rows.id[i]));
        }
        return {low, high};
    }
    bool choose_drawn(const Judge& judge, const Place& place, ColumnChoice& choice, Candidate& chosen) const override {
        return loops_.choose_drawn(judge, buffers_.rows(place), choice, chosen);
    }
    i64 distinct(const Place& place, i32 column) const override {
        const Rows rows = buffers_.rows(place);
        return ranks_->distinct(column, rows.id, rows.n);
    }

    std::vector<Place> route(const Job& job, const Candidate& chosen, Arena& arena) override {
        if (!known_only(growth_.plan.missing))
            return buffers_.route(job, chosen, job.node->n_children, all_threads(job));
        GapSender gaps(growth_, loops_, buffers_, job, chosen);
        const KnownWeights weigh(growth_, *job.node, gaps.heaviest());
        return gaps.route(weigh, gaps.weights(weigh), arena);
    }
    void tally_children(Job& job, std::vector<Job>& open, std::span<const Place> children) override {
        if (job.histogram && growth_.plan.missing != MissingRule::fractional && !tallies_.few_columns())
            tallies_.subtract_siblings(job, open, children, buffers_, all_threads(job));
    }

    Rows rows(const Place& place) override { return buffers_.rows(place); }
    void add_row(const Rows& rows, std::size_t at, i64* lanes) const override {
        const BinEntry one{0, static_cast<u32>(at)};
        const u8 first = 0;
        loops_.add_entries(rows, {&one, 1}, &first, lanes);
    }
    std::unique_ptr<SubtreeGrower> subtree_grower(Arena* arena) override { return loops_.subtree_grower(arena, pool_); }

  private:
    // Every entry is a row.
    class FetchedRows final : public ValuesInBins {
      public:
        FetchedRows(const RowLoops& loops, const Rows& rows, OpenBins of)
            : ValuesInBins(std::move(of)), loops_(loops), rows_(rows) {}
        // Makes room for all entries; returns for how many.
        std::size_t reserve() {
            std::size_t sum = 0;
            for (std::size_t b = 0; b < bins.size(); ++b) {
                bins[b].reserve(std::min(rows_.n, static_cast<std::size_t>(question.n_rows[b])));
                sum += bins[b].capacity();
            }
            return sum;
        }
        void add_to_cells(std::span<const BinEntry> entries, const u8* cell, i64* lanes) const override {
            loops_.add_entries(rows_, entries, cell, lanes);
        }
        void lanes(std::span<const BinEntry> entries, i64* out) const override {
            loops_.entry_lanes(rows_, entries, out);
        }

      private:
        const RowLoops& loops_;
        const Rows& rows_;
    };

    // Nodes above this size are worked on by all threads together.
    bool all_threads(const Place& place) const { return place.size() > growth_.plan.shared_rows; }
    const ColumnView& view(i32 column) const { return growth_.columns[static_cast<std::size_t>(column)]; }

    // Reads the rows once for all questions, a block at a time: its codes stay near while question after question
    // looks.
    void fetch_all(const Rows& rows, std::vector<FetchedRows>& answers) const {
        constexpr std::size_t kBlock = 4096;
        for (std::size_t first = 0; first < rows.n && !answers.empty(); first += kBlock) {
            const Rows block = rows.part(first, std::min(kBlock, rows.n - first));
            for (FetchedRows& answer : answers) {
                const OpenBins& open = answer.question;
                fetch(*codes_, view(open.column), block, open.column, open.in_bins, [&](u32 at, u8 code, double value) {
                    answer.bins[open.slot[code]].push_back({value, static_cast<u32>(first + at)});
                });
            }
        }
    }

    // A nominal column of more values than a byte holds. Values get places in the order in which they appear, so that a
    // node costs what its rows do, whatever the number of values; only one bit of each is looked at to put them in
    // order. The first place is that of the gaps.
    void wide_buckets(const Rows& rows, i32 column, ValuePlaces& at, Buckets& out) const {
        constexpr std::size_t kBlock = 1024;
        const auto n_values = static_cast<std::size_t>(view(column).n_values),
                   width = static_cast<std::size_t>(out.width);
        at.place.resize(n_values);
        at.seen.resize((n_values + 63) / 64, 0);
        at.lanes.assign(width, 0);
        std::array<u32, kBlock> place;
        u32 next = 1;
        for (std::size_t first = 0; first < rows.n; first += kBlock) {
            const Rows block = rows.part(first, std::min(kBlock, rows.n - first));
            for (std::size_t i = 0; i < block.n; ++i) {
                const i32 code = view(column).raw<i32>(block.id[i]);
                if (code < 0) {
                    place[i] = 0;
                    out.has_missing = true;
                    continue;
                }
                const auto value = static_cast<std::size_t>(code);
                u64& word = at.seen[value / 64];
                const u64 bit = u64{1} << (value % 64);
                if ((word & bit) == 0) {
                    word |= bit;
                    at.place[value] = next++;
                }
                place[i] = at.place[value];
            }
            at.lanes.resize(next * width, 0);
            loops_.add_rows(block, place.data(), at.lanes.data());
        }
        std::copy_n(at.lanes.data(), width, out.missing.data());
        for (std::size_t word = 0; word < at.seen.size(); ++word)
            for (u64 bits = std::exchange(at.seen[word], 0); bits != 0; bits &= bits - 1) {
                const std::size_t value = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
                std::copy_n(at.lanes.data() + at.place[value] * width, width, out.add(static_cast<i32>(value)));
            }
    }

    const Growth& growth_;
    RowLoops& loops_;
    Pool& pool_;
    RowBuffers buffers_;
    Tallies tallies_;
    SharedCodes own_codes_;
    const Codes* codes_ = nullptr;
    std::unique_ptr<Ranks> ranks_;
};

}  // namespace hornbeam
