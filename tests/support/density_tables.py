"""Tables and helpers for the tests of density trees."""

import numpy as np
import pandas as pd

from hornbeam.tree.density_boxes import volumes

FIVE = {"x": [1.0, 2.0, 2.5, 3.0, 9.0]}
FIVE_BOX = {"x": (0, 10)}


def integral(tree):
    """The density of every leaf times its volume, added up."""
    leaves = tree.first_child < 0
    return float((tree.answers()[leaves] * volumes(tree)[leaves]).sum())


def mixed(n, seed=0):
    """Numbers, whole numbers, words and an ordered column, all depending on each other."""
    rng = np.random.default_rng(seed)
    city = rng.choice(["Brno", "Plzeň", "Zlín", "Aš"], n, p=[0.6, 0.2, 0.15, 0.05])
    return pd.DataFrame(
        {
            "age": rng.normal(40, 12, n) + 20 * (city == "Zlín"),
            "rooms": rng.integers(1, 6, n),
            "city": city,
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), ["S", "M", "L", "XL"], ordered=True),
        }
    )
