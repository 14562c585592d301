"""Scorecards: points for the values of a row, which add up to a score.

One idea: a card is a sum of trees of numbers. Each column that the tree tests becomes a tree of one test,
whose branches are the pieces that all tests of that column cut it into, and whose leaves are points. What
reads or exports trees reads and exports these.

    weight of evidence   ln(share of the good rows in the bin / share of the bad ones)
    information value    sum over the bins of (share of good - share of bad) x weight of evidence
    points               offset / columns + factor x (weight of evidence x coefficient + intercept / columns)
                         factor = double / ln 2, offset = points - factor x ln(odds)

The coefficients are those of a logistic regression on the weights of evidence (Siddiqi 2006, chapter 6).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hornbeam._base.parameters import check_above, is_number
from hornbeam._base.types import Floats, Longs
from hornbeam.data.formatting import aligned
from hornbeam.data.shown_result import TabularResult
from hornbeam.data.table import Table, one_row
from hornbeam.data.target import Target
from hornbeam.reading.column_bins import Evidence, column_tree, logistic, with_values
from hornbeam.reading.conditions import condition_texts, conditions
from hornbeam.reading.shap.exact_values import shap_values
from hornbeam.tree import apply, words
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.branches import to_numbers
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.tree import Tree

_PLAIN = ("threshold", "intervals", "subset", "equals", "multiway")


@dataclass(frozen=True)
class Bin:
    """One line of a card: rows with these values, and what they are worth.

    Attributes
    ----------
    column : str
        The column, "leaf" in a card of the leaves of a tree.
    text : str
        Which rows, in words.
    n, good, bad : float
        The weight of its rows, and of the good and bad ones.
    woe : float
        The weight of evidence: above 0 where good rows are more frequent than elsewhere.
    iv : float
        What the bin adds to the information value of its column.
    points : int
    """

    column: str
    text: str
    n: float
    good: float
    bad: float
    woe: float
    iv: float
    points: int


@dataclass(frozen=True)
class Reason:
    """Why a score is not higher: the value of one column, and the points it costs.

    `cost` is how many points the column takes from the score, compared with the mean over the training rows
    (its Shapley value).
    """

    column: str
    text: str
    cost: float

    def __str__(self) -> str:
        return f"{self.text}: {words.amount(self.cost)} points below the average"


@dataclass(frozen=True)
class Scale:
    """What a score means: `points` are odds good : bad of `odds`, and `double` points more double them."""

    good: Any
    bad: Any
    points: float
    odds: float
    double: float

    @property
    def factor(self) -> float:
        """Points for each unit of the logarithm of the odds."""
        return self.double / math.log(2)

    @property
    def offset(self) -> float:
        """The points of even odds."""
        return self.points - self.factor * math.log(self.odds)


@dataclass(frozen=True, eq=False)
class Scorecard(TabularResult):
    """Points by bins; `str()` is the card, `to_frame()` its lines, `score(X)` the scores of rows.

    Attributes
    ----------
    bins : tuple of Bin
    trees : tuple of Tree
        One for each column: what a bin is worth; or the whole tree with points in its leaves.
    scale : Scale
        What a score means; more points speak for `scale.good`.
    coefficients : dict
        Of the weight of evidence of each column.
    """

    bins: tuple[Bin, ...]
    trees: tuple[Tree, ...]
    scale: Scale
    coefficients: dict[str, float]

    @cached_property
    def information_value(self) -> dict[str, float]:
        """The information value of each column, the largest first."""
        values: dict[str, float] = {}
        for one in self.bins:
            values[one.column] = values.get(one.column, 0.0) + one.iv
        return dict(sorted(values.items(), key=lambda pair: -pair[1]))

    def score(self, X: Any) -> Longs:
        """The points of each row."""
        scores = sum(np.rint(tree.predict(X)).astype(np.int64) for tree in self.trees)
        return np.asarray(scores)

    def share_of_good(self, points: Any) -> Floats:
        """The probability of the good class at some scores."""
        logit = (np.asarray(points, dtype=np.float64) - self.scale.offset) / self.scale.factor
        shares: Floats = 1.0 / (1.0 + np.exp(-logit))
        return shares

    def reasons(self, row: Any, n: int = 4) -> list[Reason]:
        """At most `n` reasons, in words, that cost a row most points, for a letter of refusal.

        Parameters
        ----------
        row : dict, Series, table of one row, or sequence of values in column order
        n : how many; two or four are usual
        """
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise ValueError(f"n={n!r} must be a whole number of at least 1: how many reasons to name")
        reasons = []
        for tree in self.trees:
            table = one_row(row, tree.columns)
            values = shap_values(tree, table).values[0]
            leaf = int(apply.complete_routing(tree, apply.leaves(tree, table), table.arrays).heaviest()[0])
            texts = {demand.columns[0]: demand.text for demand in conditions(tree, leaf)}
            for column, array, value in zip(tree.columns, table.arrays, values.tolist(), strict=True):
                if value < 0 and column.name in texts:
                    cell = float(to_numbers(array)[0])
                    known = texts[column.name].removesuffix(" or missing")
                    text = (
                        f"{known} (it is {column.word(cell)})"
                        if cell == cell
                        else f"{column.label} is missing"
                    )
                    reasons.append(Reason(column.name, text, -value))
        return sorted(reasons, key=lambda reason: -reason.cost)[:n]

    def columns(self) -> dict[str, list[Any]]:
        """A row for each bin."""
        names = ("column", "text", "n", "good", "bad", "woe", "iv", "points")
        return {
            "bin" if name == "text" else name: [getattr(one, name) for one in self.bins] for name in names
        }

    def __str__(self) -> str:
        lines = [["column", "bin", "rows", str(self.scale.good), str(self.scale.bad), "WoE", "points"]]
        last = None
        for one in self.bins:
            counts = (words.count(round(value, 3)) for value in (one.n, one.good, one.bad))
            name = one.column if one.column != last else ""
            lines.append([name, one.text, *counts, f"{one.woe:+.3f}", str(one.points)])
            last = one.column
        values = ", ".join(f"{name} {value:.3f}" for name, value in self.information_value.items())
        meaning = (
            f"{words.amount(self.scale.points)} points mean odds of {words.amount(self.scale.odds)} : 1 for"
            f" {self.scale.good!r}; {words.amount(self.scale.double)} points more double them"
        )
        return "\n".join([*aligned(lines, right={2, 3, 4, 5, 6}), f"information value: {values}", meaning])


def scorecard(
    model: Any,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    good: Any = None,
    points: float = 600,
    odds: float = 50,
    double: float = 20,
) -> Scorecard:
    """A scorecard of a tree with two classes.

    With rows, every column that the tree tests is cut into bins where the tree cuts it, and gets points by a
    logistic regression on the weights of evidence of the bins. Without rows the leaves of the tree are the
    bins of one table, by their training rows.

    Parameters
    ----------
    model : fitted tree of two classes, Tree, or the path of a saved one
        Its tests must be on one column each.
    X, y, sample_weight : rows, as a rule those it was fitted on
    good : the class that more points speak for; None: the first in class order
    points, odds, double : `points` mean odds good : bad of `odds`, and `double` points more double them

    Returns
    -------
    Scorecard
        `hb.export(card, "sql")` and `hb.export(card, "xlsx")` score rows elsewhere.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X = {"income": [10, 15, 20, 25, 30, 35, 40, 45], "debts": [3, 9, 2, 8, 1, 9, 2, 1]}
    >>> model = hb.TreeClassifier(max_depth=2).fit(X, ["bad", "bad", "good", "bad"] + ["good"] * 4)
    >>> print(hb.scorecard(model, good="good"))
    column  bin                              rows  good  bad     WoE  points
    leaf    income <= 27.5 and debts <= 2.5     1     1    0  +0.588     519
            income <= 27.5 and debts > 2.5      3     0    3  -2.457     431
            income > 27.5                       4     4    0  +1.686     551
    information value: leaf 3.936
    600 points mean odds of 50 : 1 for 'good'; 20 points more double them
    """
    tree = _binary_tree(model)
    classes = tree.classes or ()
    if good is None:
        good = classes[0]
    if good not in classes:
        raise ValueError(f"good={good!r} must be one of the classes {classes[0]!r} and {classes[1]!r}")
    if not is_number(points) or not abs(points) < 2**53:
        raise ValueError(f"points={points!r} must be a number: the score at which the odds are `odds`")
    check_above("odds", odds, 0, "the odds good : bad at a score of `points`")
    check_above("double", double, 0, "how many points more double the odds")
    bad = classes[1 - list(classes).index(good)]
    scale = Scale(good, bad, float(points), float(odds), float(double))
    if X is None and y is None:
        return _card_of_leaves(tree, scale)
    if X is None or y is None:
        raise ValueError("give X and y, both or none: without rows the leaves of the tree are the bins")
    return _card_of_columns(tree, X, y, sample_weight, scale)


def _binary_tree(model: Any) -> Tree:
    tree = tree_of(model, for_rows=True)
    if tree.classes is None or len(tree.classes) != 2:
        what = f"{len(tree.classes)} classes" if tree.classes else "no classes"
        raise ValueError(f"a scorecard weighs two classes, but this tree has {what}")
    for node in np.flatnonzero(tree.kind != LEAF).tolist():
        if tree.kind_of(node) not in _PLAIN:
            names = " and ".join(repr(tree.columns[c].name) for c in tree.tested_columns(node))
            raise ValueError(
                f"node {node} tests {names} together ({tree.kind_of(node)}), but a line of a scorecard is"
                " about one column: grow the tree with split='binary'"
            )
    if len(tree) == 1:
        raise ValueError("this tree is a single leaf, which tells no rows apart")
    return tree


# ---- the two cards -----------------------------------------------------------------------------------------


def _card_of_leaves(tree: Tree, scale: Scale) -> Scorecard:
    """The leaves of the tree as the bins of one table."""
    leaves = tree.leaves()
    counts = tree.stats[leaves]
    if counts.sum(axis=0).min() <= 0:
        raise ValueError("the training rows of this tree hold one class only: give X and y with both")
    place = list(tree.classes or ()).index(scale.good)
    weighed = Evidence.of(counts[:, place], counts[:, 1 - place])
    prior = math.log(weighed.good.sum() / weighed.bad.sum())
    worth: Floats = np.rint(scale.offset + scale.factor * (weighed.woe + prior))
    texts = [" and ".join(condition_texts(conditions(tree, leaf))) for leaf in leaves.tolist()]
    bins = _lines("leaf", texts, weighed, worth)
    return Scorecard(tuple(bins), (with_values(tree, tree.weight, leaves, worth),), scale, {"leaf": 1.0})


def _card_of_columns(tree: Tree, X: Any, y: Any, sample_weight: Any, scale: Scale) -> Scorecard:
    """The pieces of each column as bins, weighed by a logistic regression."""
    table = Table.match(X, tree.columns)
    target = Target.classes_of(y, sample_weight, n_rows=table.n_rows, estimator="scorecard")
    assert target.codes is not None
    is_good = np.array([label == scale.good for label in target.classes])[target.codes]
    if set(target.classes) != {scale.good, scale.bad}:
        raise ValueError(f"y must hold both classes, {scale.good!r} and {scale.bad!r}, and no others")
    weight = target.row_weight
    tests = np.flatnonzero(tree.kind != LEAF).tolist()
    tested = sorted({column for node in tests for column in tree.tested_columns(node)})
    trees = [column_tree(tree, column) for column in tested]
    leaf_of = [apply.leaves(one, Table(tree.columns, table.n_rows, table.arrays)) for one in trees]
    weighed = [
        Evidence.of(*(np.bincount(leaf, weight * side, minlength=len(one)) for side in (is_good, ~is_good)))
        for one, leaf in zip(trees, leaf_of, strict=True)
    ]
    design = np.column_stack([one.woe[leaf] for one, leaf in zip(weighed, leaf_of, strict=True)])
    intercept, *slopes = logistic(design, is_good, weight).tolist()
    names = [tree.columns[column].name for column in tested]
    bins: list[Bin] = []
    carded = []
    for name, one, by_node, slope in zip(names, trees, weighed, slopes, strict=True):
        leaves = one.leaves()
        here = by_node.take(leaves)
        worth: Floats = np.rint(
            (scale.offset + scale.factor * intercept) / len(trees) + scale.factor * slope * here.woe
        )
        texts = [conditions(one, leaf)[0].text for leaf in leaves.tolist()]
        bins += _lines(name, texts, here, worth)
        carded.append(with_values(one, by_node.good + by_node.bad, leaves, worth))
    return Scorecard(tuple(bins), tuple(carded), scale, dict(zip(names, slopes, strict=True)))


def _lines(column: str, texts: Sequence[str], weighed: Evidence, worth: Floats) -> list[Bin]:
    """The bins of one column."""
    numbers = zip(weighed.good, weighed.bad, weighed.woe, weighed.iv, worth, strict=True)
    return [
        Bin(column, text, float(good + bad), float(good), float(bad), float(woe), float(iv), int(points))
        for text, (good, bad, woe, iv, points) in zip(texts, numbers, strict=True)
    ]
