"""Explain: why one row gets its answer, in words.

One idea: the row is routed like any other; the nodes it visits become steps. Where a value is missing or was
never seen, the step says what was done about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam import models, routing, wording
from hornbeam.arrays import EXPRESSION, LEAF, AnyArray
from hornbeam.columns import Column
from hornbeam.extents import strays
from hornbeam.frames import open_table
from hornbeam.reading._common import (
    ASCII,
    bounds_text,
    condition_of,
    is_for_missing,
    question,
    rows_text,
    tree_of,
)
from hornbeam.reading.conditions import conditions, joined
from hornbeam.reading.literals import literal
from hornbeam.table import one_row
from hornbeam.tree import Tree

_MOST_LEAVES = 10  # of more leaves the heaviest are listed
_MOST_COLUMNS = 8  # of more columns that were not used the first are listed


@dataclass(frozen=True)
class Step:
    """One test on the row's way: the node, the branch taken in words, a remark about a missing value.

    `test` is the branch in the shortest exact text, `Outlook=Sunny`; empty where several were followed.
    """

    node: int
    text: str
    value: str
    remark: str = ""
    test: str = ""

    def __str__(self) -> str:
        if self.remark:
            return f"{self.text} ({self.remark})" if self.text else self.remark
        return (
            self.text
            if not self.value or self.text.endswith(f"= {self.value}")
            else f"{self.text} (it is {self.value})"
        )


@dataclass(frozen=True)
class Reached:
    """A leaf the row reached: its share of the answer, what it says, and the way there."""

    leaf: int
    weight: float
    answer: Any
    n_rows: int
    conditions: tuple[str, ...]
    equation: str | None = None


@dataclass(frozen=True)
class Explanation:
    """The answer for one row and how it came about; `str()` is the text for people.

    Attributes
    ----------
    answer : object
        The label, or the value.
    probabilities : dict or None
        Label -> probability in class order; None in a regression tree.
    path : tuple of Step
        The tests passed; up to the first one with a missing value that has several answers, if there is one.
    reached : tuple of Reached
        The leaves reached, heaviest first: one, unless a missing value led to several.
    unused : tuple of str
        Columns no test on the way asked for.
    tests : tuple of str
        The tests of the path as short texts: `Outlook=Sunny`, `age<=30.5`.
    """

    answer: Any
    probabilities: dict[Any, float] | None
    path: tuple[Step, ...]
    reached: tuple[Reached, ...]
    unused: tuple[str, ...]

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests of the path as short texts, in order."""
        return tuple(step.test for step in self.path if step.test)

    def __str__(self) -> str:
        lines = [self._headline()]
        lines += [f"  {'because' if k == 0 else '    and'}  {step}" for k, step in enumerate(self.path)]
        if len(self.reached) == 1 and self.reached[0].equation is not None:
            lines.append(f"   answer  {self.reached[0].equation}")
        if len(self.reached) > 1:
            lines.append(f"  {len(self.reached)} leaves were reached; their answers by weight:")
            lines += [self._leaf_line(leaf) for leaf in self.reached[:_MOST_LEAVES]]
            if len(self.reached) > _MOST_LEAVES:
                lines.append(f"    and {len(self.reached) - _MOST_LEAVES} lighter ones")
        if self.unused:
            more = len(self.unused) - _MOST_COLUMNS
            rest = f" and {more} more" if more > 0 else ""
            lines.append(f"  not used: {', '.join(self.unused[:_MOST_COLUMNS])}{rest}")
        return "\n".join(lines)

    def _headline(self) -> str:
        text = _answer_text(self.answer, is_label=self.probabilities is not None)
        if self.probabilities is not None:
            text += f"  {wording.percent(self.probabilities[self.answer])}"
            others = sorted(
                ((p, str(c)) for c, p in self.probabilities.items() if c != self.answer and p > 0),
                reverse=True,
            )
            if others:
                text += f"  ({', '.join(f'{name}: {wording.percent(p)}' for p, name in others[:5])})"
        if len(self.reached) == 1:
            leaf = self.reached[0]
            text += f"  from {rows_text(leaf.n_rows)}" if leaf.n_rows else " "
            text += f" in leaf {leaf.leaf}"
        return text

    def _leaf_line(self, leaf: Reached) -> str:
        label = _answer_text(leaf.answer, is_label=self.probabilities is not None)
        if leaf.equation is not None:
            label += f" = {leaf.equation}"
        when = " and ".join(leaf.conditions) or "always"
        return f"    {leaf.weight:.3f}  {label} from {rows_text(leaf.n_rows)}: {when}"


