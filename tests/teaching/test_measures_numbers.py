"""Measures of numbers: mean, deviation and its reduction."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.every_test import every_test
from tests.support.measured_groups import random_columns

from hornbeam.teaching import measures as m

reals = st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=12)


@given(reals)
def test_mean_and_deviation_are_numpys(y):
    assert m.mean(y) == pytest.approx(float(np.mean(y)), rel=1e-9, abs=1e-9)
    assert m.sd(y) == pytest.approx(float(np.std(y)), rel=1e-6, abs=1e-7)


def test_deviation_with_counts_weights_and_extremes():
    assert m.sd([1, 5], counts=[3, 1]) == pytest.approx(np.std([1, 1, 1, 5]))
    assert m.sd([1, 5], sample_weight=[0.75, 0.25]) == pytest.approx(np.std([1, 1, 1, 5]))
    assert m.sd([1, 5, 99], counts=[3, 1, 0]) == pytest.approx(np.std([1, 1, 1, 5]))
    assert m.sd([0.1, 0.1, 0.1]) == 0.0
    assert m.sd([1e308, -1e308]) == pytest.approx(1e308)
    assert m.mean([1e308, 1e308, -1e308]) == pytest.approx(1e308 / 3)
    assert m.sd([1e9 + 1, 1e9 + 2, 1e9 + 3]) == pytest.approx(math.sqrt(2 / 3))


def test_the_coefficient_of_variation_at_the_edges():
    assert m.variation([-3, 3]) == math.inf
    assert m.variation([0.1, -0.1, 0.3, -0.3]) == math.inf
    assert m.variation([0, 0]) == 0.0
    assert m.variation([5]) == 0.0
    assert m.variation([-2, -4]) == pytest.approx(1 / 3)


@pytest.mark.parametrize("seed", range(15))
def test_the_reduction_is_that_of_candidates(seed):
    rng = np.random.default_rng(seed)
    x, _, weight, counts = random_columns(seed, gaps=0.2 * (seed % 2))
    y = rng.normal(100, 3, len(x))
    found = every_test({"x": x}, y, criterion="sd", split="multiway", sample_weight=weight, counts=counts)
    if found:
        options = {"sample_weight": weight, "counts": counts}
        assert m.sdr(x, y, **options) == pytest.approx(found[0].decrease, abs=1e-9)
        assert m.sd(y, **options) - m.sd_after_split(x, y, **options) == pytest.approx(
            found[0].decrease, abs=1e-9
        )


def test_the_reduction_leaves_gaps_out_if_asked():
    x, y = ["a", "a", None, "b"], [1.0, 3.0, 100.0, 5.0]
    assert m.sdr(x, y, missing="drop") == pytest.approx(np.std([1, 3, 5]) - 2 / 3)
    assert m.sdr(x, y) == pytest.approx(np.std(y) - 0.5)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: m.sd([]), "y must be a column of at least one number"),
        (lambda: m.sd([1, None]), r"y\[1\] is missing"),
        (lambda: m.sd([1, math.inf]), r"y\[1\] is infinite"),
        (lambda: m.sd(["a"]), "y must hold numbers, one for each row, not 'a'"),
        (lambda: m.sd([[1, 2]]), r"its shape is \(1, 2\)"),
        (lambda: m.sdr([1, 2], [1.0]), "x has 2 rows and y has 1"),
        (lambda: m.sdr([None, 1], [1, 2], counts=[1, 0], missing="drop"), "leaves no row of positive weight"),
        (lambda: m.mean([1, 2], counts=[1]), r"counts.shape == \(1,\), expected \(2,\)"),
    ],
)
def test_numbers_that_are_none_get_a_sentence(call, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        call()
