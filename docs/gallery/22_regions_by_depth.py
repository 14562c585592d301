"""
Deeper and deeper
=================

One, two, three questions and no limit: the rectangles follow the training rows more and more closely.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

import hornbeam as hb

wine = load_wine(as_frame=True)
X, y = wine.data, wine.target.map({0: "Barolo", 1: "Grignolino", 2: "Barbera"})
columns = ["flavanoids", "color_intensity"]
figure, axes = plt.subplots(2, 2, figsize=(10, 8), layout="constrained")
for ax, depth in zip(axes.flat, (1, 2, 3, None), strict=True):
    model = hb.TreeClassifier(max_depth=depth).fit(X[columns], y)
    hb.plot_regions(model, X[columns], y, ax=ax)
    ax.set_title(f"depth {depth or 'unlimited'}: {model.tree_.n_leaves} leaves")