def explain(model: Any, row: Any) -> Explanation:
    """Why a model answers one row as it does.

    Parameters
    ----------
    model : estimator or Tree
    row : dict, pandas Series, table of one row, or sequence of values in column order

    Examples
    --------
    >>> tree = Tree.from_nested({"column": "petal width", "<=": 0.8, "yes": {"counts": {"setosa": 50}},
    ...                          "no": {"counts": {"versicolor": 48, "virginica": 52}}})
    >>> print(explain(tree, {"petal width": 1.3}))
    virginica  52 %  (versicolor: 48 %)  from 100 rows in leaf 2
      because  petal width > 0.8 (it is 1.3)
    >>> explain(tree, {"petal width": 1.3}).tests
    ('petal width>0.8',)
    """
    tree = tree_of(model)
    table = one_row(row, tree.columns)
    _, arrays = routing.arrays_for(tree, table)
    found = routing.route(tree, table)
    visited = {node for leaf in _every_leaf(tree, arrays) for node in tree.path(leaf)}
    asked = {column for node in visited for column in tree.tested_columns(node)}
    asked |= {column for leaf in found.leaf.tolist() for column in models.used_columns(tree, leaf)}
    steps = _outside(tree, arrays, row)
    answer: tuple[Any, dict[Any, float] | None] = (0.0, None) if steps else _answer(tree, found, arrays)
    return Explanation(
        *answer,
        steps + _steps(tree, arrays, row),
        _reached(tree, found, arrays),
        tuple(column.name for k, column in enumerate(tree.columns) if k not in asked),
    )


def _answer(
    tree: Tree, found: routing.Routing, arrays: tuple[AnyArray, ...]
) -> tuple[Any, dict[Any, float] | None]:
    if tree.classes is None:
        return float(routing.values(tree, found, arrays)[0]), None
    shares = routing.probabilities(tree, found)[0]
    return tree.classes[int(routing.labels(tree, found)[0])], dict(
        zip(tree.classes, shares.tolist(), strict=True)
    )


def _outside(tree: Tree, arrays: tuple[AnyArray, ...], row: Any) -> tuple[Step, ...]:
    """Why a row has no density: the columns in which it lies outside the support of a density tree."""
    if tree.task != "density":
        return ()
    found = []
    for place, outside in strays(tree, arrays):
        column = tree.columns[place]
        if outside[0]:
            known = column.kind == "numeric"
            what = f"{column.name} is {column.text(float(arrays[place][0]))}" if known else None
            found.append(Step(0, "", "", f"{what or _gap_text(row, place, column)}: outside the support"))
    return tuple(found)


def _every_leaf(tree: Tree, arrays: tuple[AnyArray, ...]) -> list[int]:
    """All leaves the row's branches lead to, also those without weight."""
    todo, leaves = [0], []
    while todo:
        node = todo.pop()
        if tree.kind[node] == LEAF:
            leaves.append(node)
            continue
        branch = _branch(tree, node, arrays)
        children = tree.children(node)
        todo.extend(children if branch == routing.ALL_PATHS else [children[branch]])
    return leaves


def _branch(tree: Tree, node: int, arrays: tuple[AnyArray, ...]) -> int:
    return int(routing.branches(tree, node, arrays, np.zeros(1, dtype=np.int64))[0])


