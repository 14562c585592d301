// The far engine: every question of growth goes to all parts of the rows, wherever they are (engine.hpp says how the
// answers merge). Nodes that fit in memory are fetched and grown to the end there.
#pragma once

#include <map>

#include "hornbeam/grow/learn_target.hpp"
#include "hornbeam/grow/memory_engine.hpp"
#include "hornbeam/partition/far_post.hpp"
#include "hornbeam/partition/far_sums.hpp"

namespace hornbeam {

// How much memory answers may take; it changes the speed, never the tree.
struct FarLimits {
    std::size_t fetch_rows = 0;   // nodes of at most this many rows are fetched
    std::size_t fetch_bytes = 0;  // of rows that are fetched, all nodes together
    std::size_t answer_bytes = 0;
    int n_searches = 8;  // nodes that are searched at a time
};

// The distinct values of some bins, with the lanes of the rows that have them.
class FarValues final : public ValuesInBins {
  public:
    FarValues(OpenBins of, int width, FarAnswer& answer)
        : ValuesInBins(std::move(of)), width_(static_cast<std::size_t>(width)) {
        for (std::vector<BinEntry>& bin : bins) {
            const Field field = answer.next();
            for (std::size_t i = 0; i < field.size<u64>(); i += width_ + 1) {
                bin.push_back({field.at<double>(i), static_cast<u32>(lanes_.size() / width_)});
                for (std::size_t k = 1; k <= width_; ++k) lanes_.push_back(field.at<i64>(i + k));
            }
        }
    }
    void add_to_cells(std::span<const BinEntry> entries, const u8* cell, i64* lanes) const override {
        for (std::size_t i = 0; i < entries.size(); ++i)
            add_lanes(lanes + cell[i] * width_, at(entries[i]), static_cast<int>(width_));
    }
    void lanes(std::span<const BinEntry> entries, i64* out) const override {
        for (const BinEntry& entry : entries) out = std::copy_n(at(entry), width_, out);
    }

  private:
    const i64* at(const BinEntry& entry) const { return lanes_.data() + entry.at * width_; }

    std::size_t width_;
    std::vector<i64> lanes_;
};

class FarEngine final : public Engine {
  public:
    FarEngine(LearnState& learn, const FarLimits& limits, const Plan& plan_there, SendMessage send,
              const KeptAnswers& kept, Pool& pool)
        : growth_(learn.growth),
          learn_(learn),
          limits_(limits),
          plan_there_(plan_there),
          pool_(pool),
          send_(send),
          kept_(kept),
          post_(state_, std::move(send), kept, limits.answer_bytes, pool) {
        state_.key = mix_bits(static_cast<u64>(std::chrono::system_clock::now().time_since_epoch().count()) ^
                              reinterpret_cast<u64>(this));
        state_.summary = learn.summary;
        state_.tests.resize(1);
        ranges_.resize(1);
        paths_.resize(1);
        for (const ColumnView& view : growth_.columns) row_bytes_ += view.type == ValueType::f64 ? 8 : 4;
        row_bytes_ += 24;  // of the target
    }

    Place root() const override { return {0, learn_.n_rows(), nullptr, 0}; }
    const Codes& prepare() override;
    void clear() override { codes_ = nullptr; }

    TargetRange range(const Place& place) const override {
        FarAnswer answer = post_.ask(question(Ask::range, place, 5, 40), false);
        TargetRange out;
        out.lightest = answer.next().at<double>(0);
        out.heaviest = answer.next().at<double>(0);
        out.low = answer.next().at<double>(0);
        out.high = answer.next().at<double>(0);
        out.n_rows = answer.next().at<i64>(0);
        return out;
    }
    void regrid(const Place& place, const TargetRange& range, Grid& grid, i64* lanes) override {
        // The grid follows from the range alone.
        std::vector<i64> none(static_cast<std::size_t>(growth_.layout.width()), 0);
        learn_.table.loops->regrid({nullptr, nullptr, 0, learn_.table.loops->carry_size()}, range, grid, none.data());
        set_range(place.number, range);
        if (&grid == &growth_.grid)
            post_.change([&](FarState& state) { state.root_rows = static_cast<i64>(grid.n_rows); });
        FarAnswer answer = post_.ask(question(Ask::lanes, place, 3, 64), false);
        answer.next();
        grid.rounds = answer.next().at<u8>(0) != 0;
        const Field sums = answer.next();
        for (std::size_t k = 0; k < none.size(); ++k) lanes[k] += sums.at<i64>(k);
    }
    double fourth_powers(const Place& place, double mean) const override {
        FarPost::Question asked = question(Ask::fourth_powers, place, 1, 8);
        asked.details = bytes_of(mean);
        return post_.ask(std::move(asked), false).next().at<double>(0);
    }

