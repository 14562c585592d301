"""Exported SQL in databases with a server, and in Spark: every kind of tree answers as `predict` does."""

import functools

import numpy as np
import pytest
from tests.io.export.cases import CASES
from tests.io.export.databases import ENGINES
from tests.io.export.runners import expected

pytestmark = pytest.mark.slow


@functools.cache
def case_of(name):
    case = CASES[name]()
    return case, expected(case)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_database_answers_as_the_tree(engine, name):
    case, (said, shares) = case_of(name)
    answers, exported_shares = ENGINES[engine](case)
    if shares is None:
        np.testing.assert_allclose(answers, said, rtol=1e-12)
        return
    np.testing.assert_allclose(exported_shares, shares, rtol=1e-9, atol=1e-12)
    assert answers == said
