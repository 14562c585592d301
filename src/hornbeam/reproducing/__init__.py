"""Reproducing: every number the lectures print about a bundled table, computed again and compared.

One idea: only what is printed is written down here; every other number is computed when asked for, by the
package's public functions, and the verdict follows from the two.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping

from hornbeam.reproducing import _kerrigan, _li, _notes, _poczos, _posik
from hornbeam.reproducing._fact import VERDICTS, Fact
from hornbeam.reproducing._report import Reproduction

__all__ = ["VERDICTS", "Fact", "Reproduction", "reproduce", "reproducible"]


def _tennis() -> Iterator[Fact]:
    yield from _poczos.tennis()
    yield from _li.tennis()


_FACTS: Mapping[str, Callable[[], Iterator[Fact]]] = {
    "robots": _posik.robots,
    "two_robots": _posik.two_robots,
    "tennis": _tennis,
    "gladiator": _li.gladiator,
    "hours": _li.hours,
    "hours_A": _li.hours_a,
    "hours_B": _li.hours_b,
    "tax": _poczos.tax,
    "eighty": _poczos.eighty,
    "voting": _poczos.voting,
    "xcount": _poczos.xcount,
    "temperature": _posik.temperature,
    "xor2": _kerrigan.xor2,
    "xor5": _kerrigan.xor5,
    "fig84": _notes.fig84,
    "huffman": _li.huffman,
    "cs178": _kerrigan.cs178,
    "patients": _poczos.patients,
    "pinwheel": _poczos.pinwheel,
    "pt_S1": _notes.pt_s1,
    "pt_S2": _notes.pt_s2,
}


def reproducible() -> list[str]:
    """The names `reproduce` takes besides "all": every bundled table, and "patients".

    >>> reproducible()[:3]
    ['robots', 'two_robots', 'tennis']
    """
    return list(_FACTS)


def reproduce(name: str = "all") -> Reproduction:
    """What the lectures print about a table, beside what Hornbeam computes.

    Parameters
    ----------
    name : str
        A bundled table, "patients" for the overfitting example, or "all".

    Returns
    -------
    Reproduction
        `facts` lists what, where, printed, value, verdict and erratum; `to_dict()` gives plain data, `str()`
        an aligned table. The verdicts are "agrees", "rounded" (equal to the digits printed), "slide is wrong"
        and "not printed".

    Examples
    --------
    >>> found = reproduce("voting")
    >>> for fact in found.wrong:
    ...     print(fact.what, fact.printed, fact.value, fact.erratum)
    last denominator of the sum 40 60.0 E27
    >>> print(reproduce("hours_A"))
    hours_A
    what                      where                           printed  recomputed  verdict
    ---------------------------------------------------------------------------------------------------
    n                         Li, Standard deviation example  14       14          agrees
    mean                      Li, Standard deviation example  39.8     41.714286   slide is wrong (E10)
    standard deviation        Li, Standard deviation example  9.32     11.603131   slide is wrong (E10)
    coefficient of variation  Li, Standard deviation example  23%      27.8157%    slide is wrong (E10)
    SDR of Outlook            Li, Standard deviation example  1.66     1.804763    slide is wrong (E10)
    """
    if name == "all":
        return Reproduction(name, tuple(fact for facts in _FACTS.values() for fact in facts()))
    if not isinstance(name, str) or name not in _FACTS:
        close = difflib.get_close_matches(str(name), _FACTS, n=1)
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        raise ValueError(
            f"there is nothing to reproduce called {name!r}{hint}: choose all, {', '.join(_FACTS)}"
        )
    return Reproduction(name, tuple(_FACTS[name]()))
