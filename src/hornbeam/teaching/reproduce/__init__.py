"""Reproducing: every number the lectures print about a bundled table, computed again and compared.

One idea: only what is printed is written down here; every other number is computed when asked for, by the
package's public functions, and the verdict follows from the two.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping

from hornbeam.teaching.reproduce import kerrigan_facts, li_facts, notes_facts, poczos_facts, posik_facts
from hornbeam.teaching.reproduce.fact import VERDICTS, Fact
from hornbeam.teaching.reproduce.reproduction import Reproduction

__all__ = ["VERDICTS", "Fact", "Reproduction", "reproduce", "reproducible"]


def _tennis() -> Iterator[Fact]:
    yield from poczos_facts.tennis()
    yield from li_facts.tennis()


_FACTS: Mapping[str, Callable[[], Iterator[Fact]]] = {
    "robots": posik_facts.robots,
    "two_robots": posik_facts.two_robots,
    "tennis": _tennis,
    "gladiator": li_facts.gladiator,
    "hours": li_facts.hours,
    "hours_A": li_facts.hours_a,
    "hours_B": li_facts.hours_b,
    "tax": poczos_facts.tax,
    "eighty": poczos_facts.eighty,
    "voting": poczos_facts.voting,
    "xcount": poczos_facts.xcount,
    "temperature": posik_facts.temperature,
    "xor2": kerrigan_facts.xor2,
    "xor5": kerrigan_facts.xor5,
    "fig84": notes_facts.fig84,
    "huffman": li_facts.huffman,
    "cs178": kerrigan_facts.cs178,
    "patients": poczos_facts.patients,
    "pinwheel": poczos_facts.pinwheel,
    "pt_S1": notes_facts.pt_s1,
    "pt_S2": notes_facts.pt_s2,
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
