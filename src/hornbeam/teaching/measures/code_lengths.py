"""Codes: entropy as the length of messages, cross entropy, and Huffman's code.

    H(p, q) = -sum p log q          cross entropy; the integral -∫ p(x) log q(x) dx for densities
    H(p, p) = H(p)                  the least mean length of a code; q != p costs more

One idea: a symbol of probability p deserves log2(1/p) bits. Huffman's code (1952) gives whole numbers of bits
and is exact when all probabilities are powers of 1/2: it joins the two rarest symbols, again and again.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam.data.measure_checks import bits_per_unit, group, weighted_mean


def cross_entropy(p: Any, q: Any, base: float = 2) -> float:
    """H(p, q) = -sum p log q: the mean message length for symbols drawn from p with a code made for q.

    Parameters
    ----------
    p, q : sequence or dict of numbers
        Two distributions over the same symbols, as probabilities or counts; only proportions matter.
    base : float
        2 for bits, `math.e` for nats.

    Returns
    -------
    float
        Infinite if q gives no probability to a symbol that p has.

    Examples
    --------
    >>> round(cross_entropy([0.5, 0.5], [0.25, 0.75]), 6), cross_entropy([0.5, 0.5], [0.5, 0.5])
    (1.207519, 1.0)
    """
    unit = bits_per_unit(base)
    if isinstance(p, Mapping) != isinstance(q, Mapping):
        raise TypeError("p and q must both be dicts from symbol to number, or both be sequences")
    if isinstance(p, Mapping):
        symbols = list(dict.fromkeys([*p, *q]))
        p, q = [p.get(symbol, 0) for symbol in symbols], [q.get(symbol, 0) for symbol in symbols]
    drawn, coded = group(p, "p"), group(q, "q")
    if drawn.shape != coded.shape:
        raise ValueError(
            f"p has {len(drawn)} numbers and q has {len(coded)}; give one of each for every symbol"
        )
    drawn, coded = drawn / drawn.sum(), coded / coded.sum()
    with np.errstate(divide="ignore"):
        bits = -np.log2(coded, out=np.zeros_like(coded), where=drawn > 0)
    return float((drawn * bits).sum()) / unit if np.isfinite(bits).all() else float("inf")


def huffman_lengths(probabilities: Any) -> Any:
    """The number of bits of every symbol in Huffman's code.

    Parameters
    ----------
    probabilities : dict from symbol to number, or sequence of numbers
        Probabilities or counts. Of equally rare symbols the earlier ones are joined first, and single symbols
        before joined ones, so the longest code is as short as possible. A single symbol needs 0 bits.

    Returns
    -------
    dict of int, or list of int

    Examples
    --------
    >>> huffman_lengths({"A": 0.125, "B": 0.125, "C": 0.25, "D": 0.5})
    {'A': 3, 'B': 3, 'C': 2, 'D': 1}
    >>> huffman_lengths([4, 1, 1])
    [1, 2, 2]
    """
    return _named_like(probabilities, _lengths(group(probabilities, "probabilities").tolist()))


def _named_like(probabilities: Any, values: list[Any]) -> Any:
    """The values by the names of the symbols, where these have names."""
    is_named = isinstance(probabilities, Mapping)
    return dict(zip(probabilities, values, strict=True)) if is_named else values


def _lengths(weights: list[float]) -> list[int]:
    # A heap of (weight, age, symbols inside): joined symbols are younger than single ones.
    heap = [(weight, age, [age]) for age, weight in enumerate(weights)]
    heapq.heapify(heap)
    lengths = [0] * len(weights)
    for age in range(len(weights), 2 * len(weights) - 1):
        first, second = heapq.heappop(heap), heapq.heappop(heap)
        inside = first[2] + second[2]
        for symbol in inside:
            lengths[symbol] += 1
        heapq.heappush(heap, (first[0] + second[0], age, inside))
    return lengths


def huffman_code(probabilities: Any) -> Any:
    """Huffman's code itself: longer words come first, counting up from zeros.

    The parameters are those of `huffman_lengths`.

    >>> huffman_code({"A": 0.125, "B": 0.125, "C": 0.25, "D": 0.5})
    {'A': '000', 'B': '001', 'C': '01', 'D': '1'}
    """
    lengths = _lengths(group(probabilities, "probabilities").tolist())
    words = [""] * len(lengths)
    following = 0
    previous = max(lengths)
    for symbol in sorted(range(len(lengths)), key=lambda s: -lengths[s]):
        following >>= previous - lengths[symbol]
        previous = lengths[symbol]
        words[symbol] = f"{following:0{previous}b}" if previous else ""
        following += 1
    return _named_like(probabilities, words)


def mean_code_length(probabilities: Any, lengths: Any = None) -> float:
    """The mean number of bits per symbol; of Huffman's code, unless other `lengths` are given.

    Parameters
    ----------
    probabilities : dict from symbol to number, or sequence of numbers
    lengths : dict from symbol to number, or sequence of numbers, or None

    Examples
    --------
    >>> mean_code_length({"A": 0.125, "B": 0.125, "C": 0.25, "D": 0.5})
    1.75
    >>> mean_code_length([0.5, 0.25, 0.25], [2, 2, 2])
    2.0
    """
    weights = group(probabilities, "probabilities")
    if lengths is None:
        lengths = huffman_lengths(probabilities)
    if isinstance(lengths, Mapping):
        names = probabilities if isinstance(probabilities, Mapping) else range(len(weights))
        unknown = [name for name in names if name not in lengths]
        if unknown:
            raise ValueError(f"lengths has no length for {unknown[0]!r}; give one for every symbol")
        lengths = [lengths[name] for name in names]
    if len(lengths) != len(weights):
        raise ValueError(f"lengths has {len(lengths)} numbers for {len(weights)} symbols; give one for each")
    return weighted_mean(weights, np.asarray(lengths, dtype=np.float64))
