"""The stability of a tree by plain loops: trees fitted one by one, rows and nodes visited one by one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import hornbeam as hb
from hornbeam.data.table import Table
from hornbeam.tree.tree import Tree


def slow_stability(model: Any, X: Any, y: Any, n: int, seed: int, **weighing: Any) -> dict[str, Any]:
    """For each test node (reached, chosen, others, cuts), and what the trees answer for each row."""
    forest_class = hb.ForestClassifier if model.tree_.classes else hb.ForestRegressor
    drawing = forest_class(n_estimators=n, max_depth=0, random_state=seed).fit(X, y, **weighing)
    tests: dict[int, dict[str, Any]] = {}
    same, answers, tested = 0, [], {}
    for i in range(n):
        params = model.get_params(deep=False) | {"random_state": drawing.estimators_[i].random_state}
        again = type(model)(**params).fit(X, y, counts=drawing.bootstrap_counts(i))
        answers.append(again.predict(X))
        for column in {c for node in range(len(again.tree_)) for c in again.tree_.tested_columns(node)}:
            name = model.tree_.columns[column].name
            tested[name] = tested.get(name, 0) + 1
        rows = Table.match(X, model.tree_.columns)
        weights = weighing.get("counts")
        weights = [1] * rows.n_rows if weights is None else list(weights)
        _compare(model.tree_, again.tree_, 0, 0, rows, weights, tests)
        same += _columns(model.tree_, 0) == _columns(again.tree_, 0)
    return {"tests": tests, "same": same, "answers": np.array(answers), "tested": tested}


def five_to_ninety_five(cuts: list[float]) -> tuple[float, float]:
    """The least cut that 5 % of the cuts do not exceed, and the least that 95 % do not."""
    cuts = sorted(cuts)
    low = next(cut for cut in cuts if sum(c <= cut for c in cuts) * 100 >= 5 * len(cuts))
    high = next(cut for cut in cuts if sum(c <= cut for c in cuts) * 100 >= 95 * len(cuts))
    return low, high


def _columns(tree: Tree, node: int) -> Any:
    """The columns of a tree as nested lists, () for a leaf."""
    children = [_columns(tree, child) for child in tree.children(node)]
    return (tree.tested_columns(node), children) if children else ()


def _compare(
    ours: Tree, theirs: Tree, here: int, there: int, rows: Table, weights: list[int], tests: dict[int, Any]
) -> None:
    if not len(ours.children(here)):
        return
    fact = tests.setdefault(here, {"reached": 0, "chosen": 0, "others": {}, "cuts": []})
    fact["reached"] += 1
    columns = theirs.tested_columns(there)
    if columns != ours.tested_columns(here):
        fact["others"][columns] = fact["others"].get(columns, 0) + 1
        return
    fact["chosen"] += 1
    kinds = ours.kind_of(here), theirs.kind_of(there)
    cuts = float(ours.threshold[here]), float(theirs.threshold[there])
    if kinds == ("threshold", "threshold") and math.isfinite(cuts[1]):
        fact["cuts"].append(cuts[1])
    if kinds == ("threshold", "threshold") and all(map(math.isfinite, cuts)):
        for one, other in zip(ours.children(here), theirs.children(there), strict=False):
            _compare(ours, theirs, one, other, rows, weights, tests)
        return
    shared = {
        (k, branch): 0
        for k in range(len(ours.children(here)))
        for branch in range(len(theirs.children(there)))
    }
    for row in range(rows.n_rows):
        if here in _way(ours, rows, row):
            pair = _branch(ours, here, rows, row), _branch(theirs, there, rows, row)
            if pair in shared:
                shared[pair] += weights[row]
    while shared:  # the pair of branches with most rows in common first
        k, branch = max(shared, key=lambda pair: shared[pair])
        if shared[k, branch] == 0:
            return
        one, other = ours.children(here)[k], theirs.children(there)[branch]
        _compare(ours, theirs, one, other, rows, weights, tests)
        shared = {pair: n for pair, n in shared.items() if pair[0] != k and pair[1] != branch}


def _way(tree: Tree, rows: Table, row: int) -> list[int]:
    """The nodes a row passes; none if it follows several branches somewhere."""
    node, way = 0, [0]
    while len(tree.children(node)):
        branch = _branch(tree, node, rows, row)
        if branch is None:
            return []
        node = tree.children(node)[branch]
        way.append(node)
    return way


def _branch(tree: Tree, node: int, rows: Table, row: int) -> int | None:
    """The branch of a row at a node; None if it follows all of them."""
    value = rows.arrays[tree.column[node]][row]
    if value != value or (rows.arrays[tree.column[node]].dtype.kind == "i" and value < 0):
        return None if tree.missing[node] < 0 else int(tree.missing[node])
    kind = tree.kind_of(node)
    if kind == "threshold":
        return int(value > tree.threshold[node])
    if kind == "equals":
        return int(value != tree.threshold[node])
    codes, branches = tree.value_map(node)
    listed = dict(zip(codes.tolist(), branches.tolist(), strict=True))
    branch = listed.get(int(value), int(tree.absent[node]))
    if branch < 0:
        return None if tree.missing[node] < 0 else int(tree.missing[node])
    return branch
