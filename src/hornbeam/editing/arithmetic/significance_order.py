"""Testing: contenders where a test of significance chooses the column (CHAID, conditional inference).

One idea: the searches of stepwise growth are asked about every column instead of the best one only; what they
find is measured like any other test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hornbeam._base.significance.category_merges import together
from hornbeam._base.significance.chaid_groups import log_level
from hornbeam._base.significance.contingency import p_text
from hornbeam._base.significance.tails import log_any
from hornbeam.editing.arithmetic.column_gains import Judge
from hornbeam.editing.arithmetic.column_search import Found, drawn, plain, tested
from hornbeam.editing.arithmetic.node_rows import Place
from hornbeam.editing.arithmetic.ranks import Choice, Ranked, descending, stops_of
from hornbeam.growing.candidates.chaid_search import ChiSquareSearch
from hornbeam.growing.candidates.conditional_search import ConditionalSearch
from hornbeam.growing.selections import ChiSquare, Conditional

_MARGIN = 1e-12  # K4, of |log p|


def by_chi_square(place: Place, judge: Judge, part: ChiSquare) -> Choice:
    """CHAID: the smallest adjusted p-value."""
    growth, node = place.growth, place.node
    search = ChiSquareSearch(growth, part)
    lines: list[Found] = []
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


def by_permutation(place: Place, judge: Judge, part: Conditional) -> Choice:
    """Conditional inference: the smallest p-value, then the best cut."""
    growth, node = place.growth, place.node
    search = ConditionalSearch(growth, part)
    batch = _offered(place)
    statistic, log_p = search._tests(node, batch)
    n = int(np.count_nonzero(~np.isnan(log_p)))
    corrected = log_any(log_p, n) if part.bonferroni and n else log_p
    lines: list[Found] = []
    for k, c in enumerate(batch):
        cut = None if np.isnan(log_p[k]) else search._cut(node, c)
        if cut is None:
            why = "constant at this node" if np.isnan(log_p[k]) else "no cut leaves enough rows on both sides"
            lines.append(replace(plain(place, judge, c), reason=why))
            continue
        split, value = cut
        missing = -1 if place.plan.missing.known_only else search._missing(node, split)
        facts = {
            "test": part.test, "statistic": float(statistic[k]), "log_p": float(log_p[k]),
            "log_corrected_p": float(corrected[k]), "n_tested": n, "cut_statistic": value,
        }  # fmt: skip
        lines.append(tested(place, judge, c, split, missing, float(log_p[k]), facts))
    return _by_p(place, judge, lines, part.alpha, part.min_rows, strict=True)


def _offered(place: Place) -> list[int]:
    """The columns tested; more than max_features are drawn only if none of the first can be tested."""
    usable = list(place.node.usable)
    return next(drawn(place, usable), [])


def _by_p(
    place: Place, judge: Judge, lines: Sequence[Found], alpha: float, min_rows: int, *, strict: bool
) -> Choice:
    able = [k for k, line in enumerate(lines) if line.reason is None]
    keys = [-float(lines[k].order or 0.0) for k in able]
    places = descending(keys, lambda best: _MARGIN * abs(best))
    ranked = [Ranked(lines[able[k]], n + 1, -keys[k]) for n, k in enumerate(places)]
    ranked += [Ranked(line, None, None) for line in lines if line.reason is not None]
    stops = stops_of(place, judge, ranked[0] if able else None)
    if stops is None and place.node.n_rows < min_rows:
        stops = f"fewer than min_rows={min_rows} rows"
    if stops is None:
        facts = ranked[0].found.facts
        least = float(facts.get("log_corrected_p", facts.get("log_adjusted_p", 0.0)))
        if least >= log_level(alpha) if strict else least > log_level(alpha):
            stops = f"the smallest p-value, {p_text(least)}, is not below alpha={alpha:g}"
    return Choice(tuple(ranked), stops)
