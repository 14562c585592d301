// The folder partition/ grows a tree from several tables that together are the table: none of them sees the others.
//
// The engine of partitions: every question goes to each part by itself, and the answers are merged as engine.hpp says.
// A part answers by loops over its own rows, in memory; nothing else of it is ever read.
#pragma once

#include <algorithm>
#include <deque>
#include <numeric>

#include "hornbeam/grow/learn_target.hpp"
#include "hornbeam/grow/memory_engine.hpp"
#include "hornbeam/partition/joined_rows.hpp"

namespace hornbeam {

// The distinct values of some bins, with the lanes of the rows that have them.
class MergedValues final : public ValuesInBins {
  public:
    MergedValues(OpenBins of, int width) : ValuesInBins(std::move(of)), width_(static_cast<std::size_t>(width)) {}

    void add_to_cells(std::span<const BinEntry> entries, const u8* cell, i64* lanes) const override {
        for (std::size_t i = 0; i < entries.size(); ++i)
            add_lanes(lanes + cell[i] * width_, at(entries[i]), static_cast<int>(width_));
    }
    void lanes(std::span<const BinEntry> entries, i64* out) const override {
        for (const BinEntry& entry : entries) out = std::copy_n(at(entry), width_, out);
    }
    // Adds what one part of the rows has.
    void merge(const ValuesInBins& part) {
        for (std::size_t b = 0; b < bins.size(); ++b) {
            const std::size_t first = lanes_.size() / width_;
            lanes_.resize(lanes_.size() + part.bins[b].size() * width_);
            part.lanes(part.bins[b], lanes_.data() + first * width_);
            for (std::size_t i = 0; i < part.bins[b].size(); ++i)
                bins[b].push_back({part.bins[b][i].value, static_cast<u32>(first + i)});
            std::sort(bins[b].begin(), bins[b].end(),
                      [](const BinEntry& x, const BinEntry& y) { return x.value < y.value; });
            std::size_t n = 0;
            for (std::size_t i = 0; i < bins[b].size(); ++i) {
                if (n > 0 && bins[b][n - 1].value == bins[b][i].value)
                    add_lanes(lanes_.data() + bins[b][n - 1].at * width_, at(bins[b][i]), static_cast<int>(width_));
                else
                    bins[b][n++] = bins[b][i];
            }
            bins[b].resize(n);
        }
    }

  private:
    const i64* at(const BinEntry& entry) const { return lanes_.data() + entry.at * width_; }

    std::size_t width_;
    std::vector<i64> lanes_;
};

class PartitionEngine final : public Engine {
  public:
    // The columns and the target of `growth` are views of `joined`.
    PartitionEngine(const Growth& growth, std::vector<TablePart>& parts, TablePart& joined, JoinedRows& rows,
                    Pool& pool)
        : growth_(growth), tables_(parts), joined_(joined), rows_(rows), pool_(pool) {
        for (TablePart& part : parts) parts_.emplace_back(*part.growth, *part.loops, std::move(part.rows), pool);
    }

    Place root() const override {
        Place out;
        for (const MemoryEngine& part : parts_) out.parts.push_back(part.root());
        return sized(std::move(out));
    }
    const Codes& prepare() override {
        const std::size_t bin_bytes = words() * sizeof(u64);
        codes_ = std::make_unique<Codes>(growth_.columns, bin_bytes);
        for (const TablePart& table : tables_)
            part_codes_.push_back(std::make_unique<Codes>(*table.columns, bin_bytes));
        for (std::size_t j = 0; j < growth_.columns.size(); ++j) {
            std::vector<double> sample;
            for (std::size_t k = 0; k < size(); ++k) {
                const std::vector<double> more = part_codes_[k]->sample(static_cast<i32>(j), tables_[k].n_rows);
                sample.insert(sample.end(), more.begin(), more.end());
            }
            codes_->set_cuts(static_cast<i32>(j), sample);
            for (auto& codes : part_codes_) codes->set_cuts(static_cast<i32>(j), sample);
        }
        std::vector<CodingFlags> flags(growth_.columns.size());
        for (std::size_t k = 0; k < size(); ++k) {
            const std::vector<CodingFlags> more = part_codes_[k]->code(tables_[k].n_rows, pool_);
            for (std::size_t j = 0; j < flags.size(); ++j) flags[j].merge(more[j]);
        }
        codes_->settle(flags);
        for (std::size_t k = 0; k < size(); ++k) {
            part_codes_[k]->settle(flags);
            parts_[k].prepare(*part_codes_[k]);
        }
        return *codes_;
    }
    void clear() override {
        for (MemoryEngine& part : parts_) part.clear();
        part_codes_.clear();
        codes_ = nullptr;
    }

