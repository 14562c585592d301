"""Searches of whole trees do not depend on the units of numbers and weights, or say why they must."""

import numpy as np
import pytest

import hornbeam as hb


@pytest.mark.parametrize("weight", [1e-320, 1e-300, 1e-5, 1e300])
@pytest.mark.parametrize("size", [1e-149, 1e-100, 1.0, 1e100, 1e149])
@pytest.mark.parametrize("search", [hb.optimal, hb.lookahead])
def test_the_size_of_numbers_and_weights_changes_no_tree(search, size, weight):
    x, w = np.arange(12.0)[:, None], np.full(12, weight)
    y = np.repeat([0.0, 1.0, 5.0, 2.0], 3)
    numbers = search(max_depth=2, task="real").fit(x, y * size, sample_weight=w)
    assert numbers.predict(x) == pytest.approx(y * size, rel=1e-12)
    assert numbers.tree_.n_leaves == 4
    classes = search(max_depth=2).fit(x, y, sample_weight=w)
    assert classes.predict(x).tolist() == y.tolist()


@pytest.mark.parametrize(
    ("size", "words"), [(1e200, "y reaches 5e.200, whose square"), (1e-200, "y varies by 5e-200 only, whose")]
)
@pytest.mark.parametrize(
    "model",
    [
        hb.optimal(max_depth=2, task="real"),
        hb.lookahead(task="real"),
        hb.m5(),
        hb.rpart("real"),
        hb.auto("real"),
    ],
)
def test_numbers_whose_squares_float64_cannot_hold_are_refused_by_what_squares_them(model, size, words):
    with pytest.raises(ValueError, match=words):
        model.fit(np.arange(12.0)[:, None], np.repeat([0.0, 1.0, 5.0, 2.0], 3) * size)
