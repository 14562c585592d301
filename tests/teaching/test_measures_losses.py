"""Logistic loss, errors of answers, overfitting and memorising."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn import metrics

from hornbeam.teaching import measures as m

# ---- logistic regression ---------------------------------------------------------------------------------


def test_the_logistic_function_is_scipys():
    z = np.array([-1000.0, -3.0, 0.0, 0.5, 1000.0])
    assert m.logistic(z) == pytest.approx(expit(z), abs=1e-15)


def test_the_gradient_is_the_slope_of_the_loss():
    rng = np.random.default_rng(0)
    theta, x, y = rng.normal(size=3), rng.normal(size=(5, 3)), rng.integers(0, 2, 5)
    step = 1e-6
    slope = [
        (m.logistic_loss(theta + step * e, x, y) - m.logistic_loss(theta - step * e, x, y)) / (2 * step)
        for e in np.eye(3)
    ]
    assert m.logistic_gradient(theta, x, y) == pytest.approx(slope, abs=1e-6)
    after = m.logistic_step(theta, x, y, eta=0.01)
    assert m.logistic_loss(after, x, y) < m.logistic_loss(theta, x, y)
    one_by_one = sum(m.logistic_gradient(theta, row, label) for row, label in zip(x, y, strict=True))
    assert m.logistic_gradient(theta, x, y) == pytest.approx(one_by_one)
    p = m.logistic(x @ theta)
    assert m.logistic_loss(theta, x, y) == pytest.approx(5 * m.log_loss(y, p))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: m.logistic_gradient([1, 2], [1, 2, 3], 1), "x must have 2 numbers in a row"),
        (
            lambda: m.logistic_gradient([1, 2], [[1, 2], [3, 4]], 1),
            "y must hold one number for each of the 2 rows",
        ),
        (lambda: m.logistic_gradient([1, 2], [1, 2], 2), "y=2 must be a fraction"),
        (lambda: m.logistic_step([1], [1], 1, eta=-1), "eta=-1 must be a number of at least 0"),
        (lambda: m.logistic([1, math.nan]), "x holds nan"),
        (lambda: m.logistic_gradient([1], [math.inf], 1), "x holds nan or infinity"),
    ],
)
def test_logistic_regression_refuses_what_does_not_fit(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


# ---- errors ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_errors_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    n, w = 30, rng.random(30)
    y, said = rng.choice(list("abc"), n), rng.choice(list("abc"), n)
    assert m.error_rate(y, said, sample_weight=w) == pytest.approx(
        1 - metrics.accuracy_score(y, said, sample_weight=w)
    )
    p = rng.dirichlet(np.ones(3), n)
    expected = metrics.log_loss(y, p, labels=list("abc"), sample_weight=w)
    assert m.log_loss(y, p, classes=list("abc"), sample_weight=w) == pytest.approx(expected)
    a, b = rng.normal(size=n), rng.normal(size=n)
    assert m.mse(a, b, sample_weight=w) == pytest.approx(metrics.mean_squared_error(a, b, sample_weight=w))
    assert m.rmse(a, b) == pytest.approx(math.sqrt(metrics.mean_squared_error(a, b)))
    assert m.mae(a, b, sample_weight=w) == pytest.approx(metrics.mean_absolute_error(a, b, sample_weight=w))


def test_log_loss_of_two_classes_takes_the_probability_of_the_second():
    assert m.log_loss(["no", "yes"], [0.2, 0.8]) == pytest.approx(-math.log(0.8))
    assert m.log_loss([True, False], [0.8, 0.2]) == pytest.approx(-math.log(0.8))
    assert m.log_loss(["yes"], [0.8], classes=["no", "yes"]) == pytest.approx(-math.log(0.8))
    assert m.log_loss([1, 1], [0.5, 0.5], base=2) == 1.0
    assert m.log_loss([1, 0], [1.0, 0.0]) == 0.0
    assert m.log_loss([1], [0.0]) == math.inf
    assert m.log_loss([1, 0], [0.5, 1.0], counts=[1, 0]) == pytest.approx(math.log(2))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: m.log_loss(["yes"], [0.8]),
            "p has the probabilities of 2 classes, but there are 1 .*`classes`",
        ),
        (lambda: m.log_loss([0, 1, 2], [0.1, 0.2, 0.3]), "of 2 classes, but there are 3"),
        (lambda: m.log_loss([0, 1], [0.1, 0.2, 0.3]), "p must have one row for each of the 2 rows"),
        (lambda: m.log_loss([0, 1], [[0.5, 0.6], [0.5, 0.5]]), r"p\[0\] adds up to 1.1"),
        (lambda: m.log_loss([0, 1], [1.5, 0.2]), "p=1.5 must be a fraction"),
        (lambda: m.log_loss(["c"], [0.5], classes=["a", "b"]), "y holds 'c', which is not among classes"),
        (lambda: m.error_rate([1, 0], [0.8, 0.2]), r"answers\[0\]=0.8 is no class of y; cut probabilities"),
        (lambda: m.error_rate([1, 0], ["1", "0"]), "y holds 1 and answers '1'"),
        (lambda: m.error_rate([1, None], [1, 0]), r"y\[1\] is missing"),
        (lambda: m.error_rate([1, 0], [1]), "y has 2 rows and answers has 1"),
        (lambda: m.error_rate([], []), "y has no rows"),
        (lambda: m.error_rate("ab", "ab"), "y must be a column"),
        (lambda: m.mse([1, 2], [1]), "y has 2 rows and answers has 1"),
        (lambda: m.is_overfitted((0.1,), (0.2, 0.3)), r"h=\(0.1,\) must be a pair"),
        (lambda: m.is_overfitted((0.1, 0.2), (0.2, math.nan)), "other=.* must be a pair"),
        (lambda: m.memorising_error(1.5), "p=1.5 must be a number from 0 to 1"),
        (lambda: m.memorising_error(True), "p=True must be a number from 0 to 1"),
    ],
)
def test_answers_that_do_not_fit_get_a_sentence(call, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        call()


def test_overfitting_needs_both_signs():
    assert not m.is_overfitted((0.2, 0.2), (0.1, 0.3))
    assert not m.is_overfitted((0.1, 0.3), (0.2, 0.3))
    assert m.is_overfitted([0.1, 0.31], np.array([0.2, 0.3]))


@given(st.floats(0, 1))
def test_memorising_is_never_better_than_the_majority(p):
    assert m.memorising_error(p) >= m.potential(p, "error") - 1e-15
    assert m.memorising_error(p) == pytest.approx(m.gini_two(p))
