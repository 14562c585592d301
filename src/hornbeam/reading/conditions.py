"""Conditions: the tests from the root to a node, merged to one statement per column.

One idea: what a path demands of a column is an interval, a set of categories, and whether a missing value
passes too; every test on the way makes it smaller. `age > 10`, `age <= 60`, `age <= 29` become `10 < age <=
29`.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from hornbeam.data.columns import Column
from hornbeam.tree import words
from hornbeam.tree.arrays import (
    COLUMNS,
    EQUALS,
    INTERVALS,
    MULTIWAY,
    SUBSET,
    THRESHOLD,
)
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import ASCII, Signs, condition_text, cut_text, is_for_missing


@dataclass(frozen=True)
class Condition:
    """What a path demands of one column, or of several tested together (then only `text` says it).

    Attributes
    ----------
    columns : tuple of str
    text : str
        In words; also `str(condition)`.
    low, high : float
        low < value <= high, for a numeric column, or for the codes of an ordinal one.
    values : tuple or None
        The categories that pass; None where all do, or where `excluded` says which do not; empty where
        only a missing value passes, in a column of any kind.
    excluded : tuple
        Categories that do not pass.
    missing : bool
        Whether a missing value passes.
    axis_parallel : bool
        Whether the values of one column decide, as `low`, `high`, `values` and `excluded` say.
    """

    columns: tuple[str, ...]
    text: str
    low: float = -math.inf
    high: float = math.inf
    values: tuple[Any, ...] | None = None
    excluded: tuple[Any, ...] = ()
    missing: bool = False
    axis_parallel: bool = True

    def __str__(self) -> str:
        return self.text


@dataclass
class _Demand:
    """A condition while it is being narrowed."""

    column: Column
    low: float = -math.inf
    high: float = math.inf
    low_text: Callable[[], str] | None = (
        None  # called when a condition is worded: later tests replace most ends
    )
    high_text: Callable[[], str] | None = None
    codes: set[int] | None = None
    excluded: frozenset[int] = frozenset()
    known: bool = True  # a value that is there may pass
    missing: bool = True  # a value that is missing passes
    shared: bool = False  # such a value passes everywhere, by a share of its own

    def narrow(self, tree: Tree, node: int, branch: int) -> None:
        """Take in one test of the path."""
        if is_for_missing(tree, node, branch):
            self.known = False
        elif tree.kind[node] == THRESHOLD:
            self._cut(float(tree.threshold[node]), lambda: cut_text(tree, node), branch)
        elif tree.kind[node] == INTERVALS:
            cuts = tree.cuts(node).tolist()
            if branch < len(cuts):
                self._cut(cuts[branch], lambda: words.interval_ends(tree, node, branch)[1], 0)
            if branch:
                self._cut(cuts[branch - 1], lambda: words.interval_ends(tree, node, branch)[0], 1)
        elif tree.kind[node] == EQUALS:
            code = int(tree.threshold[node])
            if branch:
                self.excluded |= {code}
            else:
                self._keep({code})
        else:
            codes, branches = tree.value_map(node)
            absent = tree.absent_codes(node) if branch == tree.absent[node] else codes[branches == branch]
            self._keep({*absent.tolist(), *unlisted_codes(tree, node, branch)})
        self.missing = self.missing and takes_gaps(tree, node, branch)
        self.shared = self.shared or tree.policy["missing"] == "all-paths"

    def _cut(self, threshold: float, write: Callable[[], str], branch: int) -> None:
        if branch == 0 and threshold < self.high:
            self.high, self.high_text = threshold, cache(write)
        elif branch == 1 and threshold > self.low:
            self.low, self.low_text = threshold, cache(write)

    def _keep(self, codes: set[int]) -> None:
        self.codes = codes if self.codes is None else self.codes & codes

    def condition(self, signs: Signs) -> Condition:
        """The finished condition."""
        category = self.column.categories
        passing: list[int] | None = None if self.known else []
        if self.known and self.codes is not None:
            passing = sorted(c for c in self.codes - self.excluded if self.low < c <= self.high)
        return Condition(
            (self.column.name,),
            self._text(passing, signs),
            self.low,
            self.high,
            None if passing is None else tuple(category[c] for c in passing),
            tuple(category[c] for c in sorted(self.excluded)) if passing is None else (),
            self.missing,
        )

    def _text(self, passing: list[int] | None, signs: Signs) -> str:
        name = self.column.label
        if not self.known:
            reached = self.missing or self.shared
            return f"{name} is missing" if reached else f"{name} is missing and not missing"
        pieces = []
        if passing is not None:
            pieces.append(words.values_text(name, [self.column.word(c) for c in passing], signs))
        else:
            low, high = (end() if end else "" for end in (self.low_text, self.high_text))
            if low or high:
                pieces.append(words.interval_text(name, low, high, signs))
            if self.excluded:
                values = [self.column.word(c) for c in sorted(self.excluded)]
                pieces.append(words.values_text(name, values, signs, excluded=True))
        return (" and ".join(pieces) or f"{name} is not missing") + (" or missing" if self.missing else "")


_Demands = dict[object, _Demand | Condition]  # by column, or by node for tests of several


def condition_texts(demands: Sequence[Condition]) -> list[str]:
    """The texts of conditions that stand side by side; one with an `or` gets brackets."""
    if len(demands) == 1:
        return [demands[0].text]
    return [f"({d.text})" if d.missing and d.text.endswith(" or missing") else d.text for d in demands]


def conditions(
    tree: Tree, node: int, signs: Signs = ASCII, tests: Sequence[tuple[int, int]] | None = None
) -> tuple[Condition, ...]:
    """The merged conditions of the path to `node`, columns in the order they are first tested.

    With `tests`, pairs of node and branch, those of that part of the path.

    >>> tree = Tree.from_nested({"column": "age", "<=": 60, "no": "old",
    ...                          "yes": {"column": "age", "<=": 10, "yes": "young", "no": "middle"}})
    >>> [str(c) for c in conditions(tree, 4)]
    ['10 < age <= 60']
    """
    demands: _Demands = {}
    for parent, branch in tree.tests_above(node) if tests is None else tests:
        demands = _and(demands, tree, parent, branch, signs)
    return _finished(demands, signs)


def conditions_of(tree: Tree, nodes: Iterable[int], signs: Signs = ASCII) -> Iterator[tuple[Condition, ...]]:
    """The same for many nodes: what a test demands is worked out once for all below it.

    >>> tree = Tree.from_nested({"column": "age", "<=": 60, "yes": "young", "no": "old"})
    >>> [[str(c) for c in merged] for merged in conditions_of(tree, [0, 1, 2])]
    [[], ['age <= 60'], ['age > 60']]
    """
    demands: list[_Demands] = [{}]
    for node in range(1, len(tree)):  # parents come first
        parent, branch = tree.branch_to(node)
        demands.append(_and(demands[parent], tree, parent, branch, signs))
    return (_finished(demands[node], signs) for node in nodes)


def _and(demands: _Demands, tree: Tree, node: int, branch: int, signs: Signs) -> _Demands:
    """What is demanded when a test is taken in as well."""
    if tree.kind[node] in (THRESHOLD, EQUALS, SUBSET, MULTIWAY, INTERVALS):
        column = tree.columns[int(tree.column[node])]
        before = demands.get(column.name)
        assert not isinstance(before, Condition)
        demand = _Demand(column) if before is None else copy.copy(before)
        demand.narrow(tree, node, branch)
        return {**demands, column.name: demand}
    names = tuple(tree.columns[c].name for c in tree.tested_columns(node))
    with_gaps = takes_gaps(tree, node, branch) and not is_for_missing(tree, node, branch)
    text = condition_text(tree, node, branch, signs)
    if with_gaps and tree.kind[node] == COLUMNS:  # tuples that no branch lists go this way, too
        text = words.values_text(
            words.question_text(tree, node), other_tuples(tree, node, branch), signs, excluded=True
        )
    text += " or missing" if with_gaps else ""
    return {**demands, node: Condition(names, text, missing=with_gaps, axis_parallel=False)}


def unlisted_codes(tree: Tree, node: int, branch: int) -> list[int]:
    """The values that no branch of a test lists, where they follow this one; surrogates are asked before."""
    asks_others = tree.surrogate_offset[node] < tree.surrogate_offset[node + 1]
    return words.unlisted_codes(tree, node) if takes_gaps(tree, node, branch) and not asks_others else []


def other_tuples(tree: Tree, node: int, branch: int) -> list[str]:
    """The tuples of values that a test of several columns sends to other branches."""
    return [text for k, texts in words.branch_values(tree, node).items() if k != branch for text in texts]


def takes_gaps(tree: Tree, node: int, branch: int) -> bool:
    """Whether missing values, and values that no branch lists, follow a branch."""
    return bool(tree.missing[node] == branch) and tree.policy["missing"] != "all-paths"


def _finished(demands: _Demands, signs: Signs) -> tuple[Condition, ...]:
    return tuple(d if isinstance(d, Condition) else d.condition(signs) for d in demands.values())
