"""Work: the arithmetic of one test, term by term, as it is done on a blackboard.

    gain = H(9,5) − 5/14·H(2,3) − 4/14·H(4,0) − 5/14·H(3,2) = 0.9403 − 0.3468 − 0 − 0.3468 = 0.2467 bits

One idea: every number shown is computed from the table of the branches; a term is kept both as text and as
plain values, so that a page or a terminal can print the same calculation its own way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hornbeam._base.significance.contingency import chi_square
from hornbeam.editing.split_measures import (
    BranchTable,
    SumOfTerms,
    class_measures,
    four,
    number,
    own_terms,
    pieces,
    real_measures,
)
from hornbeam.growing.candidates.column_scores import ColumnScorer, ScoredTests
from hornbeam.growing.candidates.node_rows import NodeRows
from hornbeam.growing.selections import AverageGain, PriceAware
from hornbeam.tree.node_stats import merge_stats, squares_between
from hornbeam.tree.scores import p_text, score_name, unit_of


@dataclass(frozen=True)
class WorkedSplit:
    """A calculation.

    Attributes
    ----------
    lines : tuple of str
        The calculation of the model's own criterion first, then the other measures and the test.
    details : tuple of str
        The entropies, or whatever the lines put together, each term by term.
    arithmetic : tuple of dict
        The same as plain values: "name", "value", "unit", and "terms" (numerator, denominator), or "sum" of
        named terms with their factors.
    expected : tuple of tuples of float
        For classes, what each branch would hold of each class if it told nothing about them.
    """

    lines: tuple[str, ...]
    details: tuple[str, ...]
    arithmetic: tuple[dict[str, Any], ...]
    expected: tuple[tuple[float, ...], ...] = ()

    def __str__(self) -> str:
        return "\n".join((*self.lines, *self.details))

    def to_dict(self) -> dict[str, Any]:
        """The terms, the lines and the expected table as plain values."""
        return {
            "arithmetic": list(self.arithmetic),
            "lines": list(self.lines),
            "expected": [list(row) for row in self.expected],
        }


# criterion -> the letter of its potential
_CLASSES = {"entropy": "H", "gini": "G", "root": "R", "error": "E"}
_REAL = {"sd": "S", "variance": "Var", "poisson": "D"}


def work_of(
    node_rows: NodeRows,
    parts: BranchTable,
    answers: Sequence[str],
    column: str,
    scored: ScoredTests,
    k: int,
    score: float | None,
) -> WorkedSplit:
    """The calculation of a test."""
    criterion = node_rows.plan.criterion.name
    sums = list(_sums(node_rows, parts, answers, criterion, scored, k))
    lines, arithmetic, details = [], [], []
    for each in sums:
        lines.append(each.line())
        arithmetic += each.plain()
        details += [text for text in each.details() if text not in details]
        if each.name == "gain":
            ratio, terms = _ratio(parts)
            lines += ratio
            arithmetic += terms
    for text, value in _selected(node_rows, column, scored, k, score):
        lines.append(text)
        arithmetic.append({"name": text.partition(" = ")[0], "value": value, "unit": ""})
    expected: tuple[tuple[float, ...], ...] = ()
    if parts.is_real:
        lines.append(_f_line(parts))
    else:
        text, term, expected = _chi_square(parts)
        lines.append(text)
        arithmetic.append(term)
    return WorkedSplit(tuple(lines), tuple(details), tuple(arithmetic), expected)


def _sums(
    node_rows: NodeRows,
    parts: BranchTable,
    answers: Sequence[str],
    criterion: str,
    scored: ScoredTests,
    k: int,
) -> Iterator[SumOfTerms]:
    """The decrease of the model's criterion, then those of the others."""
    table = _REAL if parts.is_real else _CLASSES
    first = "entropy" if criterion == "gain-ratio" else criterion
    others = ("sd", "variance") if parts.is_real else ("entropy", "gini")
    if first not in table:  # a loss that keeps the order of y: only what it is worth is known
        yield SumOfTerms(score_name(criterion).score, "", (), (), (), float(scored.decrease[k]), 1.0, ())
    for name in dict.fromkeys((*((first,) if first in table else ()), *others)):
        called = score_name(name).score
        if name == "poisson":
            whole, each = _of_rates(node_rows, scored, k)
        else:
            whole, each = parts.impurity(name)
        yield pieces(parts, answers, called, table[name], unit_of(called), whole, each)


