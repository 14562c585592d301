// Tallies: the histograms of large nodes, made by one thread or by all together; the largest child's is what the
// others leave of its parent's.
#pragma once

#include <atomic>

#include "hornbeam/grow/row_buffers.hpp"
#include "hornbeam/search/bounds_from_cells.hpp"

namespace hornbeam {

class Tallies {
  public:
    Tallies(const Growth& growth, const RowLoops& loops, Pool& pool) : growth_(growth), loops_(loops), pool_(pool) {}

    void prepare(const Codes& codes) {
        codes_ = &codes;
        shape_ = std::make_unique<HistogramShape>(codes, growth_.columns.size(), loops_.words());
        partial_.resize(static_cast<std::size_t>(pool_.n_threads()));
    }
    void clear() { partial_.clear(); }
    const HistogramShape& shape() const { return *shape_; }

    // Whether so few of the columns are drawn at a node that the others had better not be tallied.
    bool few_columns() const {
        return growth_.plan.max_features > 0 &&
               2 * static_cast<std::size_t>(growth_.plan.max_features) <= growth_.columns.size();
    }
    std::shared_ptr<Histogram> empty() {
        auto out = std::shared_ptr<Histogram>(new Histogram(shape_->size(), 0), [this](Histogram* h) {
            bytes_ -= h->size() * sizeof(u64);
            delete h;
        });
        bytes_ += out->size() * sizeof(u64);
        return out;
    }
    // The histograms of some columns.
    void some(const Rows& from, const std::vector<i32>& columns, bool all_threads, u64* out) {
        std::vector<i32> narrow;
        for (i32 j : columns)
            if (!codes_->column(j).wide()) narrow.push_back(j);
        const std::size_t step = all_threads ? 1 : 4;  // columns a tally takes at once
        const auto body = [&](std::size_t i) {
            const std::size_t first = i * step, n = std::min(step, narrow.size() - first);
            loops_.tally_columns(*codes_, *shape_, from, std::span(narrow).subspan(first, n), out);
        };
        const std::size_t n_steps = (narrow.size() + step - 1) / step;
        if (all_threads) return pool_.each(n_steps, [&](std::size_t i, int) { body(i); });
        for (std::size_t i = 0; i < n_steps; ++i) body(i);
    }
    std::shared_ptr<Histogram> all(const Rows& from, bool all_threads) {
        auto out = empty();
        if (!all_threads) {
            into(from, out->data());
            return out;
        }
        for (auto& partial : partial_) partial.assign(partial.size(), 0);
        constexpr std::size_t kChunk = 1 << 14;
        pool_.each((from.n + kChunk - 1) / kChunk, [&](std::size_t c, int worker) {
            auto& mine = partial_[static_cast<std::size_t>(worker)];
            if (mine.empty()) mine.assign(shape_->size(), 0);
            const std::size_t first = c * kChunk;
            into(from.part(first, std::min(kChunk, from.n - first)), mine.data());
        });
        for (const auto& partial : partial_)
            for (std::size_t i = 0; i < partial.size(); ++i) (*out)[i] += partial[i];
        return out;
    }

    // Keeps the cells of a node's bins for its children, where so many of its rows lie in open bins that all bins had
    // better be divided.
    void keep_cells(Job& job, const Rows& from, std::size_t n_open, std::size_t n, bool all_threads) {
        if (8 * n_open < n) job.cells = nullptr;
        if (!job.cells && 3 * n_open >= n && from.n > 4 * std::size_t{growth_.plan.block_rows} && !job.own &&
            growth_.plan.max_features == 0 && cell_bytes_ + cell_size() <= most_cell_bytes())
            job.cells = all_cells(from, all_threads);
    }

    // The largest open child gets the parent's histograms minus the others', if that reads fewer rows.
    void subtract_siblings(Job& job, std::vector<Job>& open, std::span<const Place> children, const RowBuffers& buffers,
                           bool all_threads) {
        if (open.empty()) return;
        auto largest =
            std::max_element(open.begin(), open.end(), [](const Job& a, const Job& b) { return a.size() < b.size(); });
        if (largest->size() <= growth_.plan.block_rows || 2 * largest->size() < job.size()) return;
        std::shared_ptr<Histogram> rest = std::move(job.histogram);
        std::shared_ptr<NodeCells> cells = std::move(job.cells);
        for (const Place& place : children) {
            if (place.begin == largest->begin || place.size() == 0) continue;
            const Rows others = buffers.rows(place);
            const bool together = all_threads && others.n > growth_.plan.shared_rows / 4;
            auto tallied = all(others, together);
            for (std::size_t i = 0; i < rest->size(); ++i) (*rest)[i] -= (*tallied)[i];
            std::shared_ptr<NodeCells> divided = cells ? all_cells(others, together) : nullptr;
            if (cells) cells->subtract(*divided);
            for (Job& child : open) {
                if (child.begin != place.begin || child.size() <= growth_.plan.block_rows) continue;
                if (bytes_ < kMostBytes) child.histogram = tallied;
                if (cell_bytes_ <= most_cell_bytes()) child.cells = divided;
            }
        }
        if (bytes_ < kMostBytes) largest->histogram = std::move(rest);
        largest->cells = std::move(cells);
    }

  private:
    static constexpr std::size_t kMostBytes = std::size_t{48} << 20;  // of histograms kept for children

    std::size_t cell_size() const { return NodeCells::bytes(growth_.columns.size(), shape_->words()); }
    // A quarter of what the codes take, or a megabyte.
    std::size_t most_cell_bytes() const {
        return std::max(growth_.n_rows * growth_.columns.size() / 4, std::size_t{1} << 20);
    }
    std::shared_ptr<NodeCells> all_cells(const Rows& from, bool all_threads) {
        constexpr std::size_t kAtOnce = 10;  // columns of one pass over the rows
        auto out =
            std::shared_ptr<NodeCells>(new NodeCells(growth_, *codes_, shape_->words()), [this](NodeCells* cells) {
                cell_bytes_ -= cell_size();
                delete cells;
            });
        cell_bytes_ += cell_size();
        const std::size_t n = out->n_columns(), n_passes = (n + kAtOnce - 1) / kAtOnce;
        const auto pass = [&](std::size_t p) {
            const std::size_t first = p * n / n_passes, last = (p + 1) * n / n_passes;
            out->tally(loops_, *codes_, from, first, last - first);
        };
        if (all_threads)
            pool_.each(n_passes, [&](std::size_t p, int) { pass(p); });
        else
            for (std::size_t p = 0; p < n_passes; ++p) pass(p);
        return out;
    }
    void into(const Rows& from, u64* out) const {
        for (std::size_t g = 0; g < codes_->groups().size(); ++g)
            loops_.tally(codes_->groups()[g], shape_->words(), from, shape_->group(out, g));
    }

    const Growth& growth_;
    const RowLoops& loops_;
    Pool& pool_;
    const Codes* codes_ = nullptr;
    std::unique_ptr<HistogramShape> shape_;
    std::vector<Histogram> partial_;  // one a thread
    std::atomic<std::size_t> bytes_{0}, cell_bytes_{0};
};

}  // namespace hornbeam
