"""Measures of a group: against obvious twins and scipy."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy as scipy_entropy
from tests.support.measured_groups import NAMES, counted, twin

from hornbeam.teaching import measures as m


@given(counted, st.sampled_from(NAMES))
def test_a_potential_is_the_formula_of_the_textbook(counts, name):
    assert m.val(counts, name) == pytest.approx(twin(counts, name), abs=1e-12)


@given(counted)
def test_the_named_functions_are_the_potentials(counts):
    found = [m.error(counts), m.gini(counts), m.half_entropy(counts), m.root(counts), m.entropy(counts)]
    assert found == [m.val(counts, name) for name in NAMES]


@given(counted, st.sampled_from([2, 3, math.e, 10]))
def test_entropy_is_scipys_in_any_base(counts, base):
    assert m.entropy(counts, base) == pytest.approx(float(scipy_entropy(counts, base=base)), abs=1e-12)


@given(st.floats(0, 1), st.sampled_from(NAMES))
def test_a_fraction_is_a_group_of_two_classes(q, name):
    assert m.potential(q, name) == pytest.approx(m.val([1 - q, q], name), abs=1e-8)
    assert m.potential(q, name) == pytest.approx(m.potential(1 - q, name), abs=1e-7)


def test_only_proportions_matter():
    for name in NAMES:
        for scale in (1e-320, 1e-9, 7.0, 1e300, 1e308):
            assert m.val([scale * 0.75, scale * 0.25], name) == pytest.approx(m.val([3, 1], name), rel=1e-3)


def test_a_group_is_a_list_an_array_a_dict_or_a_series():
    expected = m.entropy([2, 1])
    groups = [
        np.array([2, 1]),
        (2, 1),
        {"a": 2, "b": 1},
        Counter("aab"),
        pd.Series([2, 1]),
        pl.Series([2, 1]),
    ]
    assert [m.entropy(group) for group in groups] == [expected] * 6


def test_a_fraction_gives_a_float_and_an_array_an_array_of_its_shape():
    assert isinstance(m.potential(0.3), float)
    assert m.binary_entropy(np.full((2, 3), 0.5)).tolist() == [[1.0] * 3] * 2
    assert m.gini_two([0.0, 0.5]).tolist() == [0.0, 0.5]


def test_a_fraction_off_by_rounding_is_moved_to_the_border():
    assert m.potential(1 + 1e-15, "entropy") == 0.0
    assert m.gini([0.9, 0.1, 1 - 0.9 - 0.1]) == pytest.approx(0.18)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: m.entropy([3, -1]), r"counts\[1\]=-1 must be a finite number of at least 0"),
        (lambda: m.entropy([1, math.nan]), r"counts\[1\]=nan must be a finite number"),
        (lambda: m.gini([1, math.inf]), r"counts\[1\]=inf must be a finite number"),
        (lambda: m.gini([0, 0]), "counts holds no positive number"),
        (lambda: m.gini([]), "counts holds no positive number"),
        (lambda: m.gini(0.3), r"counts must be one row of numbers.*potential\(q"),
        (lambda: m.gini([[1, 2], [3, 4]]), "counts must be one row of numbers.*val_branches"),
        (lambda: m.entropy([1, 1], base=1), "base=1 must be a number above 1"),
        (lambda: m.entropy([1, 1], base="2"), "base='2' must be a number above 1"),
        (lambda: m.potential(1.2), "q=1.2 must be a fraction from 0 to 1"),
        (lambda: m.potential([0.5, math.nan]), "q=nan must be a fraction from 0 to 1"),
        (lambda: m.potential(0.5, "ginni"), r"potential='ginni' must be one of .*did you mean 'gini'"),
        (lambda: m.val([1, 2], 3), "potential=3 must be one of 'error'"),
    ],
)
def test_a_group_that_is_none_gets_a_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def test_labels_instead_of_counts_get_a_sentence():
    with pytest.raises(TypeError, match=r"counts must hold numbers, the counts or probabilities.* not 'yes'"):
        m.entropy(["yes", "no"])
    with pytest.raises(TypeError, match="counts must hold numbers"):
        m.entropy(["1", "2"])
    with pytest.raises(TypeError, match="q must hold numbers"):
        m.potential(np.array([0.5, "0.5"], dtype=object))
