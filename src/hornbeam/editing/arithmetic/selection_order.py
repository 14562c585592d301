"""The candidates of a node in the order in which the model's selection takes them.

A selection turns what each column brings into one number; of those tied with the best the first in column
order is the best, at every rank. Who may not win is not ranked, and says why. Where a test of significance
chooses (CHAID, conditional inference), the searches of stepwise growth are asked about every column instead
of the best one only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hornbeam._base.significance.category_merges import together
from hornbeam._base.significance.chaid_groups import log_level
from hornbeam._base.significance.contingency import p_text
from hornbeam._base.significance.tails import log_any
from hornbeam._base.types import TIE
from hornbeam.editing.arithmetic.column_gains import ColumnScorer
from hornbeam.editing.arithmetic.column_search import BestTest, derived, drawn, plain, tested
from hornbeam.editing.arithmetic.node_rows import NodeRows
from hornbeam.growing.candidates.axis_search import Derived
from hornbeam.growing.candidates.chaid_search import ChiSquareSearch
from hornbeam.growing.candidates.conditional_search import ConditionalSearch
from hornbeam.growing.candidates.derived_search import PredicateSearch, SetSearch
from hornbeam.growing.oblique.oblique_search import ObliqueSearch
from hornbeam.growing.selections import AverageGain, ChiSquare, Conditional, PriceAware
from hornbeam.growing.splits import ColumnSets, Oblique, Predicates
from hornbeam.tree.words import rows_text

_EPSILON = 1e-3  # C4.5's


@dataclass(frozen=True)
class Ranked:
    """A candidate, its place and what it was ranked by."""

    best: BestTest
    rank: int | None
    score: float | None


@dataclass(frozen=True)
class Ranking:
    """The candidates of a node; and why it is not split, None if nothing forbids it."""

    ranked: tuple[Ranked, ...]
    stops: str | None


def descending(keys: Sequence[float], margin: Callable[[float], float]) -> list[int]:
    """Positions from the largest key down; of those tied with the largest of the rest the first (K4)."""
    left = sorted(range(len(keys)), key=lambda k: (-keys[k], k))
    places = []
    while left:
        best = keys[left[0]]
        bar = best - margin(best) if math.isfinite(best) else best
        run = 1
        while run < len(left) and keys[left[run]] >= bar:
            run += 1
        first = min(left[:run])
        places.append(first)
        left.remove(first)
    return places


def score_of(best: BestTest) -> float:
    """What the best test of a column scores among its tests."""
    assert best.judged is not None
    assert best.judged.best is not None
    return float(best.judged.score[best.judged.best])


def stops_of(place: NodeRows, judge: ColumnScorer, winner: Ranked | None) -> str | None:
    """Why nothing is split here."""
    growth, node, limits = place.growth, place.node, place.plan.limits
    if node.depth >= limits.get("max_depth", math.inf):
        return f"max_depth={limits['max_depth']} is reached"
    least = limits.get("min_rows_split", 2)
    if node.n_rows < max(least, 2 * limits.get("min_rows_leaf", 1)):
        if node.n_rows < least:
            return f"{rows_text(node.n_rows)}, fewer than min_samples_split={least}"
        return f"{rows_text(node.n_rows)}, fewer than twice min_samples_leaf={limits['min_rows_leaf']}"
    if growth.must_be_leaf(node):
        return "all rows have the same target" if _pure(place) else "the target hardly varies here"
    if winner is None or winner.score is None:
        return "no test can be made"
    judged = winner.best.judged
    assert judged is not None
    score, gain = score_of(winner.best), float(judged.decrease[judged.best or 0])
    score = winner.score if isinstance(place.plan.selection, AverageGain) else score
    if not score - judge.margin(score) > limits.get("min_gain", -math.inf):
        return f"the best score {score:.6g} is not above min_gain={limits['min_gain']:g}"
    worth = place.weight / growth.total * gain
    if worth + float(np.finfo(float).eps) < float(limits.get("min_impurity_decrease", 0.0)):
        least = limits["min_impurity_decrease"]
        return f"the best decrease, {worth:.6g} of all rows, is below min_impurity_decrease={least:g}"
    return None


def _pure(place: NodeRows) -> bool:
    if place.growth.values is None:
        return bool(np.count_nonzero(place.node.stats > 0) < 2)
    y = place.growth.values[place.node.rows]
    return bool(y.min() == y.max())


def by_chi_square(place: NodeRows, judge: ColumnScorer, part: ChiSquare) -> Ranking:
    """CHAID: the smallest adjusted p-value."""
    growth, node = place.growth, place.node
    search = ChiSquareSearch(growth, part)
    lines: list[BestTest] = []
    batch = _offered(place)
    begun = {c: search._begun(node, c) for c in batch}
    together([one.merging for one in begun.values() if one is not None])
    for c, one in begun.items():
        if one is None or len(one.merging.groups) < 2:
            why = "constant at this node" if one is None else "its categories do not differ: merged into one"
            lines.append(replace(plain(place, judge, c), reason=why))
            continue
        outcome = search._tested(one)
        split, missing = search._split(outcome)
        lines.append(tested(place, judge, c, split, missing, outcome.log_adjusted, outcome.facts))
    return _by_p(place, judge, lines, part.alpha, part.min_rows, strict=False)


def by_permutation(place: NodeRows, judge: ColumnScorer, part: Conditional) -> Ranking:
    """Conditional inference: the smallest p-value, then the best cut."""
    growth, node = place.growth, place.node
    search = ConditionalSearch(growth, part)
    batch = _offered(place)
    statistic, log_p = search._tests(node, batch)
    n = int(np.count_nonzero(~np.isnan(log_p)))
    corrected = log_any(log_p, n) if part.bonferroni and n else log_p
    lines: list[BestTest] = []
    for k, c in enumerate(batch):
        cut = None if np.isnan(log_p[k]) else search._cut(node, c)
        if cut is None:
            why = "constant at this node" if np.isnan(log_p[k]) else "no cut leaves enough rows on both sides"
            lines.append(replace(plain(place, judge, c), reason=why))
            continue
        split, value = cut
        missing = -1 if place.plan.missing.core_rule.known_only else search._missing(node, split)
        facts = {
            "test": part.test, "statistic": float(statistic[k]), "log_p": float(log_p[k]),
            "log_corrected_p": float(corrected[k]), "n_tested": n, "cut_statistic": value,
        }  # fmt: skip
        lines.append(tested(place, judge, c, split, missing, float(log_p[k]), facts))
    return _by_p(place, judge, lines, part.alpha, part.min_rows, strict=True)


def _offered(place: NodeRows) -> list[int]:
    """The columns tested; more than max_features are drawn only if none of the first can be tested."""
    usable = list(place.node.usable)
    return next(drawn(place, usable), [])


def _by_p(
    place: NodeRows,
    judge: ColumnScorer,
    lines: Sequence[BestTest],
    alpha: float,
    min_rows: int,
    *,
    strict: bool,
) -> Ranking:
    able = [k for k, line in enumerate(lines) if line.reason is None]
    keys = [-float(lines[k].order or 0.0) for k in able]
    places = descending(keys, lambda best: TIE * abs(best))
    ranked = [Ranked(lines[able[k]], n + 1, -keys[k]) for n, k in enumerate(places)]
    ranked += [Ranked(line, None, None) for line in lines if line.reason is not None]
    stops = stops_of(place, judge, ranked[0] if able else None)
    if stops is None and place.node.n_rows < min_rows:
        stops = f"fewer than min_rows={min_rows} rows"
    if stops is None:
        facts = ranked[0].best.facts
        least = float(facts.get("log_corrected_p", facts.get("log_adjusted_p", 0.0)))
        if least >= log_level(alpha) if strict else least > log_level(alpha):
            stops = f"the smallest p-value, {p_text(least)}, is not below alpha={alpha:g}"
    return Ranking(tuple(ranked), stops)


def choice_of(place: NodeRows) -> Ranking:
    """Everything that could be tested at a node, ranked."""
    judge = ColumnScorer(place)
    selection = place.plan.selection
    if isinstance(selection, ChiSquare):
        return by_chi_square(place, judge, selection)
    if isinstance(selection, Conditional):
        return by_permutation(place, judge, selection)
    usable, everything = set(place.node.usable), range(len(place.growth.columns))
    specials = _specials(place)
    pool = [c for c in place.plan.split.plain_columns(place.node.usable) if c in usable]
    pool += [len(everything) + k for k in range(len(specials))]
    best_tests = {c: plain(place, judge, c) for c in pool if c < len(everything)}
    best_tests |= {
        len(everything) + k: derived(place, judge, each)
        for k, each in enumerate(specials)
        if each is not None
    }
    if isinstance(place.plan.split, Oblique):
        sloping = _oblique(place)
        if sloping is not None:
            best_tests[len(everything)] = derived(place, judge, sloping)
            pool.append(len(everything))
    ranked: list[Ranked] = []
    left = [k for k in pool if k in best_tests]
    for batch in drawn(place, left):
        tried = _chosen(place, judge, [best_tests[k] for k in batch])
        ranked = [*tried, *ranked]
        left = [k for k in left if k not in batch]
        if tried and tried[0].rank is not None:
            break
    more = [_not_drawn(best_tests[k]) for k in left]
    more += [_used_up(place, judge, c) for c in everything if c not in usable]
    ranked += [Ranked(line, None, None) for line in more]
    return Ranking(tuple(ranked), stops_of(place, judge, ranked[0] if ranked else None))


def _not_drawn(best: BestTest) -> BestTest:
    return replace(best, reason=best.reason or "not among the columns that max_features drew here")


def _used_up(place: NodeRows, judge: ColumnScorer, column: int) -> BestTest:
    best = plain(place, judge, column)
    return replace(best, reason="its values were parted by a test above, one branch for each")


def _specials(place: NodeRows) -> list[Derived | None]:
    """Predicates and sets of columns, in their order; None for one that cannot be asked here."""
    part, growth, node = place.plan.split, place.growth, place.node
    if isinstance(part, Predicates):
        search = PredicateSearch(growth, part)
        pairs = zip(search.splits, search.branches, strict=True)
        return [Derived(split, branch[node.rows]) for split, branch in pairs]
    if isinstance(part, ColumnSets):
        usable = set(node.usable)
        sets = [some for some in SetSearch(growth, part).sets if usable.issuperset(some.columns)]
        return [some.derived(node, part.max_branches) for some in sets]
    return []


def _oblique(place: NodeRows) -> Derived | None:
    """The weighted sum that the search for one finds at the node."""
    proposal = ObliqueSearch(place.growth, place.plan.split).propose(place.node)
    if proposal is None or len(proposal.split.columns) < 2:
        return None
    return Derived(proposal.split, proposal.split.branches(place.growth, place.node.rows))


# ---- scores ------------------------------------------------------------------------------------------------


def _chosen(place: NodeRows, judge: ColumnScorer, lines: Sequence[BestTest]) -> list[Ranked]:
    """Ranked by score: the gain or gain ratio, after C4.5's guard, or weighed against prices.

    Who may not win comes last.
    """
    able = [k for k, line in enumerate(lines) if line.reason is None and line.possible]
    lines = list(lines)
    selection = place.plan.selection
    if isinstance(selection, AverageGain):
        score = _guarded(place, judge, lines, able)
        able = [k for k in able if lines[k].reason is None]
        order = [(score[k], score[k]) for k in able]
    elif isinstance(selection, PriceAware):
        order = [_priced(place, selection, lines[k]) for k in able]
    else:
        order = [(score_of(lines[k]), score_of(lines[k])) for k in able]

    def margin(best: float) -> float:
        if isinstance(selection, PriceAware):
            return 0.0 if math.isinf(best) else TIE * (1 if selection.formula == "nunez" else abs(best))
        return judge.margin(best, columns=True)

    places = descending([key for key, _ in order], margin)
    ranked = [Ranked(lines[able[k]], n + 1, order[k][1]) for n, k in enumerate(places)]
    refused = [line for line in lines if line.reason is not None or not line.possible]
    return ranked + [Ranked(line, None, None) for line in refused]


def _guarded(
    place: NodeRows, judge: ColumnScorer, lines: list[BestTest], able: list[int]
) -> dict[int, float]:
    """Scores after C4.5's guard; a line that it refuses gets its reason."""
    gain: dict[int, float] = {}
    for k in able:
        judged = lines[k].judged
        assert judged is not None
        assert judged.best is not None
        gain[k], choices, cases = judge.charged(judged, judged.best)
        if gain[k] <= 0 and choices > 1:
            why = f"nothing is left of its gain after the charge log2({choices})/{cases:g} for a threshold"
            lines[k] = replace(lines[k], reason=why)
    left = [k for k in able if lines[k].reason is None]
    columns = place.growth.columns

    def many(k: int) -> bool:
        column = columns[lines[k].columns[0]]
        return column.kind == "nominal" and len(column.categories) >= 0.3 * judge.n_cases

    all_many = all(c.kind == "nominal" and len(c.categories) >= 0.3 * judge.n_cases for c in columns)
    counted = [gain[k] for k in left if all_many or not many(k)]
    mean = math.fsum(counted) / len(counted) if counted else 1e6
    score: dict[int, float] = {}
    for k in left:
        judged = lines[k].judged
        assert judged is not None
        information = float(judged.information[judged.best or 0])
        score[k] = gain[k]
        if judge.by_ratio:
            score[k] = gain[k] / information if information > _EPSILON else -math.inf
            if gain[k] < mean - _EPSILON:
                why = f"its gain {gain[k]:.4f} is below the mean gain {mean:.4f} (average-gain)"
                lines[k] = replace(lines[k], reason=why)
            elif information <= _EPSILON:
                lines[k] = replace(lines[k], reason="its split information is too small (average-gain)")
        if lines[k].reason is None and score[k] <= 0:
            lines[k] = replace(lines[k], reason="it gains nothing (average-gain)")
    return score


def _priced(place: NodeRows, selection: PriceAware, line: BestTest) -> tuple[float, float]:
    """What is compared (a logarithm for Nunez's formula, which no gain makes too large), and the score."""
    assert line.judged is not None
    gain = float(line.judged.decrease[line.judged.best or 0])
    name = place.growth.columns[line.columns[0]].name
    shown = selection.score(gain, name)
    if selection.formula != "nunez":
        return shown, shown
    if not gain > 0:
        return -np.finfo(float).max, shown
    bits = gain * math.log(2.0)
    return bits + math.log(-math.expm1(-bits)) - selection.w * math.log1p(selection.price(name)), shown
