// _core.sparse_add, sparse_columns, sparse_block, sparse_leaves: columns that are mostly zero.
#include "hornbeam/sparse/sparse.hpp"
#include <nanobind/stl/string.h>
#include "hornbeam/criteria/criteria.hpp"

#include <algorithm>

#include "bindings/arrays.hpp"

namespace hornbeam::bindings {
namespace {

using Tally = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

sparse::CellRows rows_of(const nb::dict& matrix) {
    return {span_of<i64>(matrix, "row_start"), span_of<i32>(matrix, "row_cells")};
}

sparse::CellSums outcome_of(const nb::dict& outcome) {
    return {nb::cast<int>(outcome["n_classes"]), span_of<i32>(outcome, "codes"), span_of<double>(outcome, "weights"),
            span_of<double>(outcome, "sums"), span_of<double>(outcome, "copies")};
}

void sparse_add(const nb::dict& matrix, const nb::dict& outcome, const nb::object& rows, double sign, Tally tally) {
    const sparse::CellRows all = rows_of(matrix);
    const sparse::CellSums sums = outcome_of(outcome);
    const auto chosen = span_of<i64>(rows);
    nb::gil_scoped_release release;
    sparse::add_rows(all, chosen, sums, sign, tally.data());
}

nb::object sparse_columns(const nb::dict& matrix, const nb::dict& outcome, const nb::object& tally,
                          const nb::object& total, const std::string& criterion, double least_rows,
                          double least_weight) {
    const sparse::CellColumns cells{span_of<i32>(matrix, "cell_start"), span_of<i32>(matrix, "below")};
    const sparse::CellSums sums = outcome_of(outcome);
    const auto own = span_of<double>(tally), all = span_of<double>(total);
    std::vector<i32> columns;
    {
        nb::gil_scoped_release release;
        columns = sparse::best_columns(cells, own, all, sums, criterion, {least_rows, least_weight});
    }
    return to_numpy(std::move(columns));
}

template <class T>
nb::object block_of(const nb::dict& matrix, std::span<const i64> chosen, i32 n_columns, std::size_t most) {
    const sparse::CellRows rows = rows_of(matrix);
    const auto columns = span_of<i32>(matrix, "cell_column");
    const auto values = span_of<T>(matrix, "cell_value");
    sparse::DenseBlock<T> block;
    {
        nb::gil_scoped_release release;
        block = sparse::dense_block<T>(rows, chosen, columns, values, n_columns, most);
    }
    if (!block.fits) return nb::none();
    return nb::make_tuple(to_numpy(std::move(block.columns)), to_numpy(std::move(block.values)));
}

nb::object sparse_block(const nb::dict& matrix, const nb::object& rows, i32 n_columns, std::size_t most) {
    const bool narrow = nb::cast<AnyArray>(matrix["cell_value"]).dtype() == nb::dtype<float>();
    return (narrow ? block_of<float> : block_of<double>)(matrix, span_of<i64>(rows), n_columns, most);
}

template <class T>
void find_leaves(const sparse::ThresholdTree& tree, const nb::object& start, const nb::object& columns,
                 const nb::object& values, i32 n_columns, i32* leaves) {
    const auto begins = span_of<i64>(start);
    const auto at = span_of<i32>(columns);
    const auto all = span_of<T>(values);
    nb::gil_scoped_release release;
    sparse::leaves_of_rows<T>(tree, begins, at, all, n_columns, leaves);
}

nb::object sparse_leaves(const nb::dict& arrays, const nb::object& start, const nb::object& columns,
                         const nb::object& values, i32 n_columns) {
    const sparse::ThresholdTree tree{span_of<std::int8_t>(arrays, "kind"), span_of<i32>(arrays, "first_child"),
                                     span_of<i32>(arrays, "column"), span_of<double>(arrays, "threshold")};
    std::vector<i32> leaves(span_of<i64>(start).size() - 1);
    const bool narrow = nb::cast<AnyArray>(values).dtype() == nb::dtype<float>();
    (narrow ? find_leaves<float> : find_leaves<double>)(tree, start, columns, values, n_columns, leaves.data());
    return to_numpy(std::move(leaves));
}

// The impurity of nodes by their counts of classes, as growth computes it.
nb::object class_impurities(const std::string& criterion, const nb::object& counts, int n_classes) {
    const auto all = span_of<i64>(counts);
    const auto k = static_cast<std::size_t>(n_classes);
    const Criterion* by = std::find_if(std::begin(kCriteria), std::end(kCriteria),
                                       [&](const Criterion& one) { return one.name == criterion && one.on_classes; });
    if (by == std::end(kCriteria)) throw std::invalid_argument("criterion must be one of classes");
    std::vector<double> impurity(all.size() / k);
    for (std::size_t n = 0; n < impurity.size(); ++n) {
        const i64 weight = class_weight(all.data() + n * k, n_classes);
        if (weight > 0) impurity[n] = by->potential(all.data() + n * k, n_classes) / static_cast<double>(weight);
    }
    return to_numpy(std::move(impurity));
}

}  // namespace

void bind_sparse(nb::module_& m) {
    m.def("class_impurities", &class_impurities, nb::arg("criterion"), nb::arg("counts"), nb::arg("n_classes"));
    m.def("sparse_add", &sparse_add, nb::arg("matrix"), nb::arg("outcome"), nb::arg("rows"), nb::arg("sign"),
          nb::arg("tally"));
    m.def("sparse_columns", &sparse_columns, nb::arg("matrix"), nb::arg("outcome"), nb::arg("tally"), nb::arg("total"),
          nb::arg("criterion"), nb::arg("least_rows"), nb::arg("least_weight"));
    m.def("sparse_block", &sparse_block, nb::arg("matrix"), nb::arg("rows"), nb::arg("n_columns"), nb::arg("most"));
    m.def("sparse_leaves", &sparse_leaves, nb::arg("arrays"), nb::arg("start"), nb::arg("columns"), nb::arg("values"),
          nb::arg("n_columns"));
}

}  // namespace hornbeam::bindings
