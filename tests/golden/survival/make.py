"""Writes what scikit-survival says about GBSG2 and a made table: its trees, their curves, and scores of them.

    python tests/golden/survival/make.py tests/golden/survival

in an environment with scikit-survival and pandas; made with scikit-survival 0.28.0. The tests need neither.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sksurv.metrics import brier_score, concordance_index_censored, integrated_brier_score
from sksurv.tree import SurvivalTree
from sksurv.util import Surv

FOLDER = Path(sys.argv[1])
COLUMNS = ["age", "tsize", "pnodes", "progrec", "estrec"]


def made(seed=5, n=400):
    """A table with many equal times."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, size=(n, 4)).astype(float)
    time = np.ceil(rng.exponential(np.exp(1.5 - 0.15 * X[:, 0] + 0.1 * (X[:, 1] > 6))))
    return X, rng.random(n) < 0.7, time


def tree_of(X, event, time, **limits):
    """The tests, the curves of the first rows and the scores of a tree."""
    y = Surv.from_arrays(event, time)
    model = SurvivalTree(random_state=0, **limits).fit(X, y)
    tree = model.tree_
    times = np.unique(np.quantile(time[event], [0.1, 0.3, 0.5, 0.7, 0.9]))
    curves = model.predict_survival_function(X)
    survival = np.array([curve(times) for curve in curves])
    hazard = np.array([curve(times) for curve in model.predict_cumulative_hazard_function(X)])
    return {
        "limits": limits,
        "left": tree.children_left.tolist(),
        "right": tree.children_right.tolist(),
        "feature": tree.feature.tolist(),
        "threshold": tree.threshold.tolist(),
        "n": tree.n_node_samples.tolist(),
        "times": times.tolist(),
        "survival": survival[:20].tolist(),
        "hazard": hazard[:20].tolist(),
        "score": model.score(X, y),
        "concordance": concordance_index_censored(event, time, X[:, 0])[0],
        "brier": brier_score(y, y, survival, times)[1].tolist(),
        "integrated": float(integrated_brier_score(y, y, survival, times)),
    }


table = pd.read_csv(FOLDER / "gbsg2.csv")
X, event, time = table[COLUMNS].to_numpy(float), table["cens"].to_numpy(bool), table["time"].to_numpy(float)
cases = {
    "gbsg2": [
        tree_of(X, event, time, max_depth=4, min_samples_leaf=10, min_samples_split=20),
        tree_of(X, event, time, min_samples_leaf=15, min_samples_split=40),
    ],
    "made": [
        tree_of(*made(), max_depth=3, min_samples_leaf=5),
        tree_of(*made(), min_samples_leaf=20, min_samples_split=40),
    ],
}
(FOLDER / "sksurv.json").write_text(json.dumps(cases) + "\n", encoding="utf-8")
