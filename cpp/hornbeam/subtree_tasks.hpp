// A tree cut into subtrees of a few thousand rows, which threads can work on by themselves.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <span>
#include <vector>

#include "parallel.hpp"

namespace hornbeam {

// The nodes of each task, in descending order, the tasks of most rows first; the last are the nodes above all tasks.
// `leaves` has the leaf of each row, of one sample or several; a subtree of `least` rows is one task.
inline std::vector<std::vector<i32>> subtree_tasks(std::span<const i32> first_child, std::span<const i32> n_children,
                                                   std::initializer_list<std::span<const i32>> leaves, int n_threads,
                                                   i64 least) {
    const std::size_t n = first_child.size();
    std::vector<i64> rows(n, 0);
    for (const auto& sample : leaves)
        for (const i32 leaf : sample) ++rows[static_cast<std::size_t>(leaf)];
    const auto each_child = [&](std::size_t v, auto&& visit) {
        for (i32 b = 0; first_child[v] >= 0 && b < n_children[v]; ++b)
            visit(static_cast<std::size_t>(first_child[v] + b));
    };
    for (std::size_t v = n; v-- > 0;) each_child(v, [&](std::size_t c) { rows[v] += rows[c]; });
    const i64 most = std::max<i64>(least, rows[0] / (16 * std::max(1, n_threads)));
    std::vector<i32> task(n, -1);
    std::vector<u8> linked(n, 0);  // nodes below a leaf that was made are linked to nothing: they cost nothing
    std::vector<i64> size;
    linked[0] = 1;
    for (std::size_t v = 0; v < n; ++v) {
        if (linked[v] && task[v] < 0 && rows[v] <= most) {
            task[v] = static_cast<i32>(size.size());
            size.push_back(rows[v]);
        }
        each_child(v, [&](std::size_t c) { task[c] = task[v], linked[c] = linked[v]; });
    }
    std::vector<std::size_t> order(size.size()), place(size.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    std::vector<std::vector<i32>> found(size.size() + 1);
    for (std::size_t v = n; v-- > 0;)
        found[task[v] < 0 ? size.size() : place[static_cast<std::size_t>(task[v])]].push_back(static_cast<i32>(v));
    return found;
}

}  // namespace hornbeam
