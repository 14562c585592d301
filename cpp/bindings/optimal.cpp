// _core.optimal_trees: codes of columns and costs of answers -> trees of least cost, and what no tree is below.
#include "hornbeam/optimal/optimal.hpp"

#include "bindings/grow.hpp"

namespace hornbeam::bindings {
namespace {

nb::dict answer_of(const OptimalResult& result, bool interrupted) {
    nb::list nodes;
    for (const OptimalNode& node : result.nodes)
        nodes.append(nb::make_tuple(
            node.column, node.code, node.missing_left,
            nb::bytes(reinterpret_cast<const char*>(node.left_set.data()), node.left_set.size()), node.left));
    nb::dict out;
    out["proven"] = result.proven;
    out["better"] = result.better;
    out["cost"] = result.cost;
    out["bound"] = result.bound;
    out["n_solved"] = result.n_solved;
    out["all_sets"] = result.all_sets;
    out["nodes"] = nodes;
    out["interrupted"] = interrupted && !result.proven;
    return out;
}

// columns: [(codes, nominal, n_values), ...]; costs: of all answers for each row, or (numbers, weights); options:
// n_answers, price, max_depth, max_leaves, min_rows, upper, seconds, max_gap, memory, n_threads, and path: whether the
// best trees of every number of leaves are asked for, not of the largest alone; orders: [(column, mean, sign), ...],
// and means: the numbers of each row whose means are ordered. `progress(share)` is told which share of the cost is
// proven.
nb::list optimal_of(const nb::list& columns, const nb::object& costs, const nb::object& rows, const nb::dict& options,
                    const nb::object& progress) {
    OptimalProblem problem;
    problem.n_answers = nb::cast<i32>(options["n_answers"]);
    const bool is_real = problem.n_answers == 0;
    if (is_real) {
        const auto pair = nb::cast<nb::tuple>(costs);
        problem.numbers = span_of<i64>(pair[0]);
        problem.weights = span_of<i64>(pair[1]);
    } else {
        problem.costs = span_of<i64>(costs);
    }
    problem.rows = span_of<i64>(rows);
    const std::size_t n_rows =
        is_real ? problem.numbers.size() : problem.costs.size() / static_cast<std::size_t>(problem.n_answers);
    check_row_count(n_rows);
    for (nb::handle item : columns) {
        const auto parts = nb::cast<nb::tuple>(item);
        OptimalColumn column{nb::cast<bool>(parts[1]), nb::cast<i32>(parts[2]), span_of<i32>(parts[0])};
        if (column.codes.size() != n_rows) throw std::invalid_argument("columns differ in length");
        for (i32 code : column.codes)
            if (code < -1 || code >= column.n_values) throw std::invalid_argument("a code is outside its domain");
        problem.columns.push_back(column);
    }
    problem.price = nb::cast<i64>(options["price"]);
    problem.max_depth = nb::cast<i32>(options["max_depth"]);
    problem.max_leaves = nb::cast<i32>(options["max_leaves"]);
    problem.min_rows = nb::cast<i64>(options["min_rows"]);
    problem.upper = nb::cast<i64>(options["upper"]);
    problem.seconds = nb::cast<double>(options["seconds"]);
    problem.max_gap = nb::cast<double>(options["max_gap"]);
    problem.memory = nb::cast<u64>(options["memory"]);
    problem.n_threads = nb::cast<int>(options["n_threads"]);
    for (nb::handle item : nb::cast<nb::list>(options["orders"])) {
        const auto parts = nb::cast<nb::tuple>(item);
        problem.orders.push_back({nb::cast<i32>(parts[0]), nb::cast<i32>(parts[1]), nb::cast<i32>(parts[2])});
    }
    if (!problem.orders.empty()) {
        problem.means = span_of<i64>(options, "means");
        problem.n_means = static_cast<i32>(problem.means.size() / std::max<std::size_t>(n_rows, 1)) - 1;
    }
    const bool path = nb::cast<bool>(options["path"]);
    StopCheck stop(progress);
    std::vector<OptimalResult> results;
    bool interrupted = false;
    run_without_lock([&] {
        const auto ask = [&](i64 cost, i64 bound) {
            const double share = cost > 0 ? static_cast<double>(bound) / static_cast<double>(cost) : 1.0;
            return interrupted = stop(std::clamp(share, 0.0, 1.0));
        };
        if (path)
            results = optimal_path(problem, ask);
        else
            results.push_back(optimal_tree(problem, ask));
    });
    stop.rethrow();
    interrupted = interrupted && !results.back().proven;
    stop.hand_on_signal(interrupted);
    nb::list out;
    for (const OptimalResult& result : results) out.append(answer_of(result, interrupted));
    return out;
}

}  // namespace

void bind_optimal(nb::module_& m) {
    m.def("optimal_trees", &optimal_of, nb::arg("columns"), nb::arg("costs"), nb::arg("rows").none(),
          nb::arg("options"), nb::arg("progress").none());
}

}  // namespace hornbeam::bindings
