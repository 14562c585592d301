"""
A line beside a tree
====================

Where the classes are divided by a slanted line, a tree needs stairs; where they are divided by boxes, a line
fails. Logistic regression and a tree on the same rows, with their accuracy on new ones.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.linear_model import LogisticRegression

import hornbeam as hb

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.uniform(0, 10, (600, 2)), columns=["x", "y"])
slanted = np.where(X["x"] + X["y"] > 10, "in", "out")
boxes = np.where((X["x"] > 6) | ((X["x"] < 3) & (X["y"] > 5)), "in", "out")
figure, axes = plt.subplots(2, 2, figsize=(8, 7.4), layout="constrained")
for row, (name, y) in enumerate({"a slanted line": slanted, "boxes": boxes}.items()):
    train, test = slice(0, 200), slice(200, 600)
    line = LogisticRegression().fit(X[train], y[train])
    ax = axes[row, 0]
    DecisionBoundaryDisplay.from_estimator(
        line, X[train], response_method="predict", grid_resolution=300, ax=ax, cmap="Greys", alpha=0.3
    )
    for label, mark in {"in": "o", "out": "x"}.items():
        inside = X[train][y[train] == label]
        ax.plot(inside["x"], inside["y"], mark, markersize=3, label=label)
    ax.legend(loc="upper right")
    ax.set_title(f"{name}: a line is right for {line.score(X[test], y[test]):.0%}")
    tree = hb.TreeClassifier(max_depth=5).fit(X[train], y[train])
    hb.plot_regions(tree, X[train], y[train], ax=axes[row, 1])
    right = f"a tree of {tree.tree_.n_leaves} leaves for {tree.score(X[test], y[test]):.0%}"
    axes[row, 1].set_title(right)
for ax in axes.flat:
    ax.set(xlim=(0, 10), ylim=(0, 10))
