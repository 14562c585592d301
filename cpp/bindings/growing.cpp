// _core.grow: columns, target and plan -> the arrays of a tree.
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "hornbeam/codes.hpp"
#include "hornbeam/learn.hpp"

namespace hornbeam::bindings {
namespace {

const Criterion* criterion_named(const std::string& name) {
    for (const Criterion& criterion : kCriteria)
        if (criterion.name == name) return &criterion;
    throw std::invalid_argument("unknown criterion " + name);
}

template <class T>
T get(const nb::dict& from, const char* name) {
    return nb::cast<T>(from[name]);
}

Limits limits_of(const nb::dict& from) {
    Limits out;
    const auto set = [&](auto& field, const char* name) {
        if (from.contains(name)) field = nb::cast<std::remove_reference_t<decltype(field)>>(from[name]);
    };
    set(out.max_depth, "max_depth");
    set(out.max_leaves, "max_leaves");
    set(out.max_nodes, "max_nodes");
    set(out.min_rows_split, "min_rows_split");
    set(out.min_rows_leaf, "min_rows_leaf");
    set(out.min_weight_leaf, "min_weight_fraction");
    set(out.min_impurity_decrease, "min_impurity_decrease");
    set(out.min_gain, "min_gain");
    set(out.min_variation, "min_variation");
    set(out.min_sd_share, "min_sd_share");
    return out;
}

Plan plan_of(const nb::dict& from, std::size_t n_columns) {
    Plan out;
    out.criterion = criterion_named(get<std::string>(from, "criterion"));
    out.missing = static_cast<MissingRule>(get<int>(from, "missing"));
    out.limits = limits_of(nb::cast<nb::dict>(from["limits"]));
    out.max_features = get<int>(from, "max_features");
    out.seed = get<u64>(from, "seed");
    out.n_threads = get<int>(from, "n_threads");
    out.block_rows = std::clamp(get<u32>(from, "block_rows"), 1U, 32768U);
    out.shared_rows = get<std::size_t>(from, "shared_rows");
    out.serial_cells = get<std::size_t>(from, "serial_cells");
    for (nb::handle item : nb::cast<nb::list>(from["functionals"])) {
        const auto pair = nb::cast<nb::tuple>(item);
        out.functionals.push_back({static_cast<Functional::Kind>(nb::cast<int>(pair[0])), nb::cast<i32>(pair[1])});
    }
    out.monotone.resize(n_columns);
    for (nb::handle item : nb::cast<nb::list>(from["monotone"])) {
        const auto term = nb::cast<nb::tuple>(item);
        out.monotone.at(nb::cast<std::size_t>(term[0])).push_back({nb::cast<i32>(term[1]), nb::cast<i32>(term[2])});
    }
    return out;
}

nb::dict to_dict(TreeArrays&& tree) {
    nb::dict out;
    out["kind"] = to_numpy(std::move(tree.kind));
    out["first_child"] = to_numpy(std::move(tree.first_child));
    out["n_children"] = to_numpy(std::move(tree.n_children));
    out["column"] = to_numpy(std::move(tree.column));
    out["missing"] = to_numpy(std::move(tree.missing));
    out["absent"] = to_numpy(std::move(tree.absent));
    out["label"] = to_numpy(std::move(tree.label));
    out["threshold"] = to_numpy(std::move(tree.threshold));
    out["gap"] = to_numpy(std::move(tree.gap), 2);
    out["gain"] = to_numpy(std::move(tree.gain));
    out["impurity"] = to_numpy(std::move(tree.impurity));
    out["n_rows"] = to_numpy(std::move(tree.n_rows));
    const auto n = static_cast<std::size_t>(tree.width);
    auto* stats = new std::vector<double>(std::move(tree.stats));
    nb::capsule owner(stats, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    out["stats"] = nb::cast(nb::ndarray<nb::numpy, double>(stats->data(), {stats->size() / n, n}, owner));
    out["map_offset"] = to_numpy(std::move(tree.map_offset));
    out["map_code"] = to_numpy(std::move(tree.map_code));
    out["map_branch"] = to_numpy(std::move(tree.map_branch));
    return out;
}

// columns: [(array, kind, split, n_values), ...]; returns (arrays, centre, interrupted). An infinite value raises
// OverflowError with the column's number. `progress(share)` returning True, or a pending signal, stops the growth.
nb::tuple grow(const nb::list& columns, std::size_t n_rows, const nb::dict& target, const nb::dict& plan,
               const nb::object& progress) {
    std::vector<AnyArray> kept;
    std::vector<ColumnView> views;
    for (nb::handle item : columns) {
        const auto parts = nb::cast<nb::tuple>(item);
        kept.push_back(nb::cast<AnyArray>(parts[0]));
        ColumnView view = column_view(kept.back());
        if (kept.back().shape(0) != n_rows) throw std::invalid_argument("columns differ in length");
        view.kind = static_cast<ColumnKind>(nb::cast<int>(parts[1]));
        view.split = static_cast<SplitKind>(nb::cast<int>(parts[2]));
        view.n_values = nb::cast<i32>(parts[3]);
        views.push_back(view);
    }
    TargetView goal;
    goal.n_classes = get<int>(target, "n_classes");
    goal.codes = span_of<i32>(target, "codes");
    goal.values = span_of<double>(target, "values");
    goal.weights = span_of<double>(target, "weights");
    goal.counts = span_of<i64>(target, "counts");
    Plan what = plan_of(plan, views.size());
    TreeArrays tree;
    bool failed = false;
    try {
        nb::gil_scoped_release release;
        tree = learn(views, n_rows, goal, std::move(what), [&](double share) {
            if (failed) return true;
            nb::gil_scoped_acquire acquire;
            if (PyErr_CheckSignals() != 0) {
                PyErr_Clear();
                return true;
            }
            if (progress.is_none()) return false;
            PyObject* answer = PyObject_CallFunction(progress.ptr(), "d", share);
            if (answer == nullptr) return failed = true;
            const bool stop = PyObject_IsTrue(answer) == 1;
            Py_DECREF(answer);
            return stop;
        });
    } catch (const InfiniteValue& infinite) {
        PyErr_SetObject(PyExc_OverflowError, nb::int_(infinite.column).ptr());
        throw nb::python_error();
    }
    if (failed) throw nb::python_error();
    const double centre = tree.centre;
    const bool interrupted = tree.interrupted;
    return nb::make_tuple(to_dict(std::move(tree)), centre, interrupted);
}

nb::list criteria() {
    nb::list out;
    for (const Criterion& c : kCriteria)
        out.append(nb::make_tuple(std::string(c.name), c.on_classes, std::string(c.about)));
    return out;
}

}  // namespace

void bind_growing(nb::module_& m) {
    m.def("grow", &grow, nb::arg("columns"), nb::arg("n_rows"), nb::arg("target"), nb::arg("plan"),
          nb::arg("progress").none());
    m.def("criteria", &criteria, "The criteria: (name, for classes?, description).");
}

}  // namespace hornbeam::bindings
