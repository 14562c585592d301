"""Tables parted by lines that no single column sees, for the tests of oblique splits."""

import numpy as np


def rotated(n, seed, degrees=45.0):
    """Points of a square, turned; and the square's coordinates before."""
    rng = np.random.default_rng(seed)
    u = rng.uniform(-1, 1, (n, 2))
    t = np.deg2rad(degrees)
    return u @ np.array([[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]]), u


def noisy_line(n, seed, d=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, ((X[:, 0] + 0.6 * X[:, 1] > 0.1) ^ (rng.random(n) < 0.1)).astype(int)
