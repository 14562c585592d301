#include "hornbeam/partition/answer.hpp"

#include "hornbeam/grow/memory_engine.hpp"
#include "hornbeam/partition/far_sums.hpp"
#include "hornbeam/partition/part_memory.hpp"

namespace hornbeam {
namespace {

void loop_each(std::size_t n, const std::function<void(std::size_t)>& body) {
    for (std::size_t i = 0; i < n; ++i) body(i);
}

// One part while it answers one message.
class Answering : PartMemory {
  public:
    Answering(const Partition& part, const PartCache& cache, LearnState& learn, const FarState& state)
        : PartMemory(part, cache, state, static_cast<std::size_t>(learn.table.loops->words()) * sizeof(u64)),
          learn_(learn) {}

    void sample(Reader& in, FieldWriter& out) {
        check_all();
        // The share of this part in the sample of all.
        const double share = static_cast<double>(part_.n_rows) / static_cast<double>(state_.summary.n_rows);
        const auto most = static_cast<std::size_t>(std::ceil(static_cast<double>(in.get<u64>()) * share));
        const Codes codes(part_.columns, bin_bytes_);
        for (std::size_t j = 0; j < part_.columns.size(); ++j)
            out.add(Merge::join, codes.sample(static_cast<i32>(j), part_.n_rows, most));
    }
    void flags(FieldWriter& out) {
        make_codes();
        const std::vector<CodingFlags> flags = code();
        out.add(Merge::either, reinterpret_cast<const u8*>(flags.data()), flags.size() * sizeof(CodingFlags));
    }
    void leaves(Topic topic, Reader& in, FieldWriter& out) {
        check_all();
        answer_leaves(topic, in, {&part_.columns, part_.target}, out);
    }
    void questions(Reader& in, FieldWriter& out) {
        if (!state_.cuts.empty()) open_codes();
        learn_.growth.grid.n_rows = static_cast<std::size_t>(state_.root_rows);
        std::vector<NodeQuestion> questions;
        for (u64 n = in.get<u64>(); n > 0; --n) {
            NodeQuestion& one = questions.emplace_back();
            one.ask = in.get<Ask>();
            one.node = in.get<u32>();
            one.range = in.get<TargetRange>();
            one.details = in.take(static_cast<std::size_t>(in.get<u64>()));
        }
        MemoryEngine engine(learn_.growth, *learn_.table.loops, {}, pool_);
        if (codes_) engine.prepare(*codes_);
        const std::vector<std::shared_ptr<OwnBytes>> rows = rows_of(questions);
        u32 on_grid = 0;  // the node whose rows have their carries, and its lanes
        std::vector<i64> lanes;
        Grid grid;
        for (std::size_t q = 0; q < questions.size(); ++q) {
            const NodeQuestion& one = questions[q];
            Job job;
            job.own = rows[one.slot];
            job.end = job.own->id.size();
            if (one.ask != Ask::range && one.ask != Ask::rows && (lanes.empty() || on_grid != one.slot)) {
                lanes.assign(static_cast<std::size_t>(learn_.growth.layout.width()), 0);
                engine.regrid(job, one.range, grid, lanes.data());
                on_grid = static_cast<u32>(one.slot);
            }
            reply(one, job, engine, grid, lanes, out);
        }
    }

  private:
    struct NodeQuestion {
        Ask ask{};
        u32 node = 0;
        TargetRange range;  // of the node's grid
        std::string_view details;
        std::size_t slot = 0;
    };

    // The rows of the nodes asked about, those that count.
    std::vector<std::shared_ptr<OwnBytes>> rows_of(std::vector<NodeQuestion>& questions) {
        std::vector<i32> slot(state_.tests.size(), -1);
        std::vector<std::shared_ptr<OwnBytes>> out;
        for (NodeQuestion& one : questions) {
            i32& at = slot.at(one.node);
            if (at < 0) {
                at = static_cast<i32>(out.size());
                out.push_back(std::make_shared<OwnBytes>());
            }
            one.slot = static_cast<std::size_t>(at);
        }
        const std::span<const u32> node = nodes();
        const std::vector<u32>& live = learn_.table.rows;
        std::vector<std::size_t> count(out.size(), 0);
        for (const u32 r : live)
            if (const i32 s = slot[node[r]]; s >= 0) ++count[static_cast<std::size_t>(s)];
        const std::size_t size = learn_.table.loops->carry_size();
        std::vector<u32*> next_id;
        std::vector<std::byte*> next_carry;
        for (std::size_t s = 0; s < out.size(); ++s) {
            out[s]->id.resize(count[s]);
            out[s]->carry.resize(count[s] * size);
            next_id.push_back(out[s]->id.data());
            next_carry.push_back(out[s]->carry.data());
        }
        const std::byte* carry = learn_.table.loops->carry();
        for (std::size_t i = 0; i < live.size(); ++i) {
            const i32 s = slot[node[live[i]]];
            if (s < 0) continue;
            *next_id[static_cast<std::size_t>(s)]++ = live[i];
            std::memcpy(next_carry[static_cast<std::size_t>(s)], carry + i * size, size);
            next_carry[static_cast<std::size_t>(s)] += size;
        }
        return out;
    }

