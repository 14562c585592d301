"""The candidates of a node in the order in which the model's selection takes them.

A selection turns what each column brings into one number; of those tied with the best the first in column
order is the best, at every rank. Who may not win is not ranked, and says why. Where a test of significance
chooses (CHAID, conditional inference), the searches of stepwise growth are asked about every column instead
of the best one only.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from hornbeam._base.significance.chaid_groups import log_level
from hornbeam._base.significance.contingency import p_text
from hornbeam._base.types import TIE
from hornbeam.growing.candidates.axis_search import Derived, PredicateSearch, SetSearch
from hornbeam.growing.candidates.chaid_search import ChiSquareSearch
from hornbeam.growing.candidates.column_scores import CONSTANT, ColumnScorer
from hornbeam.growing.candidates.column_search import BestTest, column_test, derived_test, significant_test
from hornbeam.growing.candidates.conditional_search import ConditionalSearch
from hornbeam.growing.candidates.node_rows import NodeRows
from hornbeam.growing.candidates.split_gain import descending
from hornbeam.growing.oblique.oblique_search import ObliqueSearch
from hornbeam.growing.selections import AverageGain, ChiSquareSelection, Conditional, PriceAware
from hornbeam.growing.splits import ColumnSets, Oblique, Predicates
from hornbeam.tree.words import rows_text

_EPSILON = 1e-3  # C4.5's


@dataclass(frozen=True)
class Ranked:
    """A candidate, its node_rows and what it was ranked by."""

    best: BestTest
    rank: int | None
    score: float | None


class Stop(NamedTuple):
    """Why a node is not split.

    kind : "limit" (a limit is reached), "pure", "no test" (none can be made), "score" (the best is too small)
    words : the same as a sentence
    """

    kind: str
    words: str


@dataclass(frozen=True)
class Ranking:
    """The candidates of a node; and why it is not split, None if nothing forbids it."""

    ranked: tuple[Ranked, ...]
    stop: Stop | None


def score_of(best: BestTest) -> float:
    """What the best test of a column scores among its tests."""
    assert best.scored is not None
    return float(best.scored.score[best.scored.best or 0])


def stop_of(node_rows: NodeRows, scorer: ColumnScorer, winner: Ranked | None) -> Stop | None:
    """Why nothing is split here."""
    growth, node, limits = node_rows.growth, node_rows.node, node_rows.plan.limits
    if node.depth >= limits.get("max_depth", math.inf):
        return Stop("limit", f"max_depth={limits['max_depth']} is reached")
    least = limits.get("min_rows_split", 2)
    if node.n_rows < max(least, 2 * limits.get("min_rows_leaf", 1)):
        if node.n_rows < least:
            return Stop("limit", f"{rows_text(node.n_rows)}, fewer than min_samples_split={least}")
        twice = f"fewer than twice min_samples_leaf={limits['min_rows_leaf']}"
        return Stop("limit", f"{rows_text(node.n_rows)}, {twice}")
    if growth.must_be_leaf(node):
        if _pure(node_rows):
            return Stop("pure", "all rows have the same target")
        return Stop("limit", "the target hardly varies here")
    if winner is None or winner.score is None:
        return Stop("no test", "no test can be made")
    scored = winner.best.scored
    assert scored is not None
    score, gain = score_of(winner.best), float(scored.decrease[scored.best or 0])
    score = winner.score if isinstance(node_rows.plan.selection, AverageGain) else score
    if not score - scorer.margin(score) > limits.get("min_gain", -math.inf):
        return Stop("score", f"the best score {score:.6g} is not above min_gain={limits['min_gain']:g}")
    worth = node_rows.weight / growth.total * gain
    if worth + float(np.finfo(float).eps) < float(limits.get("min_impurity_decrease", 0.0)):
        least = limits["min_impurity_decrease"]
        words = f"the best decrease, {worth:.6g} of all rows, is below min_impurity_decrease={least:g}"
        return Stop("score", words)
    return None


def _pure(node_rows: NodeRows) -> bool:
    if node_rows.growth.values is None:
        return bool(np.count_nonzero(node_rows.node.stats > 0) < 2)
    y = node_rows.growth.values[node_rows.node.rows]
    return bool(y.min() == y.max())


def rank_by_chi_square(node_rows: NodeRows, scorer: ColumnScorer, part: ChiSquareSelection) -> Ranking:
    """CHAID: the smallest adjusted p-value."""
    search = ChiSquareSearch(node_rows.growth, part)
    candidates: list[BestTest] = []
    for column, merged in search.merge_columns(node_rows.node, _drawn_columns(node_rows)).items():
        if merged is None or len(merged.groups) < 2:
            constant = merged is None
            reason = CONSTANT if constant else "its categories do not differ: merged into one"
            candidates.append(replace(column_test(node_rows, scorer, column), reason=reason))
            continue
        split, missing = search.split(merged)
        candidates.append(
            significant_test(node_rows, scorer, column, split, missing, merged.log_adjusted, merged.facts)
        )
    return _rank_by_p(node_rows, scorer, candidates, part.alpha, part.min_rows, strict=False)


def rank_by_permutation(node_rows: NodeRows, scorer: ColumnScorer, part: Conditional) -> Ranking:
    """Conditional inference: the smallest p-value, then the best cut."""
    node = node_rows.node
    search = ConditionalSearch(node_rows.growth, part)
    candidates: list[BestTest] = []
    for test in search.test_columns(node, _drawn_columns(node_rows)):
        cut = None if math.isnan(test.log_p) else search.cut(node, test.column)
        if cut is None:
            constant = math.isnan(test.log_p)
            reason = CONSTANT if constant else "no cut leaves enough rows on both sides"
            candidates.append(replace(column_test(node_rows, scorer, test.column), reason=reason))
            continue
        split, statistic = cut
        missing, facts = search.missing_branch(node, split), test.facts(part.test, statistic)
        candidates.append(significant_test(node_rows, scorer, test.column, split, missing, test.log_p, facts))
    return _rank_by_p(node_rows, scorer, candidates, part.alpha, part.min_rows, strict=True)


def _draws(node_rows: NodeRows, pool: Sequence[int]) -> Iterator[list[int]]:
    """What `max_features` offers, batch by batch: all at once if it is not known."""
    if node_rows.plan.max_features and node_rows.seeded:
        yield from node_rows.growth.draws(node_rows.node, pool)
    else:
        yield list(pool)


def _drawn_columns(node_rows: NodeRows) -> list[int]:
    """The columns tested; more than max_features are drawn only if none of the first can be tested."""
    return next(_draws(node_rows, node_rows.node.usable), [])


def _rank_by_p(
    node_rows: NodeRows,
    scorer: ColumnScorer,
    candidates: Sequence[BestTest],
    alpha: float,
    min_rows: int,
    *,
    strict: bool,
) -> Ranking:
    able = [one for one in candidates if one.reason is None]
    keys = [-float(one.log_p or 0.0) for one in able]
    order = descending(keys, lambda best: TIE * abs(best))
    ranked = [Ranked(able[k], n + 1, -keys[k]) for n, k in enumerate(order)]
    ranked += [Ranked(one, None, None) for one in candidates if one.reason is not None]
    stop = stop_of(node_rows, scorer, ranked[0] if able else None)
    if stop is None and node_rows.node.n_rows < min_rows:
        stop = Stop("limit", f"fewer than min_rows={min_rows} rows")
    if stop is None:
        facts = ranked[0].best.facts
        least = float(facts.get("log_corrected_p", facts.get("log_adjusted_p", 0.0)))
        if least >= log_level(alpha) if strict else least > log_level(alpha):
            words = f"the smallest p-value, {p_text(least)}, is not below alpha={alpha:g}"
            stop = Stop("score", words)
    return Ranking(tuple(ranked), stop)


def rank_candidates(node_rows: NodeRows, listed: Collection[int] = ()) -> Ranking:
    """Everything that could be tested at a node, ranked; of the columns `listed` with all their tests."""
    scorer = ColumnScorer(node_rows)
    selection, split, node = node_rows.plan.selection, node_rows.plan.split, node_rows.node
    if isinstance(selection, ChiSquareSelection):
        return rank_by_chi_square(node_rows, scorer, selection)
    if isinstance(selection, Conditional):
        return rank_by_permutation(node_rows, scorer, selection)
    n_columns = len(node_rows.growth.columns)
    best_tests = {
        column: column_test(node_rows, scorer, column, every=column in listed)
        for column in split.plain_columns(node.usable)
        if column in node.usable
    }
    best_tests |= {
        n_columns + k: derived_test(node_rows, scorer, derived, n_columns + k)
        for k, derived in enumerate(_derived(node_rows))
        if derived is not None
    }
    ranked: list[Ranked] = []
    left = list(best_tests)
    for batch in _draws(node_rows, left):
        tried = _rank_by_score(node_rows, scorer, [best_tests[k] for k in batch])
        ranked = [*tried, *ranked]
        left = [k for k in left if k not in batch]
        if tried and tried[0].rank is not None:
            break
    others = [_not_drawn(best_tests[k]) for k in left]
    others += [_used_up(node_rows, scorer, c) for c in range(n_columns) if c not in node.usable]
    ranked += [Ranked(one, None, None) for one in others]
    return Ranking(tuple(ranked), stop_of(node_rows, scorer, ranked[0] if ranked else None))


def _not_drawn(best: BestTest) -> BestTest:
    return replace(best, reason=best.reason or "not among the columns that max_features drew here")


def _used_up(node_rows: NodeRows, scorer: ColumnScorer, column: int) -> BestTest:
    best = column_test(node_rows, scorer, column)
    return replace(best, reason="its values were parted by a test above, one branch for each")


def _derived(node_rows: NodeRows) -> list[Derived | None]:
    """Predicates, sets of columns or the best weighted sum, in their order; None for one without a test."""
    part, growth, node = node_rows.plan.split, node_rows.growth, node_rows.node
    if isinstance(part, Predicates):
        predicates = PredicateSearch(growth, part)
        return [predicates.derived(node, k) for k in range(len(predicates.splits))]
    if isinstance(part, ColumnSets):
        usable = set(node.usable)
        search = SetSearch(growth, part)
        able = [k for k, some in enumerate(search.sets) if usable.issuperset(some.columns)]
        return [search.resolved(node, k) for k in able]
    if isinstance(part, Oblique):
        proposal = ObliqueSearch(growth, part).propose(node)
        if proposal is not None and len(proposal.split.columns) > 1:
            return [Derived(proposal.split, proposal.split.branches(growth, node.rows))]
    return []


# ---- scores ------------------------------------------------------------------------------------------------


def _rank_by_score(node_rows: NodeRows, scorer: ColumnScorer, candidates: Sequence[BestTest]) -> list[Ranked]:
    """Ranked by score: the gain or gain ratio, after C4.5's guard, or weighed against prices.

    What may not win comes last.
    """
    candidates = list(candidates)
    able = [k for k, one in enumerate(candidates) if one.reason is None and one.possible]
    selection = node_rows.plan.selection
    if isinstance(selection, AverageGain):
        score = _guarded(node_rows, scorer, candidates, able)
        able = [k for k in able if candidates[k].reason is None]
        keys = [(score[k], score[k]) for k in able]
    elif isinstance(selection, PriceAware):
        keys = [_priced(node_rows, selection, candidates[k]) for k in able]
    else:
        keys = [(score_of(candidates[k]), score_of(candidates[k])) for k in able]

    def margin(best: float) -> float:
        if isinstance(selection, PriceAware):
            return 0.0 if math.isinf(best) else TIE * (1 if selection.formula == "nunez" else abs(best))
        return scorer.margin(best, columns=True)

    order = descending([key for key, _ in keys], margin)
    ranked = [Ranked(candidates[able[k]], n + 1, keys[k][1]) for n, k in enumerate(order)]
    refused = [one for one in candidates if one.reason is not None or not one.possible]
    return ranked + [Ranked(one, None, None) for one in refused]


def _guarded(
    node_rows: NodeRows, scorer: ColumnScorer, candidates: list[BestTest], able: list[int]
) -> dict[int, float]:
    """Scores after C4.5's guard; a candidate that it refuses gets its reason."""
    gain: dict[int, float] = {}
    for k in able:
        scored = candidates[k].scored
        assert scored is not None
        gain[k], choices, cases = scorer.charge(scored, scored.best or 0)
        if gain[k] <= 0 and choices > 1:
            why = f"nothing is left of its gain after the charge log2({choices})/{cases:g} for a threshold"
            candidates[k] = replace(candidates[k], reason=why)
    left = [k for k in able if candidates[k].reason is None]
    columns = node_rows.growth.columns

    def many(k: int) -> bool:
        column = columns[candidates[k].columns[0]]
        return column.kind == "nominal" and len(column.categories) >= 0.3 * scorer.n_cases

    all_many = all(c.kind == "nominal" and len(c.categories) >= 0.3 * scorer.n_cases for c in columns)
    counted = [gain[k] for k in left if all_many or not many(k)]
    mean = math.fsum(counted) / len(counted) if counted else 1e6
    score: dict[int, float] = {}
    for k in left:
        scored = candidates[k].scored
        assert scored is not None
        information = float(scored.information[scored.best or 0])
        score[k] = gain[k]
        if scorer.by_ratio:
            score[k] = gain[k] / information if information > _EPSILON else -math.inf
            if gain[k] < mean - _EPSILON:
                why = f"its gain {gain[k]:.4f} is below the mean gain {mean:.4f} (average-gain)"
                candidates[k] = replace(candidates[k], reason=why)
            elif information <= _EPSILON:
                candidates[k] = replace(
                    candidates[k], reason="its split information is too small (average-gain)"
                )
        if candidates[k].reason is None and score[k] <= 0:
            candidates[k] = replace(candidates[k], reason="it gains nothing (average-gain)")
    return score


def _priced(node_rows: NodeRows, selection: PriceAware, candidate: BestTest) -> tuple[float, float]:
    """What is compared (a logarithm for Nunez's formula, which no gain makes too large), and the score."""
    assert candidate.scored is not None
    gain = float(candidate.scored.decrease[candidate.scored.best or 0])
    name = node_rows.growth.columns[candidate.columns[0]].name
    shown = selection.score(gain, name)
    if selection.formula != "nunez":
        return shown, shown
    if not gain > 0:
        return -np.finfo(float).max, shown
    bits = gain * math.log(2.0)
    return bits + math.log(-math.expm1(-bits)) - selection.w * math.log1p(selection.price(name)), shown
