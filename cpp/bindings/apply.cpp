// _core.pack32, pack64, apply_dense, apply_columns, apply_dealt, apply_paths: raw values -> leaves.
#include "bindings/arrays.hpp"
#include "bindings/trees.hpp"

namespace hornbeam::bindings {
namespace {

template <class T, class View>
nb::object packed_bytes(const View& tree) {
    using Nodes = std::vector<PackedNode<T>>;
    auto* packed = new Nodes(pack<T>(tree));
    nb::capsule owner(packed, [](void* p) noexcept { delete static_cast<Nodes*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, u8>(packed->data(), {packed->size() * sizeof(PackedNode<T>)}, owner));
}

nb::object new_leaves(std::size_t n, i32*& data) {
    data = new i32[n > 0 ? n : 1];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<i32*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, i32>(data, {n}, owner));
}

using Bytes = nb::ndarray<const u8, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
bool apply(const Bytes& packed, const AnyArray& rows, int n_threads, i32* out) {
    const auto* nodes = reinterpret_cast<const PackedNode<T>*>(packed.data());
    const std::span<const PackedNode<T>> tree(nodes, packed.shape(0) / sizeof(PackedNode<T>));
    const auto size = static_cast<std::ptrdiff_t>(sizeof(T));
    Pool pool(n_threads, nullptr);
    return apply_packed<T>(tree,
                           {static_cast<const std::byte*>(rows.data()), rows.stride(0) * size, rows.stride(1) * size,
                            rows.shape(0), rows.shape(1)},
                           pool, out);
}

// The leaf of each row, and whether a value was infinite.
nb::tuple apply_dense(const Bytes& packed, const AnyArray& rows, int n_threads) {
    if (rows.ndim() != 2) throw std::invalid_argument("rows must have two dimensions");
    i32* out;
    nb::object leaves = new_leaves(rows.shape(0), out);
    const bool narrow = rows.dtype() == nb::dtype<float>();
    if (!narrow && rows.dtype() != nb::dtype<double>()) throw std::invalid_argument("rows must be float32 or float64");
    bool infinite;
    if (rows.shape(0) < 64) {
        infinite = narrow ? apply<float>(packed, rows, 1, out) : apply<double>(packed, rows, 1, out);
    } else {
        nb::gil_scoped_release release;
        infinite = narrow ? apply<float>(packed, rows, n_threads, out) : apply<double>(packed, rows, n_threads, out);
    }
    return nb::make_tuple(leaves, infinite);
}

nb::object apply_by_column(const nb::dict& arrays, const nb::list& columns, std::size_t n_rows, int n_threads) {
    const TreeView tree = tree_view(arrays);
    std::vector<AnyArray> owners;
    const std::vector<ColumnView> views = views_of(columns, owners);
    i32* out;
    nb::object leaves = new_leaves(n_rows, out);
    nb::gil_scoped_release release;
    Pool pool(n_threads, nullptr);
    apply_columns(tree, views, n_rows, pool, out);
    return leaves;
}

// A row of leaves for each of the orders.
nb::object apply_with_dealt(const nb::dict& arrays, const nb::list& columns, i32 dealt, const nb::object& rows,
                            const nb::list& orders, int n_threads) {
    const TreeView tree = tree_view(arrays);
    std::vector<AnyArray> owners;
    const std::vector<ColumnView> views = views_of(columns, owners);
    const auto chosen = span_of<i64>(rows);
    std::vector<std::span<const i64>> sources;
    for (nb::handle order : orders) sources.push_back(span_of<i64>(order));
    std::vector<i32> leaves(chosen.size() * sources.size());
    {
        nb::gil_scoped_release release;
        Pool pool(n_threads, nullptr);
        apply_dealt(tree, views, dealt, chosen, sources, pool, leaves.data());
    }
    return to_numpy(std::move(leaves), chosen.size());
}

nb::tuple paths(const nb::dict& arrays, const nb::list& columns, const nb::object& rows, const nb::object& weight,
                const nb::object& share) {
    std::vector<AnyArray> owners;
    Paths paths = apply_paths(tree_view(arrays), views_of(columns, owners), span_of<i64>(rows), span_of<double>(weight),
                              span_of<double>(share));
    return nb::make_tuple(to_numpy(std::move(paths.offset)), to_numpy(std::move(paths.leaf)),
                          to_numpy(std::move(paths.weight)));
}

}  // namespace

void bind_applying(nb::module_& m) {
    m.def("pack32", [](const nb::dict& arrays) { return packed_bytes<float>(tree_view(arrays)); });
    m.def("pack64", [](const nb::dict& arrays) { return packed_bytes<double>(tree_view(arrays)); });
    m.def("pack32_compact", [](const nb::dict& arrays) { return packed_bytes<float>(compact_view(arrays)); });
    m.def("pack64_compact", [](const nb::dict& arrays) { return packed_bytes<double>(compact_view(arrays)); });
    m.def("apply_dense", &apply_dense, nb::arg("packed"), nb::arg("rows"), nb::arg("n_threads"));
    m.def("apply_columns", &apply_by_column, nb::arg("arrays"), nb::arg("columns"), nb::arg("n_rows"),
          nb::arg("n_threads"));
    m.def("apply_dealt", &apply_with_dealt, nb::arg("arrays"), nb::arg("columns"), nb::arg("dealt"), nb::arg("rows"),
          nb::arg("orders"), nb::arg("n_threads"));
    m.def("apply_paths", &paths, nb::arg("arrays"), nb::arg("columns"), nb::arg("rows"), nb::arg("weight").none(),
          nb::arg("share").none());
}

}  // namespace hornbeam::bindings
