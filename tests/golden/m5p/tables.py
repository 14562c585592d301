"""The tables M5P was asked about: made ones, scikit-learn's diabetes and the lectures' hours played."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

Made = tuple[pd.DataFrame, np.ndarray]


def line() -> Made:
    """An exact plane; a third column plays no part."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.integers(0, 50, (60, 3)) / 5, columns=["a", "b", "c"])
    return X, (3 + 2 * X.a - X.b).to_numpy()


def two_planes() -> Made:
    """One plane where a is small, another where it is large, with a gap between them."""
    rng = np.random.default_rng(2)
    a = np.concatenate([rng.integers(0, 20, 60) / 10, rng.integers(80, 100, 60) / 10])
    X = pd.DataFrame({"a": a, "b": rng.integers(0, 100, 120) / 10})
    return X, np.where(X.a < 5, 10 + 2 * X.b, 60 - 3 * X.b)


def noisy_planes() -> Made:
    """The same with noise."""
    X, y = two_planes()
    return X, np.round(y + np.random.default_rng(3).normal(0, 1, len(y)), 3)


def colours() -> Made:
    """A nominal column of four values that shifts a line."""
    rng = np.random.default_rng(4)
    colour = rng.choice(["blue", "green", "red", "white"], 200)
    X = pd.DataFrame({"colour": colour.astype(object), "x": rng.integers(0, 100, 200) / 10})
    shift = X.colour.map({"blue": 0.0, "green": 0.5, "red": 20.0, "white": 21.0})
    return X, np.round(shift + 2 * X.x + rng.normal(0, 0.5, 200), 3).to_numpy()


def diabetes() -> Made:
    """scikit-learn's diabetes, unscaled."""
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    return X, y.to_numpy()


def hours() -> Made:
    """The lectures' table of hours played."""
    import hornbeam as hb

    found = hb.datasets.load("hours")
    frame = pd.DataFrame(
        {name: [str(v) for v in values] for name, values in dict(found.X).items()}, dtype=object
    )
    return frame, np.asarray(found.y, dtype=float)


TABLES: dict[str, Callable[[], Made]] = {
    made.__name__: made for made in (line, two_planes, noisy_planes, colours, diabetes, hours)
}
