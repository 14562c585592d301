// _core.fit_models, evaluate: equations for the nodes of a tree, and their answers.
#include "hornbeam/leaves/fit_equations.hpp"

#include "bindings/trees.hpp"
#include "hornbeam/leaves/evaluate_equations.hpp"

namespace hornbeam::bindings {
namespace {

nb::dict fit(const nb::dict& tree, const nb::list& columns, const nb::dict& goal, const nb::dict& options,
             int n_threads) {
    std::vector<AnyArray> owners;
    ModelTask task;
    task.first_child = span_of<i32>(tree, "first_child");
    task.n_children = span_of<i32>(tree, "n_children");
    task.n_rows = span_of<i64>(tree, "n_rows");
    task.tested_offset = span_of<i64>(tree, "tested_offset");
    task.tested = span_of<i32>(tree, "tested");
    task.n_tested = nb::cast<std::size_t>(tree["n_columns"]);
    task.columns = views_of(columns, owners);
    task.target = span_of<double>(goal, "values");
    task.row = span_of<i64>(goal, "row");
    task.leaf = span_of<i32>(goal, "leaf");
    check_row_count(task.leaf.size());
    task.weight = span_of<double>(goal, "weight");
    task.fallback = span_of<double>(goal, "fallback");
    task.column = span_of<i32>(options, "column");
    task.only_tested = nb::cast<bool>(options["only_tested"]);
    task.least_rows = nb::cast<double>(options["least_rows"]);
    task.options.ridge = nb::cast<double>(options["ridge"]);
    task.options.dropping = static_cast<Dropping>(nb::cast<int>(options["dropping"]));
    task.options.multiplier = nb::cast<double>(options["multiplier"]);
    task.options.max_terms = nb::cast<std::size_t>(options["max_terms"]);
    task.options.rounding = nb::cast<double>(options["rounding"]);
    task.options.degree = span_of<i32>(options, "degree");
    task.options.sign = span_of<i32>(options, "sign");
    Models models;
    {
        nb::gil_scoped_release release;
        Pool pool(n_threads, nullptr);
        models = fit_models(task, pool);
    }
    nb::dict out;
    out["node"] = to_numpy(std::move(models.node));
    out["intercept"] = to_numpy(std::move(models.intercept));
    out["squares"] = to_numpy(std::move(models.squares));
    out["offset"] = to_numpy(std::move(models.offset));
    out["term"] = to_numpy(std::move(models.term));
    out["slope"] = to_numpy(std::move(models.slope));
    out["gap"] = to_numpy(std::move(models.gap));
    out["low"] = to_numpy(std::move(models.low));
    out["high"] = to_numpy(std::move(models.high));
    return out;
}

nb::object answers(const nb::dict& pools, const nb::list& columns, const nb::object& rows, const nb::object& leaves,
                   const nb::object& own, int n_threads) {
    ModelView models;
    models.offset = span_of<i64>(pools, "model_offset");
    models.intercept = span_of<double>(pools, "model_intercept");
    models.low = span_of<double>(pools, "model_low");
    models.high = span_of<double>(pools, "model_high");
    models.term_offset = span_of<i64>(pools, "term_offset");
    models.column = span_of<i32>(pools, "term_column");
    models.power = span_of<i32>(pools, "term_power");
    models.centre = span_of<double>(pools, "term_center");
    models.weight = span_of<double>(pools, "term_coefficient");
    models.gap = span_of<double>(pools, "term_gap");
    models.member_offset = span_of<i64>(pools, "member_offset");
    models.member = span_of<i32>(pools, "member_code");
    std::vector<AnyArray> owners;
    const std::vector<ColumnView> views = views_of(columns, owners);
    const std::span<const i32> at = span_of<i32>(leaves);
    std::vector<double> out(at.size());
    {
        const std::span<const i64> row = span_of<i64>(rows);
        const std::span<const double> plain = span_of<double>(own);
        nb::gil_scoped_release release;
        Pool pool(n_threads, nullptr);
        evaluate(models, views, row, at, plain, pool, out.data());
    }
    return to_numpy(std::move(out));
}

}  // namespace

void bind_leaves(nb::module_& m) {
    m.def("fit_models", &fit, nb::arg("tree"), nb::arg("columns"), nb::arg("goal"), nb::arg("wanted"),
          nb::arg("n_threads"));
    m.def("evaluate", &answers, nb::arg("pools"), nb::arg("columns"), nb::arg("rows").none(), nb::arg("leaves"),
          nb::arg("own"), nb::arg("n_threads"));
}

}  // namespace hornbeam::bindings
