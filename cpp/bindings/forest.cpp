// _core.grow_forest, bootstrap, row_keys: many trees of one table, and the rows each of them sees.
#include "hornbeam/forest/forest.hpp"
#include "bindings/grow.hpp"

namespace hornbeam::bindings {
namespace {

// draws: (order, upto or None, n_draws)
Bootstrap bootstrap_of(const nb::tuple& draws) {
    return {span_of<i64>(draws[0]), span_of<i64>(draws[1]), nb::cast<i64>(draws[2])};
}

// Returns the arrays of the trees that are finished, one that is not if there is none, and whether growing
// was interrupted. `seeds`: one for each tree; `draws`: None if all trees see all rows.
nb::tuple grow_forest(const nb::list& columns, std::size_t n_rows, const nb::dict& target, const nb::dict& plan,
                      const nb::object& seeds, const nb::object& draws, const nb::object& progress) {
    std::vector<AnyArray> owners;
    const std::vector<ColumnView> views = views_of(columns, n_rows, owners);
    const TargetView goal = target_of(target);
    const Plan what = plan_of(plan, views.size());
    const std::span<const u64> own_seeds = span_of<u64>(seeds);
    Bootstrap bootstrap;
    if (!draws.is_none()) bootstrap = bootstrap_of(nb::cast<nb::tuple>(draws));
    std::vector<TreeArrays> trees;
    StopCheck stop_check(progress);
    run_without_lock([&] {
        trees = learn_forest(views, n_rows, goal, what, own_seeds, draws.is_none() ? nullptr : &bootstrap,
                             std::ref(stop_check));
    });
    stop_check.rethrow();
    nb::list out;
    nb::object partial = nb::none();
    bool interrupted = false;
    for (TreeArrays& tree : trees) {
        interrupted |= tree.interrupted || tree.kind.empty();
        if (tree.kind.empty()) continue;
        const bool whole = !tree.interrupted;
        nb::object one = to_dict(std::move(tree));
        if (whole)
            out.append(one);
        else if (partial.is_none())
            partial = one;
    }
    stop_check.hand_on_signal(interrupted);
    return nb::make_tuple(out, partial, interrupted);
}

nb::object keys(const nb::list& columns, std::size_t n_rows, const nb::dict& target, int n_threads) {
    std::vector<AnyArray> owners;
    const std::vector<ColumnView> views = views_of(columns, n_rows, owners);
    const TargetView goal = target_of(target);
    std::vector<u64> out;
    run_without_lock([&] {
        Pool pool(n_threads, nullptr);
        out = row_keys(views, n_rows, goal, pool);
    });
    return to_numpy(std::move(out));
}

}  // namespace

void bind_forests(nb::module_& m) {
    m.def("grow_forest", &grow_forest, nb::arg("columns"), nb::arg("n_rows"), nb::arg("target"), nb::arg("plan"),
          nb::arg("seeds"), nb::arg("draws").none(), nb::arg("progress").none());
    m.def("row_keys", &keys, nb::arg("columns"), nb::arg("n_rows"), nb::arg("target"), nb::arg("n_threads"));
    m.def(
        "bootstrap", [](const nb::tuple& draws, u64 seed) { return to_numpy(bootstrap_of(draws).counts(seed)); },
        nb::arg("draws"), nb::arg("seed"));
}

}  // namespace hornbeam::bindings
