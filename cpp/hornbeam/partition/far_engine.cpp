#include "hornbeam/partition/far_engine.hpp"

namespace hornbeam {

// Cuts follow from samples of all parts, what is known of columns from the flags of all parts.
const Codes& FarEngine::prepare() {
    constexpr std::size_t kSamples = 4 * Codes::kSample;
    codes_ = std::make_unique<Codes>(growth_.columns, words() * sizeof(u64));
    const auto ask_all = [&](Topic topic, u64 detail) {
        Writer about;
        about.put(topic);
        about.put(detail);
        const AnswerKey key = AnswerKey::of(about.bytes);
        if (kept_.recall)
            if (std::optional<std::string> known = kept_.recall(key)) return std::move(*known);
        Writer message;
        state_.write(topic, message);
        message.put(detail);
        std::string answer = send_(message.bytes);
        if (kept_.keep) kept_.keep({{key, answer}});
        return answer;
    };
    {
        const std::string samples = ask_all(Topic::sample, kSamples);
        FieldReader in(samples);
        for (std::size_t j = 0; j < growth_.columns.size(); ++j) {
            codes_->set_cuts(static_cast<i32>(j), in.next().all<double>());
            state_.cuts.push_back(codes_->saved_cuts(static_cast<i32>(j)));
        }
    }
    const std::string merged = ask_all(Topic::flags, 0);
    const Field flags = FieldReader(merged).next();
    state_.flags.resize(growth_.columns.size());
    std::memcpy(static_cast<void*>(state_.flags.data()), flags.bytes.data(), flags.bytes.size());
    codes_->settle(state_.flags);
    bucket_maker_ = std::make_unique<MemoryEngine>(growth_, *learn_.table.loops, std::vector<u32>(), pool_);
    bucket_maker_->prepare(*codes_);
    histogram_bytes_ = HistogramShape(*codes_, growth_.columns.size(), static_cast<int>(words())).size() * sizeof(u64);
    return *codes_;
}

void FarEngine::cells(const Job& job, std::span<BinCells> questions, const Each&,
                      const std::function<void(const BinCells&)>& take) const {
    Writer details;
    std::size_t n_bytes = 0;
    details.put<u64>(questions.size());
    for (const BinCells& bins : questions) {
        details.put<u8>(bins.tied);
        write_bins(bins, details);
        details.put_all(bins.low);
        details.put_all(bins.scale);
        n_bytes += bins.buckets.size() * BinCells::kCells * (words() + 3) * sizeof(u64);
    }
    FarPost::Question asked = question(Ask::cells, job, 4 * questions.size(), n_bytes);
    asked.details = std::move(details.bytes);
    FarAnswer answer = post_.ask(std::move(asked), true);
    for (BinCells& bins : questions) {
        bins.prepare(words());
        bins.cells = answer.next().all<u64>();
        bins.varied = answer.next().all<u8>();
        const Field low = answer.next(), high = answer.next();
        for (std::size_t c = 0; c < bins.first.size(); ++c) {
            if (low.at<double>(c) > high.at<double>(c)) continue;  // no row has this cell
            bins.first[c] = low.at<double>(c);
            bins.varied[c] |= static_cast<u8>(low.at<double>(c) != high.at<double>(c));
        }
        take(bins);
        bins.cells = {};
    }
}

void FarEngine::values(const Place& place, std::size_t n, const Each&, const std::function<OpenBins(std::size_t)>& ask,
                       const std::function<void(std::size_t, ValuesInBins&)>& take) const {
    const std::size_t each = (1 + static_cast<std::size_t>(growth_.layout.width())) * sizeof(u64);
    std::vector<std::pair<std::size_t, OpenBins>> asked;
    std::size_t n_fields = 0, n_bytes = 0;
    const auto send = [&] {
        if (asked.empty()) return;
        Writer details;
        details.put<u64>(asked.size());
        for (const auto& [k, bins] : asked) write_bins(bins, details);
        FarPost::Question all = question(Ask::values, place, n_fields, n_bytes);
        all.details = std::move(details.bytes);
        FarAnswer answer = post_.ask(std::move(all), true);
        for (auto& [k, bins] : asked) {
            FarValues values(std::move(bins), growth_.layout.width(), answer);
            take(k, values);
        }
        asked.clear();
        n_fields = n_bytes = 0;
    };
    // Bins of one column may go in several messages, so that no answer is large.
    for (std::size_t i = 0; i < n; ++i) {
        const OpenBins bins = ask(i);
        for (u32 code = 0; code < kBins; ++code) {
            if (bins.in_bins[code] == 0) continue;
            if (asked.empty() || asked.back().first != i) {
                asked.emplace_back(i, OpenBins());
                asked.back().second.column = bins.column;
            }
            const std::size_t slot = bins.slot[code];
            asked.back().second.add(bins.buckets[slot], code, bins.n_rows[slot]);
            ++n_fields;
            n_bytes += static_cast<std::size_t>(bins.n_rows[slot]) * each;
            if (n_bytes >= limits_.answer_bytes / 4) send();
        }
    }
    send();
}

std::vector<Place> FarEngine::route(const Job& job, const Candidate&, Arena& arena) {
    Node& node = *job.node;
    const ColumnView& view = growth_.columns[static_cast<std::size_t>(node.column)];
    if (known_only(growth_.plan.missing)) {
        FarTest known(node, view, 0);
        known.missing = -1;
        Writer details;
        details.put(node.n_children);
        known.write(details);
        FarPost::Question asked = question(Ask::known_weights, job, 1, 64);
        asked.details = std::move(details.bytes);
        const std::vector<i64> weight = post_.ask(std::move(asked), false).next().all<i64>();
        GapRules(growth_).set(node, weight, {}, arena);
    }
    const auto n = static_cast<std::size_t>(node.n_children);
    const u32 first = post_.change([&](FarState& state) {
        const auto next = static_cast<u32>(state.tests.size());
        state.tests[job.number] = FarTest(node, view, next);
        state.tests.resize(next + n);
        ranges_.resize(next + n, ranges_[job.number]);
        FarTest test = state.tests[job.number];
        test.first_child = 0;  // nodes are numbered as they come
        for (std::size_t b = 0; b < n; ++b) {
            Writer path;
            path.put(paths_[job.number]);
            test.write(path);
            path.put<u64>(b);
            paths_.push_back(AnswerKey::of(path.bytes));
        }
        return next;
    });
    std::vector<Place> out(n);
    std::vector<FarPost::Question> asked;
    for (std::size_t b = 0; b < n; ++b) {
        out[b].number = first + static_cast<u32>(b);
        asked.push_back(question(Ask::lanes, out[b], 3, 64));
    }
    std::vector<FarAnswer> answers = post_.ask(std::move(asked), false);
    for (std::size_t b = 0; b < n; ++b) {
        out[b].end = static_cast<std::size_t>(answers[b].next().at<i64>(0));
        answers[b].next();
        const Field sums = answers[b].next();
        for (std::size_t k = 0; k < sums.size<i64>(); ++k) node.children[b].lanes[k] = sums.at<i64>(k);
    }
    return out;
}

// The largest child that is searched next gets what the others leave of its parent's tallies, if that reads fewer rows.
void FarEngine::tally_children(Job& job, std::vector<Job>& open, std::span<const Place> children) {
    if (tallies_few() || !job.histogram || open.empty()) return;
    const std::shared_ptr<Histogram> rest = std::move(job.histogram);
    auto largest =
        std::max_element(open.begin(), open.end(), [](const Job& a, const Job& b) { return a.size() < b.size(); });
    if (fetches(*largest) || 2 * largest->size() < job.size() || pool_.stopped()) return;
    std::vector<i32> all;
    for (std::size_t j = 0; j < growth_.columns.size(); ++j) all.push_back(static_cast<i32>(j));
    std::vector<FarPost::Question> asked;
    std::vector<u32> numbers;
    for (const Place& place : children) {
        if (place.number == largest->number || place.size() == 0) continue;
        asked.push_back(tally_question(place, all));
        numbers.push_back(place.number);
    }
    std::vector<FarAnswer> answers = post_.ask(std::move(asked), false);
    for (std::size_t k = 0; k < answers.size(); ++k) {
        const auto tallied = std::make_shared<Histogram>(answers[k].next().all<u64>());
        for (std::size_t i = 0; i < rest->size(); ++i) (*rest)[i] -= (*tallied)[i];
        for (Job& child : open)
            if (child.number == numbers[k] && !fetches(child)) child.histogram = tallied;
    }
    largest->histogram = rest;
}

// Of rows that are few enough, and whose weights lie too far apart for one grid.
Rows FarEngine::rows(const Place& place) {
    if (!fetches(place))
        throw std::invalid_argument(
            "the sample weights lie too far apart for rows beyond memory; use weights that are closer together, "
            "or more memory");
    FarAnswer answer =
        post_.ask(question(Ask::rows, place, growth_.columns.size() + 4, place.size() * row_bytes_), true);
    for (std::size_t j = 0; j < growth_.columns.size(); ++j) answer.next();
    joined_ = std::make_unique<JoinedTarget>(answer.fields());
    const TargetView all = joined_->view(learn_.table.target.n_classes);
    learn_.table.target = {all.n_classes, all.codes,
                           all.values,    learn_.table.target.weights.empty() ? std::span<const double>() : all.weights,
                           all.counts,    all.times};
    return {joined_->rows.data(), nullptr, joined_->rows.size(), 0};
}

// The rows of one node in memory, with a growth and an engine of their own.
class FarEngine::Fetched final : public FetchedNode {
  public:
    Fetched(FarEngine& from, const Job& job, FarAnswer answer)
        : from_(from),
          plan_(from.growth_.plan),
          columns_(from.growth_.columns),
          growth_{columns_, plan_, from.growth_.layout, &table_.target, job.size()},
          bytes_(job.size() * from.row_bytes_) {
        plan_.n_threads = from.plan_there_.n_threads;
        plan_.shared_rows = from.plan_there_.shared_rows;
        plan_.serial_cells = from.plan_there_.serial_cells;
        plan_.block_rows = from.plan_there_.block_rows;
        for (ColumnView& view : columns_) {
            view.stride = view.type == ValueType::f64 ? 8 : 4;
            view.data = reinterpret_cast<const std::byte*>(answer.next().bytes.data());
        }
        target_ = std::make_unique<JoinedTarget>(answer.fields());
        answer_ = std::make_unique<FarAnswer>(std::move(answer));
        const Growth& all = from.growth_;
        growth_.grid = all.grid;
        growth_.weight_unit = all.weight_unit;
        growth_.total_weight = all.total_weight;
        growth_.root_sd = all.root_sd;
        growth_.root_impurity = all.root_impurity;
        growth_.sums_later = all.sums_later;
        growth_.rows_from_stats = all.rows_from_stats;
        table_.columns = &columns_;
        table_.n_rows = job.size();
        table_.target = target_->view(all.layout.n_classes);
        if (from.learn_.table.target.weights.empty()) table_.target.weights = {};
        table_.rows = target_->rows;
        table_.growth = &growth_;
        from.learn_.make_loops(table_);
    }
    ~Fetched() override { clear(); }
    void clear() override {
        engine_ = nullptr;
        table_ = {};
        answer_ = nullptr;
        target_ = nullptr;
        if (bytes_ == 0) return;
        std::lock_guard lock(from_.room_mutex_);
        from_.fetched_bytes_ -= std::exchange(bytes_, 0);
        from_.room_.notify_all();
    }
    const Growth& growth() const override { return growth_; }
    Engine& engine(Pool& pool) override {
        engine_ = std::make_unique<MemoryEngine>(growth_, *table_.loops, std::move(table_.rows), pool);
        return *engine_;
    }

