"""What a split that a test of significance chose gains by the plan's criterion.

One idea: the test chooses, the criterion measures. A split is judged with its gaps where they are known to
go, otherwise on the rows whose value is known, times their share.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hornbeam._base.types import Floats, Longs, Task
from hornbeam.growing.candidates.node_splits import Proposal, Split
from hornbeam.growing.splits import Binary
from hornbeam.growing.stepwise_growth import Growth, Node
from hornbeam.tree.answers import impurities


def refuse_split(growth: Growth, part: Any) -> None:
    """Raise for a kind of split, where the tests of significance make their own branches."""
    if not isinstance(growth.plan.split, Binary):
        raise ValueError(
            f"split={growth.plan.split!r} has no meaning with selection={part!r}, which makes its own"
            " branches: leave split='binary'"
        )


def cases_of(growth: Growth, rows: Longs, weight: Floats) -> Floats:
    """How many rows each row of a node stands for: its repetitions, or a part of them if it is divided."""
    return growth.copies[rows] * (weight / growth.weight[rows])


def proposal(growth: Growth, node: Node, split: Split, missing: int, facts: Mapping[str, Any]) -> Proposal:
    """The split as a proposal; gaps go to the child `missing`, or (-1) are not judged."""
    branch = split.branches(growth, node.rows)
    place = np.where(branch < 0, missing, branch)
    gain, score = _gain(growth, node, place)
    return Proposal(split, gain, score, missing, facts=facts)


def best_missing_branch(growth: Growth, node: Node, split: Split) -> int:
    """The branch where the node's gaps gain most, the first of equals; -1 if there are none."""
    branch = split.branches(growth, node.rows)
    if (branch >= 0).all():
        return -1
    gains = [_gain(growth, node, np.where(branch < 0, to, branch))[0] for to in range(split.n_branches)]
    return int(np.argmax(np.array(gains) >= max(gains) - growth.margin(node, max(gains))))


def _gain(growth: Growth, node: Node, place: Longs) -> tuple[float, float]:
    """How much parting the rows by place lowers the impurity, and what the criterion makes of it."""
    known = place >= 0
    rows, weight = node.rows[known], node.weight[known]
    parts = growth.stats_of(growth.sums(rows, weight, place[known], int(place.max()) + 1, node.center))
    each: Floats = growth.weights(parts)
    total = float(growth.weights(node.stats))
    gain = max(float(growth.decrease(parts)) / total, 0.0)
    if growth.plan.criterion.name != "gain-ratio":
        return gain, gain
    gaps = total - float(each.sum())
    information = float(impurities(np.append(each, max(gaps, 0.0))[None], Task.CLASSES, "entropy")[0])
    return gain, gain / information if information > 0 else 0.0


def descending(keys: Sequence[float], margin: Callable[[float], float]) -> list[int]:
    """Positions from the largest key down; of those tied with the largest of the rest the first (K4)."""
    left = sorted(range(len(keys)), key=lambda k: (-keys[k], k))
    order = []
    while left:
        best = keys[left[0]]
        bar = best - margin(best) if math.isfinite(best) else best
        run = 1
        while run < len(left) and keys[left[run]] >= bar:
            run += 1
        first = min(left[:run])
        order.append(first)
        left.remove(first)
    return order