    void reply(const NodeQuestion& one, Job& job, MemoryEngine& engine, const Grid& grid, const std::vector<i64>& lanes,
               FieldWriter& out) {
        Reader in(one.details);
        switch (one.ask) {
            case Ask::range: {
                const TargetRange range = target_range(learn_.table.target, job.own->id.data(), job.size());
                out.add_one(Merge::least, range.lightest);
                out.add_one(Merge::most, range.heaviest);
                out.add_one(Merge::least, range.low);
                out.add_one(Merge::most, range.high);
                return out.add_count(range.n_rows);
            }
            case Ask::lanes: {
                const auto rounds = static_cast<u8>(grid.rounds);
                out.add_count(static_cast<i64>(job.size()));
                out.add(Merge::either, &rounds, 1);
                return out.add(Merge::add, lanes);
            }
            case Ask::fourth_powers:
                return out.add_one(Merge::add_doubles, engine.fourth_powers(job, in.get<double>()));
            case Ask::tally:
                engine.tally(job, in.get_all<i32>());
                return out.add(Merge::add, *job.histogram);
            case Ask::buckets:
                return reply_buckets(in.get<i32>(), job, engine, out);
            case Ask::cells:
                return reply_cells(in, job, engine, out);
            case Ask::values:
                return reply_values(in, job, engine, out);
            case Ask::neighbours: {
                const i32 column = in.get<i32>(), below = in.get<i32>(), above = in.get<i32>();
                check(static_cast<std::size_t>(column));
                const auto [low, high] = engine.neighbours(job, column, below, above);
                out.add_one(Merge::most, low);
                return out.add_one(Merge::least, high);
            }
            case Ask::known_weights:
                return reply_weights(in, job, out);
            case Ask::rows:
                return reply_rows(job, out);
        }
    }
    void reply_buckets(i32 column, const Job& job, const MemoryEngine& engine, FieldWriter& out) {
        check(static_cast<std::size_t>(column));
        ValuePlaces places;
        Buckets buckets;
        engine.buckets(job, column, places, buckets);
        const auto width = static_cast<std::size_t>(buckets.width);
        out.begin(Merge::by_key, width, buckets.code.size() * (width + 1) * sizeof(u64));
        for (int i = 0; i < buckets.size(); ++i) {
            const auto key = static_cast<double>(buckets.code[static_cast<std::size_t>(i)]);
            out.append(&key, sizeof key);
            out.append(buckets.at(i), width * sizeof(i64));
        }
        out.end();
        const auto has_missing = static_cast<u8>(buckets.has_missing);
        out.add(Merge::add, buckets.missing);
        out.add(Merge::either, &has_missing, 1);
    }
    void reply_cells(Reader& in, const Job& job, const MemoryEngine& engine, FieldWriter& out) {
        std::vector<BinCells> questions;
        for (u64 n = in.get<u64>(); n > 0; --n) {
            const bool tied = in.get<u8>() != 0;
            BinCells& bins = questions.emplace_back(-1, tied);
            static_cast<OpenBins&>(bins) = read_bins(in);
            bins.low = in.get_all<double>();
            bins.scale = in.get_all<double>();
            check(static_cast<std::size_t>(bins.column));
        }
        engine.cells(job, questions, loop_each, [&](const BinCells& bins) {
            out.add(Merge::add, bins.cells);
            out.add(Merge::either, bins.varied);
            std::vector<double> low = bins.first, high = bins.first;  // an empty cell has none
            std::replace_if(
                low.begin(), low.end(), [](double x) { return std::isnan(x); },
                std::numeric_limits<double>::infinity());
            std::replace_if(
                high.begin(), high.end(), [](double x) { return std::isnan(x); },
                -std::numeric_limits<double>::infinity());
            out.add(Merge::least, low);
            out.add(Merge::most, high);
        });
    }
    void reply_values(Reader& in, const Job& job, const MemoryEngine& engine, FieldWriter& out) {
        std::vector<OpenBins> asked;
        for (u64 n = in.get<u64>(); n > 0; --n) {
            asked.push_back(read_bins(in));
            check(static_cast<std::size_t>(asked.back().column));
        }
        const auto width = static_cast<std::size_t>(learn_.growth.layout.width());
        for (const OpenBins& bins : asked)  // one by one, so that answers keep their order
            engine.values(
                job, 1, loop_each, [&](std::size_t) { return bins; },
                [&](std::size_t, ValuesInBins& values) {
                    for (std::vector<BinEntry>& bin : values.bins) add_values(bin, values, width, out);
                });
    }
    // The distinct values of a bin.
    static void add_values(std::vector<BinEntry>& bin, const ValuesInBins& values, std::size_t width,
                           FieldWriter& out) {
        std::sort(bin.begin(), bin.end(), [](const BinEntry& a, const BinEntry& b) { return a.value < b.value; });
        std::vector<i64> lanes(bin.size() * width), merged;
        values.lanes(bin, lanes.data());
        for (std::size_t i = 0; i < bin.size(); ++i) {
            const i64* own = lanes.data() + i * width;
            if (i > 0 && bin[i - 1].value == bin[i].value) {
                add_lanes(merged.data() + merged.size() - width, own, static_cast<int>(width));
                continue;
            }
            merged.push_back(std::bit_cast<i64>(bin[i].value + 0.0));
            merged.insert(merged.end(), own, own + width);
        }
        out.add(Merge::by_key, merged, width);
    }
    void reply_weights(Reader& in, const Job& job, FieldWriter& out) {
        const auto n_branches = static_cast<std::size_t>(in.get<i32>());
        const FarTest test = FarTest::read(in);
        std::vector<u32> branch;
        for (const u32 r : job.own->id) {
            const i32 to = test.of(checked(test.column), r);
            branch.push_back(to < 0 ? Router::kGap : static_cast<u32>(to));
        }
        std::vector<i64> weight(n_branches, 0);
        const RowLoops& loops = *learn_.table.loops;
        loops.add_weights({job.own->id.data(), job.own->carry.data(), job.size(), loops.carry_size()}, branch.data(),
                          weight.data());
        out.add(Merge::add, weight);
    }
    void reply_rows(const Job& job, FieldWriter& out) {
        check_all();
        const std::vector<u32>& rows = job.own->id;
        for (const ColumnView& column : part_.columns) {
            const std::size_t width = column.type == ValueType::f64 ? 8 : 4;
            out.begin(Merge::join, 1, rows.size() * width);
            for (const u32 r : rows) out.append(column.data + static_cast<std::ptrdiff_t>(r) * column.stride, width);
            out.end();
        }
        add_targets(part_.target, rows, out);
    }

