"""Imitating: surrogates of a test that a person chose, where the estimator asks for them.

One idea: the core searches them for the branches of any test of two branches, so a choice has them as a test
that was grown.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.types import Longs
from hornbeam.editing.edit_context import Ground
from hornbeam.editing.fill_nodes import Rows
from hornbeam.growing import core
from hornbeam.tree.tree import Tree


def with_surrogates(ground: Ground, test: Tree, rows: Rows, branch: Longs) -> Tree:
    """The test with the columns that imitate it best; `branch` is that of each row, -1 if unknown."""
    rule = ground.plan.missing.surrogate_rule()
    if rule is None or int(test.n_children[0]) != 2:
        return test
    place, share = rows
    views = [
        core.view_of(ground.plan, column, np.ascontiguousarray(array[place]))
        for column, array in zip(ground.table.columns, ground.arrays, strict=True)
    ]
    weight = np.ascontiguousarray(share * ground.judged_weight[place])
    own = list(test.tested_columns(0))
    found: dict[str, Any] = _core.surrogates(views, branch.astype(np.int32), weight, own, rule)
    if not len(found["surrogate_column"]):
        return test
    n = len(found["surrogate_column"])
    found["surrogate_offset"] = np.array([0] + [n] * len(test))  # all of them are the root's
    return test.replace(**found)
