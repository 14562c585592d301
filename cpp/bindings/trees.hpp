// A tree and the columns of a table as the core reads them, from the arrays Python hands over.
#pragma once

#include "bindings/arrays.hpp"
#include "hornbeam/apply/apply.hpp"

namespace hornbeam::bindings {

inline TreeView tree_view(const nb::dict& arrays) {
    TreeView tree;
    tree.kind = span_of<std::int8_t>(arrays, "kind");
    tree.first_child = span_of<i32>(arrays, "first_child");
    tree.n_children = span_of<i32>(arrays, "n_children");
    tree.column = span_of<i32>(arrays, "column");
    tree.missing = span_of<i32>(arrays, "missing");
    tree.absent = span_of<i32>(arrays, "absent");
    tree.threshold = span_of<double>(arrays, "threshold");
    tree.map_offset = span_of<i64>(arrays, "map_offset");
    tree.map_code = span_of<i32>(arrays, "map_code");
    tree.map_branch = span_of<i32>(arrays, "map_branch");
    tree.all_paths = nb::cast<bool>(arrays["all_paths"]);
    tree.unseen_all_paths = nb::cast<bool>(arrays["unseen_all_paths"]);
    return tree;
}

inline CompactView compact_view(const nb::dict& arrays) {
    CompactView tree;
    tree.kind = span_of<std::int8_t>(arrays, "kind");
    tree.first_child = span_of<i32>(arrays, "first_child");
    tree.column = span_of<i32>(arrays, "column");
    tree.missing = span_of<i32>(arrays, "missing");
    tree.threshold = span_of<double>(arrays, "threshold");
    return tree;
}

// `owners` holds the arrays while the views are used.
inline std::vector<ColumnView> views_of(const nb::list& columns, std::vector<AnyArray>& owners) {
    std::vector<ColumnView> views;
    for (nb::handle column : columns) {
        owners.push_back(nb::cast<AnyArray>(column));
        views.push_back(column_view(owners.back()));
    }
    return views;
}

}  // namespace hornbeam::bindings
