// Partitions: rows divided among tables that never see each other grow the tree that all of them grow together.

#include "hornbeam/partition/answer.hpp"
#include "hornbeam/partition/learn_far.hpp"

#include "tests/check.hpp"
#include "tests/learn_data.hpp"

namespace hornbeam {
namespace {

using testing::Data;
using testing::draw_data;
using testing::draw_plan;
using testing::Random;
using testing::same;
using testing::trials;

// Some rows of a table in memory of their own, as long as they need, so that a sanitizer sees who reads beyond.
struct Copy {
    std::vector<std::unique_ptr<std::byte[]>> columns;
    std::vector<i32> labels;
    std::vector<double> values, weights;
    std::vector<i64> counts;
    Partition partition;

    Copy(const Data& data, const std::vector<std::size_t>& rows) {
        partition.n_rows = rows.size();
        for (ColumnView view : data.columns) {
            const std::size_t width = view.type == ValueType::f64 ? 8 : 4;
            columns.push_back(std::make_unique<std::byte[]>(rows.size() * width));
            for (std::size_t i = 0; i < rows.size(); ++i)
                std::memcpy(columns.back().get() + i * width,
                            view.data + static_cast<std::ptrdiff_t>(rows[i]) * view.stride, width);
            view.data = columns.back().get();
            view.stride = static_cast<std::ptrdiff_t>(width);
            partition.columns.push_back(view);
        }
        const auto take = [&](const auto& from, auto& to) {
            for (std::size_t r : rows)
                if (!from.empty()) to.push_back(from[r]);
        };
        take(data.labels, labels);
        take(data.values, values);
        take(data.weights, weights);
        take(data.counts, counts);
        partition.target = {data.target.n_classes, labels, values, weights, counts};
    }
};

// What a part remembers; what it holds at first is nobody's.
struct Memory {
    std::vector<u8> codes, nodes;
    Memory(Random& random, const Partition& part)
        : codes(code_bytes(part.columns.size(), part.n_rows)), nodes(node_bytes(part.n_rows)) {
        spoil(random);
    }
    void spoil(Random& random) {
        for (auto* cache : {&codes, &nodes})
            (*cache)[random.below(cache->size())] ^= static_cast<u8>(1 + random.below(255));
    }
};

// Sends messages to parts in any order; some answer twice, lose what they remember, or find it changed.
class RandomSender {
  public:
    RandomSender(Random& random, const std::vector<Partition>& parts, Plan plan)
        : random_(random), parts_(parts), plan_(plan) {
        for (const Partition& part : parts) memory_.emplace_back(random, part);
    }
    std::string operator()(const std::string& message) {
        std::vector<std::size_t> order(parts_.size());
        for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
        for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random_.below(k)]);
        std::vector<std::string> answers;
        for (const std::size_t k : order) {
            if (random_.chance(0.1)) memory_[k].spoil(random_);
            if (random_.chance(0.1)) ask(k, message);
            answers.push_back(ask(k, message));
            if (answers.size() < 2 || random_.chance(0.5)) continue;
            const std::string_view two[] = {answers[answers.size() - 2], answers.back()};
            std::string merged = merge_answers(two);
            answers.resize(answers.size() - 2);
            answers.push_back(std::move(merged));
        }
        const std::vector<std::string_view> all(answers.begin(), answers.end());
        return merge_answers(all);
    }

  private:
    std::string ask(std::size_t k, const std::string& message) {
        PartCache cache{memory_[k].codes, memory_[k].nodes};
        if (random_.chance(0.1)) cache = {};
        return answer(message, parts_[k], plan_, cache);
    }
    Random& random_;
    const std::vector<Partition>& parts_;
    Plan plan_;
    std::vector<Memory> memory_;
};

// The tree of a growth that goes on where another one broke off after some messages.
TreeArrays grow_resumed(const Data& data, const Plan& plan, const FarLimits& limits, RandomSender& sender,
                        std::size_t n_messages) {
    std::map<std::pair<u64, u64>, std::string> known;
    std::mutex mutex;
    const KeptAnswers kept{[&](const AnswerKey& key) -> std::optional<std::string> {
                               std::lock_guard lock(mutex);
                               const auto at = known.find({key.low, key.high});
                               return at == known.end() ? std::nullopt : std::optional(at->second);
                           },
                           [&](const auto& answers) {
                               std::lock_guard lock(mutex);
                               for (const auto& [key, answer] : answers) known[{key.low, key.high}] = answer;
                           }};
    struct Died {};
    try {
        return learn_far(
            data.columns, data.target, plan, limits,
            [&](const std::string& message) {
                if (n_messages-- == 0) throw Died{};
                return sender(message);
            },
            {}, kept);
    } catch (const Died&) {
        return learn_far(
            data.columns, data.target, plan, limits, [&](const std::string& message) { return sender(message); }, {},
            kept);
    }
}

// The tree of up to seven partitions, some of which may be empty: those are never asked.
TreeArrays grow_divided(Random& random, const Data& data, const Plan& plan) {
    const std::size_t k = 1 + random.below(7), first = random.below(k);
    std::vector<std::vector<std::size_t>> rows(k);
    for (std::size_t r = 0; r < data.n_rows; ++r)
        rows[random.chance(0.3) ? first : first + random.below(k - first)].push_back(r);
    std::vector<Copy> copies;
    for (const auto& part : rows) copies.emplace_back(data, part);
    std::vector<Partition> partitions;
    for (Copy& copy : copies) {
        if (copy.partition.n_rows == 0) continue;
        partitions.push_back(copy.partition);
        for (const ColumnView& view : copy.partition.columns)
            partitions.back().checksums.push_back(
                checksum(view.data, copy.partition.n_rows * static_cast<std::size_t>(view.stride)));
        partitions.back().checksums.push_back(target_checksum(copy.partition.target));
    }
    constexpr std::size_t fetch_rows[] = {0, 1, 6, 60, 4096};
    const FarLimits limits{fetch_rows[random.below(5)], std::size_t{1} << (8 + random.below(12)),
                           std::size_t{1} << (6 + random.below(12)), 1 + random.number(0, 3)};
    Random order(random.bits());
    RandomSender sender(order, partitions, plan);
    if (random.chance(0.2)) return grow_resumed(data, plan, limits, sender, random.below(30));
    return learn_far(data.columns, data.target, plan, limits,
                     [&](const std::string& message) { return sender(message); }, {});
}