    TargetRange range(const Place& place) const override {
        TargetRange out;
        for (std::size_t k = 0; k < size(); ++k) out.merge(parts_[k].range(place.parts[k]));
        return out;
    }
    void regrid(const Place& place, const TargetRange& range, Grid& grid, i64* lanes) override {
        const Grid before = grid;
        bool rounds = false;
        for (std::size_t k = 0; k < size(); ++k) {
            grid = before;  // every part comes to the same grid
            parts_[k].regrid(place.parts[k], range, grid, lanes);
            rounds |= grid.rounds;
        }
        grid.rounds = rounds;
        if (&grid != &growth_.grid) return;
        for (TablePart& table : tables_) table.growth->grid = grid;  // grids of other nodes depend on the root's
    }

    double fourth_powers(const Place& place, double mean) const override {
        double sum = 0;
        for (std::size_t k = 0; k < size(); ++k) sum += parts_[k].fourth_powers(place.parts[k], mean);
        return sum;
    }

    void tally(Job& job, const std::vector<i32>& columns) override {
        if (job.histogram && !parts_[0].tallies_few()) return;
        for (std::size_t k = 0; k < size(); ++k) {
            Job mine = part_of(job, k, job.node);
            parts_[k].tally(mine, columns);
            if (!job.histogram) job.histogram = std::make_shared<Histogram>(mine.histogram->size(), 0);
            for (std::size_t i = 0; i < job.histogram->size(); ++i) (*job.histogram)[i] += (*mine.histogram)[i];
        }
    }
    void buckets(const Job& job, i32 column, ValuePlaces& places, Buckets& out) const override {
        out.clear(growth_.layout.width());
        if (!codes_->column(column).wide()) return parts_[0].narrow_buckets(*job.histogram, column, out);
        for (std::size_t k = 0; k < size(); ++k) {
            Buckets mine;
            parts_[k].buckets(part_of(job, k, job.node), column, places, mine);
            merge(out, mine);
        }
    }
    void keep_cells(Job&, std::size_t, std::size_t) override {}
    void cells(const Job& job, std::span<BinCells> questions, const Each&,
               const std::function<void(const BinCells&)>& take) const override {
        const std::vector<BinCells> asked(questions.begin(), questions.end());
        for (BinCells& bins : questions) bins.prepare(words());
        for (std::size_t k = 0; k < size(); ++k) {
            std::vector<BinCells> mine = asked;
            parts_[k].cells(part_of(job, k, job.node), mine, one_by_one,
                            [&](const BinCells& answer) { questions[&answer - mine.data()].merge(answer); });
        }
        for (const BinCells& bins : questions) take(bins);
    }
    std::size_t words() const override { return parts_[0].words(); }
    void lanes(const u64* packed, std::size_t n, i64* out) const override { parts_[0].lanes(packed, n, out); }
    void values(const Place& place, std::size_t n, const Each&, const std::function<OpenBins(std::size_t)>& ask,
                const std::function<void(std::size_t, ValuesInBins&)>& take) const override {
        std::vector<MergedValues> answers;
        answers.reserve(n);
        for (std::size_t i = 0; i < n; ++i) answers.emplace_back(ask(i), growth_.layout.width());
        for (std::size_t k = 0; k < size(); ++k)
            parts_[k].values(
                place.parts[k], n, one_by_one, [&](std::size_t i) { return answers[i].question; },
                [&](std::size_t i, ValuesInBins& part) { answers[i].merge(part); });
        for (std::size_t i = 0; i < n; ++i)
            if (!answers[i].question.buckets.empty()) take(i, answers[i]);
    }
    std::pair<double, double> neighbours(const Place& place, i32 column, i32 below, i32 above) const override {
        double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < size(); ++k) {
            const auto [mine_low, mine_high] = parts_[k].neighbours(place.parts[k], column, below, above);
            low = std::max(low, mine_low);
            high = std::min(high, mine_high);
        }
        return {low, high};
    }
    i64 distinct(const Place& place, i32 column) const override {
        OpenBins all;
        all.column = column;
        for (u32 code = 0; code < kMissingCode; ++code) all.add(static_cast<int>(code), code, 0);
        i64 n = 0;
        values(
            place, 1, one_by_one, [&](std::size_t) { return all; },
            [&](std::size_t, ValuesInBins& answer) {
                for (const std::vector<BinEntry>& bin : answer.bins) n += static_cast<i64>(bin.size());
            });
        return n;
    }

