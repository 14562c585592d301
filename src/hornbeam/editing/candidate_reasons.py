"""Why this column, and why not that one: where a candidate stands among the others, in words.

One idea: the answer compares a candidate with the winner, by the number that the model ranks them by; what
else tells them apart (what the branches leave, pure branches, other criteria, gaps) follows in a sentence
each.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hornbeam._base.significance.contingency import p_text
from hornbeam._base.types import TIE
from hornbeam.data.formatting import MISSING_TEXT
from hornbeam.editing.split_measures import number
from hornbeam.tree.scores import MEASURES, score_name, unit_of
from hornbeam.tree.words import amount, rows_text

if TYPE_CHECKING:
    from hornbeam.editing.candidate import Candidate
    from hornbeam.editing.candidates import Candidates

_OTHERS = ("gain", "gain_ratio", "gini", "chi2")
_OWN = {"entropy": "gain", "gain-ratio": "gain_ratio", "gini": "gini"}
# words of a refusal -> what it means
_MEANINGS = {
    "constant at this node": "Every row here has the same value, so it cannot part them.",
    "parted by a test above": "All rows here have the same value of it: asking again would tell nothing.",
    "below the mean gain": (
        "Gain ratios are compared only among columns of at least the mean gain, so that none wins by a small"
        " split information alone."
    ),
    "after the charge": "A threshold pays for being the best of many: its gain may be chance.",
    "split information is": "It parts the rows so unevenly that its gain ratio means nothing.",
    "not among the columns that max_features drew": "At another node the draw may offer it.",
}
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def why_here(listed: Candidates, one: Candidate) -> str:
    """Why a candidate is chosen at its node, or why not, in words."""
    return " ".join(_sentences(listed, one))


def _sentences(listed: Candidates, one: Candidate) -> Iterator[str]:
    if listed.stops is not None:
        yield f"Nothing is tested here: {listed.stops}."
    if one.rank is None:
        yield from _refused(listed, one)
    elif one.rank == 1:
        yield _first(listed, one)
        if one.after is not None and one.before:
            yield f"On average its branches leave {_left(listed, one)}."
    else:
        best = listed.leaders[0]
        yield _behind(listed, one, best)
        if one.after is not None and best.after is not None and one.before and not _ties(listed, one, best):
            left = f"{_left(listed, one)}, those of {best.column} {three(best.after)}"
            yield f"On average its branches leave {left}."
        yield from _pure_branches(one, best)
        yield from _other_criteria(listed, one, best)
    if listed.made is not None and one.rank == 1 and not one.chosen:
        yield f"The tree tests {listed.made} all the same."
    yield from _gaps(listed, one)
    if one.remark is not None:
        yield f"{one.remark[0].upper()}{one.remark[1:]}."


# ---- where it stands ---------------------------------------------------------------------------------------


def _first(listed: Candidates, one: Candidate) -> str:
    name, unit = _measure(listed)
    if listed.n_ranked == 1:
        return f"{_named(one)} is the only test that can be made: its {name} is {_score(listed, one)}."
    second = listed.leaders[1]
    if _ties(listed, second, one):
        taken = "is taken" if listed.stops is None else "would be taken"
        return (
            f"{_named(one)} {taken}: its {name} is {_score(listed, one)}, as is that of {second.column}. Of"
            f" equals the first is taken, and {one.column} stands before {second.column}."
        )
    most = "smallest" if listed.by_p else "largest"
    return (
        f"{_named(one)} is first of {listed.n_ranked}: its {name}, {_score(listed, one)}, is the {most};"
        f" {second.column} is next with {_score(listed, second).removesuffix(unit)}."
    )


def _behind(listed: Candidates, one: Candidate, best: Candidate) -> str:
    name, unit = _measure(listed)
    assert one.rank is not None
    if _ties(listed, one, best):
        return (
            f"{_named(one)} ties with {best.column}: both have a {name} of {_score(listed, one)}. Of equals"
            f" the first is taken, and {best.column} stands before {one.column}."
        )
    place = f"{_named(one)} is {_ordinal(one.rank)} of {listed.n_ranked}: its {name} is {_score(listed, one)}"
    if listed.by_p:
        return f"{place}, that of {best.column} {_score(listed, best)}; the smallest is taken."
    assert one.score is not None
    assert best.score is not None
    if math.isinf(best.score):
        return f"{place}, that of {best.column} is infinite."
    here, there, less = difference_text(one.score, best.score)
    return (
        f"{_named(one)} is {_ordinal(one.rank)} of {listed.n_ranked}: its {name} is {here}{unit}, {less} less"
        f" than {best.column}'s {there}."
    )


def _refused(listed: Candidates, one: Candidate) -> Iterator[str]:
    yield f"{one.column} is refused: {one.reason}."
    for words, meaning in _MEANINGS.items():
        if one.reason is not None and words in one.reason:
            yield meaning
    best = listed.leaders[0] if listed.leaders else None
    if listed.criterion != "gain-ratio" or one.gain_ratio is None or best is None or not best.gain_ratio:
        return
    than = "larger" if one.gain_ratio > best.gain_ratio else "smaller"
    yield (
        f"Its gain ratio, {three(one.gain_ratio)}, would be {than} than {best.column}'s"
        f" {three(best.gain_ratio)}."
    )


def _measure(listed: Candidates) -> tuple[str, str]:
    """What candidates are compared by, and its unit."""
    if listed.by_p:
        return "p-value", ""
    if listed.selection == "price-aware":
        return "score, its gain weighed against its price,", ""
    name = score_name(listed.criterion).score
    return name, unit_of(name)


def _score(listed: Candidates, one: Candidate) -> str:
    if one.score is None:
        return "none"
    return p_text(one.score) if listed.by_p else f"{three(one.score)}{_measure(listed)[1]}"


def _ties(listed: Candidates, one: Candidate, best: Candidate) -> bool:
    if one.score is None or best.score is None:
        return False
    return one.score == best.score or best.score - one.score <= TIE * max(listed.impurity, abs(best.score))


def _named(one: Candidate) -> str:
    """The column, with where it is cut or which values are set apart."""
    return one.column if one.kind == "multiway" or not one.short else f"{one.column} ({one.short})"


def _ordinal(rank: int) -> str:
    return _ORDINALS[rank - 1] if rank <= len(_ORDINALS) else f"number {rank}"


def difference_text(small: float, large: float) -> tuple[str, str, str]:
    """Two numbers and their difference, with so many decimals (three, if possible) that they add up as shown.

    >>> difference_text(0.15183, 0.24674), difference_text(0.15183, 0.15642)
    (('0.152', '0.247', '0.095'), ('0.1518', '0.1564', '0.0046'))
    """
    for digits in range(3, 7):
        a, b, less = (round(x, digits) for x in (small, large, large - small))
        if less > 0 and round(b - a, digits) == less and abs(large) < 1000:
            return f"{a:.{digits}f}", f"{b:.{digits}f}", f"{less:.{digits}f}"
    return three(small), three(large), three(large - small)


def three(x: float) -> str:
    """A number of a sentence: three decimals; of smaller ones two digits, of large ones none.

    >>> three(0.24674982), three(0.0), three(0.000321), three(12345.67)
    ('0.247', '0', '0.00032', '12346')
    """
    if x == 0 or not math.isfinite(x):
        return "0" if x == 0 else str(x)
    if abs(x) < 0.001:
        return f"{x:.2g}"
    return f"{x:.3f}" if abs(x) < 1000 else amount(x)


# ---- what else tells them apart ----------------------------------------------------------------------------


def _left(listed: Candidates, one: Candidate) -> str:
    assert one.after is not None
    assert one.before is not None
    unit = unit_of(score_name(listed.criterion).impurity)
    return f"{three(one.after)} of the {three(one.before)}{unit}"


def _pure_branches(one: Candidate, best: Candidate) -> Iterator[str]:
    """Branches of the winner whose rows are all of one class, where the other has none."""
    if one.gain is None or _pure(one):
        return
    pure = _pure(best)
    if len(pure) == 1:
        answer, rows = pure[0]
        words = rows_text(int(rows)) if rows == int(rows) else f"weight {number(rows)}"
        yield f"{best.column} has a branch of one class, {answer} with {words}; {one.column} has none."
    elif pure:
        yield f"{best.column} has {len(pure)} branches of one class; {one.column} has none."


def _pure(one: Candidate) -> list[tuple[str, float]]:
    """The branches of one class: what leads there, and their weight."""
    pairs = zip(one.answers, one.stats, strict=True)
    return [(answer, sum(row)) for answer, row in pairs if sum(weight > 0 for weight in row) == 1]


def _other_criteria(listed: Candidates, one: Candidate, best: Candidate) -> Iterator[str]:
    """The criteria by which it would be ahead of the winner."""
    own = _OWN.get(listed.criterion)
    ahead = []
    for name in _OTHERS:
        a, b = getattr(one, name), getattr(best, name)
        if name != own and a is not None and b is not None and a > b * (1 + 1e-9) + 1e-12:
            ahead.append(f"{MEASURES[name]} ({three(a)} against {three(b)})")
    if ahead:
        yield f"By {' and by '.join(ahead)} it would be ahead of {best.column}."


def _gaps(listed: Candidates, one: Candidate) -> Iterator[str]:
    if not one.missing:
        return
    have = "has" if one.missing == 1 else "have"
    head = f"{one.missing} of the {rows_text(listed.n_rows)} {have} no value of it"
    if one.rank is None:
        yield f"{head}."
    elif one.missing_to == MISSING_TEXT or MISSING_TEXT in one.answers:
        yield f"{head}: a branch of their own."
    elif one.missing_to is not None:
        yield f"{head}: they follow the branch {one.missing_to}."
    else:
        yield f"{head}: it is judged by the other rows, and its gain counts for their share only."
