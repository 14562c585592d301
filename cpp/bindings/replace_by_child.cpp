// _core.replace_by_children: keep, leaf or a child's subtree at every test of a tree.
#include "hornbeam/prune/replace_by_child.hpp"

#include "bindings/trees.hpp"

namespace hornbeam::bindings {
namespace {

Sample sample_of(const nb::dict& from, std::vector<AnyArray>& keep_cost) {
    return {span_of<i64>(from, "row"), span_of<i32>(from, "leaf"), span_of<double>(from, "weight"),
            views_of(nb::cast<nb::list>(from["columns"]), keep_cost)};
}

// Which of the three outcomes it is, the dict tells by what it holds.
ReplacingOutput run(const ReplacingInput& input, const nb::dict& outcome) {
    if (outcome.contains("training_values")) {
        const RealOutcome real{span_of<double>(outcome, "training_values"), span_of<double>(outcome, "held_values")};
        nb::gil_scoped_release release;
        return replace_by_children(input, real);
    }
    const auto n_classes = nb::cast<std::size_t>(outcome["n_classes"]);
    const auto codes = span_of<i32>(outcome, "training_codes");
    if (outcome.contains("training_costs")) {
        const CostOutcome costs{n_classes, codes, span_of<double>(outcome, "training_costs"),
                                span_of<double>(outcome, "held_costs")};
        nb::gil_scoped_release release;
        return replace_by_children(input, costs);
    }
    const ClassOutcome classes{n_classes, codes, span_of<i32>(outcome, "held_codes"),
                               span_of<double>(outcome, "factors"), span_of<double>(outcome, "costs")};
    nb::gil_scoped_release release;
    return replace_by_children(input, classes);
}

nb::dict replace(const nb::dict& training_tree, const nb::dict& held_tree, const nb::dict& nodes,
                 const nb::dict& training, const nb::dict& held, const nb::dict& outcome) {
    std::vector<AnyArray> keep_cost;
    ReplacingInput input;
    input.training_tree = tree_view(training_tree);
    input.held_tree = tree_view(held_tree);
    input.share = span_of<double>(nodes, "share");
    input.leaf_size = span_of<i64>(nodes, "leaf_size");
    input.answer = span_of<double>(nodes, "given");
    input.n_rows = span_of<i64>(nodes, "n_rows");
    input.n_threads = nb::cast<int>(nodes["n_threads"]);
    input.training = sample_of(training, keep_cost);
    input.held = sample_of(held, keep_cost);
    input.copies = span_of<i64>(training["copies"]);
    ReplacingOutput replaced = run(input, outcome);
    nb::dict out;
    out["action"] = to_numpy(std::move(replaced.action));
    out["child"] = to_numpy(std::move(replaced.child));
    out["kept"] = to_numpy(std::move(replaced.keep_cost));
    out["leaf"] = to_numpy(std::move(replaced.leaf));
    out["raised"] = to_numpy(std::move(replaced.raised));
    out["weight"] = to_numpy(std::move(replaced.weight));
    out["stand"] = to_numpy(std::move(replaced.stand));
    out["is_leaf"] = to_numpy(std::move(replaced.is_leaf));
    out["refilled"] = to_numpy(std::move(replaced.refilled));
    out["stats"] = to_numpy(std::move(replaced.stats));
    out["costs"] = to_numpy(std::move(replaced.costs));
    out["n_rows"] = to_numpy(std::move(replaced.n_rows));
    return out;
}

}  // namespace

void bind_replacing(nb::module_& m) {
    m.def("replace_by_children", &replace, nb::arg("training_tree"), nb::arg("held_tree"), nb::arg("nodes"),
          nb::arg("training"), nb::arg("held"), nb::arg("outcome"));
}

}  // namespace hornbeam::bindings
