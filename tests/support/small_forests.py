"""Trees of one leaf, a mixed table and what makes nodes the same, for the tests of forests."""

import numpy as np
import pandas as pd

import hornbeam as hb

SHARES = [[0.9, 0.1], [0.4, 0.6], [0.45, 0.55]]


def leaf(*counts):
    """A tree that answers every row with these counts of the classes 0, 1, ..."""
    classes = list(range(len(counts)))
    return hb.Tree.from_nested({"label": int(np.argmax(counts)), "counts": list(counts)}, classes=classes)


def mixed(n=400, seed=0):
    """Numbers with gaps, categories, and a class that follows both."""
    rng = np.random.default_rng(seed)
    age = rng.normal(40, 12, n).round(1)
    city = rng.choice(["Aš", "Brno", "Cheb", "Děčín"], n)
    y = np.where((age > 42) ^ (city == "Brno"), "yes", "no")
    y = np.where(rng.random(n) < 0.1, "perhaps", y)
    age[rng.random(n) < 0.1] = np.nan
    return pd.DataFrame({"age": age, "city": city, "noise": rng.normal(size=n)}), y


def same_nodes(a, b):
    """Whether two trees have equal arrays; their columns may differ in range by rows that do not count."""
    mine, other = a.arrays(), b.arrays()
    return mine.keys() == other.keys() and all(
        np.array_equal(mine[name], other[name], equal_nan=mine[name].dtype.kind == "f") for name in mine
    )
