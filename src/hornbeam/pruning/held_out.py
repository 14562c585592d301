"""Pruning by rows held out: a tree grown on a part of the rows, pruned by the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from hornbeam._base.parameters import seed_of
from hornbeam.data.folds import split_rows
from hornbeam.data.target import Rows, counted_rows
from hornbeam.pruning.base import Grow, Pruned
from hornbeam.tree.tree import Tree


class Holder(Protocol):
    """A pruner that holds out a share of the rows."""

    name: str
    holdout: float
    random_state: Any


def held_out(pruner: Holder, grow: Grow, rows: Rows, prune: Callable[[Tree, Rows, Rows], Pruned]) -> Pruned:
    """Grow on a part of the rows and prune by the others: `prune` takes the tree, its rows, the others.

    Where nothing can be held out, the tree of all rows stays as it is.
    """
    parts = split_rows(*rows, float(pruner.holdout), seed_of(pruner.random_state))
    if parts is None:
        facts = {
            "grown on": counted_rows(rows.target),
            "held out": 0,
            "reason": "every class has one row only",
        }
        return Pruned(grow(*rows), (), pruner.name, facts)
    training, held = parts
    found = prune(grow(*training), training, held)
    sizes = {"grown on": counted_rows(training.target), "held out": counted_rows(held.target)}
    return replace(found, facts=sizes | dict(found.facts))
