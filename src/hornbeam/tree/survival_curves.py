"""The survival curves of the nodes of a survival tree: learned from its rows, kept in a pool, read again.

A node keeps its event times, each with the weight at risk and that of the events; everything else follows
(`hornbeam._base.survival_statistics`). Curves do not add up without the times of all rows, so every node has
its own, and keeps it when it becomes a leaf. A node without events, which has no event time, says so by one
entry: the last time it was observed, with no events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam._base.survival_statistics import SurvivalCurve
from hornbeam._base.types import Floats, Longs
from hornbeam.data.survival import outcome_of, person_weights
from hornbeam.tree import apply, words
from hornbeam.tree.answer_rule import answering_nodes

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.data.target import Target
    from hornbeam.tree.tree import Tree


def learn_curves(tree: Tree, table: Table, target: Target, n_jobs: int | None = 1) -> Tree:
    """The tree with the survival curves of the rows that reached its nodes in training."""
    row, leaf, weight = apply.training_entries(tree, table, target, n_jobs)
    share = np.divide(weight, target.row_weight[row], out=np.zeros(len(row)), where=weight > 0)
    return tree.replace(**curve_arrays(tree, target, row, leaf, share * person_weights(target)[row]))


def curve_arrays(tree: Tree, target: Target, row: Longs, leaf: Longs, weight: Floats) -> dict[str, Any]:
    """The pool of the curves, from the leaves and weights of rows; a row may stand in several leaves.

    A level of the tree at a time: rows are in the order of their times, and a stable sort puts those of each
    node side by side.
    """
    time, event = outcome_of(target)
    here = weight > 0
    row, leaf, weight = row[here], leaf[here], weight[here]
    order = np.lexsort((weight, event[row], time[row]))  # equal rows are interchangeable
    row, node, weight = row[order], leaf[order].astype(np.int64), weight[order]
    times, events = time[row], event[row] * weight
    parts = []
    for depth in range(int(tree.depths.max()), -1, -1):
        at = np.flatnonzero(tree.depths[node] == depth)
        at = at[np.argsort(node[at], kind="stable")]
        parts.append(_curves_of_groups(node[at], times[at], weight[at], events[at]))
        node[at] = np.maximum(tree.parent[node[at]], 0)
    owner, *fields = (np.concatenate(each) for each in zip(*parts, strict=True))
    order = np.argsort(owner, kind="stable")
    counts = np.bincount(owner, minlength=len(tree))
    names = ("curve_time", "curve_at_risk", "curve_events")
    return {
        "curve_offset": np.concatenate(([0], np.cumsum(counts))),
        **{name: field[order] for name, field in zip(names, fields, strict=True)},
    }


def _curves_of_groups(
    node: Longs, time: Floats, weight: Floats, events: Floats
) -> tuple[Longs, Floats, Floats, Floats]:
    """(node, time, weight at risk, events) at the event times of groups, whose rows are sorted by time."""
    if not len(node):
        empty = np.empty(0)
        return node, empty, empty, empty
    is_first = np.concatenate(([True], (node[1:] != node[:-1]) | (time[1:] != time[:-1])))
    first = np.flatnonzero(is_first)
    owner, at = node[first], time[first]
    leaving, died = np.add.reduceat(weight, first), np.add.reduceat(events, first)
    group = np.flatnonzero(np.concatenate(([True], owner[1:] != owner[:-1])))
    sizes = np.diff(np.append(group, len(owner)))
    gone = np.cumsum(leaving) - leaving  # before each time, in this and all earlier groups
    total = np.add.reduceat(leaving, group)
    at_risk = np.repeat(total + gone[group], sizes) - gone
    last = group + sizes - 1
    kept = died > 0
    kept[last[np.add.reduceat(died, group) <= 0]] = True  # where nothing happened: until when
    return owner[kept], at[kept], at_risk[kept], died[kept]


def curve_of(tree: Tree, node: int) -> SurvivalCurve:
    """The survival curve of a node.

    >>> import hornbeam as hb
    >>> model = hb.TreeSurvival(max_depth=0).fit([[1], [2], [3]], [[1, 1], [2, 0], [3, 1]])
    >>> curve_of(model.tree_, 0).survival().round(4)
    array([0.6667, 0.    ])
    """
    own = slice(int(tree.curve_offset[node]), int(tree.curve_offset[node + 1]))
    return SurvivalCurve(tree.curve_time[own], tree.curve_at_risk[own], tree.curve_events[own])


def answering(tree: Tree) -> Longs:
    """The node whose curve each node answers with: its own, or that of the nearest node above with rows."""
    return answering_nodes(tree.parent, np.diff(tree.curve_offset).astype(np.float64))


def curves_at(tree: Tree, nodes: Sequence[int], times: Floats, *, of: str) -> Floats:
    """Survival or cumulative hazard of some nodes at some times, [nodes, times]."""
    own = answering(tree)
    table = np.empty((len(nodes), len(times)))
    for k, node in enumerate(nodes):
        curve = curve_of(tree, int(own[node]))
        is_survival = of == "survival"
        table[k] = curve.at(
            curve.survival() if is_survival else curve.hazard(), times, 1.0 if is_survival else 0.0
        )
    return table


RISK_MEANS = "risk: events relative to what all rows together expect; median: survival time [95 % interval]"


def facts_text(tree: Tree, node: int) -> str:
    """How many rows of a node had the event, and their median survival time; "" where nothing is known.

    >>> import hornbeam as hb
    >>> model = hb.TreeSurvival(max_depth=0).fit([[1], [2], [3]], [[1, 1], [2, 0], [3, 1]])
    >>> facts_text(model.tree_, 0)
    '2 events, median 3 [1 or more]'
    """
    known = brief_facts_text(tree, node)
    low, high = curve_of(tree, node).median_interval() if known else (np.inf, np.inf)
    if "median above" in known or not known:
        return known
    ends = (
        f"{words.amount(low)} or more" if np.isinf(high) else f"{words.amount(low)} to {words.amount(high)}"
    )
    return f"{known} [{ends}]"


def brief_facts_text(tree: Tree, node: int) -> str:
    """The same without the interval, where there is little room.

    >>> import hornbeam as hb
    >>> model = hb.TreeSurvival(max_depth=0).fit([[1], [2], [3]], [[1, 1], [2, 0], [3, 1]])
    >>> brief_facts_text(model.tree_, 0)
    '2 events, median 3'
    """
    if not tree.task.is_survival or tree.curve_offset[node] == tree.curve_offset[node + 1]:
        return ""
    curve = curve_of(tree, node)
    events, median = words.records(float(curve.events.sum())), curve.quantile()
    last = words.amount(float(curve.time[-1]))
    middle = f"median above {last}" if np.isinf(median) else f"median {words.amount(median)}"
    return f"{events} {'event' if events == '1' else 'events'}, {middle}"


def some_places(n: int, most: int = 120) -> list[int]:
    """Places of a list of n entries, the last among them; of a long one as many as a box can show.

    >>> some_places(3), len(some_places(1000)), some_places(1000)[-1]
    ([0, 1, 2], 120, 999)
    """
    if n <= most:
        return list(range(n))
    return [int(place) for place in np.linspace(0, n - 1, most).round()]
