"""Every number the lectures print about a bundled table, computed again and compared.

One idea: only what is printed is written down, in `printed_facts.csv`; every number is computed by the
package's public functions, and the verdict follows from the two.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from typing import Any

from hornbeam._base.parameters import did_you_mean
from hornbeam.teaching.reproduce import poczos_li_facts, posik_kerrigan_facts
from hornbeam.teaching.reproduce.fact import VERDICTS, Fact, Reproduction, verdict

__all__ = ["VERDICTS", "Fact", "Reproduction", "reproduce", "reproducible"]


# What is computed for each table: what it is, and its value.
_VALUES: Mapping[str, Callable[[], Iterator[tuple[str, Any]]]] = {
    "robots": posik_kerrigan_facts.robots,
    "two_robots": posik_kerrigan_facts.two_robots,
    "tennis": poczos_li_facts.tennis,
    "gladiator": poczos_li_facts.gladiator,
    "hours": poczos_li_facts.hours,
    "hours_A": poczos_li_facts.hours_a,
    "hours_B": poczos_li_facts.hours_b,
    "tax": poczos_li_facts.tax,
    "eighty": poczos_li_facts.eighty,
    "voting": poczos_li_facts.voting,
    "xcount": poczos_li_facts.xcount,
    "temperature": posik_kerrigan_facts.temperature,
    "xor2": posik_kerrigan_facts.xor2,
    "xor5": posik_kerrigan_facts.xor5,
    "fig84": posik_kerrigan_facts.fig84,
    "huffman": poczos_li_facts.huffman,
    "cs178": posik_kerrigan_facts.cs178,
    "patients": poczos_li_facts.patients,
    "pinwheel": poczos_li_facts.pinwheel,
    "pt_S1": posik_kerrigan_facts.pt_s1,
    "pt_S2": posik_kerrigan_facts.pt_s2,
}


def reproducible() -> list[str]:
    """The names `reproduce` takes besides "all": every bundled table, and "patients".

    >>> reproducible()[:3]
    ['robots', 'two_robots', 'tennis']
    """
    return list(_VALUES)


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
    if name != "all" and (not isinstance(name, str) or name not in _VALUES):
        raise ValueError(
            f"there is nothing to reproduce called {name!r}{did_you_mean(str(name), _VALUES)}: choose all,"
            f" {', '.join(_VALUES)}"
        )
    values = {table: dict(_VALUES[table]()) for table in (_VALUES if name == "all" else [name])}
    lines = (files(__name__) / "printed_facts.csv").read_text(encoding="utf-8").splitlines()
    rows = [row for row in csv.DictReader(lines) if row["table"] in values]
    return Reproduction(name, tuple(_fact(value=values[row["table"]][row["what"]], **row) for row in rows))


def _fact(table: str, what: str, where: str, printed: str, erratum: str, value: Any) -> Fact:
    return Fact(table, what, where, printed, value, verdict(printed, value), erratum)
