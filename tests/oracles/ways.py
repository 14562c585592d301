"""The ways of growing, forced on small tables by the core's tuning numbers; all must give the same tree::

block   every node is sorted once and grown in a block (the default for tables this small)
bins    every node is tallied into histograms, the bins that could win are looked into
mixed   large nodes in bins by two threads together, small ones in blocks
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from tests.oracles.compare import same_tree
from tests.oracles.product import product_tree
from tests.oracles.twin import Node

from hornbeam.growing.core import TUNING
from hornbeam.tree.arrays import ARRAY_NAMES
from hornbeam.tree.tree import Tree

WAYS: Mapping[str, Mapping[str, int]] = {
    "block": {},
    "bins": {"block_rows": 1, "column_block_rows": 1},
    "mixed": {"block_rows": 6, "column_block_rows": 6, "shared_rows": 10, "serial_cells": 0},
}


@contextmanager
def tuned(**numbers: int) -> Iterator[None]:
    """The tuning numbers changed for a while."""
    before = dict(TUNING)
    if "block_rows" in numbers:
        TUNING["block_cells"] = 0  # or small tables were one block whatever their rows
    TUNING.update(numbers)
    try:
        yield
    finally:
        TUNING.clear()
        TUNING.update(before)


def grown(table: Mapping[str, Any], *, n_jobs: int = 1, **numbers: int) -> Tree:
    """The product's tree of a table, grown with these tuning numbers."""
    with tuned(**numbers):
        return product_tree(table, n_jobs=n_jobs)


def differences(root: Node, table: Mapping[str, Any]) -> Iterator[str]:
    """Where the product's tree is not the twin's, for each way of growing."""
    for way, numbers in WAYS.items():
        if difference := same_tree(root, grown(table, n_jobs=2 if way == "mixed" else 1, **numbers)):
            yield f"{way}: {difference}"


def arrays_differ(one: Tree, other: Tree) -> str | None:
    """The first array in which two trees differ by so much as a bit, or None."""
    if len(one) != len(other):
        return f"{len(one)} and {len(other)} nodes"
    for name in ARRAY_NAMES:
        a, b = np.asarray(getattr(one, name)), np.asarray(getattr(other, name))
        if a.shape != b.shape:
            return f"{name} of shapes {a.shape} and {b.shape}"
        if not np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
            at = np.flatnonzero((a != b) & ((a == a) | (b == b)))[0] if a.ndim == 1 else "some node"
            return f"{name} at {at}"
    return None