  private:
    FarEngine& from_;
    Plan plan_;
    std::vector<ColumnView> columns_;
    TablePart table_;
    Growth growth_;
    std::unique_ptr<FarAnswer> answer_;  // whose bytes the columns are
    std::unique_ptr<JoinedTarget> target_;
    std::unique_ptr<MemoryEngine> engine_;
    std::size_t bytes_;
};

std::unique_ptr<FetchedNode> FarEngine::fetch_node(const Job& job) {
    const std::size_t bytes = job.size() * row_bytes_;
    {
        std::unique_lock lock(room_mutex_);
        while (fetched_bytes_ > 0 && fetched_bytes_ + bytes > limits_.fetch_bytes) {
            room_.wait_for(lock, std::chrono::milliseconds(50));
            lock.unlock();
            post_.poll();
            if (pool_.stopped()) throw StoppedWaiting{};
            lock.lock();
        }
        fetched_bytes_ += bytes;
    }
    try {
        FarAnswer answer = post_.ask(question(Ask::rows, job, growth_.columns.size() + 4, bytes), true);
        return std::make_unique<Fetched>(*this, job, std::move(answer));
    } catch (const StoppedWaiting&) {
        std::lock_guard lock(room_mutex_);
        fetched_bytes_ -= bytes;
        room_.notify_all();
        throw;
    }
}

}  // namespace hornbeam
