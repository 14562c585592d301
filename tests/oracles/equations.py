"""The obvious twin of equations in leaves: rows one by one, numpy's least squares node by node."""

from __future__ import annotations

import math

import numpy as np


def rows_of_nodes(tree, table):
    """Which rows pass each node, of a tree whose rows reach one leaf each."""
    leaves = tree.route(table).heaviest()
    found = {node: [] for node in range(len(tree))}
    for row, leaf in enumerate(leaves.tolist()):
        for node in tree.path(leaf):
            found[node].append(row)
    return found


def filled(X, rows_by_leaf):
    """Gaps filled with the mean of the leaf's known values, or the median of all where it knows none."""
    X = X.copy()
    for j in range(X.shape[1]):
        everywhere = np.nanmedian(X[:, j])
        for rows in rows_by_leaf:
            known = X[rows, j][~np.isnan(X[rows, j])]
            value = known.mean() if len(known) else everywhere
            X[rows, j] = np.where(np.isnan(X[rows, j]), value, X[rows, j])
    return X


def line(X, y, weights=None, ridge=0.0):
    """Intercept and slopes; the shortest of all solutions where there are several."""
    weights = np.ones(len(y)) if weights is None else weights
    mean_x, mean_y = np.average(X, axis=0, weights=weights), np.average(y, weights=weights)
    root = np.sqrt(weights)[:, None]
    A, b = root * (X - mean_x), root[:, 0] * (y - mean_y)
    if ridge:
        A, b = (
            np.vstack([A, math.sqrt(ridge) * np.eye(X.shape[1])]),
            np.concatenate([b, np.zeros(X.shape[1])]),
        )
    slopes = np.linalg.lstsq(A, b, rcond=None)[0]
    return mean_y - mean_x @ slopes, slopes


def answer(model, row):
    """What an equation, as a plain dict, says about one row (a dict)."""
    total = model["intercept"]
    for term in model["terms"]:
        value = row[term["column"]]
        if value is None or value != value:
            total += term["gap"]
        elif "values" in term:
            total += term["coefficient"] if value in term["values"] else 0.0
        else:
            total += term["coefficient"] * (value - term["center"]) ** term["power"]
    return min(max(total, model["low"]), model["high"])