bool does_not_add_up(const Plan& plan) {
    return plan.missing == MissingRule::surrogates || plan.missing == MissingRule::fractional;
}

// Whether the tree of partitions is that of all rows; weights that lie too far apart may be refused.
bool is_same(Random& random, const Data& data, const Plan& plan, const TreeArrays& whole) {
    try {
        return same(whole, grow_divided(random, data, plan));
    } catch (const std::invalid_argument& refused) {
        return !data.weights.empty() && std::string(refused.what()).find("too far apart") != std::string::npos;
    }
}

void check_partitions(Random& random, const Data& data, Plan plan) {
    if (does_not_add_up(plan)) plan.missing = random.chance(0.5) ? MissingRule::learn : MissingRule::majority;
    if (plan.selection.charges()) plan.selection.correction = Selection::Correction::none;
    constexpr u32 sizes[] = {1, 1, 6, 60, 4096};
    const TreeArrays whole = learn(data.columns, data.n_rows, data.target, plan, {});
    for (int trial = 0; trial < 2; ++trial) {
        plan.block_rows = sizes[random.below(5)];
        CHECK(is_same(random, data, plan, whole));
    }
}

// Values so far apart that nodes get grids of their own.
void spread_out(Random& random, Data& data) {
    for (double& y : data.values) y = random.chance(0.1) ? y * 1e13 : y * 1e-4 + 3;
    for (double& w : data.weights) w *= random.chance(0.1) ? 1e9 : 1;
}

}  // namespace

TEST("partitions grow the tree of all rows") {
    Random random(40);
    for (const Criterion& criterion : kCriteria)
        for (int trial = 0; trial < trials(25); ++trial) {
            const int n_classes = criterion.on_classes ? random.number(2, 5) : 0;
            Data data = draw_data(random, 1 + random.below(300), n_classes);
            if (trial % 3 == 0 && !criterion.rates) spread_out(random, data);
            Plan plan = draw_plan(random, criterion, n_classes);
            plan.seed = random.bits();
            if (random.chance(0.3)) plan.max_features = random.number(1, 4);
            check_partitions(random, data, plan);
        }
}

TEST("partitions answer for bins that hold many values") {
    Random random(41);
    for (const std::size_t c : {0, 2, 5}) {
        Data data;
        data.n_rows = 30000;
        for (int j = 0; j < 2; ++j) data.add_numbers(random, 0.05, 0);
        data.add_target(random, kCriteria[c].on_classes ? 3 : 0);
        data.add_weights(random, random.number(0, 2));
        Plan plan;
        plan.criterion = &kCriteria[c];
        plan.monotone.resize(2);
        plan.limits.max_depth = 2;
        check_partitions(random, data, plan);
    }
}

TEST("answers merge in any groups") {
    FieldWriter one, other;
    const u64 carries[] = {~u64{0}, 0}, unit[] = {1, 0};
    one.add(Merge::add, carries, 2, 2);
    other.add(Merge::add, unit, 2, 2);
    const double keys[] = {-1, 0, 2}, more[] = {0, 0};
    one.add(Merge::by_key, keys, 2, 1);
    other.add(Merge::by_key, more, 2, 1);
    const std::string a = one.take(), b = other.take();
    const std::string_view both[] = {a, b}, reversed[] = {b, a};
    const std::string merged = merge_answers(both);
    CHECK(merged == merge_answers(reversed));
    FieldReader in(merged);
    const Field sum = in.next();
    CHECK(sum.at<u64>(0) == 0 && sum.at<u64>(1) == 1);
    CHECK(in.next().size<u64>() == 4);
}

TEST("rows that were changed are not used") {
    Random random(43);
    const Data data = draw_data(random, 50, 2);
    Copy copy(data, {0, 1, 2, 3, 4});
    Partition part = copy.partition;
    part.checksums.assign(part.columns.size() + 1, 0);
    FarState state;
    state.summary.n_rows = 5;
    Writer message;
    state.write(Topic::flags, message);
    Plan plan;
    plan.monotone.resize(part.columns.size());
    bool refused = false;
    try {
        answer(message.bytes, part, plan, {});
    } catch (const ChangedRows&) {
        refused = true;
    }
    CHECK(refused);
}

TEST("what does not add up is refused") {
    Random random(42);
    const Data data = draw_data(random, 40, 0);
    const auto refused = [&](Plan plan) {
        try {
            grow_divided(random, data, plan);
        } catch (const std::invalid_argument&) {
            return true;
        }
        return false;
    };
    Plan plan;
    plan.criterion = &kCriteria[5];
    plan.monotone.resize(4);
    CHECK(!refused(plan));
    for (const MissingRule rule : {MissingRule::surrogates, MissingRule::fractional}) {
        plan.missing = rule;
        CHECK(refused(plan));
    }
    plan.missing = MissingRule::learn;
    plan.level = 0.5;
    CHECK(refused(plan));
}

}  // namespace hornbeam
