"""Candidates: every test that could split a table, with what it gains.

One idea: what a test is worth follows from the Stats of its branches, and from those of the rows it cannot
place; which tests there are stands in `hornbeam.growing.candidates.possible_tests`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.parameters import column_names
from hornbeam._base.types import Floats, Task
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing.candidates.possible_tests import SPECIAL_OF, TESTS_OF, Name, Tally
from hornbeam.growing.criteria import ALIASES, CRITERIA, Criterion
from hornbeam.growing.missing import MISSING, MissingPolicy, MissingRule
from hornbeam.growing.part import resolve
from hornbeam.growing.splits import SPLITTING, Splitting
from hornbeam.tree.answers import impurities
from hornbeam.tree.words import amount

__all__ = ["Candidate", "candidates"]

_TRIVIAL_INFORMATION = 1e-9  # a split of less information has no gain ratio


@dataclass(frozen=True)
class Candidate:
    """One possible test, and how well it parts the target.

    Attributes
    ----------
    column : str
        The column tested; of a predicate or a set of columns all of them, joined by commas.
    kind : {"threshold", "subset", "equals", "multiway", "expression", "columns"}
    test : str
        The test in words: `age<=29.5`, `size<=M`, `body=square`, `body in {circle,square}`, for a multiway
        test only the column, `body`, for a set of columns `(head,body)`, for a predicate its text.
    threshold : float or None
        Where a numeric column is cut, or the codes of an ordinal one; None for other tests. A column of one
        value and gaps is cut at infinity: the value against the gaps.
    values : tuple
        The categories of the first branch, or its tuple of values; empty for a numeric column or a predicate.
    answers : tuple of str
        What leads to each branch: `<=29.5` and `>29.5`, `yes` and `no`, or the values.
    stats : tuple of tuples of float
        For each branch the weight of every class, in class order; for a real target (weight, sum of y, sum
        of y^2).
    gain : float
        How much the test lowers the impurity: `before` minus `after`. With `missing="fractional"` that is
        what it gains on the known rows, times their share of the weight.
    before : float
        The impurity of the rows judged: all, or with `missing="fractional"` those whose value is known.
    after : float
        The mean impurity of the branches, weighted: D2's val(h), the conditional entropy for "entropy".
    split_information : float
        The entropy of the branches' shares, in bits; gaps are one more branch.
    gain_ratio : float
        The gain over the split information.
    score : float
        What the criterion ranks the test by: the gain ratio for "gain-ratio", else the gain.
    boundary : bool
        Whether the test is worth trying: False for a cut between two neighbouring values whose rows all have
        the same target, which is never the best one (Fayyad & Irani 1992); True for tests that are no cuts.
    """

    column: str
    kind: str
    test: str
    threshold: float | None
    values: tuple[Any, ...]
    answers: tuple[str, ...]
    stats: tuple[tuple[float, ...], ...]
    gain: float
    before: float
    after: float
    split_information: float
    gain_ratio: float
    score: float
    boundary: bool

    def __str__(self) -> str:
        return f"{self.test}  gain {amount(self.gain)}  gain ratio {amount(self.gain_ratio)}"


def candidates(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    criterion: Any = "entropy",
    split: Any = "binary",
    missing: Any = "branch",
    counts: Any = None,
    categorical_features: Any = "from_dtype",
    columns: str | Sequence[str] | None = None,
) -> list[Candidate]:
    """Every test that could split a table, with its gain, in the order in which ties are settled.

    The order is: columns as in X; cuts from the lowest to the highest; values in domain order; value sets
    (the side with the first value) from the smallest, then lexicographic; then predicates or sets of columns.
    Every cut between two neighbouring values is listed, and every value set, for columns of up to 12 values.
    Tests that leave all rows in one branch are not.

    Parameters
    ----------
    X : a pandas, polars or pyarrow table, a numpy array, a dict of columns or a list of dicts
    y : the target of each row
    sample_weight, counts : weight and number of repetitions of each row
    criterion : "entropy", "gini", "gain-ratio", "root", "error"; "variance" or "sd" for a real target
    split : "binary", "multiway", "one-vs-rest", or a part of `hornbeam.parts`
        How nominal columns are split; numeric and ordinal ones are cut at a threshold. `Predicates` and
        `ColumnSets` add tests of their own after those of the columns.
    missing : "branch" or "fractional" (or a part of `hornbeam.parts`)
        "branch": rows whose value is missing are a branch of their own, named `Missing`, which counts in the
        gain and in the split information as any other. "fractional": a test is judged by the rows whose value
        is known; its gain is theirs times their share of the weight, and the split information counts the
        gaps as one more branch (C4.5). "all-paths" judges as "branch" does, "majority" and "surrogates" as
        "fractional".
    categorical_features : "from_dtype", or the nominal columns: names, positions, a mask
    columns : str, list of str or None
        Only the tests of these columns, and of no others; None for all.

    Returns
    -------
    list of Candidate

    Examples
    --------
    >>> import hornbeam as hb
    >>> cold = hb.datasets.load("temperature")
    >>> for candidate in hb.candidates(cold.X, cold.y):
    ...     if candidate.boundary:
    ...         print(candidate)
    Temperature<=-5.5  gain 0.3113  gain ratio 0.3837
    Temperature<=29  gain 0.3113  gain ratio 0.3837
    >>> robots = hb.datasets.load("robots")
    >>> best = max(hb.candidates(robots.X, robots.y, split="multiway"), key=lambda one: one.gain)
    >>> best.test, dict(zip(best.answers, best.stats))
    ('body', {'circle': (2.0, 1.0), 'square': (0.0, 3.0), 'triangle': (2.0, 0.0)})
    """
    given = ALIASES.get(criterion, criterion) if isinstance(criterion, str) else criterion
    splitting = resolve("split", split, SPLITTING, Splitting)
    rule = _rule(missing)
    table = Table.learn(X, categorical_features)
    splitting.check_columns(table.columns)
    judge = _Judge(resolve("criterion", given, CRITERIA, Criterion), rule.core_rule.known_only)
    if not judge.criterion.of_moments:
        raise ValueError(
            f"criterion={criterion!r} is judged by the search alone, not test by test: use 'variance' or 'sd'"
        )
    chosen = set(column_names(columns, [column.name for column in table.columns]))
    read = Target.classes_of if judge.criterion.task.is_classes else Target.real_of
    tally = Tally(read(y, sample_weight, counts, n_rows=table.n_rows, estimator="function"))
    listed = []
    for k in splitting.plain_columns(range(len(table.columns))):
        column = table.columns[k]
        if column.name in chosen:
            b, kind = tally.buckets(table.arrays[k]), splitting.kind(column)
            if len(b.values) + (b.gaps is not None) > 1 and len(b.values):
                listed += judge.judged(column.name, kind, *TESTS_OF[kind](column, b), b.gaps, tally)
    for part in (kind for kind in type(splitting).__mro__ if kind in SPECIAL_OF):
        for names, kind, b, name in SPECIAL_OF[part](splitting, table, tally):
            if chosen.issuperset(names) and len(b.values) + (b.gaps is not None) > 1 and len(b.values):
                listed += judge.judged(",".join(names), kind, b.stats[None], [name], b.gaps, tally)
    return listed


def _rule(missing: Any) -> MissingPolicy:
    rule = resolve("missing", missing, MISSING, MissingPolicy)
    if rule.core_rule == MissingRule.LEARN:
        raise ValueError(
            f"missing={missing!r} tries the gaps in every branch of a test, so no test has one gain: use"
            " 'branch' or 'fractional'"
        )
    return rule


@dataclass(frozen=True)
class _Judge:
    """Judges tests by a criterion, with gaps as a branch of their own or left out."""

    criterion: Criterion
    known_only: bool

    def judged(
        self, column: str, kind: str, stats: Floats, names: Sequence[Name], gaps: Floats | None, tally: Tally
    ) -> list[Candidate]:
        """The candidates with these Stats, [tests, branches, width]; `gaps` are the Stats of the gaps."""
        share, lost = 1.0, 0.0
        missing: tuple[str, ...] = ()
        if gaps is not None and self.known_only:
            lost, known = float(tally.weights(gaps)), float(tally.weights(stats[0].sum(axis=0)))
            share = known / (known + lost)
        elif gaps is not None:
            apart = np.broadcast_to(gaps, (len(stats), 1, stats.shape[2]))
            stats, missing = np.concatenate([stats, apart], axis=1), ("Missing",)
        weights = tally.weights(stats)
        filled = np.count_nonzero(weights > 0, axis=1) > 1
        before, after = self._impurities(stats, weights)
        gain = share * np.maximum(before - after, 0.0)
        apart = np.concatenate([weights, np.full((len(weights), 1), lost)], axis=1)
        information = impurities(apart, Task.CLASSES, "entropy")
        has_ratio = information > _TRIVIAL_INFORMATION
        ratio = np.divide(gain, information, out=np.zeros_like(gain), where=has_ratio)
        by_ratio = self.criterion.name == "gain-ratio"
        shown = tally.shown(stats)
        return [
            Candidate(
                column,
                kind,
                name.test,
                name.threshold,
                name.values,
                name.answers + missing,
                tuple(map(tuple, shown[k].tolist())),
                float(gain[k]),
                before,
                float(after[k]),
                float(information[k]),
                float(ratio[k]),
                float(ratio[k] if by_ratio else gain[k]),
                name.boundary,
            )
            for k, name in enumerate(names)
            if filled[k] and (has_ratio[k] or not by_ratio)
        ]

    def _impurities(self, stats: Floats, weights: Floats) -> tuple[float, Floats]:
        """The impurity of all rows together, and the mean of the branches' for each test."""
        task, name = self.criterion.task, self.criterion.name
        n_tests, n_branches, width = stats.shape
        impurity = impurities(stats.reshape(-1, width), task, name).reshape(n_tests, n_branches)
        before = float(impurities(stats[:1].sum(axis=1), task, name)[0])
        after: Floats = (weights * impurity).sum(axis=1) / weights[0].sum()
        return before, after
