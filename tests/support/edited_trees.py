"""A table, estimators of every kind and helpers for the tests of editing."""

import json

import numpy as np

import hornbeam as hb
from hornbeam.parts import Linear, Quantiles

N = 120


def document(tree):
    return json.dumps(tree.to_dict())


def mixed(seed=0, n=N):
    """Numbers, categories and gaps, with classes that depend on them."""
    rng = np.random.default_rng(seed)
    table = {
        "a": rng.integers(0, 12, n).astype(float),
        "c": rng.choice(["u", "v", "w"], n),
        "g": np.where(rng.random(n) < 0.25, np.nan, rng.normal(size=n).round(1) + 0.0),
    }
    y = np.where((table["a"] > 5) ^ (table["c"] == "u"), "p", np.where(rng.random(n) < 0.3, "q", "r"))
    return table, y


ESTIMATORS = {
    "gini": hb.TreeClassifier(max_depth=4),
    "multiway": hb.TreeClassifier("entropy", split="multiway", missing="branch", max_depth=4),
    "fractional": hb.TreeClassifier("gain-ratio", split="multiway", missing="fractional", max_depth=4),
    "majority": hb.TreeClassifier(missing="majority", max_depth=4),
    "surrogates": hb.TreeClassifier(missing="surrogates", max_depth=4),
    "all-paths": hb.TreeClassifier(missing="all-paths", split="one-vs-rest", max_depth=4),
    "priors": hb.TreeClassifier(priors="equal", max_depth=4),
    "balanced": hb.TreeClassifier(class_weight="balanced", max_depth=4),
    "drawn": hb.TreeClassifier(max_features=2, random_state=3, max_depth=4),
    "best first": hb.TreeClassifier(max_leaf_nodes=7),
    "oblique": hb.TreeClassifier(split="oblique", max_depth=2),
    "chaid": hb.chaid(),
    "ctree": hb.ctree(),
}
REGRESSORS = {
    "variance": hb.TreeRegressor(min_samples_leaf=15),
    "sd": hb.TreeRegressor("sd", max_depth=3),
    "absolute": hb.TreeRegressor("absolute", max_depth=3),
    "linear": hb.TreeRegressor(leaf=Linear(), max_depth=3, min_samples_leaf=20),
    "quantiles": hb.TreeRegressor(leaf=Quantiles(levels=[0.1, 0.9]), max_depth=3),
    "best first": hb.TreeRegressor(max_leaf_nodes=9),
}


def fresh(estimator):
    return type(estimator)(**estimator.get_params(deep=False))
