"""Split: a leaf becomes a test that a person chose, which keeps its rank among the candidates.

One idea: a person may split where growing would not, so no limit binds; only a branch without rows, or an
order that `monotonic_cst` promised, is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam.editing.edit_context import Ground
from hornbeam.editing.edit_result import Done, marked
from hornbeam.editing.edit_surrogates import with_surrogates
from hornbeam.editing.edit_words import open_leaf, test_text
from hornbeam.editing.fill_nodes import Rows, modelled, refilled, rows_at
from hornbeam.editing.graft import grafted
from hornbeam.editing.one_test_tree import MULTIWAY, parted, sprout, with_missing, without_own
from hornbeam.editing.order_check import refuse_disorder
from hornbeam.editing.split_scores import best_of, rank, score_text, verdict
from hornbeam.tree.tree import Tree

OWN = "own"


def split(
    ground: Ground,
    tree: Tree,
    node: int,
    on: Any,
    at: Any = None,
    groups: Any = None,
    multiway: Any = None,
    missing: Any = None,
) -> Done:
    """Split a leaf by a test of one column."""
    node = open_leaf(tree, node)
    column = ground.column(on)
    if multiway not in (None, True, False):
        raise ValueError(f"multiway={multiway!r} must be True for a branch for each value, or left out")
    if sum(given is not None for given in (at, groups)) + bool(multiway) > 1:
        raise ValueError(
            "at, groups and multiway each say how to split: give one of them, or none for the best"
        )
    rows = rows_at(ground, tree, node)
    test = _asked(ground, column, rows, at, MULTIWAY if multiway else groups)
    test, score = placed(ground, test, rows, missing)
    found = rank(ground, tree, node, rows, column, score)
    made = grafted(tree, {node: (test, 0)}, learned=False)
    new = int(made.number[node])
    changed = made.arguments
    changed["gain"][new] = score
    after = modelled(ground, refilled(ground, Tree(**changed), new))
    refuse_disorder(ground, after, f"splitting node {node} by {test_text(test, 0)}")
    after = marked(after, new, forced=found)
    say = f"split node {node} by {test_text(after, new)}: {score_text(found)}"
    return Done(after, say, found)


def placed(ground: Ground, test: Tree, rows: Rows, missing: Any) -> tuple[Tree, float]:
    """The test with its branch for gaps, and its score; refused if a branch has no rows."""
    branch = parted(test, ground, rows[0])
    n, gaps = int(test.n_children[0]), branch < 0
    if test.threshold[0] == np.inf:  # all values against the gaps, which have no other place
        return with_missing(test, 1), verdict(ground, rows, np.where(gaps, 1, 0), 2).score
    absent = int(test.absent[0])
    filled = np.bincount(branch[~gaps & (rows[1] * ground.weight[rows[0]] > 0)], minlength=n) > 0
    if not all(full for k, full in enumerate(filled.tolist()) if k != absent):
        raise ValueError(f"{test_text(test, 0)} leaves a branch without rows: choose another test")
    if missing is None:
        found = verdict(ground, rows, branch, n)
        return with_surrogates(ground, with_missing(test, found.missing), rows, branch), found.score
    to = _chosen(missing, n, gaps)
    found = verdict(ground, rows, np.where(gaps, to, branch), max(n, to + 1))
    return with_missing(test, to), found.score


def _chosen(missing: Any, n: int, gaps: Any) -> int:
    """The branch that was chosen for gaps."""
    if isinstance(missing, str) and missing == OWN:
        if not gaps.any():
            raise ValueError(
                "missing='own' asks for a branch of missing values, but none is missing at this node"
            )
        return n
    if not isinstance(missing, bool) and isinstance(missing, (int, np.integer)) and 0 <= missing < n:
        return int(missing)
    raise ValueError(
        f"missing={missing!r} must be the number of a branch from 0 to {n - 1}, 'own' for a branch of its"
        " own, or None to let the estimator's rule decide"
    )


def _asked(ground: Ground, column: int, rows: Rows, at: Any, groups: Any) -> Tree:
    if at is not None or groups is not None:
        return sprout(ground, column, rows, at, groups)
    least = ground.plan.limits.get("min_rows_leaf", 1)
    found = best_of(ground, rows, column, least=least) or best_of(ground, rows, column)
    if found is None:
        name = ground.table.columns[column].name
        raise ValueError(
            f"on={name!r} has no test that parts the rows of this node, or they all have one outcome: choose"
            " another column, or say at= or groups="
        )
    return without_own(found[0])
