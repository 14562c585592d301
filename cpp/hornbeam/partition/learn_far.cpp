#include "hornbeam/partition/learn_far.hpp"

namespace hornbeam {
namespace {

void refuse_what_does_not_add_up(const Plan& plan) {
    if (plan.missing == MissingRule::surrogates || plan.missing == MissingRule::fractional)
        throw std::invalid_argument("surrogates and divided rows need all rows in memory; use missing='learn'");
    if (plan.level > 0) throw std::invalid_argument("quantiles need all rows in memory; use criterion='variance'");
    if (plan.selection.charges())
        throw std::invalid_argument("a charge for thresholds needs all rows in memory; use correction=None");
}

TargetSummary ask_summary(const SendMessage& send) {
    Writer message;
    message.put(Topic::summary);
    const std::string answer = send(message.bytes);
    FieldReader in(answer);
    TargetSummary out;
    out.n_rows = static_cast<std::size_t>(in.next().at<i64>(0));
    out.repetitions = in.next().at<double>(0);
    out.most = in.next().at<double>(0);
    out.lightest = in.next().at<double>(0);
    out.heaviest = in.next().at<double>(0);
    return out;
}

}  // namespace

TreeArrays learn_far(const std::vector<ColumnView>& columns, const TargetView& target, Plan plan, FarLimits limits,
                     const SendMessage& send, const std::function<bool(double)>& progress, const KeptAnswers& kept) {
    refuse_what_does_not_add_up(plan);
    const Plan there = plan;
    plan.n_threads = limits.n_searches;
    plan.shared_rows = std::numeric_limits<std::size_t>::max();
    plan.serial_cells = plan.block_cells = 0;
    // Where the best node is split first, nodes that nobody may need are not grown to the end.
    if (plan.limits.best_first()) limits.fetch_rows = std::min<std::size_t>(limits.fetch_rows, plan.block_rows);
    LearnState state{{columns, plan, {target.n_classes}, nullptr, 0},
                     plan,
                     {&columns, 0, target, target, {}, {}, nullptr, nullptr},
                     ask_summary(send),
                     progress};
    if (state.n_rows() == 0) throw std::invalid_argument("no row counts; at least one row is needed");
    if (state.n_rows() > 0xfffffffe) throw std::invalid_argument("growing takes at most 4,294,967,294 rows");
    state.make_engine = [&](Pool& pool) -> std::unique_ptr<Engine> {
        plan.block_rows = 0;  // what is grown to the end is fetched first
        return std::make_unique<FarEngine>(state, limits, there, send, kept, pool);
    };
    state.sum_nodes = [&](TreeArrays& tree) {
        const auto ask = [&](Topic topic, const std::function<void(Writer&)>& details) {
            FarState said;
            said.summary = state.summary;
            Writer message;
            said.write(topic, message);
            write_tree(tree, message);
            details(message);
            return send(message.bytes);
        };
        sum_far_nodes(ask, target, *plan.criterion, tree);
    };
    return learn_table(state);
}

}  // namespace hornbeam
