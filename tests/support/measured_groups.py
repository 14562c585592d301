"""Groups, columns and the textbook's formulas for the tests of measures."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

NAMES = ("error", "gini", "half-entropy", "root", "entropy")
counted = st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(any)


def twin(counts, name):
    """The potential of a group, as it is written in a textbook."""
    total = sum(counts)
    p = [c / total for c in counts]
    if name == "error":
        return 1 - max(p)
    if name == "gini":
        return sum(x * (1 - x) for x in p)
    if name == "root":
        return sum(math.sqrt(x * (1 - x)) for x in p) / 2
    bits = -sum(x * math.log2(x) for x in p if x)
    return bits if name == "entropy" else bits / 2


def random_columns(seed, gaps=0.0):
    """A nominal column, classes, weights and counts."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    x = [None if rng.random() < gaps else v for v in rng.choice(list("abcd"), n).tolist()]
    return x, rng.choice(["no", "yes", "perhaps"], n).tolist(), rng.random(n) + 0.1, rng.integers(1, 4, n)