    void tally(Job& job, const std::vector<i32>& columns) override {
        if (job.histogram && !tallies_few()) return;
        FarAnswer answer = post_.ask(tally_question(job, columns), true);
        const Field sums = answer.next();
        if (!job.histogram) job.histogram = std::make_shared<Histogram>(sums.size<u64>(), 0);
        for (std::size_t i = 0; i < job.histogram->size(); ++i) (*job.histogram)[i] += sums.at<u64>(i);
    }
    void buckets(const Job& job, i32 column, ValuePlaces&, Buckets& out) const override {
        out.clear(growth_.layout.width());
        if (!codes_->column(column).wide()) return bucket_maker_->narrow_buckets(*job.histogram, column, out);
        FarPost::Question asked = question(Ask::buckets, job, 3, 1 << 16);
        asked.details = bytes_of(column);
        FarAnswer answer = post_.ask(std::move(asked), true);
        const Field values = answer.next();
        const auto width = static_cast<std::size_t>(out.width);
        for (std::size_t i = 0; i < values.size<u64>(); i += width + 1) {
            i64* lanes = out.add(static_cast<i32>(values.at<double>(i)));
            for (std::size_t k = 0; k < width; ++k) lanes[k] = values.at<i64>(i + 1 + k);
        }
        out.missing = answer.next().all<i64>();
        out.has_missing = answer.next().at<u8>(0) != 0;
    }
    void keep_cells(Job&, std::size_t, std::size_t) override {}
    void cells(const Job& job, std::span<BinCells> questions, const Each&,
               const std::function<void(const BinCells&)>& take) const override;
    std::size_t words() const override { return static_cast<std::size_t>(learn_.table.loops->words()); }
    void lanes(const u64* packed, std::size_t n, i64* out) const override { learn_.table.loops->lanes(packed, n, out); }
    void values(const Place& place, std::size_t n, const Each&, const std::function<OpenBins(std::size_t)>& ask,
                const std::function<void(std::size_t, ValuesInBins&)>& take) const override;
    std::pair<double, double> neighbours(const Place& place, i32 column, i32 below, i32 above) const override {
        FarPost::Question asked = question(Ask::neighbours, place, 2, 16);
        asked.details = bytes_of(column) + bytes_of(below) + bytes_of(above);
        FarAnswer answer = post_.ask(std::move(asked), true);
        const double low = answer.next().at<double>(0);
        return {low, answer.next().at<double>(0)};
    }
    i64 distinct(const Place&, i32) const override { throw std::logic_error("refused before growth begins"); }

    std::vector<Place> route(const Job& job, const Candidate& chosen, Arena& arena) override;
    void tally_children(Job& job, std::vector<Job>& open, std::span<const Place> children) override;

    Rows rows(const Place& place) override;
    void add_row(const Rows&, std::size_t, i64*) const override { throw std::logic_error("rows are fetched first"); }
    std::unique_ptr<SubtreeGrower> subtree_grower(Arena*) override {
        throw std::logic_error("nodes of few rows are fetched");
    }

    bool fetches(const Place& place) const override { return place.size() <= limits_.fetch_rows; }
    std::unique_ptr<FetchedNode> fetch_node(const Job& job) override;
    TargetRange grid_range(const Place& place) const override { return range_of(place.number); }

  private:
    class Fetched;

    template <class T>
    static std::string bytes_of(const T& value) {
        Writer out;
        out.put(value);
        return out.bytes;
    }
    bool tallies_few() const {
        return growth_.plan.max_features > 0 &&
               2 * static_cast<std::size_t>(growth_.plan.max_features) <= growth_.columns.size();
    }
    FarPost::Question tally_question(const Place& place, const std::vector<i32>& columns) const {
        FarPost::Question asked = question(Ask::tally, place, 1, histogram_bytes_);
        Writer details;
        details.put_all(columns);
        asked.details = std::move(details.bytes);
        return asked;
    }
    FarPost::Question question(Ask ask, const Place& place, std::size_t n_fields, std::size_t n_bytes) const {
        return post_.change([&](FarState&) -> FarPost::Question {
            return {ask, place.number, ranges_[place.number], {}, n_fields, n_bytes, paths_[place.number]};
        });
    }
    // The range that the grid of a node follows from.
    TargetRange range_of(u32 node) const {
        return post_.change([&](FarState&) { return ranges_[node]; });
    }
    void set_range(u32 node, const TargetRange& range) {
        post_.change([&](FarState&) { ranges_[node] = range; });
    }

    const Growth& growth_;
    LearnState& learn_;
    const FarLimits limits_;
    const Plan& plan_there_;  // of the nodes that are fetched
    Pool& pool_;
    SendMessage send_;
    FarState state_;
    const KeptAnswers& kept_;
    std::vector<TargetRange> ranges_;  // by node
    std::vector<AnswerKey> paths_;     // by node
    mutable FarPost post_;
    std::unique_ptr<Codes> codes_;
    std::unique_ptr<MemoryEngine> bucket_maker_;
    std::unique_ptr<JoinedTarget> joined_;
    std::size_t histogram_bytes_ = 0, row_bytes_ = 0;
    std::mutex room_mutex_;
    std::condition_variable room_;
    std::size_t fetched_bytes_ = 0;
};

}  // namespace hornbeam
