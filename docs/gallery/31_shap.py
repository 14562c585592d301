"""
What each column added
======================

Exact Shapley values of all rows: a column that pushes to both sides is one that the tree asks.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

import hornbeam as hb

wine = load_wine(as_frame=True)
X, y = wine.data, wine.target.map({0: "Barolo", 1: "Grignolino", 2: "Barbera"})
model = hb.TreeClassifier(max_depth=3).fit(X, y)
shap = hb.shap_values(model, X)
used = [list(X.columns).index(column) for column in list(shap.importance())[:4]]
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
random = np.random.default_rng(0)
for place, column in enumerate(used):
    values = X.iloc[:, column]
    ax.scatter(
        shap.values[:, column, 0],
        place + random.uniform(-0.25, 0.25, len(X)),
        s=9,
        c=(values - values.min()) / (values.max() - values.min()),
        cmap="cividis",
    )
ax.set(
    yticks=range(len(used)),
    yticklabels=X.columns[used],
    xlabel=f"added to the probability of {shap.classes[0]}",
)
ax.axvline(0, color="#888888", linewidth=1)
