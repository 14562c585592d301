"""The facts of an explanation: the tests on the way of a row, what is odd about it, the leaves reached.

One idea: the row is routed like any other, and the nodes it visits become steps. Where a value is missing
or was never seen, the step says what was done about it, and by which rule; a remark says of every odd value
whether it mattered. A leaf's share k of n is an estimate; Wilson's interval says between what the true
share may lie.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.error_limits import wilson
from hornbeam._base.types import AnyArray
from hornbeam.data.columns import UNSEEN, Column
from hornbeam.reading.conditions import condition_texts, conditions
from hornbeam.reading.counterfactuals.changes import raw_value
from hornbeam.reading.node_details import surrogates
from hornbeam.tree import answers as tree_answers
from hornbeam.tree import equations
from hornbeam.tree.arrays import COLUMNS, EXPRESSION, MULTIWAY, SUBSET
from hornbeam.tree.branches import own_branches
from hornbeam.tree.canonical_text import literal
from hornbeam.tree.density_boxes import rows_outside
from hornbeam.tree.equation_words import equation_in_bounds
from hornbeam.tree.routing import ALL_PATHS, Routing, Visit
from hornbeam.tree.survival_curves import facts_text
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import ASCII, UNICODE, condition_text, is_for_missing, question_text

# How rules other than a learned branch send a gap on, said after "x is missing".
_WAYS = {"majority": "most training rows go this way", "surrogates": "most training rows go this way"}


@dataclass(frozen=True)
class Step:
    """One test on the row's way: the node, the branch taken in words, a remark about a missing value.

    `test` is the branch in the shortest exact text, `Outlook=Sunny`; empty where several were followed.
    `shown` is `text` with the signs of print, `age ≤ 30`.
    """

    node: int
    text: str
    value: str
    remark: str = ""
    test: str = ""
    shown: str = ""

    def __str__(self) -> str:
        return self.worded(self.text)

    def worded(self, text: str) -> str:
        """The step with its remark, or with the row's value."""
        if self.remark:
            return f"{text} ({self.remark})" if text else self.remark
        return text if not self.value or text.endswith(f"= {self.value}") else f"{text} (it is {self.value})"


def steps_of(tree: Tree, passed: Sequence[Visit], arrays: tuple[AnyArray, ...], row: Any) -> tuple[Step, ...]:
    """The tests on the way to a leaf, or to the first test that sends the row several ways.

    `passed` are the tests that the row comes to, in pre-order.
    """
    steps: list[Step] = []
    for visit in passed:
        steps.append(_step(tree, visit, arrays, row))
        if visit.branch[0] == ALL_PATHS:
            break
    return tuple(steps)


def _step(tree: Tree, visit: Visit, arrays: tuple[AnyArray, ...], row: Any) -> Step:
    node, branch, used = visit.node, int(visit.branch[0]), int(visit.surrogate[0])
    gaps = [c for c in tree.tested_columns(node) if is_gap(arrays[c][0])]
    remark = "; ".join(gap_text(row, c, tree.columns[c]) for c in gaps) or _absence(
        tree, node, branch, arrays
    )
    if branch == ALL_PATHS:
        what = remark or f"{question_text(tree, node)} has values the tree does not know"
        many = "both" if tree.n_children[node] == 2 else f"all {tree.n_children[node]}"
        how = ", by their shares of the training rows" if tree.policy["missing"] == "fractional" else ""
        return Step(node, "", "", f"{what}: {many} branches were followed{how}")
    text, test = condition_text(tree, node, branch, ASCII), literal(tree, node, branch)
    shown = condition_text(tree, node, branch, UNICODE)
    if remark and is_for_missing(tree, node, branch):
        how = ", which has a branch of its own" if gaps else ": it goes where missing values go"
        return Step(node, "", "", f"{remark}{how}", test)
    if used >= 0:
        stand_in = surrogates(tree, node)[used - int(tree.surrogate_offset[node])]
        column = tree.columns[int(tree.surrogate_column[used])]
        value = column.word(float(arrays[tree.surrogate_column[used]][0]))
        imitation = f"it is {value}, and {stand_in.test} imitates the test"
        replaced = f"{remark}; {column.label} stands in for it: {imitation}"
        return Step(node, text, "", replaced, test, shown)
    own = own_branches(tree, node, arrays, np.zeros(1, np.int64))
    if remark and (tree.kind[node] != EXPRESSION or own[0] < 0):
        way = _WAYS.get(tree.policy["missing"], "such values go this way")
        return Step(node, text, "", f"{remark}; {way}", test, shown)
    return Step(node, text, _value_text(tree, node, arrays), test=test, shown=shown)


def _absence(tree: Tree, node: int, branch: int, arrays: tuple[AnyArray, ...]) -> str:
    """Says that the row's value is one that no training row had at this test; "" if it is not so."""
    if tree.kind[node] == COLUMNS and own_branches(tree, node, arrays, np.zeros(1, np.int64))[0] < 0:
        return f"{_value_text(tree, node, arrays)} is what no training row had at this test"
    if tree.kind[node] not in (SUBSET, MULTIWAY) or (branch >= 0 and branch == tree.absent[node]):
        return ""
    place = int(tree.column[node])
    code = int(arrays[place][0])
    if code in tree.value_map(node)[0]:
        return ""
    column = tree.columns[place]
    return f"{column.label} is {column.word(code)}, which no training row had at this test"


