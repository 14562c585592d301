// _core.grow: columns, target and plan -> the arrays of a tree.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/grow.hpp"
#include "hornbeam/encode/codes.hpp"
#include "hornbeam/encode/round_threshold.hpp"
#include "hornbeam/stats/fixed_point.hpp"

namespace hornbeam::bindings {
namespace {

const Criterion* criterion_named(const std::string& name) {
    for (const Criterion& criterion : kCriteria)
        if (criterion.name == name) return &criterion;
    if (name == kLogRankCriterion.name) return &kLogRankCriterion;
    throw std::invalid_argument("unknown criterion " + name);
}

template <class T>
T get(const nb::dict& from, const char* name) {
    return nb::cast<T>(from[name]);
}

Selection selection_of(const nb::dict& from) {
    Selection out;
    out.kind = static_cast<Selection::Kind>(get<int>(from, "kind"));
    if (out.average()) {
        out.correction = static_cast<Selection::Correction>(get<int>(from, "correction"));
        out.min_branch = get<double>(from, "min_branch");
        out.n_branches = get<int>(from, "n_branches");
    }
    if (out.priced()) {
        out.price = get<std::vector<double>>(from, "price");
        out.w = get<double>(from, "w");
    }
    return out;
}

SurrogateRule surrogate_rule(const nb::dict& from) {
    return {get<int>(from, "most"), get<i64>(from, "min_side"), get<bool>(from, "known_in_both")};
}

}  // namespace

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
    out.level = get<double>(from, "level");
    out.loss_scale = get<double>(from, "loss_scale");
    out.criterion = out.level > 0 ? &kQuantileCriterion : criterion_named(get<std::string>(from, "criterion"));
    out.missing = static_cast<MissingRule>(get<int>(from, "missing"));
    out.selection = selection_of(nb::cast<nb::dict>(from["selection"]));
    if (from.contains("surrogates")) out.surrogates = surrogate_rule(nb::cast<nb::dict>(from["surrogates"]));
    out.limits = limits_of(nb::cast<nb::dict>(from["limits"]));
    out.max_features = get<int>(from, "max_features");
    out.random_cuts = get<bool>(from, "random_cuts");
    out.seed = get<u64>(from, "seed");
    out.n_threads = get<int>(from, "n_threads");
    out.block_rows = std::clamp(get<u32>(from, "block_rows"), 1U, 32768U);
    out.block_cells = get<std::size_t>(from, "block_cells");
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

TargetView target_of(const nb::dict& from, std::vector<OutputView>& outputs) {
    TargetView out = target_of(from);
    if (!from.contains("outputs")) return out;
    for (nb::handle item : nb::cast<nb::list>(from["outputs"])) {
        const auto one = nb::cast<nb::dict>(item);
        outputs.push_back({get<int>(one, "n_classes"), span_of<i32>(one, "codes"), span_of<double>(one, "values")});
    }
    out.outputs = outputs;
    return out;
}

TargetView target_of(const nb::dict& from) {
    TargetView out;
    out.n_classes = get<int>(from, "n_classes");
    out.codes = span_of<i32>(from, "codes");
    out.values = span_of<double>(from, "values");
    out.weights = span_of<double>(from, "weights");
    out.counts = span_of<i64>(from, "counts");
    if (from.contains("times")) out.times = span_of<double>(from, "times");
    return out;
}

bool StopCheck::operator()(double share) {
    if (failed_) return true;
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) {
        // Ctrl-C stops growth and keeps the tree so far; whatever else a handler raised is the caller's own.
        failed_ = PyErr_Occurred() != PyExc_KeyboardInterrupt;
        is_pressed_ = !failed_;
        if (is_pressed_) PyErr_Clear();
        return true;
    }
    if (progress_.is_none()) return false;
    PyObject* answer = PyObject_CallFunction(progress_.ptr(), "d", share);
    if (answer == nullptr) return failed_ = true;
    const bool stop = PyObject_IsTrue(answer) == 1;
    Py_DECREF(answer);
    return stop;
}

