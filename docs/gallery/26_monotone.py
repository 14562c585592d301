"""
Never the other way
===================

With monotonic_cst the answer may only rise with the column: the dips of the free tree are gone.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

import hornbeam as hb

diabetes = load_diabetes(as_frame=True, scaled=False)
X, y = diabetes.data, diabetes.target
figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained", sharey=True)
for ax, direction in zip(axes, (None, {"bmi": 1}), strict=True):
    model = hb.TreeRegressor(max_leaf_nodes=14, monotonic_cst=direction).fit(X[["bmi"]], y)
    hb.plot_regions(model, X[["bmi"]], y, ax=ax)
    ax.set_title("rising with bmi" if direction else "free")
