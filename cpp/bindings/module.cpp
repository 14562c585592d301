// The compiled module `hornbeam._core`: a table of contents of what Python may call.
#include "bindings/arrays.hpp"
#include "hornbeam/encode/cuts.hpp"

namespace hornbeam::bindings {
void bind_density(nb::module_& m);
void bind_forests(nb::module_& m);
void bind_json(nb::module_& m);
void bind_leaves(nb::module_& m);
void bind_node_stats(nb::module_& m);
void bind_oblique(nb::module_& m);
void bind_optimal(nb::module_& m);
void bind_partition(nb::module_& m);
void bind_pruning(nb::module_& m);
void bind_quantiles(nb::module_& m);
void bind_raising(nb::module_& m);
void bind_replacing(nb::module_& m);
void bind_shap(nb::module_& m);
void bind_smallest(nb::module_& m);
void bind_sparse(nb::module_& m);
void bind_text(nb::module_& m);
}  // namespace hornbeam::bindings

NB_MODULE(_core, m) {
    m.doc() = "The compiled core of Hornbeam: private, see the package's public names.";
    m.def("version", [] { return HORNBEAM_VERSION; }, "The version the core was built as.");
    m.def(
        "instructions", [] { return hornbeam::instructions_of(hornbeam::chosen_kernel()); },
        "The instructions of the chosen kernels: AVX2, SSE2, NEON, or plain.");
    hornbeam::bindings::bind_growing(m);
    hornbeam::bindings::bind_applying(m);
    hornbeam::bindings::bind_density(m);
    hornbeam::bindings::bind_forests(m);
    hornbeam::bindings::bind_json(m);
    hornbeam::bindings::bind_leaves(m);
    hornbeam::bindings::bind_node_stats(m);
    hornbeam::bindings::bind_oblique(m);
    hornbeam::bindings::bind_optimal(m);
    hornbeam::bindings::bind_partition(m);
    hornbeam::bindings::bind_pruning(m);
    hornbeam::bindings::bind_quantiles(m);
    hornbeam::bindings::bind_raising(m);
    hornbeam::bindings::bind_replacing(m);
    hornbeam::bindings::bind_shap(m);
    hornbeam::bindings::bind_smallest(m);
    hornbeam::bindings::bind_sparse(m);
    hornbeam::bindings::bind_text(m);
}
