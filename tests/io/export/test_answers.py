"""Every export says what the tree says: put to work on random rows, with gaps and values never seen."""

import functools
import itertools

import numpy as np
import pytest
from tests.io.export.case import Case, records
from tests.io.export.cases import CASES
from tests.io.export.runners import (
    RUNNERS,
    expected,
    run_c,
    run_duckdb,
    run_javascript,
    run_python,
    run_sqlite,
)
from tests.io.export.table import WHOLE, says
from tests.support.mixed_tables import outcome, random_columns, strange_rows
from tests.support.selection import some

import hornbeam as hb
from hornbeam.parts import Linear, Polynomial

WAYS = [(way, engine) for way, engines in RUNNERS.items() for engine in engines]
# SQLite puts standard SQL to work in every case; DuckDB by default where queries differ most, and no query of
# thousands of sums, which takes seconds.
IN_DUCKDB = (
    "multiway",
    "missing: fractional",
    "expressions",
    "linear leaves, all paths",
    "dates and clock times",
    "hostile names",
)


def is_quick(name, engine):
    standard = engine != "standard-duckdb" or name in IN_DUCKDB
    return standard and (name, engine) != ("equations of many terms", "duckdb")


@functools.cache
def case_of(name):
    case = CASES[name]()
    return case, expected(case)


@pytest.mark.parametrize(
    ("name", "way"),
    some(
        itertools.product(CASES, WAYS),
        of=[(name, way) for name in CASES for way in WAYS if is_quick(name, way[1])],
    ),
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
def test_an_export_says_what_the_tree_says(name, way):
    case, (said, shares) = case_of(name)
    if way[0] not in WHOLE and not says(case.tree, way[0]):
        pytest.skip(f"{way[0]} refuses this feature by name")
    answers, exported_shares = RUNNERS[way[0]][way[1]](case)
    if shares is None:
        np.testing.assert_allclose(answers, said, rtol=1e-12)
        return
    np.testing.assert_allclose(exported_shares, shares, rtol=1e-9, atol=1e-12)
    assert answers == said


@pytest.mark.parametrize("leaf", [Linear(), Polynomial(degree=4)], ids=["linear", "polynomial"])
def test_an_equation_is_added_up_in_the_order_of_predict_bit_for_bit(leaf):
    rng = np.random.default_rng(17)
    X = random_columns(rng, 300)
    model = hb.TreeRegressor(leaf=leaf, missing="majority", max_depth=3).fit(X, outcome(rng, X, 0))
    new = strange_rows(rng, 200)
    case = Case(model.tree_, records(new))
    for run in (run_python, run_javascript, run_c, run_sqlite, run_duckdb):
        assert run(case)[0] == model.predict(new).tolist(), run.__name__


def test_a_density_is_the_exponential_of_the_score():
    rng = np.random.default_rng(18)
    X = random_columns(rng, 200, gaps=0)
    model = hb.TreeDensity(min_samples_leaf=10).fit(X)
    new = random_columns(rng, 100, gaps=0)
    new["city"] = np.where(rng.random(100) < 0.2, "never seen", new["city"])
    densities = run_python(Case(model.tree_, records(new)))[0]
    np.testing.assert_allclose(densities, np.exp(model.score_samples(new)), rtol=1e-12)
    assert 0.0 in densities


@pytest.mark.parametrize("name", CASES)
def test_a_case_asks_for_what_it_is_about(name):
    case, (said, _) = case_of(name)
    if name != "a single leaf":
        assert len(set(map(str, said))) > 1
    several = np.diff(case.tree.route(case.frame).start) > 1
    only_ways = (
        "subset",
        "missing: majority",
        "missing: surrogates",
        "regression, majority",
        "a single leaf",
        "long expressions",
        "linear leaves, majority",
        "linear leaves, surrogates",
    )
    assert several.any() or name in only_ways or not case.tree.n_tests
