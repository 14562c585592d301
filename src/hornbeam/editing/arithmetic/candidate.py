"""ColumnCandidate: the best test of one column at a node, with everything that can be measured about it.

One idea: a candidate is plain values only, so that it can be printed, compared and written as JSON.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from hornbeam._base.types import Bools, Floats
from hornbeam.data.formatting import MISSING_TEXT
from hornbeam.editing.arithmetic.candidate_text import TestWords, words_of_test
from hornbeam.editing.arithmetic.column_gains import ColumnScorer
from hornbeam.editing.arithmetic.column_search import BestTest
from hornbeam.editing.arithmetic.column_tests import thresholds
from hornbeam.editing.arithmetic.node_rows import NodeRows, column_names
from hornbeam.editing.arithmetic.selection_order import Ranked
from hornbeam.editing.arithmetic.split_measures import BranchTable, of_classes, of_real
from hornbeam.editing.arithmetic.work import WorkedSplit, work_of
from hornbeam.growing.missing import MissingRule

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
class ColumnCandidate:
    """The best test of a column at a node.

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
    table : tuple of tuples of float
        For each branch the weight of every class; for a real target (weight, sum of y, sum of y^2).
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
        How much the model's own criterion falls.
    score : float or None
        What the model ranks candidates by: `decrease`, the gain ratio, what is left after C4.5's charge, what
        the price leaves; the logarithm of a p-value where that chooses. None for one that is refused.
    rank : int or None
        1 is the one the model takes; None: refused.
    chosen : bool
        Whether the tree tests this column here; before anything is grown, whether it would.
    reason : str or None
        Why it may not be chosen.
    remark : str or None
        What else is worth knowing.
    facts : dict
        The test of significance that selections such as "chi-square" choose by.
    work : Work or None
        The calculation term by term, if asked for.
    cuts : Cuts or None
        The score of every cut of a column that is cut at a threshold; None for other tests, and for the
        criteria "absolute" and "quantile". It is judged when first asked for.
    """

    column: str
    kind: str
    test: str = ""
    answers: tuple[str, ...] = ()
    table: tuple[tuple[float, ...], ...] = ()
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
    score: float | None = None
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
        """The score of every cut, judged when first asked for."""
        return None if self.curve is None else self.curve()

    def __str__(self) -> str:
        if self.reason is not None:
            return f"{self.column}: refused, {self.reason}"
        head = f"{self.test}: rank {self.rank}, score {self.score:.6g}"
        return head if self.work is None else f"{head}\n{self.work}"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: numbers, text, lists; JSON can hold it. None where nothing is known.

        "table" has a list for each branch, its answer first; "cuts" the two lists "threshold" and "score";
        "arithmetic" is there if the work was asked for.
        """
        plain: dict[str, Any] = {}
        for name in _PLAIN:
            value = getattr(self, name)
            plain[name] = _plain(value)
        plain["table"] = [[answer, *map(_plain, row)] for answer, row in self._rows()]
        plain["values"] = [_plain(value) for value in self.values]
        plain["facts"] = {name: _plain(value) for name, value in self.facts.items()}
        if self.cuts is not None:
            plain["cuts"] = {
                "threshold": self.cuts.threshold.tolist(),
                "score": self.cuts.score.tolist(),
                "allowed": self.cuts.allowed.tolist(),
            }
        if self.work is not None:
            plain |= self.work.to_dict()
        return plain

    def _rows(self) -> list[tuple[str, tuple[float, ...]]]:
        return list(zip(self.answers, self.table, strict=True))


_PLAIN = (
    "column", "kind", "test", "threshold", "missing", "missing_to", "gain", "split_information", "gain_ratio",
    "gini", "chi2", "sdr", "variance", "r2", "f", "df", "df_within", "p", "decrease", "score", "rank",
    "chosen", "reason", "remark",
)  # fmt: skip


