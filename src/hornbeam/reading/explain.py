"""Explain: why one row gets its answer, in words and as facts.

One idea: the row is routed like any other, and everything that can be said about its way is a field: the
tests passed, what became of gaps, the leaves and their counts, what each column added, the nearest rows of
another answer. What takes time is worked out when it is first read.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from numbers import Integral
from typing import Any

from hornbeam._base.types import AnyArray, Floats
from hornbeam.data.shown_result import ShownResult
from hornbeam.data.table import Table, one_row
from hornbeam.reading import explanation_steps
from hornbeam.reading.counterfactuals.changes import Counterfactual
from hornbeam.reading.counterfactuals.nearest_rows import (
    answer_of_row,
    check_fixed,
    check_tree,
    nearest_changes,
)
from hornbeam.reading.explanation_steps import Reached, Remark, Step
from hornbeam.reading.explanation_text import write_explanation
from hornbeam.reading.shap.exact_values import shap_values
from hornbeam.tree import equations, routing
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.json_values import json_fields, json_value
from hornbeam.tree.routing import Routing
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import signs_of


@dataclass(frozen=True)
class Contributions:
    """What each column adds to the answer; `base`, the values and `rest` add up to it.

    `rest` is what no column is credited with: votes of leaves, the bounds and smoothing of equations.
    """

    base: float
    columns: dict[str, float]
    rest: float = 0.0

    @property
    def total(self) -> float:
        """What they add up to."""
        return self.base + sum(self.columns.values()) + self.rest

    def largest_first(self) -> list[tuple[str, float]]:
        """The columns that add something, the largest first."""
        some = [(name, value) for name, value in self.columns.items() if abs(value) > 1e-12]
        return sorted(some, key=lambda pair: -abs(pair[1]))


def path_contributions(
    tree: Tree, arrays: tuple[AnyArray, ...], reached: Routing, node_answers: Floats, answer: float
) -> Contributions:
    """How the answer changed from node to node on the way of one row, which reached some leaves.

    Every test moves the answer from its node's to its child's; the difference is credited to the column it
    tests, in equal parts to several (Saabas 2014). It adds up, but says nothing about columns tested higher
    up that would have done as well; Shapley values do.
    """
    columns = {column.name: 0.0 for column in tree.columns}
    weight_of = {0: 1.0}  # how much of the row comes to each node: the weight of the leaves below it
    for leaf, weight in zip(reached.leaf.tolist(), reached.weight.tolist(), strict=True):
        for node in tree.path(leaf)[1:]:
            weight_of[node] = weight_of.get(node, 0.0) + weight
        for place in equations.used_columns(tree, leaf):
            added = equations.column_terms(tree, leaf, place, arrays[place])[0]
            gap = equations.column_gap(tree, leaf, place)
            columns[tree.columns[place].name] += float(weight * (added - gap))
    for node in sorted(weight_of):
        below = [child for child in tree.children(node) if child in weight_of]
        tested = tree.tested_columns(node) if below else ()
        moved = sum(weight_of[child] * (node_answers[child] - node_answers[node]) for child in below)
        for place in tested:
            columns[tree.columns[place].name] += float(moved) / len(tested)
    base = float(node_answers[0])
    return Contributions(base, columns, answer - base - sum(columns.values()))


SCHEMA = "hornbeam/explain/1"
_STEP_FIELDS = ("node", "text", "test", "value", "remark")
_LEAF_FIELDS = (
    "leaf", "weight", "answer", "n_rows", "count", "interval", "spread", "conditions", "equation",
)  # fmt: skip


@dataclass(frozen=True)
class _Source:
    """What is explained: the row as given, as the tree reads it, and the leaves it reached; and how many
    changes to look for.
    """

    tree: Tree
    row: Any
    arrays: tuple[AnyArray, ...]
    reached: Routing
    n_changes: int
    fixed: tuple[str, ...]

    @property
    def table(self) -> Table:
        return Table(self.tree.columns, 1, self.arrays)


@dataclass(frozen=True)
class Explanation(ShownResult):
    """The answer for one row and how it came about; `str()` is the text for people, `to_dict()` for programs.

    Attributes
    ----------
    answer : object
        The label, or the value.
    probabilities : dict or None
        Label -> probability in class order; None in a regression tree.
    path : tuple of Step
        The tests passed; up to the first one with a missing value that has several answers, if there is one.
    reached : tuple of Reached
        The leaves reached, heaviest first: one, unless a missing value led to several. Each has the training
        rows it rests on, and Wilson's 95 % interval of its class's share.
    unused : tuple of str
        Columns no test on the way asked for.
    remarks : tuple of Remark
        Missing values, categories never seen, numbers outside the training range; each says whether it
        mattered.
    tests : tuple of str
        The tests of the path as short texts: `Outlook=Sunny`, `age<=30.5`.
    contributions : Contributions or None
        The exact Shapley value of each column for the answer (`hb.shap_values`): of the class's
        probability, or of the value. None for a density, and where there are too many to compute.
    path_contributions : Contributions or None
        The differences between the nodes on the way instead, credited to the columns they test.
    changes : tuple of Counterfactual
        The nearest changes that lead to another answer (`hb.counterfactuals`), without those that change all
        columns of a nearer one; none for trees with expressions or equations.
    """

    answer: Any
    probabilities: dict[Any, float] | None
    path: tuple[Step, ...]
    reached: tuple[Reached, ...]
    unused: tuple[str, ...]
    remarks: tuple[Remark, ...]
    _source: _Source = field(repr=False, compare=False)

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests of the path as short texts, in order."""
        return tuple(step.test for step in self.path if step.test)

    @property
    def in_support(self) -> bool:
        """Whether the leaf reached answers: not so for a row outside the support of a density tree."""
        return not any(step.remark.endswith("outside the support") for step in self.path)

    @property
    def leaf_weight(self) -> float:
        """The training weight of the heaviest leaf reached."""
        return float(self._source.tree.weight[self.reached[0].leaf])

    @cached_property
    def contributions(self) -> Contributions | None:
        """The Shapley value of each column for the answer."""
        if self._source.tree.task.is_density:
            return None
        try:
            shap = shap_values(self._source.tree, self._source.table)
        except ValueError:  # too many tests on different sets of columns
            return None
        values, base = shap.values[0], shap.base
        if shap.classes is not None:
            label = shap.classes.index(self.answer)
            values, base = values[:, label], base[label]
        return Contributions(float(base), dict(zip(shap.columns, values.tolist(), strict=True)))

    @cached_property
    def path_contributions(self) -> Contributions | None:
        """The contributions along the path."""
        source, tree, answer = self._source, self._source.tree, self.answer
        if tree.task.is_density:
            return None
        node_answers: Floats = tree.answers()
        if tree.classes is not None and self.probabilities is not None:
            node_answers = node_answers[:, tree.classes.index(answer)]
            answer = self.probabilities[answer]
        return path_contributions(tree, source.arrays, source.reached, node_answers, float(answer))

    @cached_property
    def changes(self) -> tuple[Counterfactual, ...]:
        """The nearest changes that lead to another answer; none changes all the columns of a nearer one."""
        source = self._source
        different: list[Counterfactual] = []
        if source.n_changes == 0:
            return ()
        try:
            check_tree(source.tree)
            near = nearest_changes(source.tree, source.row, source.arrays, self.answer, fixed=source.fixed)
            for candidate in islice(near, 6 * source.n_changes):
                if not any(set(known.columns) <= set(candidate.columns) for known in different):
                    different.append(candidate)
                    if len(different) == source.n_changes:
                        break
        except ValueError:  # no boxes, or too many
            return ()
        return tuple(different)

    def __str__(self) -> str:
        return self.text()

    def text(self, charset: str = "unicode", target: str | None = None, *, full: bool = False) -> str:
        """The explanation in words; `charset="ascii"` keeps to plain signs.

        `target`, the name of what is predicted, stands before classes such as 1: `survived = 1`; `full`:
        every set of values is whole.
        """
        return write_explanation(self, signs_of(charset), target, full=full)

    def to_dict(self) -> dict[str, Any]:
        """A dict that JSON can hold; its "schema" is "hornbeam/explain/1"."""
        shares = self.probabilities
        return {
            "schema": SCHEMA,
            "answer": json_value(self.answer),
            "probabilities": None
            if shares is None
            else [{"label": json_value(c), "probability": p} for c, p in shares.items()],
            "path": [json_fields(step, _STEP_FIELDS) for step in self.path],
            "reached": [json_fields(leaf, _LEAF_FIELDS) for leaf in self.reached],
            **json_fields(self, ("remarks", "unused", "contributions", "path_contributions")),
            "changes": [change.to_dict() for change in self.changes],
        }