void run_without_lock(const std::function<void()>& body) {
    try {
        nb::gil_scoped_release release;
        body();
    } catch (const InfiniteValue& infinite) {
        PyErr_SetObject(PyExc_OverflowError, nb::int_(infinite.column).ptr());
        throw nb::python_error();
    }
}

namespace {
void add_surrogates(SurrogateArrays&& all, nb::dict& out) {
    out["surrogate_offset"] = to_numpy(std::move(all.offset));
    out["surrogate_column"] = to_numpy(std::move(all.column));
    out["surrogate_threshold"] = to_numpy(std::move(all.threshold));
    out["surrogate_low"] = to_numpy(std::move(all.low));
    out["surrogate_high"] = to_numpy(std::move(all.high));
    out["surrogate_agreement"] = to_numpy(std::move(all.agreement));
    out["surrogate_association"] = to_numpy(std::move(all.association));
    if (all.map_code.empty()) return;
    out["surrogate_map_offset"] = to_numpy(std::move(all.map_offset));
    out["surrogate_map_code"] = to_numpy(std::move(all.map_code));
    out["surrogate_map_branch"] = to_numpy(std::move(all.map_branch));
}

}  // namespace

nb::dict to_dict(TreeArrays&& tree) {
    nb::dict out;
    if (tree.output_stats.empty()) {
        out["stats"] = to_numpy(std::move(tree.stats), static_cast<std::size_t>(tree.width));
    } else {
        nb::list outputs;
        for (std::vector<double>& stats : tree.output_stats) {
            const std::size_t width = stats.size() / tree.n_nodes();
            outputs.append(to_numpy(std::move(stats), width));
        }
        out["output_stats"] = outputs;
    }
    out["kind"] = to_numpy(std::move(tree.kind));
    out["first_child"] = to_numpy(std::move(tree.first_child));
    out["column"] = to_numpy(std::move(tree.column));
    out["threshold"] = to_numpy(std::move(tree.threshold));
    out["gap"] = to_numpy(std::move(tree.gap), 2);
    out["gain"] = to_numpy(std::move(tree.gain));
    out["impurity"] = to_numpy(std::move(tree.impurity));
    if (!tree.leaf_impurity.empty()) out["leaf_impurity"] = to_numpy(std::move(tree.leaf_impurity));
    if (!tree.n_children.empty()) out["n_children"] = to_numpy(std::move(tree.n_children));
    if (!tree.n_rows.empty()) out["n_rows"] = to_numpy(std::move(tree.n_rows));
    if (!tree.missing.empty()) out["missing"] = to_numpy(std::move(tree.missing));
    if (!tree.absent.empty()) out["absent"] = to_numpy(std::move(tree.absent));
    if (!tree.label.empty()) out["label"] = to_numpy(std::move(tree.label));
    if (!tree.map_offset.empty()) {
        out["map_offset"] = to_numpy(std::move(tree.map_offset));
        out["map_code"] = to_numpy(std::move(tree.map_code));
        out["map_branch"] = to_numpy(std::move(tree.map_branch));
    }
    if (!tree.surrogates.column.empty()) add_surrogates(std::move(tree.surrogates), out);
    return out;
}

std::vector<ColumnView> views_of(const nb::list& columns, std::size_t n_rows, std::vector<AnyArray>& owners) {
    check_row_count(n_rows);
    std::vector<ColumnView> views;
    for (nb::handle item : columns) {
        const auto parts = nb::cast<nb::tuple>(item);
        owners.push_back(nb::cast<AnyArray>(parts[0]));
        ColumnView view = column_view(owners.back());
        if (owners.back().shape(0) != n_rows) throw std::invalid_argument("columns differ in length");
        view.kind = static_cast<ColumnKind>(nb::cast<int>(parts[1]));
        view.split = static_cast<SplitKind>(nb::cast<int>(parts[2]));
        view.n_values = nb::cast<i32>(parts[3]);
        views.push_back(view);
    }
    return views;
}

