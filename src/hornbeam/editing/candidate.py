"""Candidate: a test that a node could have, with everything that can be measured about it.

A candidate is plain values only, so that it can be printed, compared and written as JSON.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from hornbeam._base.types import Bools, Floats
from hornbeam.data.formatting import MISSING_TEXT
from hornbeam.editing.candidate_text import TestWords, words_of_test
from hornbeam.editing.split_measures import BranchTable, class_measures, real_measures
from hornbeam.editing.worked_split import WorkedSplit, work_of
from hornbeam.growing.candidates.column_scores import ColumnScorer
from hornbeam.growing.candidates.column_search import BestTest
from hornbeam.growing.candidates.column_tests import ColumnTests, thresholds
from hornbeam.growing.candidates.node_rows import NodeRows, column_names
from hornbeam.growing.missing import MissingRule
from hornbeam.growing.selections import ChiSquareSelection, Conditional, PriceAware
from hornbeam.growing.thresholds import placed
from hornbeam.tree.arrays import THRESHOLD
from hornbeam.tree.json_values import json_fields, json_value
from hornbeam.tree.scores import MEASURES, named, p_text, score_name

_FEW = 0.02  # of the rows: a branch of fewer is worth a remark
_MANY = 50  # rows from which on it is
_FEWEST = 4  # rows: in fewer, values are different by chance


class Cuts(NamedTuple):
    """The score of every cut of a column.

    threshold : where it is cut, ascending
    score : the score of each cut, the better one where gaps can go to either side
    allowed : which cuts may be made
    """

    threshold: Floats
    score: Floats
    allowed: Bools


@dataclass(frozen=True)
class Candidate:
    """A test that a node could have.

    Attributes
    ----------
    column : str
        The column tested; of a test on several all of them, joined by commas.
    kind : str
        "threshold", "subset", "equals", "multiway", "intervals", "expression", "columns" or "hyperplane".
    test : str
        The test in words, such as `age<=29.5`; for a multiway test the column. "" where there is none.
    answers : tuple of str
        What leads to each branch.
    stats : tuple of tuples of float
        For each branch that has rows the weight of every class; for a real target (weight, sum of y, sum of
        y^2).
    threshold : float or None
    values : tuple
        The categories of the first branch of a test on values.
    missing : int
        Rows of the node, with repetitions, whose value is missing.
    missing_to : str or None
        The answer whose branch the gaps follow; None if there are none, or if they are left out.
    gain, split_information, gain_ratio, gini, chi2 : float or None
        Information gain and split information in bits, gain ratio, decrease of the Gini index, Pearson's
        chi-square; None for a real target.
    sdr, variance, r2, f : float or None
        Standard deviation reduction, decrease of the variance, its share of all (the squared correlation
        ratio), F of one-way analysis of variance; None for classes.
    df : int or None
        Degrees of freedom; of F those between branches.
    df_within : float or None
        Degrees of freedom of F within branches.
    p : float or None
        The probability of a larger chi-square, or F, if the branches did not differ.
    decrease : float or None
        How much the model's own criterion falls; of known rows only times their share, where gaps are left
        out.
    before, after : float or None
        The impurity of the rows judged, and the weighted mean impurity of the branches, by the model's own
        criterion; None for a loss that is no function of Stats.
    boundary : bool
        False for a cut between two neighbouring values whose rows all have the same target, which is never
        the best one (Fayyad & Irani 1992); True for other tests.
    score : float or None
        What the model ranks candidates by: `decrease`, the gain ratio, what is left after C4.5's charge, what
        the price leaves; the logarithm of a p-value where that chooses. None for one that is refused.
    measure : str
        What the score is called: "gain", "Gini decrease", "p"; "score" where prices make one of the gain.
    rank : int or None
        1 is the best, which the model takes; None: refused.
    chosen : bool
        Whether the tree tests this column here, and this is its best test; before anything is grown, whether
        it would.
    reason : str or None
        Why it may not be chosen.
    remark : str or None
        What else is worth knowing.
    facts : dict
        The test of significance that selections such as "chi-square" choose by.
    work : WorkedSplit or None
        The calculation term by term, with `work=True`.
    cuts : Cuts or None
        The score of every cut of a column that is cut at a threshold; None for other tests, and for the
        criteria "absolute" and "quantile". It is computed when it is first used.
    """

    column: str
    kind: str
    test: str = ""
    answers: tuple[str, ...] = ()
    stats: tuple[tuple[float, ...], ...] = ()
    threshold: float | None = None
    values: tuple[Any, ...] = ()
    missing: int = 0
    missing_to: str | None = None
    gain: float | None = None
    split_information: float | None = None
    gain_ratio: float | None = None
    gini: float | None = None
    chi2: float | None = None
    sdr: float | None = None
    variance: float | None = None
    r2: float | None = None
    f: float | None = None
    df: int | None = None
    df_within: float | None = None
    p: float | None = None
    decrease: float | None = None
    before: float | None = None
    after: float | None = None
    boundary: bool = True
    score: float | None = None
    measure: str = "score"
    rank: int | None = None
    chosen: bool = False
    reason: str | None = None
    remark: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    work: WorkedSplit | None = field(default=None, repr=False)
    curve: Callable[[], Cuts | None] | None = field(default=None, repr=False, compare=False)
    short: str = field(default="", repr=False)

    @cached_property
    def cuts(self) -> Cuts | None:
        """The score of every cut, computed when it is first used."""
        return None if self.curve is None else self.curve()

    def __str__(self) -> str:
        if self.reason is not None:
            return f"{self.column}: refused, {self.reason}"
        assert self.score is not None
        value = p_text(math.exp(self.score)) if self.measure == "p" else named(self.measure, self.score)
        head = f"{self.test}: rank {self.rank}, {value}"
        return head if self.work is None else f"{head}\n{self.work}"

    def summary(self) -> dict[str, Any]:
        """As `to_dict`, without "table", "cuts" and "arithmetic": of many rows those take longest."""
        return json_fields(self, (*_SINGLE_VALUES, "values", "facts"))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: numbers, text, lists; JSON can hold it. None where nothing is known.

        "table" has a list for each branch, its answer first; "cuts" the two lists "threshold" and "score";
        "arithmetic" is there with `work=True`.
        """
        values = self.summary()
        rows = zip(self.answers, self.stats, strict=True)
        values["table"] = json_value([(answer, *row) for answer, row in rows])
        if self.cuts is not None:
            values["cuts"] = {name: array.tolist() for name, array in self.cuts._asdict().items()}
        if self.work is not None:
            values |= self.work.to_dict()
        return values


