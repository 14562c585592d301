// A tree visited from the leaves up by several threads: subtrees of a few thousand rows are tasks of their own, and so
// is each node above them, as soon as all nodes below it are done.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "hornbeam/threads/pool.hpp"

namespace hornbeam {

// Calls visit_nodes(nodes, worker) for every task, with its nodes in descending order. rows(node) is how many rows it
// has; a subtree of `least` is one task. Nodes that no test leads to are left out.
template <class Rows, class VisitNodes>
void visit_subtrees(std::span<const i32> first_child, std::span<const i32> n_children, Rows&& rows, std::size_t least,
                    Pool& pool, VisitNodes&& visit_nodes) {
    const std::size_t n = first_child.size();
    const auto each_child = [&](std::size_t v, auto&& visit) {
        for (i32 b = 0; first_child[v] >= 0 && b < n_children[v]; ++b)
            visit(static_cast<std::size_t>(first_child[v] + b));
    };
    const std::size_t most = std::max(least, rows(0) / (16 * static_cast<std::size_t>(pool.n_threads())));

    struct Task {
        std::size_t n_rows;
        i32 above;  // the task that waits for it
        std::vector<i32> nodes;
    };
    std::vector<Task> tasks;
    std::vector<i32> task(n, -1);
    const auto open = [&](std::size_t v, i32 above) {
        task[v] = static_cast<i32>(tasks.size());
        tasks.push_back({rows(v), above, {}});
    };
    open(0, -1);
    for (std::size_t v = 0; v < n; ++v) {
        if (task[v] < 0) continue;
        const bool small = tasks[static_cast<std::size_t>(task[v])].n_rows <= most;
        each_child(v, [&](std::size_t c) {
            if (small)
                task[c] = task[v];
            else
                open(c, task[v]);
        });
    }
    for (std::size_t v = n; v-- > 0;)
        if (task[v] >= 0) tasks[static_cast<std::size_t>(task[v])].nodes.push_back(static_cast<i32>(v));

    std::vector<std::atomic<i32>> waits(tasks.size());
    for (const Task& one : tasks)
        if (one.above >= 0) ++waits[static_cast<std::size_t>(one.above)];
    std::function<void(std::size_t)> start = [&](std::size_t i) {
        pool.add(tasks[i].n_rows, [&, i](int worker) {
            visit_nodes(tasks[i].nodes, worker);
            if (tasks[i].above < 0) return;
            const auto above = static_cast<std::size_t>(tasks[i].above);
            if (--waits[above] == 0) start(above);
        });
    };
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < tasks.size(); ++i)
        if (waits[i] == 0) ready.push_back(i);
    for (const std::size_t i : ready) start(i);
    pool.drain();
}

}  // namespace hornbeam