    std::vector<Place> route(const Job& job, const Candidate& chosen, Arena& arena) override {
        Node& node = *job.node;
        const auto n = static_cast<std::size_t>(node.n_children);
        const bool later = known_only(growth_.plan.missing);
        Candidate mine = chosen;
        mine.first.clear();  // those are the lanes of all parts
        double heaviest = 0;
        for (std::size_t k = 0; k < size() && later; ++k)
            heaviest = std::max(heaviest, parts_[k].heaviest_known(part_of(job, k, &node), mine));
        std::vector<i64> weight(n, 0);
        for (std::size_t k = 0; k < size() && later; ++k) {
            const std::vector<i64> more = parts_[k].known_weights(part_of(job, k, &node), mine, heaviest);
            std::transform(weight.begin(), weight.end(), more.begin(), weight.begin(), std::plus<>());
        }
        std::vector<Place> out(n);
        for (std::size_t k = 0; k < size(); ++k) {
            Node copy = node;  // with children that have the lanes of this part only
            arena_.clear();
            arena_.add_children(copy, node.n_children);
            const Job its = part_of(job, k, &copy);
            std::vector<Place> places =
                later ? parts_[k].route(its, mine, heaviest, weight, arena) : parts_[k].route(its, mine, arena);
            node.missing = copy.missing;
            for (std::size_t b = 0; b < n; ++b) {
                add_lanes(node.children[b].lanes, copy.children[b].lanes, growth_.layout.width());
                out[b].parts.push_back(std::move(places[b]));
            }
        }
        for (Place& place : out) place = sized(std::move(place));
        return out;
    }
    void tally_children(Job&, std::vector<Job>&, std::span<const Place>) override {}

    Rows rows(const Place& place) override {
        rows_.clear();
        for (std::size_t k = 0; k < size(); ++k) rows_.add(tables_[k], parts_[k].rows(place.parts[k]));
        return rows_.view(joined_);
    }
    void add_row(const Rows& rows, std::size_t at, i64* lanes) const override {
        const BinEntry one{0, static_cast<u32>(at)};
        const u8 first = 0;
        joined_.loops->add_entries(rows, {&one, 1}, &first, lanes);
    }
    std::unique_ptr<SubtreeGrower> subtree_grower(Arena* arena) override {
        return joined_.loops->subtree_grower(arena, pool_);
    }

  private:
    static void one_by_one(std::size_t n, const std::function<void(std::size_t)>& body) {
        for (std::size_t i = 0; i < n; ++i) body(i);
    }
    static Place sized(Place place) {
        for (const Place& part : place.parts) place.end += part.size();
        return place;
    }
    static Job part_of(const Job& job, std::size_t k, Node* node) {
        Job out{job.parts[k]};
        out.node = node;
        return out;
    }
    // Adds the buckets of a part to those of others, by code.
    static void merge(Buckets& all, const Buckets& part) {
        Buckets out;
        out.clear(all.width);
        for (int i = 0, j = 0; i < all.size() || j < part.size();) {
            const i32 code =
                std::min(i < all.size() ? all.code[i] : part.code[j], j < part.size() ? part.code[j] : all.code[i]);
            i64* lanes = out.add(code);
            if (i < all.size() && all.code[i] == code) add_lanes(lanes, all.at(i++), all.width);
            if (j < part.size() && part.code[j] == code) add_lanes(lanes, part.at(j++), all.width);
        }
        out.missing = all.missing;
        add_lanes(out.missing.data(), part.missing.data(), all.width);
        out.has_missing = all.has_missing || part.has_missing;
        all = std::move(out);
    }
    std::size_t size() const { return parts_.size(); }

    const Growth& growth_;
    std::vector<TablePart>& tables_;
    TablePart& joined_;
    JoinedRows& rows_;
    Pool& pool_;
    std::deque<MemoryEngine> parts_;
    std::unique_ptr<Codes> codes_;
    std::vector<std::unique_ptr<Codes>> part_codes_;
    Arena arena_{growth_.layout.width()};
};

}  // namespace hornbeam
