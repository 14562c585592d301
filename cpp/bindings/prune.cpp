// _core.weakest_links, _core.fewest_*, _core.held_out: node arrays -> strengths, tables of errors, losses.
#include <nanobind/stl/tuple.h>

#include <algorithm>

#include "bindings/arrays.hpp"
#include "hornbeam/prune/fewest_errors.hpp"
#include "hornbeam/prune/held_out_loss.hpp"
#include "hornbeam/prune/weakest_links.hpp"

namespace hornbeam::bindings {
namespace {

void check_links(std::span<const i32> first_child, std::span<const i32> n_children, std::size_t n) {
    if (first_child.size() != n || n_children.size() != n || n == 0)
        throw std::invalid_argument("the arrays of the nodes differ in length, or are empty");
    for (std::size_t t = 0; t < n; ++t) {
        if (first_child[t] < 0) continue;
        const bool after = static_cast<std::size_t>(first_child[t]) > t && n_children[t] > 0;
        if (!after || static_cast<std::size_t>(first_child[t]) + static_cast<std::size_t>(n_children[t]) > n)
            throw std::invalid_argument("children must come after their parent");
    }
}

// (strengths, steps)
nb::tuple weakest_of(const nb::object& first_child, const nb::object& n_children, const nb::object& risk,
                     const nb::object& leaves) {
    const RiskTree tree{span_of<i32>(first_child), span_of<i32>(n_children), span_of<double>(risk),
                        span_of<i64>(leaves)};
    check_links(tree.first_child, tree.n_children, tree.risk.size());
    if (tree.leaves.size() != tree.risk.size()) throw std::invalid_argument("leaves has another length than risk");
    u64 steps = 0;
    std::vector<double> alpha;
    {
        nb::gil_scoped_release release;
        alpha = weakest_links(tree, steps);
    }
    return nb::make_tuple(to_numpy(std::move(alpha)), steps);
}

ErrorTree error_tree(const nb::dict& from) {
    const ErrorTree tree{span_of<i32>(from, "first_child"), span_of<i32>(from, "n_children"),
                         span_of<double>(from, "errors"), span_of<i64>(from, "size"), nb::cast<i64>(from["most"])};
    check_links(tree.first_child, tree.n_children, tree.errors.size());
    if (tree.size.size() != tree.errors.size()) throw std::invalid_argument("size has another length than errors");
    return tree;
}

// (stride, steps, cells)
nb::tuple cost_of(const nb::dict& from) {
    const FewestCost cost = fewest_cost(error_tree(from));
    return nb::make_tuple(cost.stride, cost.steps, cost.cells);
}

// (offset, errors)
nb::tuple tables_of(const nb::dict& from) {
    const ErrorTree tree = error_tree(from);
    FewestTables tables;
    {
        nb::gil_scoped_release release;
        tables = fewest_tables(tree, [] {
            nb::gil_scoped_acquire acquire;
            return PyErr_CheckSignals() != 0;
        });
    }
    if (tables.stopped) throw nb::python_error();
    return nb::make_tuple(to_numpy(std::move(tables.offset)), to_numpy(std::move(tables.errors)));
}

nb::object leaves_of(const nb::dict& from, const nb::object& offset, const nb::object& errors, i64 at) {
    const std::span<const i64> offsets = span_of<i64>(offset);
    const std::span<const double> values = span_of<double>(errors);
    const ErrorTree tree = error_tree(from);
    if (offsets.size() != tree.errors.size() + 1 || static_cast<std::size_t>(offsets.back()) != values.size())
        throw std::invalid_argument("these tables are of another tree");
    return to_numpy(fewest_leaves(tree, offsets, values, at));
}

// rows: leaf, weight; loss: label, cost and n_classes, with code unless the costs are by row; or value and answer.
nb::tuple held_out_of(const nb::object& first_child, const nb::object& n_children, const nb::object& until,
                      i32 n_alphas, const nb::dict& rows, const nb::dict& loss) {
    const PrunedTree tree{span_of<i32>(first_child), span_of<i32>(n_children), span_of<i32>(until), n_alphas};
    const HeldOutRows held{span_of<i32>(rows, "leaf"), span_of<double>(rows, "weight")};
    const std::size_t n = tree.until.size();
    check_links(tree.first_child, tree.n_children, n);
    bool sound = held.weight.size() == held.leaf.size() && n_alphas >= 0;
    for (i32 leaf : held.leaf) sound = sound && leaf >= 0 && static_cast<std::size_t>(leaf) < n;
    Losses losses;
    if (loss.contains("value")) {
        const SquaredLoss squared{span_of<double>(loss, "value"), span_of<double>(loss, "answer")};
        if (!sound || squared.value.size() != held.leaf.size() || squared.answer.size() != n)
            throw std::invalid_argument("rows or nodes do not fit together");
        nb::gil_scoped_release release;
        losses = held_out_losses(tree, held, squared);
    } else {
        const std::span<const i32> label = span_of<i32>(loss, "label");
        const std::span<const double> cost = span_of<double>(loss, "cost");
        const auto k = nb::cast<std::size_t>(loss["n_classes"]);
        const auto below = [](std::span<const i32> codes, std::size_t most) {
            return std::all_of(codes.begin(), codes.end(),
                               [&](i32 code) { return code >= 0 && static_cast<std::size_t>(code) < most; });
        };
        sound = sound && k > 0 && label.size() == n && below(label, k);
        const bool own = !loss.contains("code");
        const std::span<const i32> code = own ? std::span<const i32>{} : span_of<i32>(loss, "code");
        if (own) sound = sound && cost.size() == held.leaf.size() * k;
        if (!own) sound = sound && code.size() == held.leaf.size() && below(code, cost.size() / k);
        if (!sound) throw std::invalid_argument("rows or nodes do not fit together");
        nb::gil_scoped_release release;
        losses = own ? held_out_losses(tree, held, RowCostLoss{label, cost, k})
                     : held_out_losses(tree, held, ClassLoss{code, label, cost, k});
    }
    return nb::make_tuple(to_numpy(std::move(losses.sum)), to_numpy(std::move(losses.squares)), losses.steps);
}

}  // namespace

void bind_pruning(nb::module_& m) {
    m.def("weakest_links", &weakest_of, nb::arg("first_child"), nb::arg("n_children"), nb::arg("risk"),
          nb::arg("leaves"));
    m.def("fewest_cost", &cost_of, nb::arg("tree"));
    m.def("fewest_tables", &tables_of, nb::arg("tree"));
    m.def("fewest_leaves", &leaves_of, nb::arg("tree"), nb::arg("offset"), nb::arg("errors"), nb::arg("at"));
    m.def("held_out", &held_out_of, nb::arg("first_child"), nb::arg("n_children"), nb::arg("until"),
          nb::arg("n_strengths"), nb::arg("rows"), nb::arg("loss"));
}

}  // namespace hornbeam::bindings