def _of_rates(node_rows: NodeRows, scored: ScoredTests, k: int) -> tuple[float, Any]:
    """Half the mean Poisson deviance of all rows and of each branch."""
    sums, growth = scored.tests.sums[k], node_rows.growth
    stats = growth.stats_of(sums[sums[:, -1] > 0, :-1])
    whole = merge_stats(stats, growth.task)
    return float(growth.impurity(whole[None])[0]), growth.impurity(stats)


def _ratio(parts: BranchTable) -> tuple[list[str], list[dict[str, Any]]]:
    """Split information and gain ratio."""
    measured = class_measures(parts)
    sizes = [float(w) for w in parts.weights] + ([parts.lost] if parts.lost else [])
    total = sum(sizes)
    text, terms = own_terms(sizes, total)
    information = four(measured["split_information"])
    name = f"H({','.join(map(number, sizes))})"
    lines = [
        f"split information = {name} = {text} = {information} bits",
        f"gain ratio = {four(measured['gain'])} / {information} = {four(measured['gain_ratio'])}",
    ]
    if not measured["split_information"]:
        lines[1] = "gain ratio: none, the split information is 0"
    return lines, [
        {"name": "split information", "terms": terms, "value": measured["split_information"], "unit": "bits"},
        {"name": "gain ratio", "value": measured["gain_ratio"], "unit": ""},
    ]


def _selected(
    node_rows: NodeRows, column: str, scored: ScoredTests, k: int, score: float | None
) -> Iterator[tuple[str, float]]:
    """What the selection makes of the gain."""
    selection, gain = node_rows.plan.selection, float(scored.decrease[k])
    if isinstance(selection, AverageGain):
        left, choices, cases = ColumnScorer(node_rows).charge(scored, k)
        if choices > 1:
            yield (
                f"gain after the charge = {four(gain)} − log2({choices})/{number(cases)} = {four(left)}",
                left,
            )
        if score is not None and node_rows.plan.criterion.name == "gain-ratio":
            information = float(scored.information[k])
            yield f"ratio compared = {four(left)} / {four(information)} = {four(score)}", score
    if isinstance(selection, PriceAware):
        price, value = selection.price(column), selection.score(gain, column)
        if selection.formula == "nunez":
            yield f"score = (2^{four(gain)} − 1) / ({price:g} + 1)^{selection.w:g} = {four(value)}", value
        else:
            yield f"score = {four(gain)}² / {price:g} = {four(value)}", value


def _chi_square(parts: BranchTable) -> tuple[str, dict[str, Any], tuple[tuple[float, ...], ...]]:
    counts = parts.counts()
    test = chi_square(counts)
    terms = [
        f"({number(o)}−{_two(e)})²/{_two(e)}"
        for row, wanted in zip(counts.tolist(), test.expected.tolist(), strict=True)
        for o, e in zip(row, wanted, strict=True)
        if e > 0
    ]
    text = f"chi-square = {' + '.join(terms)} = {four(test.chi2)}, df {test.df}, {p_text(test.p)}"
    term = {
        "name": "chi-square",
        "observed": counts.tolist(),
        "expected": test.expected.tolist(),
        "value": test.chi2,
        "df": test.df,
        "p": test.p,
        "unit": "",
    }
    return text, term, tuple(map(tuple, test.expected.tolist()))


def _two(x: float) -> str:
    return f"{x:.2f}".rstrip("0").rstrip(".")


def _f_line(parts: BranchTable) -> str:
    measured = real_measures(parts)
    _, each = parts.impurity("variance")
    n = parts.cases * parts.share
    scale = n / parts.known
    within = float(parts.weights @ each) * scale
    between = float(squares_between(parts.stats)) * scale
    return (
        f"F = ({four(between)}/{measured['df']}) / ({four(within)}/{number(measured['df_within'])})"
        f" = {four(measured['f'])}, {p_text(measured['p'])}, R² = {four(measured['r2'])}"
    )