namespace {

// The surrogates of one split: `side` is the branch of each row (0, 1; negative: unknown), `own` the columns it tests.
nb::dict surrogates(const nb::list& columns, const nb::ndarray<const i32, nb::ndim<1>, nb::c_contig>& side,
                    const nb::ndarray<const double, nb::ndim<1>, nb::c_contig>& weight,
                    const nb::ndarray<const i64, nb::ndim<1>, nb::c_contig>& copies, const std::vector<i32>& own,
                    const nb::dict& rule) {
    std::vector<AnyArray> owners;
    const std::size_t n_rows = side.shape(0);
    const std::vector<ColumnView> views = views_of(columns, n_rows, owners);
    const std::span<const double> weights(weight.data(), weight.shape(0));
    const WeightGrid grid(weights, Bits(n_rows).class_weight());
    std::vector<RowSide> rows;
    for (std::size_t i = 0; i < n_rows; ++i)
        rows.push_back({static_cast<u32>(i), side.data()[i], grid(weights[i]), copies.data()[i]});
    SurrogateArrays arrays;
    arrays.offset.push_back(0);
    arrays.map_offset.push_back(0);
    for (const Surrogate& one : SurrogateSearch(views, surrogate_rule(rule)).find(rows, own)) arrays.add(one);
    arrays.offset.push_back(static_cast<i64>(arrays.column.size()));
    nb::dict out;
    add_surrogates(std::move(arrays), out);
    return out;
}

// (arrays, interrupted) of the tree that learn(stop check) grows.
template <class Learn>
nb::tuple grown(const nb::object& progress, Learn&& learn) {
    TreeArrays tree;
    StopCheck stop_check(progress);
    run_without_lock([&] { tree = learn(std::ref(stop_check)); });
    stop_check.rethrow();
    const bool interrupted = tree.interrupted;
    stop_check.hand_on_signal(interrupted);
    return nb::make_tuple(to_dict(std::move(tree)), interrupted);
}

nb::tuple grow(const nb::list& columns, std::size_t n_rows, const nb::dict& target, const nb::dict& plan,
               const nb::object& progress) {
    std::vector<AnyArray> owners;
    const std::vector<ColumnView> views = views_of(columns, n_rows, owners);
    std::vector<OutputView> outputs;
    const TargetView goal = target_of(target, outputs);
    Plan what = plan_of(plan, views.size());
    return grown(progress, [&](const auto& stop) { return learn(views, n_rows, goal, std::move(what), stop); });
}

// The round threshold between each pair of neighbouring values; `single` says which pairs are of 32 bits.
nb::object round_thresholds(const nb::object& low, const nb::object& high, const nb::object& single, bool middle_only) {
    const auto first = span_of<double>(low), second = span_of<double>(high);
    const auto narrow = span_of<bool>(single);
    if (first.size() != second.size() || first.size() != narrow.size())
        throw std::invalid_argument("low, high and single differ in length");
    std::vector<double> out(first.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = round_threshold(first[i], second[i], narrow[i], middle_only);
    return to_numpy(std::move(out));
}

nb::list criteria() {
    nb::list out;
    for (const Criterion& c : kCriteria)
        out.append(nb::make_tuple(std::string(c.name), c.on_classes, std::string(c.about)));
    return out;
}

}  // namespace

void bind_growing(nb::module_& m) {
    m.def("round_thresholds", &round_thresholds, nb::arg("low"), nb::arg("high"), nb::arg("single"),
          nb::arg("middle_only") = false);
    m.def("grow", &grow, nb::arg("columns"), nb::arg("n_rows"), nb::arg("target"), nb::arg("plan"),
          nb::arg("progress").none());
    m.def("surrogates", &surrogates, nb::arg("columns"), nb::arg("side"), nb::arg("weight"), nb::arg("copies"),
          nb::arg("own"), nb::arg("rule"));
    m.def("criteria", &criteria, "The criteria: (name, for classes?, description).");
}

}  // namespace hornbeam::bindings
