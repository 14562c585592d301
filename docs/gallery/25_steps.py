"""
One column: steps
=================

A regression tree of one column is a step function; lines in the leaves follow the slope.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

import hornbeam as hb

diabetes = load_diabetes(as_frame=True, scaled=False)
X, y = diabetes.data, diabetes.target
figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained", sharey=True)
for ax, leaf in zip(axes, ("constant", "linear"), strict=True):
    model = hb.TreeRegressor(leaf=leaf, max_leaf_nodes=4, min_samples_leaf=30).fit(X[["bmi"]], y)
    hb.plot_regions(model, X[["bmi"]], y, ax=ax)
    ax.set_title(f"{leaf} leaves")
