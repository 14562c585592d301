"""Choosing: the contenders of a node in the order in which the model's selection takes them.

One idea: a selection turns what each column brings into one number; ties follow K4. Who may not win is not
ranked, and says why.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hornbeam.editing.arithmetic.column_gains import Judge
from hornbeam.editing.arithmetic.column_search import Found, derived, drawn, plain
from hornbeam.editing.arithmetic.node_rows import Place
from hornbeam.editing.arithmetic.ranks import Choice, Ranked, descending, score_of, stops_of
from hornbeam.editing.arithmetic.significance_order import by_chi_square, by_permutation
from hornbeam.growing.candidates.axis_search import Derived
from hornbeam.growing.candidates.column_set_search import SetSearch
from hornbeam.growing.candidates.predicate_search import PredicateSearch
from hornbeam.growing.oblique.oblique_search import ObliqueSearch
from hornbeam.growing.selections import AverageGain, ChiSquare, Conditional, PriceAware
from hornbeam.growing.splits import ColumnSets, Oblique, Predicates

_MARGIN = 1e-12
_EPSILON = 1e-3  # C4.5's


def choice_of(place: Place) -> Choice:
    """Everything that could be tested at a node, ranked."""
    judge = Judge(place)
    selection = place.plan.selection
    if isinstance(selection, ChiSquare):
        return by_chi_square(place, judge, selection)
    if isinstance(selection, Conditional):
        return by_permutation(place, judge, selection)
    usable, everything = set(place.node.usable), range(len(place.growth.columns))
    specials = _specials(place)
    pool = [c for c in place.plan.split.plain_columns(place.node.usable) if c in usable]
    pool += [len(everything) + k for k in range(len(specials))]
    found = {c: plain(place, judge, c) for c in pool if c < len(everything)}
    found |= {
        len(everything) + k: derived(place, judge, each)
        for k, each in enumerate(specials)
        if each is not None
    }
    if isinstance(place.plan.split, Oblique):
        sloping = _oblique(place)
        if sloping is not None:
            found[len(everything)] = derived(place, judge, sloping)
            pool.append(len(everything))
    ranked: list[Ranked] = []
    left = [k for k in pool if k in found]
    for batch in drawn(place, left):
        tried = _chosen(place, judge, [found[k] for k in batch])
        ranked = [*tried, *ranked]
        left = [k for k in left if k not in batch]
        if tried and tried[0].rank is not None:
            break
    more = [_not_drawn(found[k]) for k in left]
    more += [_used_up(place, judge, c) for c in everything if c not in usable]
    ranked += [Ranked(line, None, None) for line in more]
    return Choice(tuple(ranked), stops_of(place, judge, ranked[0] if ranked else None))


def _not_drawn(found: Found) -> Found:
    return replace(found, reason=found.reason or "not among the columns that max_features drew here")


def _used_up(place: Place, judge: Judge, column: int) -> Found:
    found = plain(place, judge, column)
    return replace(found, reason="its values were parted by a test above, one branch for each")


def _specials(place: Place) -> list[Derived | None]:
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


def _oblique(place: Place) -> Derived | None:
    """The weighted sum that the search for one finds at the node."""
    proposal = ObliqueSearch(place.growth, place.plan.split).propose(place.node)
    if proposal is None or len(proposal.split.columns) < 2:
        return None
    return Derived(proposal.split, proposal.split.branches(place.growth, place.node.rows))


# ---- scores ------------------------------------------------------------------------------------------------


def _chosen(place: Place, judge: Judge, lines: Sequence[Found]) -> list[Ranked]:
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
            return 0.0 if math.isinf(best) else _MARGIN * (1 if selection.formula == "nunez" else abs(best))
        return judge.margin(best, columns=True)

    places = descending([key for key, _ in order], margin)
    ranked = [Ranked(lines[able[k]], n + 1, order[k][1]) for n, k in enumerate(places)]
    refused = [line for line in lines if line.reason is not None or not line.possible]
    return ranked + [Ranked(line, None, None) for line in refused]


def _guarded(place: Place, judge: Judge, lines: list[Found], able: list[int]) -> dict[int, float]:
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


def _priced(place: Place, selection: PriceAware, line: Found) -> tuple[float, float]:
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
