"""Reached: the leaves a row ends in, and how sure their shares are.

One idea: a leaf's share k of n is an estimate; Wilson's interval says between what the true share may lie.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hornbeam._base.intervals import wilson
from hornbeam._base.types import AnyArray
from hornbeam.reading.conditions import conditions, joined
from hornbeam.tree import answers as tree_answers
from hornbeam.tree import equations, routing, words
from hornbeam.tree.branch_words import bounds_text
from hornbeam.tree.tree import Tree


@dataclass(frozen=True)
class Reached:
    """A leaf the row reached: its share of the answer, what it says, and the way there.

    `count` is the weight of the training rows that have the leaf's class, `interval` Wilson's 95 % interval
    of their share; `spread` is the standard deviation of the target in a leaf of numbers. None where not
    known.
    """

    leaf: int
    weight: float
    answer: Any
    n_rows: int
    conditions: tuple[str, ...]
    equation: str | None = None
    count: float | None = None
    interval: tuple[float, float] | None = None
    spread: float | None = None


def leaves_reached(tree: Tree, found: routing.Routing, arrays: tuple[AnyArray, ...]) -> tuple[Reached, ...]:
    """The leaves one row reaches, heaviest first."""
    if tree.classes is not None:
        answers: list[Any] = [tree.classes[label] for label in tree.label[found.leaf].tolist()]
    else:
        answers = equations.evaluate(tree, arrays, found.leaf, found.rows).tolist()
    spreads = tree_answers.spreads(tree) if tree.task == "real" and not tree.uncounted else None
    leaves = []
    for leaf, weight, says in zip(found.leaf.tolist(), found.weight.tolist(), answers, strict=True):
        when = tuple(joined(conditions(tree, leaf)))
        text, count, interval = None, None, None
        if leaf in tree.leaf_models:
            model = tree.leaf_models[leaf]
            text = words.equation(tree, leaf, words.amount) + bounds_text(model["low"], model["high"])
        n_rows, total = int(tree.n_rows[leaf]), float(tree.weight[leaf])
        if tree.classes is not None and n_rows and total > 0:
            count = float(tree.stats[leaf, int(tree.label[leaf])])
            interval = wilson(min(count / total, 1.0), n_rows)
        spread = None if spreads is None or not n_rows else float(spreads[leaf])
        leaves.append(Reached(leaf, weight, says, n_rows, when, text, count, interval, spread))
    return tuple(sorted(leaves, key=lambda r: (-r.weight, r.leaf)))
