"""Every kind of split with every way to treat gaps, in the languages that start quickly."""

import numpy as np
import pytest
from tests.io.export.case import Case, edges, records
from tests.io.export.runners import expected, run_javascript, run_python, run_sqlite
from tests.support.mixed_tables import outcome, random_columns, strange_rows

import hornbeam as hb
from hornbeam.growing.missing import MISSING
from hornbeam.parts import ColumnSets, Linear, Oblique, Predicates

SPLITS = {
    "binary": "binary",
    "multiway": "multiway",
    "one-vs-rest": "one-vs-rest",
    "column sets": ColumnSets(),
    "hyperplanes": Oblique(restarts=1),
    "expressions": Predicates(["age > 40 and city == 'Brno'", "age / rooms > 9 or owner", "size >= 'L'"]),
}


@pytest.mark.parametrize("leaf", ["classes", "numbers", "linear"])
@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("split", SPLITS)
def test_every_split_with_every_treatment_of_gaps(split, missing, leaf):
    n_classes = 3 if leaf == "classes" else 0
    rng = np.random.default_rng([n_classes, *split.encode(), *missing.encode()])
    X = random_columns(rng, 80, gaps=0.1)
    estimator = hb.TreeClassifier if n_classes else hb.TreeRegressor
    answer = Linear(ridge=0.1) if leaf == "linear" else "constant"
    model = estimator(split=SPLITS[split], missing=missing, leaf=answer, max_depth=4, random_state=0)
    try:
        tree = model.fit(X, outcome(rng, X, n_classes)).tree_
    except ValueError as refused:
        pytest.skip(str(refused))
    assert tree.has_models == (leaf == "linear")
    case = Case(tree, records(strange_rows(rng, 40)) + edges(tree)[:20])
    said, shares = expected(case)
    for run in (run_python, run_sqlite) if leaf == "linear" else (run_python, run_sqlite, run_javascript):
        answers, exported_shares = run(case)
        if shares is None:
            np.testing.assert_allclose(answers, said, rtol=1e-12)
        else:
            assert answers == said
            np.testing.assert_allclose(exported_shares, shares, rtol=1e-9, atol=1e-12)
