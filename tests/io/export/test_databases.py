"""Exported SQL in databases: every kind of tree answers as `predict` does, extremes and odd names included.

SQLite and DuckDB always run; PostgreSQL, MariaDB and Spark are slow tests, where they are installed.
"""

import functools

import numpy as np
import pytest
from tests.io.export.case import Case, records
from tests.io.export.cases import CASES
from tests.io.export.databases import ENGINES
from tests.io.export.runners import expected, run_duckdb, run_sqlite, run_standard
from tests.io.export.test_names import SETS, VALUES
from tests.io.export.test_names import case_of as named_case
from tests.support.mixed_tables import outcome, random_columns, strange_rows

import hornbeam as hb
from hornbeam.data.columns import Column
from hornbeam.parts import Oblique

SERVERS = [pytest.param(run, id=name, marks=pytest.mark.slow) for name, run in ENGINES.items()]
ALL = [
    pytest.param(run_sqlite, id="sqlite"),
    pytest.param(run_duckdb, id="duckdb"),
    pytest.param(run_standard, id="standard"),
    *SERVERS,
]
SPARK_CASES = (  # a query takes Spark seconds
    *("subset", "multiway", "intervals", "hyperplane", "missing: all-paths", "missing: surrogates"),
    *(
        "regression, fractional",
        "linear leaves, fractional",
        "smoothed lines (M5)",
        "density",
        "median class",
    ),
    *("times with a zone", "hostile names", "dates, numbers and truth values as categories"),
)


REFUSED_NAMES = {"postgres": {"long"}, "mariadb": {"long", "line ends", "spaces", "alike"}}


@functools.cache
def case_of(name):
    case = CASES[name]()
    return case, expected(case)


def check(run, case, said, shares):
    answers, exported_shares = run(case)
    if shares is None:
        np.testing.assert_allclose(answers, said, rtol=1e-12)
        return
    np.testing.assert_allclose(exported_shares, shares, rtol=1e-9, atol=1e-12)
    assert answers == said


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("run", SERVERS)
def test_a_database_answers_as_the_tree(run, name, request):
    engine = request.node.callspec.id.split("-")[0]
    if engine == "spark" and name not in SPARK_CASES:
        pytest.skip("a kind of tree that Spark's selection leaves out")
    case, answers = case_of(name)
    if name == "hostile names" and engine == "mariadb":
        with pytest.raises(ValueError, match="cannot be written in this dialect of SQL"):
            run(case)
    else:
        check(run, case, *answers)


@pytest.mark.parametrize("missing", ["all-paths", "learn", "surrogates"])
@pytest.mark.parametrize("run", ALL)
def test_extreme_numbers_are_compared_as_what_they_are(run, missing):
    tiny, largest = 5e-324, 1.7976931348623157e308
    values = [-largest, -1e308, -1e-300, -tiny, -0.0, 0.0, tiny, 2e-310, 2.5e-308, 0.1, 1e300, 1e308, largest]
    rng = np.random.default_rng(1)
    x, z = rng.choice(values, 200), rng.choice(values, 200)
    y = np.where((x > 0) ^ (z > 1e-309), "far", np.where(x > 1e300, "high", "low"))
    tree = hb.TreeClassifier(missing=missing, max_depth=6).fit({"x": x, "z": z}, y).tree_
    case = Case(tree, [{"x": a, "z": b} for a in (*values, None) for b in (*values, None)])
    check(run, case, *expected(case))


@pytest.mark.parametrize("run", ALL)
def test_a_tree_of_weighted_sums_and_unseen_values(run):
    rng = np.random.default_rng(2)
    X = random_columns(rng, 150)
    model = hb.TreeClassifier(split=Oblique(restarts=1, indicators=True), max_depth=3, random_state=0)
    case = Case(model.fit(X, outcome(rng, X, 3)).tree_, records(strange_rows(rng, 80)))
    check(run, case, *expected(case))


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("run", SERVERS[:2])
def test_columns_may_have_any_name_that_the_database_takes(run, name, request):
    case = named_case(SETS[name])
    engine = request.node.callspec.id.split("-")[0]
    if name in REFUSED_NAMES[engine]:
        with pytest.raises(ValueError, match=r"cannot be written in this dialect of SQL: .*; rename it"):
            run(case)
    else:
        check(run, case, *expected(case))


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("run", SERVERS)
def test_values_and_classes_may_be_any_text(run, name):
    case = named_case(["a", "b"], VALUES[name], VALUES[name])
    check(run, case, *expected(case))


@pytest.mark.parametrize("run", ALL)
def test_columns_of_many_values_are_compared_by_number(run):
    values = tuple(f"it's {k}" for k in range(40))
    columns = [Column("c", "nominal", values)]
    few, many = [values[k] for k in (3, 4, 5, 9)], list(values[20:])
    inner = {"column": "c", "branches": {v: "p" if v in few else "q" for v in values}}
    tree = hb.Tree.from_nested({"expression": f"c in {tuple(many)!r}", "yes": "r", "no": inner}, columns)
    case = Case(tree, [{"c": value} for value in (*values, "IT'S 3", "never seen", None)])
    check(run, case, *expected(case))
