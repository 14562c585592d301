// _core.node_stats: rows in leaves -> the Stats of all nodes of a real target.
#include "hornbeam/stats/node_stats.hpp"

#include "bindings/arrays.hpp"

namespace hornbeam::bindings {
namespace {

// [nodes, 3], of rates [nodes, 4].
nb::object node_stats(const nb::object& first_child, const nb::object& n_children, const nb::object& leaf,
                      const nb::object& weight, const nb::object& values, bool rates) {
    const auto first = span_of<i32>(first_child), count = span_of<i32>(n_children), at = span_of<i32>(leaf);
    const RealRows rows{span_of<double>(values), span_of<double>(weight), {}, rates};
    if (at.size() != rows.values.size() || at.size() != rows.weights.size() || first.size() != count.size())
        throw std::invalid_argument("arrays differ in length");
    check_row_count(at.size());
    for (const i32 node : at)
        if (node < 0 || static_cast<std::size_t>(node) >= first.size()) throw std::invalid_argument("no such node");
    std::vector<double> stats;
    {
        nb::gil_scoped_release release;
        stats = stats_of_nodes(first, count, at, rows);
    }
    return to_numpy(std::move(stats), rates ? 4 : 3);
}

}  // namespace

void bind_node_stats(nb::module_& m) {
    m.def("node_stats", &node_stats, nb::arg("first_child"), nb::arg("n_children"), nb::arg("leaf"), nb::arg("weight"),
          nb::arg("values"), nb::arg("rates"));
}

}  // namespace hornbeam::bindings
