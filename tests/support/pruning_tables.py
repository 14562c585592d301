"""A table with gaps for the tests of rows in pruning."""

import numpy as np
import pandas as pd


def table_of(n=400, seed=0, gaps=False):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "x": rng.integers(0, 12, n).astype(float),
            "z": rng.normal(size=n).round(2),
            "city": rng.choice(["Aš", "Brno", "Cheb", "Děčín"], n),
        }
    )
    y = np.where((X["x"] > 5) ^ (X["city"] == "Brno") ^ (rng.random(n) < 0.2), "yes", "no")
    if gaps:
        X.loc[rng.random(n) < 0.15, "x"] = np.nan
        X.loc[rng.random(n) < 0.15, "city"] = None
    return X, y
