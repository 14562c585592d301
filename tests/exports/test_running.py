"""Every export says what the tree says: put to work on random rows, with gaps and values never seen."""

import functools

import numpy as np
import pytest
from tests.exports.cases import CASES
from tests.exports.running import RUNNERS, expected
from tests.exports.table import WHOLE, says

WAYS = [(way, engine) for way, engines in RUNNERS.items() for engine in engines]


@functools.cache
def case_of(name):
    case = CASES[name]()
    return case, expected(case)


@pytest.mark.parametrize("way", WAYS, ids="-".join)
@pytest.mark.parametrize("name", CASES)
def test_an_export_says_what_the_tree_says(way, name):
    case, (said, shares) = case_of(name)
    if way[0] not in WHOLE and not says(case.tree, way[0]):
        pytest.skip(f"{way[0]} refuses this feature by name")
    found, found_shares = RUNNERS[way[0]][way[1]](case)
    if shares is None:
        np.testing.assert_allclose(found, said, rtol=1e-12)
        return
    np.testing.assert_allclose(found_shares, shares, rtol=1e-9, atol=1e-12)
    assert found == said


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
    )
    assert several.any() or name in only_ways or not case.tree.n_tests