_SINGLE_VALUES = [
    part.name
    for part in fields(Candidate)
    if part.name not in ("answers", "stats", "values", "facts", "work", "curve", "short")
]


def make_candidate(
    node_rows: NodeRows,
    best: BestTest,
    k: int,
    rank: int | None,
    score: float | None,
    reason: str | None,
    *,
    chosen: bool,
    work: bool,
) -> Candidate:
    """The k-th test of what a column brings to a node, measured in every way."""
    scored, gaps = best.scored, best.buckets.gaps
    missing = 0 if gaps is None else int(gaps[-1])
    if scored is None:
        name = column_names(node_rows.growth, best.columns)
        return Candidate(name, best.kind, missing=missing, chosen=chosen, reason=reason)
    words = words_of_test(node_rows, best, k)
    table, answers, missing_to = _branches(node_rows, best, words, k)
    before, after = _impurities(node_rows, table)
    measures = real_measures(table) if table.is_real else class_measures(table)
    done = work_of(node_rows, table, answers, words.column, scored, k, score) if work else None
    return Candidate(
        column=words.column,
        kind=best.kind,
        test=words.test,
        answers=answers,
        stats=tuple(map(tuple, table.shown_stats())),
        threshold=words.threshold,
        values=words.values,
        missing=missing,
        missing_to=missing_to,
        decrease=float(scored.decrease[k]),
        before=before,
        after=after,
        boundary=_is_boundary(scored.tests, k),
        score=score,
        measure=_measure(node_rows),
        rank=rank,
        chosen=chosen,
        reason=reason,
        remark=_remark(node_rows, best, table),
        facts=dict(best.facts),
        work=done,
        curve=partial(_cuts, node_rows, best),
        short=words.short,
        **measures,
    )


def _measure(node_rows: NodeRows) -> str:
    """What candidates are ranked by."""
    selection = node_rows.plan.selection
    if isinstance(selection, ChiSquareSelection | Conditional):
        return MEASURES["p"]
    return "score" if isinstance(selection, PriceAware) else score_name(node_rows.plan.criterion.name).score


