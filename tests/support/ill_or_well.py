"""Ten rows of which two are ill, for the tests of costs and priors."""

import pytest

import hornbeam as hb

# 2 ill and 8 well; x <= 2.5 holds both ill and 2 well.
X = {"x": [1, 1, 2, 2, 3, 3, 4, 4, 4, 4]}
Y = ["ill", "well", "ill", "well", "well", "well", "well", "well", "well", "well"]


def stump(**params):
    return hb.TreeClassifier(max_depth=1, **params).fit(X, Y)


def close(value):
    return pytest.approx(value, abs=1e-12)
