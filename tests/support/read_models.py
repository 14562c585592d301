"""The tree of tennis, and models of every kind, for the tests of reading."""

import numpy as np
from tests.support.mixed_tables import outcome, random_columns, strange_rows

import hornbeam as hb
from hornbeam.parts import ColumnSets, Oblique, Predicates


def tennis():
    data = hb.datasets.load("tennis")
    return hb.id3().fit(data.X, data.y), data


def random_models(seed, n_classes=3):
    """Models of every kind of test on one random table, with rows to ask them about."""
    rng = np.random.default_rng(seed)
    X = random_columns(rng, 150, gaps=0.1)
    y = outcome(rng, X, n_classes)
    said = Predicates(["age > 40 and city == 'Brno'", "age / rooms > 9"])
    numbers = X[["age", "pay", "rooms"]]
    for split in ("binary", "multiway", "one-vs-rest", ColumnSets(columns=None), said):
        yield hb.TreeClassifier(split=split, max_depth=4).fit(X, y), strange_rows(rng, 80), X
    oblique = hb.TreeClassifier(split=Oblique(restarts=1), max_depth=2, random_state=0)
    yield oblique.fit(numbers, y), strange_rows(rng, 80), X
    yield hb.chaid().fit(X, y), strange_rows(rng, 80), X
    for missing in ("branch", "all-paths", "majority", "surrogates"):
        yield hb.TreeClassifier(missing=missing, max_depth=4).fit(X, y), strange_rows(rng, 80), X