def _plain(value: Any) -> Any:
    """A value JSON can hold: numbers that are none, or without end, are None; anything unknown is text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def column_candidate(place: NodeRows, ranked: Ranked, *, chosen: bool, work: bool) -> ColumnCandidate:
    """The candidate of a column, from the best of its tests."""
    best = ranked.best
    judged, gaps = best.judged, best.bins.gaps
    missing = 0 if gaps is None else int(gaps[-1])
    if judged is None:
        name = column_names(place.growth, best.columns)
        return ColumnCandidate(name, best.kind, missing=missing, chosen=chosen, reason=best.reason)
    k = judged.best if judged.best is not None else int(np.argmax(judged.score))
    words = words_of_test(place, best, k)
    parts, answers, to = _parts(place, ranked, words, k)
    measured = (of_real if parts.is_real else of_classes)(parts)
    text = words.test
    facts: dict[str, Any] = {
        "column": words.column, "kind": best.kind, "test": text, "answers": answers,
        "table": tuple(map(tuple, parts.table())), "threshold": words.threshold, "values": words.values,
        "missing": missing, "missing_to": to, "decrease": float(judged.decrease[k]), "score": ranked.score,
        "rank": ranked.rank, "chosen": chosen, "reason": best.reason,
        "remark": _remark(place, ranked, parts), "facts": dict(best.facts), "short": words.short,
        "curve": partial(_cuts, place, ranked.best),
    }  # fmt: skip
    done = work_of(place, parts, answers, words.column, judged, k, ranked.score) if work else None
    return ColumnCandidate(**facts, **vars(measured), work=done)


def _parts(
    place: NodeRows, ranked: Ranked, words: TestWords, k: int
) -> tuple[BranchTable, tuple[str, ...], str | None]:
    """The branches of a test that have rows, their answers, and the one that gaps follow."""
    best = ranked.best
    assert best.judged is not None
    options = best.judged.options
    lanes, to = options.lanes[k], int(options.missing[k])
    answers = list(words.answers)
    if best.kind in ("expression", "columns", "hyperplane"):
        answers = [answers[int(value)] for value in best.bins.values.tolist()]
    if best.kind == "equals" and best.bins.rule == MissingRule.BRANCH and len(best.bins.values) == 1:
        answers = answers[:1]
    answers += [MISSING_TEXT] * (len(lanes) - len(answers))
    lost = 0.0 if options.gaps is None else float(place.growth.weights(options.gaps[:-1]))
    filled = [b for b in range(len(lanes)) if lanes[b, -1] > 0]
    width = 3 if place.growth.is_real else place.growth.width
    parts = BranchTable(
        lanes[filled, :width], lanes[filled, -1], lost, place.cases, place.growth.center, place.growth.is_real
    )
    return parts, tuple(answers[b] for b in filled), answers[to] if to >= 0 else None


def _cuts(place: NodeRows, best: BestTest) -> Cuts | None:
    """Score by cut, where all cuts can be judged."""
    judged = best.judged
    if judged is None or judged.options.cut is None or best.order is not None:
        return None
    if judged.options.decrease is not None:
        return None
    if len(judged.options) == 1:
        column = best.columns[0]
        judged = ColumnScorer(place).of(column).judged(thresholds(place.growth.columns[column], best.bins))
    assert judged.options.cut is not None
    finite = np.isfinite(judged.options.cut)
    where, at = np.unique(judged.options.cut[finite], return_inverse=True)
    score, allowed = np.full(len(where), -np.inf), np.zeros(len(where), dtype=np.bool_)
    np.maximum.at(score, at.reshape(-1), judged.score[finite])
    np.logical_or.at(allowed, at.reshape(-1), judged.allowed[finite])
    return Cuts(where, score, allowed)


def _remark(place: NodeRows, ranked: Ranked, parts: BranchTable) -> str | None:
    best = ranked.best
    column = place.growth.columns[best.columns[0]]
    values, rows = best.bins.values, best.bins.lanes[:, -1]
    if len(best.columns) == 1 and column.kind == "nominal" and len(values) == int(rows.sum()) >= _FEWEST:
        return "a different value in each row, as an identifier has: a tree learns nothing from that"
    total, least = int(parts.rows.sum()), int(parts.rows.min())
    if total >= _MANY and least <= _FEW * total:
        return f"its best test sets apart {least} of {total} rows"
    return None
