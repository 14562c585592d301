"""Rule sets: the rules of a tree, each cut down to what it needs, in order, with a default class.

One idea: a path says more than its leaf needs. A condition is dropped if the rule's pessimistic error, the
upper end of a confidence interval for its error on the rows it covers, does not rise without it (Quinlan
1993, chapter 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Bools, Longs
from hornbeam.data.formatting import class_text
from hornbeam.data.shown_result import ShownResult
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.reading.conditions import Condition, conditions
from hornbeam.reading.rules import rule_text
from hornbeam.tree import routing, words
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.refit import known_codes
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import rows_text

_ROUNDING = 1e-12


@dataclass(frozen=True)
class OrderedRule:
    """One rule of a rule set.

    Attributes
    ----------
    conditions : tuple of Condition
        All must hold.
    label : object
        The class answered.
    support, errors : int
        The rows that no earlier rule covered and this one does, and how many of them are of another class.
    pessimistic : float
        The upper end of the confidence interval for its error on all rows it covers.
    """

    conditions: tuple[Condition, ...]
    label: Any
    support: int
    errors: int
    pessimistic: float
    tests: tuple[tuple[int, int], ...] = field(repr=False, default=())

    @property
    def confidence(self) -> float:
        """The share of the label among the rows it decides."""
        return 1.0 - self.errors / self.support if self.support else 0.0

    def __str__(self) -> str:
        facts = f" ({rows_text(self.support)}, {words.percent(self.confidence)})"
        return rule_text(self.conditions, class_text(self.label), facts)


@dataclass(frozen=True)
class RuleSet(ShownResult):
    """Rules in order: the first one that holds decides, where none does the default class.

    Attributes
    ----------
    rules : tuple of OrderedRule
    default : object
        The class of the rows that no rule covers.
    errors, n_rows : int
        Rows of the table it was made on that it answers wrongly, and all of them.
    """

    rules: tuple[OrderedRule, ...]
    default: Any
    errors: int
    n_rows: int
    tree: Tree = field(repr=False, compare=False)

    def __str__(self) -> str:
        return "\n".join([*map(str, self.rules), f"OTHERWISE {class_text(self.default)}"])

    def predict(self, X: Any) -> AnyArray:
        """The class of each row."""
        n_rows, arrays = routing.arrays_for(self.tree, X)
        rows = _TestedRows(self.tree, n_rows, arrays)
        classes = np.empty(len(self.rules) + 1, dtype=object)
        classes[:] = [*(rule.label for rule in self.rules), self.default]
        first = np.full(n_rows, len(self.rules))
        for place in range(len(self.rules) - 1, -1, -1):
            first[rows.covered(self.rules[place].tests)] = place
        labels: AnyArray = np.array(classes[first].tolist())
        return labels


class _TestedRows:
    """Rows, and which of them pass the tests of the tree; each test is evaluated once."""

    def __init__(self, tree: Tree, n_rows: int, arrays: Sequence[AnyArray]) -> None:
        self.tree, self.n_rows, self.arrays = tree, n_rows, arrays
        self._taken: dict[int, Longs] = {}

    def covered(self, tests: Sequence[tuple[int, int]]) -> Bools:
        """The rows that take all of the branches (node, branch)."""
        covered = np.ones(self.n_rows, dtype=np.bool_)
        for node, branch in tests:
            if node not in self._taken:
                rows = np.arange(self.n_rows)
                self._taken[node] = routing.branches(self.tree, node, self.arrays, rows)
            covered &= self._taken[node] == branch
        return covered


def ruleset(model: Any, X: Any, y: Any, *, cf: float = 0.25) -> RuleSet:
    """The rules of a tree, simplified on a table as C4.5 does: conditions pruned, ordered, with a default.

    1. From each path conditions are dropped, the most useless first, as long as the rule's pessimistic error
       does not rise.
    2. Of rules that became equal one stays; rules no better than always answering their class go.
    3. Rules are ordered by pessimistic error, of equal ones the wider first, then as in the tree. From the
       last to the first a rule goes if the whole answers no more rows wrongly without it.
    4. The default is the commonest class of the rows that no rule covers, or of all if there are none.

    Parameters
    ----------
    model : estimator or Tree of classes, or the path of a saved one
    X, y : the table and the class of each row, as a rule those of training
    cf : float
        The confidence level of the pessimistic error: the smaller, the more is dropped.

    References
    ----------
    Quinlan, J. R. (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann, chapter 5. The choice among
    rules is by errors here, by description length there.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> print(hb.ruleset(hb.id3().fit(tennis.X, tennis.y), tennis.X, tennis.y))
    IF Outlook = Sunny AND Humidity = High THEN No (3 rows, 100 %)
    IF Outlook = Rain AND Wind = Strong THEN No (2 rows, 100 %)
    OTHERWISE Yes
    """
    tree = tree_of(model, for_rows=True)
    if tree.classes is None:
        raise ValueError(f"this tree has task={tree.task!r}: a rule set needs a tree of classes")
    if isinstance(cf, bool) or not 0 < cf < 1:
        raise ValueError(f"cf={cf!r} must be a number between 0 and 1, such as 0.25")
    table = Table.match(X, tree.columns)
    codes = known_codes(tree, Target.classes_of(y, n_rows=table.n_rows))
    rows = _TestedRows(tree, *routing.arrays_for(tree, table))
    drafts = _without_useless(tree, _pruned_paths(tree, rows, codes, cf), codes)
    drafts.sort(key=lambda draft: (draft.error, -draft.rows.sum(), draft.leaf))
    drafts = _needed(drafts, codes, len(tree.classes))
    return _finished(tree, drafts, codes)


@dataclass(frozen=True)
class _DraftRule:
    tests: tuple[tuple[int, int], ...]
    code: int
    rows: Bools
    error: float
    leaf: int


def pessimistic_error(n: float, errors: float, cf: float) -> float:
    """The upper end of the confidence interval of level `cf` for the error of n rows with some errors.

    The error rate at which so few errors or fewer still have probability `cf`; 1 where there is no row.

    >>> round(pessimistic_error(6, 0, 0.25), 6)  # 1 - 0.25 ** (1 / 6)
    0.206299
    """
    if errors >= n:
        return 1.0
    from scipy.special import betaincinv  # here: reading a saved tree does not wait for it

    return float(betaincinv(errors + 1.0, n - errors, 1.0 - cf))


def _error(rows: Bools, code: int, codes: Longs, cf: float) -> float:
    n = int(rows.sum())
    return pessimistic_error(n, n - int((codes[rows] == code).sum()), cf)


def _pruned_paths(tree: Tree, rows: _TestedRows, codes: Longs, cf: float) -> list[_DraftRule]:
    drafts: dict[Any, _DraftRule] = {}
    for leaf in tree.leaves().tolist():
        tests = tree.tests_above(leaf)
        code = int(tree.label[leaf])
        best = _error(rows.covered(tests), code, codes, cf)
        while tests:
            without = [tests[:k] + tests[k + 1 :] for k in range(len(tests))]
            errors = [_error(rows.covered(rest), code, codes, cf) for rest in without]
            least = int(np.argmin(errors))
            if errors[least] > best + _ROUNDING:
                break
            tests, best = without[least], errors[least]
        draft = _DraftRule(tuple(tests), code, rows.covered(tests), best, leaf)
        drafts.setdefault((code, draft.rows.tobytes()), draft)
    return list(drafts.values())


def _without_useless(tree: Tree, drafts: list[_DraftRule], codes: Longs) -> list[_DraftRule]:
    """Without rules that cover nothing or are no better than always answering their class."""
    share = np.bincount(codes[codes >= 0], minlength=len(tree.classes or ())) / max(len(codes), 1)
    return [draft for draft in drafts if draft.rows.any() and draft.error < 1.0 - share[draft.code]]


def _mistakes(drafts: Sequence[_DraftRule], codes: Longs, n_classes: int) -> int:
    answer = np.full(len(codes), -1)
    for draft in reversed(drafts):
        answer[draft.rows] = draft.code
    answer[answer < 0] = _default(drafts, codes, n_classes)
    return int((answer != codes).sum())


def _default(drafts: Sequence[_DraftRule], codes: Longs, n_classes: int) -> int:
    covered = np.zeros(len(codes), dtype=np.bool_)
    for draft in drafts:
        covered |= draft.rows
    for left in (codes[~covered & (codes >= 0)], codes[codes >= 0]):
        if len(left):
            return int(np.bincount(left, minlength=n_classes).argmax())
    return 0


def _needed(drafts: list[_DraftRule], codes: Longs, n_classes: int) -> list[_DraftRule]:
    least = _mistakes(drafts, codes, n_classes)
    for k in range(len(drafts) - 1, -1, -1):
        without = drafts[:k] + drafts[k + 1 :]
        now = _mistakes(without, codes, n_classes)
        if now <= least:
            drafts, least = without, now
    return drafts


def _finished(tree: Tree, drafts: Sequence[_DraftRule], codes: Longs) -> RuleSet:
    assert tree.classes is not None
    left = np.ones(len(codes), dtype=np.bool_)
    rules = []
    for draft in drafts:
        mine = left & draft.rows
        left &= ~draft.rows
        wrong = int((codes[mine] != draft.code).sum())
        when = conditions(tree, draft.leaf, tests=draft.tests)
        label = tree.classes[draft.code]
        rules.append(OrderedRule(when, label, int(mine.sum()), wrong, draft.error, draft.tests))
    default = tree.classes[_default(drafts, codes, len(tree.classes))]
    return RuleSet(tuple(rules), default, _mistakes(drafts, codes, len(tree.classes)), len(codes), tree)
