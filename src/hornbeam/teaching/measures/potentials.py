"""Potentials: how mixed the classes of one group are, from its counts or from the fraction of one class.

    name            K classes                     two classes, q = P(class 1)      known as
    "error"         1 - max p                     min(q, 1 - q)                    observed error
    "gini"          1 - sum p^2                   2 q (1 - q)                      Gini index (CART)
    "half-entropy"  -1/2 sum p log2 p             1/2 H_B(q)                       half the entropy (C4.5)
    "root"          1/2 sum sqrt(p (1 - p))       sqrt(q (1 - q))                  "variance function"
    "entropy"       -sum p log2 p                 H_B(q)                           information, in bits

One idea: the first four are 0 for a pure group and 1/2 for an even one; between these points they lie one
above the other in the order of the table, and all but the error are strictly concave.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from hornbeam._base.parameters import did_you_mean
from hornbeam._base.types import Floats, Task
from hornbeam.data.measure_checks import (
    as_floats,
    as_given,
    bits_per_unit,
    fractions,
    group,
    non_negative,
    weighted_mean,
)
from hornbeam.tree.answers import impurities

_HALF = "half-entropy"
_ALIASES: Mapping[str, str] = {"half_entropy": _HALF, "variance": "root", "log_loss": "entropy"}


def _of_rows(criterion: str, factor: float = 1.0) -> Callable[[Floats], Floats]:
    return lambda table: factor * impurities(table, Task.CLASSES, criterion)


def _binary_entropy(q: Floats) -> Floats:
    return -(q * np.log2(np.where(q > 0, q, 1.0)) + (1 - q) * np.log2(np.where(q < 1, 1 - q, 1.0)))


_OF_ROWS: Mapping[str, Callable[[Floats], Floats]] = {
    "error": _of_rows("error"),
    "gini": _of_rows("gini"),
    _HALF: _of_rows("entropy", 0.5),
    "root": _of_rows("root"),
    "entropy": _of_rows("entropy"),
}
_OF_FRACTIONS: Mapping[str, Callable[[Floats], Floats]] = {
    "error": lambda q: np.minimum(q, 1 - q),
    "gini": lambda q: 2 * q * (1 - q),
    _HALF: lambda q: 0.5 * _binary_entropy(q),
    "root": lambda q: np.sqrt(q * (1 - q)),
    "entropy": _binary_entropy,
}


def potential_name(name: Any) -> str:
    """The name of a potential, from one of its names."""
    known = _ALIASES.get(name, name) if isinstance(name, str) else name
    if isinstance(known, str) and known in _OF_ROWS:
        return known
    hint = did_you_mean(str(name), [*_OF_ROWS, *_ALIASES])
    raise ValueError(f"potential={name!r} must be one of {', '.join(map(repr, _OF_ROWS))}{hint}")


def of_rows(table: Floats, name: Any) -> Floats:
    """The potential of each row of a checked table of counts; a row of zeros has none."""
    return _OF_ROWS[potential_name(name)](table)


# ---- of counts -------------------------------------------------------------------------------------------


def shares(counts: Any) -> Floats:
    """The class probabilities of a group: its counts over their sum.

    >>> shares([6, 4, 2, 0]).round(6)
    array([0.5     , 0.333333, 0.166667, 0.      ])
    """
    weights = group(counts)
    probabilities: Floats = weights / weights.sum()
    return probabilities


def val(counts: Any, potential: str = "gini") -> float:
    """The potential of one group by name: "error", "gini", "half-entropy", "root" or "entropy".

    Parameters
    ----------
    counts : sequence or dict of numbers
        The counts or probabilities of the classes; only their proportions matter.
    potential : str

    Examples
    --------
    >>> val([3, 2], "gini"), val({"ally": 4, "enemy": 4}, "entropy")
    (0.48, 1.0)
    """
    return float(of_rows(group(counts)[None, :], potential)[0])


def entropy(counts: Any, base: float = 2) -> float:
    """Entropy -sum p log p of a group, in bits unless `base` says otherwise; 0 log 0 is 0.

    Parameters
    ----------
    counts : sequence or dict of numbers
        The counts or probabilities of the classes; only their proportions matter. For a column of labels,
        count them first: `entropy(collections.Counter(labels))`.
    base : float
        2 for bits, `math.e` for nats.

    Examples
    --------
    >>> round(entropy([9, 5]), 6)
    0.940286
    >>> entropy([1, 1, 1, 1, 1, 1, 1, 1]), entropy([0.5, 0.5]), entropy([14, 0])
    (3.0, 1.0, 0.0)
    """
    return val(counts, "entropy") / bits_per_unit(base)


def half_entropy(counts: Any) -> float:
    """Half the entropy in bits, so that two even classes have 1/2; it ranks splits as the entropy does.

    >>> half_entropy([1, 1])
    0.5
    """
    return val(counts, _HALF)


def gini(counts: Any) -> float:
    """Gini index 1 - sum p^2 of a group of any number of classes.

    >>> gini([0.5, 0.5]), round(gini([6, 4, 2, 0]), 6)
    (0.5, 0.611111)
    """
    return val(counts, "gini")


def root(counts: Any) -> float:
    """Half the sum of sqrt(p (1 - p)): for two classes sqrt(q (1 - q)), the notes' "variance function".

    >>> round(root([0.8, 0.2]), 6)
    0.4
    """
    return val(counts, "root")


def error(counts: Any) -> float:
    """Observed error 1 - max p: how often the majority class is wrong. Unsuitable for choosing splits.

    >>> error([6, 4, 2, 0])
    0.5
    """
    return val(counts, "error")


# ---- of the fraction of one class ------------------------------------------------------------------------


def potential(q: Any, name: str = "gini") -> Any:
    """The potential val(q) of a group in which a fraction `q` is of one of two classes.

    Parameters
    ----------
    q : float or array of floats from 0 to 1
    name : "error", "gini", "half-entropy", "root" or "entropy"
        "half_entropy" and "variance" (for "root") are accepted, too.

    Returns
    -------
    float, or an array of the shape of `q`

    Examples
    --------
    >>> round(potential(0.8, "gini"), 6), potential([0.5, 1.0], "gini")
    (0.32, array([0.5, 0. ]))
    """
    return as_given(_OF_FRACTIONS[potential_name(name)](fractions(q, "q")))


def binary_entropy(q: Any) -> Any:
    """H_B(q) = -q log2 q - (1 - q) log2 (1 - q), the entropy of two classes; `q` is a number or an array.

    >>> binary_entropy(0.5), round(binary_entropy(2 / 3), 6)
    (1.0, 0.918296)
    """
    return potential(q, "entropy")


def gini_two(q: Any) -> Any:
    """Gini index of two classes, 2 q (1 - q); `q` is a number or an array.

    >>> gini_two(0.6)
    0.48
    """
    return potential(q, "gini")


# ---- of a split and of leaves ----------------------------------------------------------------------------
#
#     val(v, h) = u val(p) + (1 - u) val(r)         u rows go one way, p and r are the fractions of class 1
#     val(T)    = sum over leaves p_v val(q_v)      p_v rows reach leaf v, q_v of them are of class 1
#
# Both are means of a potential over groups, weighted by the rows in the groups. A strictly concave potential
# falls at every split with p != r and stays where p = r, as in XOR; no potential is below the error.


def val_split(u: Any, p: Any, r: Any, potential: str = "gini") -> Any:
    """val(v, h) = u val(p) + (1 - u) val(r), the potential after a split in two.

    Parameters
    ----------
    u : float or array
        The fraction of the rows for which the test is true.
    p, r : float or array
        The fraction of class 1 among the rows for which it is true, and among the others.
    potential : "gini", "half-entropy", "root", "error" or "entropy"

    Examples
    --------
    The split of figure 8.4, before and after:

    >>> from hornbeam.teaching.measures import potential
    >>> round(potential(0.8, "gini"), 6), round(val_split(0.5, 0.6, 1.0, "gini"), 6)
    (0.32, 0.24)
    >>> round(potential(0.8, "error"), 6), round(val_split(0.5, 0.6, 1.0, "error"), 6)
    (0.2, 0.2)
    """
    value = _OF_FRACTIONS[potential_name(potential)]
    share = fractions(u, "u")
    return as_given(share * value(fractions(p, "p")) + (1 - share) * value(fractions(r, "r")))


def val_leaves(p: Any, q: Any, potential: str = "gini") -> float:
    """val(T) from the leaves: the sum of p_v val(q_v).

    Parameters
    ----------
    p : sequence of numbers
        The rows, or the share of rows, that reach each leaf; only their proportions matter.
    q : sequence of floats
        The fraction of class 1 in each leaf.
    potential : "gini", "half-entropy", "root", "error" or "entropy"

    Examples
    --------
    >>> round(val_leaves([5, 5], [0.6, 1.0], "gini"), 6)
    0.24
    """
    weights = np.atleast_1d(as_floats(p, "p", "the rows in each leaf"))
    weights = non_negative(weights, "p", "the rows in each leaf")
    inside = np.atleast_1d(fractions(q, "q"))
    if weights.ndim != 1 or weights.shape != inside.shape:
        raise ValueError(
            f"p and q must have one number for each leaf, but their shapes are {weights.shape} and"
            f" {inside.shape}"
        )
    return weighted_mean(weights, _OF_FRACTIONS[potential_name(potential)](inside))
