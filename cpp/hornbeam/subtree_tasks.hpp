// A tree settled from below by several threads: subtrees of a few thousand rows are tasks of their own, and so is each
// node above them, as soon as all below it is done.
#pragma once

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <span>
#include <vector>

#include "parallel.hpp"

namespace hornbeam {

// Calls settle(nodes, worker) for every task, with its nodes in descending order. `leaves` has the leaf of each row, of
// one sample or several; a subtree of `least` rows is one task. Nodes that no test leads to are left out.
template <class Settle>
void settle_subtrees(std::span<const i32> first_child, std::span<const i32> n_children,
                     std::initializer_list<std::span<const i32>> leaves, i64 least, Pool& pool, Settle&& settle) {
    const std::size_t n = first_child.size();
    std::vector<i64> rows(n, 0);
    for (const auto& sample : leaves)
        for (const i32 leaf : sample) ++rows[static_cast<std::size_t>(leaf)];
    const auto each_child = [&](std::size_t v, auto&& visit) {
        for (i32 b = 0; first_child[v] >= 0 && b < n_children[v]; ++b)
            visit(static_cast<std::size_t>(first_child[v] + b));
    };
    for (std::size_t v = n; v-- > 0;) each_child(v, [&](std::size_t c) { rows[v] += rows[c]; });
    const i64 most = std::max<i64>(least, rows[0] / (16 * pool.n_threads()));

    // The task of each node and what it waits for; a task is known by its root.
    struct Task {
        std::size_t root;
        i32 above;  // the task that waits for it
        std::vector<i32> nodes;
    };
    std::vector<Task> tasks;
    std::vector<i32> task(n, -1);
    const auto open = [&](std::size_t v, i32 above) {
        task[v] = static_cast<i32>(tasks.size());
        tasks.push_back({v, above, {}});
    };
    open(0, -1);
    for (std::size_t v = 0; v < n; ++v) {
        if (task[v] < 0) continue;
        const bool small = rows[v] <= most;
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
        pool.add(static_cast<u64>(rows[tasks[i].root]), [&, i](int worker) {
            settle(tasks[i].nodes, worker);
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