def explain(model: Any, row: Any, *, changes: Any = 2, fixed: Collection[str] = ()) -> Explanation:
    """Why a model answers one row as it does.

    Parameters
    ----------
    model : estimator, Tree, or the path of a saved one
    row : dict, pandas Series, table of one row, or sequence of values in column order
    changes : int
        How many of the nearest changes that lead to another answer are named, 0 for none.
    fixed : names of columns that may not change there

    Examples
    --------
    >>> tree = Tree.from_nested({"column": "petal width", "<=": 0.8, "yes": {"counts": {"setosa": 50}},
    ...                          "no": {"counts": {"versicolor": 48, "virginica": 52}}})
    >>> print(explain(tree, {"petal width": 1.3}))
    virginica  52 %  (52 of 100 training records at leaf #2; 95 % 42–62)  versicolor 48 %
      because  petal width > 0.8 (it is 1.3)
      closest change: petal width ≤ 0.8 → setosa 100 %
      contributions: 35 % without knowing the row, petal width +17 %
    >>> explain(tree, {"petal width": 1.3}).tests
    ('petal width>0.8',)
    """
    tree = tree_of(model, for_rows=True)
    if isinstance(changes, bool) or not isinstance(changes, Integral) or changes < 0:
        raise ValueError(f"changes={changes!r} must be a whole number: how many to name, 0 for none")
    names = check_fixed(tree, fixed)
    arrays = one_row(row, tree.columns).arrays
    visits = list(routing.visit_all(tree, 1, arrays))
    reached = routing.leaves_reached(tree, 1, visits)
    passed = [visit for visit in visits if tree.kind[visit.node] != LEAF]
    used = explanation_steps.columns_used(tree, passed, reached)
    steps = explanation_steps.outside_support(tree, arrays, row)
    answer, shares = (0.0, None) if steps else answer_of_row(tree, reached, arrays)
    return Explanation(
        answer,
        shares,
        steps + explanation_steps.steps_of(tree, passed, arrays, row),
        explanation_steps.describe_leaves(tree, reached, arrays),
        tuple(column.name for k, column in enumerate(tree.columns) if k not in used),
        explanation_steps.remarks_of(tree, arrays, row, used),
        _Source(tree, row, arrays, reached, int(changes), names),
    )
