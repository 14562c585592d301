// _core.node_quantiles: rows in leaves -> the quantiles of all nodes.
#include "bindings/arrays.hpp"
#include "hornbeam/quantile/node_quantiles.hpp"

namespace hornbeam::bindings {
namespace {

// (values, losses), each [nodes, levels].
nb::tuple all_node_quantiles(const nb::object& first_child, const nb::object& n_children, const nb::object& leaf,
                             const nb::object& y, const nb::object& weight, const nb::object& levels) {
    const auto first = span_of<i32>(first_child), count = span_of<i32>(n_children);
    const LeafValues rows{span_of<i32>(leaf), span_of<double>(y), span_of<double>(weight)};
    const auto quantile_levels = span_of<double>(levels);
    if (rows.leaf.size() != rows.y.size() || rows.y.size() != rows.weight.size() || first.size() != count.size())
        throw std::invalid_argument("arrays differ in length");
    for (i32 at : rows.leaf)
        if (at < 0 || static_cast<std::size_t>(at) >= first.size()) throw std::invalid_argument("no such node");
    std::vector<double> values(first.size() * quantile_levels.size()), losses(values.size());
    {
        nb::gil_scoped_release release;
        node_quantiles(first, count, rows, quantile_levels, values.data(), losses.data());
    }
    return nb::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(losses)));
}

}  // namespace

void bind_quantiles(nb::module_& m) {
    m.def("node_quantiles", &all_node_quantiles, nb::arg("first_child"), nb::arg("n_children"), nb::arg("leaf"),
          nb::arg("y"), nb::arg("weight"), nb::arg("levels"));
}

}  // namespace hornbeam::bindings
