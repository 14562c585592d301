// _core.smallest: codes of columns and classes -> the graph of the smallest consistent trees.
#include "hornbeam/smallest/smallest.hpp"

#include <nanobind/stl/string.h>

#include "bindings/arrays.hpp"

namespace hornbeam::bindings {
namespace {

// columns: [(codes, split, n_values), ...]; plan: leaf_cost, test_cost, goal, most_sets, build.
nb::dict smallest_of(const nb::list& columns, const nb::object& classes, int n_classes, const nb::dict& plan) {
    SmallestProblem problem;
    problem.classes = span_of<i32>(classes);
    problem.n_classes = n_classes;
    for (nb::handle item : columns) {
        const auto parts = nb::cast<nb::tuple>(item);
        SmallestColumn column{static_cast<SplitKind>(nb::cast<int>(parts[1])), nb::cast<i32>(parts[2]),
                              span_of<i32>(parts[0])};
        if (column.codes.size() != problem.classes.size()) throw std::invalid_argument("columns differ in length");
        for (i32 code : column.codes)
            if (code < 0 || code >= column.n_values) throw std::invalid_argument("a code is outside its domain");
        problem.columns.push_back(column);
    }
    for (i32 code : problem.classes)
        if (code < 0 || code >= n_classes) throw std::invalid_argument("a class is outside its domain");
    problem.leaf_cost = nb::cast<u32>(plan["leaf_cost"]);
    problem.test_cost = nb::cast<u32>(plan["test_cost"]);
    problem.goal = static_cast<SmallestGoal>(nb::cast<int>(plan["goal"]));
    problem.most_sets = nb::cast<u64>(plan["most_sets"]);
    const bool build = nb::cast<bool>(plan["build"]);
    SmallestGraph graph;
    bool signalled = false;
    {
        nb::gil_scoped_release release;
        graph = smallest(problem, build, [&] {
            nb::gil_scoped_acquire acquire;
            return signalled = PyErr_CheckSignals() != 0;
        });
    }
    if (signalled) throw nb::python_error();
    nb::dict out;
    out["finished"] = graph.outcome == SmallestGraph::Outcome::solved;
    out["cost"] = graph.cost;
    out["cost_met"] = graph.cost_met;
    out["n_sets"] = graph.n_sets;
    out["expected"] = graph.expected;
    out["depth"] = graph.depth;
    out["rows"] = to_numpy(std::move(graph.rows));
    out["n_words"] = graph.n_words;
    out["test_offset"] = to_numpy(std::move(graph.test_offset));
    out["test_column"] = to_numpy(std::move(graph.test_column));
    out["child_offset"] = to_numpy(std::move(graph.child_offset));
    out["child"] = to_numpy(std::move(graph.child));
    return out;
}

}  // namespace

void bind_smallest(nb::module_& m) {
    m.def("smallest", &smallest_of, nb::arg("columns"), nb::arg("classes"), nb::arg("n_classes"), nb::arg("plan"));
}

}  // namespace hornbeam::bindings
