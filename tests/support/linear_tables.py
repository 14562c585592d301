"""Tables and helpers for the tests of equations in leaves."""

import numpy as np

STEP = {"x": [1, 2, 3, 4, 5, 6]}, [10, 12, 14, 30, 32, 35]


def coefficients(model, node=0):
    """Intercept, then coefficients in the order of the terms."""
    found = model.tree_.leaf_models[node]
    return [found["intercept"], *(term["coefficient"] for term in found["terms"])]


def noisy_table(seed, n=300, d=4, gaps=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.uniform(0.1, 100, d) + rng.normal(size=d) * 10
    y = X @ rng.normal(size=d) + 5 * np.abs(X[:, 0] - X[:, 0].mean()) + rng.normal(size=n)
    X[rng.random(X.shape) < gaps] = np.nan
    return X, y, rng