def _branches(
    node_rows: NodeRows, best: BestTest, words: TestWords, k: int
) -> tuple[BranchTable, tuple[str, ...], str | None]:
    """The branches of a test that have rows, their answers, and the one that gaps follow."""
    assert best.scored is not None
    tests, growth = best.scored.tests, node_rows.growth
    sums, missing = tests.sums[k], int(tests.missing[k])
    answers = list(words.answers)
    if best.kind in ("expression", "columns", "hyperplane"):
        answers = [answers[int(value)] for value in best.buckets.values.tolist()]
    if best.kind == "equals" and best.buckets.rule == MissingRule.BRANCH and len(best.buckets.values) == 1:
        answers = answers[:1]
    answers += [MISSING_TEXT] * (len(sums) - len(answers))
    lost = 0.0 if tests.gaps is None else float(growth.weights(tests.gaps[:-1]))
    filled = [b for b in range(len(sums)) if sums[b, -1] > 0]
    width = 3 if growth.is_real else growth.width
    stats = growth.stats_of(sums[filled, :width])
    table = BranchTable(stats, sums[filled, -1], lost, node_rows.cases, node_rows.node.center, growth.is_real)
    return table, tuple(answers[b] for b in filled), answers[missing] if missing >= 0 else None


def _impurities(node_rows: NodeRows, table: BranchTable) -> tuple[float | None, float | None]:
    """The impurity of the rows judged and the mean of the branches', where they are functions of Stats."""
    criterion = node_rows.plan.criterion
    if not criterion.of_moments:
        return None, None
    if criterion.is_own:
        away = (
            np.array([0.0, table.center, 0.0]) if table.is_real else 0.0
        )  # Stats are measured from the center
        before = float(criterion.impurity((table.whole + away)[None])[0])
        each = criterion.impurity(table.stats + away)
    else:
        before, each = table.impurity(criterion.name)
    return before, float(table.weights @ each) / table.known


def _is_boundary(tests: ColumnTests, k: int) -> bool:
    if tests.last is None or tests.last[k] + 1 >= len(tests.buckets.values):
        return True
    return tests.buckets.is_boundary(int(tests.last[k]))


def _cuts(node_rows: NodeRows, best: BestTest) -> Cuts | None:
    """Score by cut, where all cuts can be scored."""
    scored = best.scored
    if scored is None or scored.tests.cut is None or best.log_p is not None:
        return None
    if scored.tests.decrease is not None:
        return None
    if len(scored.tests) == 1:
        column = best.columns[0]
        tests = thresholds(node_rows.growth.columns[column], best.buckets)
        scored = ColumnScorer(node_rows).score_tests(tests, column)
    cut = _placed_cuts(node_rows, best, scored.tests)
    finite = np.isfinite(cut)
    threshold, at = np.unique(cut[finite], return_inverse=True)
    score, allowed = np.full(len(threshold), -np.inf), np.zeros(len(threshold), dtype=np.bool_)
    np.maximum.at(score, at.reshape(-1), scored.score[finite])
    np.logical_or.at(allowed, at.reshape(-1), scored.allowed[finite])
    return Cuts(threshold, score, allowed)


def _placed_cuts(node_rows: NodeRows, best: BestTest, tests: ColumnTests) -> Floats:
    """The thresholds of all cuts of a column, where the model would place them."""
    assert tests.cut is not None
    assert tests.last is not None
    values = np.append(best.buckets.values, np.nan)
    margin = np.stack([values[tests.last], values[tests.last + 1]], axis=1)
    column, kinds = node_rows.growth.columns[best.columns[0]], np.full(len(tests.cut), THRESHOLD)
    return placed(node_rows.plan.threshold_at, [column], kinds, np.zeros_like(kinds), tests.cut, margin)


def _remark(node_rows: NodeRows, best: BestTest, table: BranchTable) -> str | None:
    column = node_rows.growth.columns[best.columns[0]]
    values, rows = best.buckets.values, best.buckets.sums[:, -1]
    if len(best.columns) == 1 and column.kind == "nominal" and len(values) == int(rows.sum()) >= _FEWEST:
        return "a different value in each row, as an identifier has: a tree learns nothing from that"
    total, least = int(table.rows.sum()), int(table.rows.min())
    if total >= _MANY and least <= _FEW * total:
        return f"its best test sets apart {least} of {total} rows"
    return None
