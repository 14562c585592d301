"""Every number the lectures print about a bundled table, computed again and compared.

One idea: only what is printed is written down here; every other number is computed when asked for, by the
package's public functions, and the verdict follows from the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

from hornbeam._base.parameters import did_you_mean
from hornbeam.teaching.reproduce import kerrigan_mansour_facts, li_facts, poczos_facts, posik_facts
from hornbeam.teaching.reproduce.fact import VERDICTS, Fact, PrintedFact, Reproduction, verdict

__all__ = ["VERDICTS", "Fact", "Reproduction", "reproduce", "reproducible"]


_FACTS: Mapping[str, Callable[[], Iterator[PrintedFact]]] = {
    "robots": posik_facts.robots,
    "two_robots": posik_facts.two_robots,
    "tennis": lambda: chain(poczos_facts.tennis(), li_facts.tennis()),
    "gladiator": li_facts.gladiator,
    "hours": li_facts.hours,
    "hours_A": li_facts.hours_a,
    "hours_B": li_facts.hours_b,
    "tax": poczos_facts.tax,
    "eighty": poczos_facts.eighty,
    "voting": poczos_facts.voting,
    "xcount": poczos_facts.xcount,
    "temperature": posik_facts.temperature,
    "xor2": kerrigan_mansour_facts.xor2,
    "xor5": kerrigan_mansour_facts.xor5,
    "fig84": kerrigan_mansour_facts.fig84,
    "huffman": li_facts.huffman,
    "cs178": kerrigan_mansour_facts.cs178,
    "patients": poczos_facts.patients,
    "pinwheel": poczos_facts.pinwheel,
    "pt_S1": kerrigan_mansour_facts.pt_s1,
    "pt_S2": kerrigan_mansour_facts.pt_s2,
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
    >>> votes = reproduce("voting")
    >>> for fact in votes.wrong:
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
    if name != "all" and (not isinstance(name, str) or name not in _FACTS):
        raise ValueError(
            f"there is nothing to reproduce called {name!r}{did_you_mean(str(name), _FACTS)}: choose all,"
            f" {', '.join(_FACTS)}"
        )
    tables = list(_FACTS) if name == "all" else [name]
    return Reproduction(name, tuple(_fact(table, *facts) for table in tables for facts in _FACTS[table]()))


def _fact(table: str, what: str, where: str, printed: str, value: Any, erratum: str = "") -> Fact:
    return Fact(table, what, where, printed, value, verdict(printed, value), erratum)