def outside_support(tree: Tree, arrays: tuple[AnyArray, ...], row: Any) -> tuple[Step, ...]:
    """Why a row has no density: the columns in which it lies outside the support of a density tree."""
    if not tree.task.is_density:
        return ()
    steps = []
    for place, outside in rows_outside(tree, arrays):
        column = tree.columns[place]
        if outside[0]:
            known = column.kind == "numeric"
            what = f"{column.label} is {column.word(float(arrays[place][0]))}" if known else None
            steps.append(Step(0, "", "", f"{what or gap_text(row, place, column)}: outside the support"))
    return tuple(steps)


def columns_used(tree: Tree, passed: Sequence[Visit], reached: Routing) -> set[int]:
    """The columns that the tests on the row's way, their surrogates, or the equations of its leaves need."""
    columns = {column for visit in passed for column in tree.tested_columns(visit.node)}
    surrogates = (int(visit.surrogate[0]) for visit in passed)
    columns |= {int(tree.surrogate_column[k]) for k in surrogates if k >= 0}
    return columns.union(*(equations.used_columns(tree, leaf) for leaf in reached.leaf.tolist()))


def _value_text(tree: Tree, node: int, arrays: tuple[AnyArray, ...]) -> str:
    tested = tree.tested_columns(node)
    texts = [tree.columns[c].word(float(arrays[c][0])) for c in tested]
    if len(tested) == 1:
        return texts[0]
    return ", ".join(f"{tree.columns[c].label} {t}" for c, t in zip(tested, texts, strict=True))


def is_gap(value: Any) -> bool:
    """Whether a value of a tree's array is missing or unseen."""
    return bool(np.isnan(value)) if isinstance(value, np.floating) else int(value) < 0


def gap_text(row: Any, place: int, column: Column) -> str:
    """Says whether the row has no value, or one that training never saw."""
    if column.kind != "numeric":
        value = raw_value(row, place, column.name)
        if value is not None:
            return f"{column.label} is {str(value)!r}, which training never saw"
    return f"{column.label} is missing"


@dataclass(frozen=True)
class Remark:
    """One oddity of a row.

    Attributes
    ----------
    column : str
    kind : "missing", "unseen" or "outside"
        No value, a category training never saw, or a number outside the range of the training values.
    needed : bool
        Whether a test on the way, or an equation, asked for the column.
    text : str
    """

    column: str
    kind: str
    needed: bool
    text: str

    def __str__(self) -> str:
        return self.text


def remarks_of(
    tree: Tree, arrays: tuple[AnyArray, ...], row: Any, needed_columns: Collection[int]
) -> tuple[Remark, ...]:
    """The oddities of a row in column order; `needed_columns` are the columns that were needed."""
    remarks = []
    for place, column in enumerate(tree.columns):
        value, needed = arrays[place][0], place in needed_columns
        unneeded = "" if needed else " but was not needed"
        if is_gap(value):
            unseen = column.kind != "numeric" and int(value) == UNSEEN
            kind = "unseen" if unseen else "missing"
            remarks.append(Remark(column.name, kind, needed, f"{gap_text(row, place, column)}{unneeded}"))
        elif column.kind == "numeric" and (value < column.low or value > column.high):
            span = f"{column.text(column.low)} to {column.text(column.high)}"
            text = f"{column.label} is {column.text(float(value))}, outside the training range {span}"
            remarks.append(Remark(column.name, "outside", needed, text + unneeded.replace(" but", ", but")))
    return tuple(remarks)


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
    survival: str = ""


def describe_leaves(tree: Tree, reached: Routing, arrays: tuple[AnyArray, ...]) -> tuple[Reached, ...]:
    """The leaves one row reaches, heaviest first."""
    if tree.classes is not None:
        answers: list[Any] = [tree.classes[label] for label in tree.label[reached.leaf].tolist()]
    else:
        answers = equations.evaluate(tree, arrays, reached.leaf, reached.rows).tolist()
    spreads = tree_answers.spreads(tree) if tree.task.has_spread and not tree.uncounted else None
    leaves = []
    for leaf, weight, answer in zip(reached.leaf.tolist(), reached.weight.tolist(), answers, strict=True):
        when = tuple(condition_texts(conditions(tree, leaf)))
        text, count, interval = None, None, None
        if leaf in tree.leaf_models:
            text = equation_in_bounds(tree, leaf)
        n_rows, total = int(tree.n_rows[leaf]), float(tree.weight[leaf])
        if tree.classes is not None and n_rows and total > 0:
            count = float(tree.stats[leaf, int(tree.label[leaf])])
            interval = wilson(min(count / total, 1.0), n_rows)
        spread = None if spreads is None or not n_rows else float(spreads[leaf])
        survival = facts_text(tree, leaf)
        leaves.append(Reached(leaf, weight, answer, n_rows, when, text, count, interval, spread, survival))
    return tuple(sorted(leaves, key=lambda r: (-r.weight, r.leaf)))
