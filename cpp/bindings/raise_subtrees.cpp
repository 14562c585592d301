// _core.raise_subtrees: error-based pruning with subtrees that move up.
#include <nanobind/stl/function.h>

#include "bindings/arrays.hpp"
#include "bindings/trees.hpp"
#include "hornbeam/prune/raise_subtrees.hpp"

namespace hornbeam::bindings {
namespace {

// The branches of rows as Python finds them, for tests the core does not know.
void asked_branches(const nb::callable& ask, std::size_t node, std::span<const Entry> rows, i32* out) {
    std::vector<i64> numbers(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) numbers[i] = rows[i].row;
    const nb::object branches = ask(node, to_numpy(std::move(numbers)));
    const std::span<const i64> branch = span_of<i64>(branches);
    for (std::size_t i = 0; i < rows.size(); ++i) out[i] = static_cast<i32>(branch[i]);
}

nb::dict raised(const nb::dict& arrays, const nb::list& columns, const nb::dict& rows, const nb::dict& judge,
                const nb::object& branches, const nb::object& limit) {
    RaisingInput in;
    in.first_child = span_of<i32>(rows, "first_child");
    in.n_children = span_of<i32>(arrays, "n_children");
    in.stats = span_of<double>(rows, "stats");
    in.n_rows = span_of<i64>(rows, "n_rows");
    in.codes = span_of<i32>(rows, "codes");
    in.copies = span_of<i64>(rows, "copies");
    in.row = span_of<i64>(rows, "row");
    in.leaf = span_of<i32>(rows, "leaf");
    in.weight = span_of<double>(rows, "weight");
    in.factors = span_of<double>(judge, "factors");
    in.costs = span_of<double>(judge, "costs");
    in.n_classes = in.factors.size();
    if (branches.is_none() && limit.is_none()) in.n_threads = nb::cast<int>(rows["n_threads"]);

    in.tree = tree_view(arrays);
    std::vector<AnyArray> owners;
    if (branches.is_none()) {
        in.columns = views_of(columns, owners);
        in.branches = [&in](std::size_t node, std::span<const Entry> here, i32* out) {
            const ColumnView& column = in.columns[static_cast<std::size_t>(in.tree.column[node])];
            for (std::size_t i = 0; i < here.size(); ++i)
                out[i] = branch_taken(in.tree, node, column.value(static_cast<std::size_t>(here[i].row)));
        };
    } else {
        const auto ask = nb::cast<nb::callable>(branches);
        in.branches = [ask](std::size_t node, std::span<const Entry> here, i32* out) {
            asked_branches(ask, node, here, out);
        };
    }
    if (limit.is_none()) {
        in.limit =
            ErrorLimit{nb::cast<double>(judge["confidence"]), nb::cast<double>(judge["deviate2"]),
                       nb::cast<double>(judge["top"]), nb::cast<double>(judge["none"]), nb::cast<double>(judge["one"])};
    } else {
        in.limit = nb::cast<std::function<double(double, double)>>(limit);
    }
    RaisingOutput out;
    if (branches.is_none() && limit.is_none()) {
        nb::gil_scoped_release release;
        out = raise_subtrees(in);
    } else {
        out = raise_subtrees(in);
    }
    nb::dict pruned;
    pruned["node"] = to_numpy(std::move(out.node));
    pruned["child"] = to_numpy(std::move(out.child));
    pruned["within"] = to_numpy(std::move(out.within));
    pruned["action"] = to_numpy(std::move(out.action));
    pruned["as_leaf"] = to_numpy(std::move(out.as_leaf));
    pruned["as_tree"] = to_numpy(std::move(out.as_tree));
    pruned["as_branch"] = to_numpy(std::move(out.as_branch));
    pruned["link"] = to_numpy(std::move(out.link));
    pruned["is_leaf"] = to_numpy(std::move(out.is_leaf));
    pruned["refilled"] = to_numpy(std::move(out.refilled));
    pruned["stats"] = to_numpy(std::move(out.stats));
    pruned["n_rows"] = to_numpy(std::move(out.n_rows));
    pruned["expected"] = out.expected;
    return pruned;
}

}  // namespace

void bind_raising(nb::module_& m) {
    m.def("raise_subtrees", &raised, nb::arg("arrays"), nb::arg("columns"), nb::arg("rows"), nb::arg("judge"),
          nb::arg("branches").none(), nb::arg("limit").none());
}

}  // namespace hornbeam::bindings
