// _core.add_shap_values: rows -> Shapley values of the columns, of a tree whose tests ask for one column each.
#include "hornbeam/apply/shap.hpp"

#include "bindings/arrays.hpp"
#include "bindings/trees.hpp"

namespace hornbeam::bindings {
namespace {

using Values = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Answers = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// `points(n)` gives n points and their weights on [0, 1].
void add_values(const nb::dict& arrays, const nb::list& columns, const nb::dict& shares, const Answers& answers,
                const nb::object& places, const nb::callable& points, const nb::tuple& rows, int n_threads,
                Values& out) {
    ShapTree tree;
    tree.tests = tree_view(arrays);
    tree.share = span_of<double>(shares, "share");
    tree.weight = span_of<double>(shares, "weight");
    tree.part = span_of<double>(shares, "part");
    tree.answers = {answers.data(), answers.size()};
    tree.n_answers = answers.shape(1);
    const std::size_t n_nodes = tree.tests.kind.size();
    std::vector<AnyArray> owners;
    const std::vector<ColumnView> views = views_of(columns, owners);
    const ShapOut into{out.data(), out.shape(1), out.shape(2), span_of<i64>(places)};
    if (tree.share.size() != n_nodes || std::max(tree.weight.size(), tree.part.size()) != n_nodes ||
        answers.shape(0) != n_nodes || into.places.size() != views.size())
        throw std::invalid_argument("arrays differ in length");
    const auto first = nb::cast<std::size_t>(rows[0]), last = nb::cast<std::size_t>(rows[1]);
    if (first > last || last > out.shape(0)) throw std::invalid_argument("no such rows");
    if (tree.n_answers != into.n_answers && (tree.n_answers != 1 || into.n_answers != 2))
        throw std::invalid_argument("answers and values differ in number");
    const ShapWalk walk(tree);
    if (walk.tests.empty()) return;  // a single leaf owes nothing to any column
    const nb::tuple chosen = nb::cast<nb::tuple>(points((walk.n_players + 1) / 2));
    const auto u = span_of<double>(chosen[0]), w = span_of<double>(chosen[1]);
    nb::gil_scoped_release release;
    Pool pool(n_threads, nullptr);
    add_shap_values(tree, walk, u, w, views, first, last, pool, into);
}

}  // namespace

void bind_shap(nb::module_& m) {
    m.def("add_shap_values", &add_values, nb::arg("arrays"), nb::arg("columns"), nb::arg("shares"), nb::arg("answers"),
          nb::arg("places"), nb::arg("points"), nb::arg("rows"), nb::arg("n_threads"), nb::arg("out"));
}

}  // namespace hornbeam::bindings
