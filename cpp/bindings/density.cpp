// _core.density: columns and their box -> the arrays of a density tree.
#include "hornbeam/density/density.hpp"

#include "bindings/grow.hpp"

namespace hornbeam::bindings {
namespace {

// columns: [(array, kind, n_values, low, high), ...]; returns (arrays, interrupted).
nb::tuple density(const nb::list& columns, std::size_t n_rows, const nb::object& weights, const nb::object& counts,
                  const nb::dict& plan, const nb::object& progress) {
    check_row_count(n_rows);
    std::vector<AnyArray> owners;
    std::vector<DensityColumn> views;
    for (nb::handle item : columns) {
        const auto parts = nb::cast<nb::tuple>(item);
        owners.push_back(nb::cast<AnyArray>(parts[0]));
        DensityColumn column{column_view(owners.back()), nb::cast<double>(parts[3]), nb::cast<double>(parts[4])};
        if (owners.back().shape(0) != n_rows) throw std::invalid_argument("columns differ in length");
        column.view.kind = static_cast<ColumnKind>(nb::cast<int>(parts[1]));
        column.view.n_values = nb::cast<i32>(parts[2]);
        views.push_back(column);
    }
    const DensityRows rows{n_rows, span_of<double>(weights), span_of<i64>(counts)};
    DensityPlan what;
    what.limits = limits_of(nb::cast<nb::dict>(plan["limits"]));
    what.log_volume = nb::cast<double>(plan["log_volume"]);
    what.n_threads = nb::cast<int>(plan["n_threads"]);
    what.shared_rows = nb::cast<std::size_t>(plan["shared_rows"]);
    what.serial_cells = nb::cast<std::size_t>(plan["serial_cells"]);
    StopCheck stop_check(progress);
    DensityArrays tree;
    run_without_lock([&] { tree = grow_density(views, rows, what, std::ref(stop_check)); });
    stop_check.rethrow();
    stop_check.hand_on_signal(tree.interrupted);
    nb::dict out;
    out["kind"] = to_numpy(std::move(tree.kind));
    out["first_child"] = to_numpy(std::move(tree.first_child));
    out["column"] = to_numpy(std::move(tree.column));
    out["threshold"] = to_numpy(std::move(tree.threshold));
    out["gap"] = to_numpy(std::move(tree.gap), 2);
    out["rise"] = to_numpy(std::move(tree.rise));
    out["log_share"] = to_numpy(std::move(tree.log_share));
    out["weight"] = to_numpy(std::move(tree.weight));
    out["n_rows"] = to_numpy(std::move(tree.n_rows));
    out["map_offset"] = to_numpy(std::move(tree.map_offset));
    out["map_code"] = to_numpy(std::move(tree.map_code));
    out["map_branch"] = to_numpy(std::move(tree.map_branch));
    return nb::make_tuple(out, tree.interrupted);
}

}  // namespace

void bind_density(nb::module_& m) {
    m.def("density", &density, nb::arg("columns"), nb::arg("n_rows"), nb::arg("weights").none(),
          nb::arg("counts").none(), nb::arg("plan"), nb::arg("progress").none());
}

}  // namespace hornbeam::bindings