def _steps(tree: Tree, arrays: tuple[AnyArray, ...], row: Any) -> tuple[Step, ...]:
    """The tests on the way to a leaf, or to the first test that sends the row several ways."""
    steps: list[Step] = []
    node = 0
    while tree.kind[node] != LEAF:
        branch = _branch(tree, node, arrays)
        gaps = [c for c in tree.tested_columns(node) if _is_missing(arrays[c][0])]
        remark = "; ".join(_gap_text(row, c, tree.columns[c]) for c in gaps)
        if branch == routing.ALL_PATHS:
            what = remark or f"{question(tree, node)} has values the tree does not know"
            many = "both" if tree.n_children[node] == 2 else f"all {tree.n_children[node]}"
            steps.append(Step(node, "", "", f"{what}: {many} branches were followed"))
            break
        text, test = condition_of(tree, node, branch, ASCII), literal(tree, node, branch)
        if gaps and is_for_missing(tree, node, branch):
            steps.append(Step(node, "", "", f"{remark}, which has a branch of its own", test))
        elif gaps and tree.kind[node] != EXPRESSION:
            steps.append(Step(node, text, "", f"{remark}; such values go this way", test))
        else:
            steps.append(Step(node, text, _value_text(tree, node, arrays), test=test))
        node = tree.children(node)[branch]
    return tuple(steps)


def _value_text(tree: Tree, node: int, arrays: tuple[AnyArray, ...]) -> str:
    tested = tree.tested_columns(node)
    texts = [tree.columns[c].text(float(arrays[c][0])) for c in tested]
    return (
        texts[0]
        if len(tested) == 1
        else ", ".join(f"{tree.columns[c].name} {t}" for c, t in zip(tested, texts, strict=True))
    )


def _reached(tree: Tree, found: routing.Routing, arrays: tuple[AnyArray, ...]) -> tuple[Reached, ...]:
    if tree.classes is not None:
        answers: list[Any] = [tree.classes[label] for label in tree.label[found.leaf].tolist()]
    else:
        answers = models.evaluate(tree, arrays, found.leaf, found.rows).tolist()
    leaves = []
    for leaf, weight, says in zip(found.leaf.tolist(), found.weight.tolist(), answers, strict=True):
        when = tuple(joined(conditions(tree, leaf)))
        text = None
        if leaf in tree.leaf_models:
            model = tree.leaf_models[leaf]
            text = wording.equation(tree, leaf, wording.amount) + bounds_text(model["low"], model["high"])
        leaves.append(Reached(leaf, weight, says, int(tree.n_rows[leaf]), when, text))
    return tuple(sorted(leaves, key=lambda r: (-r.weight, r.leaf)))


def _answer_text(value: Any, *, is_label: bool) -> str:
    return str(value) if is_label else wording.amount(float(value))


# --- missing, or only unknown? ------------------------------------------------------------------------------


def _is_missing(value: Any) -> bool:
    return bool(np.isnan(value)) if isinstance(value, np.floating) else int(value) < 0


def _gap_text(row: Any, place: int, column: Column) -> str:
    """Says whether the row has no value, or one that training never saw."""
    if column.kind != "numeric":
        value = _raw(row, place, column.name)
        if not _is_nothing(value):
            return f"{column.name} is {str(value)!r}, which training never saw"
    return f"{column.name} is missing"


def _raw(row: Any, place: int, name: str) -> Any:
    """The value of one column as the user gave it."""
    if getattr(row, "ndim", None) == 1 and hasattr(row, "to_dict"):
        row = row.to_dict()
    if isinstance(row, Mapping):
        value = row[name]
        return value[0] if isinstance(value, list | np.ndarray) else value
    if getattr(row, "ndim", None) == 1 or (isinstance(row, list | tuple) and not isinstance(row[0], Mapping)):
        return row[place] if not isinstance(row[0], list | tuple) else row[0][place]
    source = open_table(row)
    values = source.get(source.names.index(name) if source.names is not None else place)
    return next(iter(values))


def _is_nothing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value