    LearnState& learn_;
};

std::string answer_summary(const Partition& part) {
    const TargetSummary summary = summarize(part.target, live_rows(part.target, part.n_rows));
    FieldWriter out;
    out.add_count(static_cast<i64>(summary.n_rows));
    out.add_one(Merge::add_doubles, summary.repetitions);
    out.add_one(Merge::most, summary.most);
    out.add_one(Merge::least, summary.lightest);
    out.add_one(Merge::most, summary.heaviest);
    return out.take();
}

}  // namespace

std::size_t code_bytes(std::size_t n_columns, std::size_t n_rows) {
    return PartMemory::kHeader + (n_columns + 3) / 4 * 4 * n_rows + 8;
}
std::size_t node_bytes(std::size_t n_rows) { return PartMemory::kHeader + n_rows * sizeof(u32); }

u64 target_checksum(const TargetView& target) {
    u64 sum = static_cast<u64>(target.n_classes);
    const auto add = [&](const auto& values) { sum = checksum(values.data(), values.size_bytes(), sum); };
    add(target.codes);
    add(target.values);
    add(target.weights);
    add(target.counts);
    return sum;
}

std::string answer(std::string_view message, const Partition& part, Plan plan, const PartCache& cache) {
    Reader in(message);
    const auto topic = in.get<Topic>();
    if (topic == Topic::summary) return answer_summary(part);
    const FarState state = FarState::read(in);
    plan.n_threads = 1;
    plan.shared_rows = std::numeric_limits<std::size_t>::max();
    const std::function<bool(double)> no_progress;
    LearnState learn{{part.columns, plan, {part.target.n_classes}, nullptr, part.n_rows},
                     plan,
                     {&part.columns,
                      part.n_rows,
                      part.target,
                      part.target,
                      live_rows(part.target, part.n_rows),
                      {},
                      nullptr,
                      nullptr},
                     state.summary,
                     no_progress};
    FieldWriter out;
    learn.instead = [&] {
        Answering answering(part, cache, learn, state);
        switch (topic) {
            case Topic::sample:
                return answering.sample(in, out);
            case Topic::flags:
                return answering.flags(out);
            case Topic::nodes:
                return answering.questions(in, out);
            default:
                return answering.leaves(topic, in, out);
        }
    };
    learn_table(learn);
    return out.take();
}

}  // namespace hornbeam
